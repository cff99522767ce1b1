//===- ReturnPads.cpp - Return pads from another program ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReturnPads.h"
#include "HelperProgram.h"
#include "lidia/Archive/OutputFile.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

static constexpr char FinderName[] = "lidia-find-calls";

/// What the finder left in \p Output, given how it ended.
static Expected<std::vector<uint64_t>> readPads(StringRef Output, int Status,
                                                StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Bytes = MemoryBuffer::getFile(
      Output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Bytes)
    return createFileError(Output, Bytes.getError());
  if (Status == 0)
    return unpackPads((*Bytes)->getBuffer());
  if (Status == UnreadableStatus)
    return createStringError((*Bytes)->getBuffer());
  if (Status > 0 && !(*Bytes)->getBuffer().empty())
    return createStringError(std::error_code(Status, std::generic_category()),
                             (*Bytes)->getBuffer());
  // Bytes that are no code can bring LLVM down.
  return createStringError(Path + ": LLVM's disassembler crashed on its code; "
                                  "the archive has no return pads");
}

Expected<std::vector<uint64_t>>
findReturnPadsApart(Binary &File, const CodeHints &Hints, unsigned Threads) {
  SmallString<128> Program = helperProgram(FinderName);
  if (!sys::fs::can_execute(Program))
    return createStringError(
        std::make_error_code(std::errc::no_such_file_or_directory),
        "--return-pads: there is no " + Program + " to disassemble with");
  SmallString<128> Input, Output;
  std::error_code EC =
      sys::fs::createTemporaryFile("llvm-lidia", "hints", Input);
  FileRemover RemoveInput(Input);
  if (!EC)
    EC = sys::fs::createTemporaryFile("llvm-lidia", "pads", Output);
  FileRemover RemoveOutput(Output);
  if (EC)
    return createStringError(EC,
                             "cannot make a temporary file: " + EC.message());
  if (Error E = writeOutputFile(Input, [&](raw_ostream &OS) -> Error {
        OS << packHints(Hints);
        return Error::success();
      }))
    return E;
  std::string Failure;
  int Status = sys::ExecuteAndWait(
      Program, {FinderName, File.path(), std::to_string(Threads)}, std::nullopt,
      {StringRef(Input), StringRef(Output), std::nullopt}, /*SecondsToWait=*/0,
      /*MemoryLimit=*/0, &Failure);
  if (Status == -1)
    return createStringError(
        std::make_error_code(std::errc::executable_format_error),
        Program + ": " + Failure);
  return readPads(Output, Status, File.path());
}

} // namespace lidia
