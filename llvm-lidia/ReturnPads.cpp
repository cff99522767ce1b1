//===- ReturnPads.cpp - Runs the finder of return pads --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReturnPads.h"
#include "HelperFile.h"
#include "HelperProgram.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

static constexpr char FinderName[] = "lidia-find-calls";

/// Reads the pads that the finder wrote to \p Output; \p Status is its exit
/// status.
static Expected<std::vector<uint64_t>> readPads(StringRef Output, int Status,
                                                StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Bytes = MemoryBuffer::getFile(
      Output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Bytes)
    return createFileError(Output, Bytes.getError());
  if (Status == 0)
    return unpackPads((*Bytes)->getBuffer());
  if (Status == UnreadableStatus)
    return make_error<DamagedError>("", (*Bytes)->getBuffer());
  if (Status == UnwritableStatus)
    return make_error<SystemError>(
        std::make_error_code(std::errc::io_error), Output,
        "cannot be written; is the disk full? (set TMPDIR?)");
  if (Status > 0 && !(*Bytes)->getBuffer().empty())
    return make_error<SystemError>(
        std::error_code(Status, std::generic_category()), "",
        (*Bytes)->getBuffer().rtrim('\n'));
  // Bytes that are not code can crash LLVM's disassembler.
  return make_error<DamagedError>(Path,
                                  "LLVM's disassembler crashed on its code; "
                                  "the archive has no return pads");
}

/// Writes in place, because only the user may read the file, and data from a
/// pipe may be private.
static Error write(const HelperFile &To, StringRef Bytes) {
  if (Error E = To.error())
    return E;
  std::error_code EC;
  raw_fd_ostream OS(To.path(), EC);
  if (!EC) {
    OS << Bytes;
    OS.close();
    EC = OS.error();
    // With an error, the stream's destructor would end the process.
    OS.clear_error();
  }
  if (EC)
    return createStringError(EC, To.path() + ": " + EC.message() +
                                     " (set TMPDIR?)");
  return Error::success();
}

/// Whether another program that opens \p File reads the same data. It does not
/// for a pipe, which is empty now, or for a part of a universal file.
static bool canBeReadAgain(const Binary &File) {
  sys::fs::file_status Status;
  return !sys::fs::status(File.path(), Status) &&
         sys::fs::is_regular_file(Status) && Status.getSize() == File.size();
}

static Expected<std::vector<uint64_t>> runFinder(const Binary &File,
                                                 StringRef Readable,
                                                 const CodeHints &Hints,
                                                 unsigned Threads) {
  SmallString<128> Program = helperProgram(FinderName);
  if (!sys::fs::can_execute(Program))
    return createStringError(
        std::make_error_code(std::errc::no_such_file_or_directory),
        "--return-pads: code cannot be disassembled without " + Program);
  HelperFile Input("hints"), Output("pads");
  if (Error E = Output.error())
    return E;
  if (Error E = write(Input, packHints(Hints)))
    return E;
  std::string Failure;
  // Passes on standard input, because the binary may be /dev/stdin.
  int Status = sys::ExecuteAndWait(
      Program,
      {FinderName, Readable, File.path(), std::to_string(Threads), Input.path(),
       std::to_string(::getpid())},
      std::nullopt, {std::nullopt, Output.path(), std::nullopt},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &Failure);
  if (Status == -1)
    return make_error<SystemError>(
        std::make_error_code(std::errc::executable_format_error), Program,
        Failure);
  return readPads(Output.path(), Status, File.path());
}

Expected<std::vector<uint64_t>>
findReturnPadsApart(Binary &File, const CodeHints &Hints, unsigned Threads) {
  if (canBeReadAgain(File))
    return runFinder(File, File.path(), Hints, Threads);
  HelperFile Copy("binary");
  if (Error E = write(Copy, File.buffer().getBuffer()))
    return E;
  return runFinder(File, Copy.path(), Hints, Threads);
}

} // namespace lidia
