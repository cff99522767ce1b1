//===- ConvertFuzzer.cpp - Any bytes as a binary --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Whatever the bytes are, converting them either fails or gives an archive
/// whose structure is sound.
///
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Verify.h"
#include "lidia/Disassemble/ReturnPads.h"
#include "lidia/Extract/Convert.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/raw_ostream.h"

using namespace lidia;
using namespace llvm;

namespace {
class Silent final : public ConvertObserver {
public:
  void warning(const Twine &) override {}
  void progress(StringRef, uint64_t, uint64_t) override {}
};
} // namespace

static void checkArchive(StringRef Bytes) {
  Expected<Archive> A = Archive::create(MemoryBuffer::getMemBuffer(
      Bytes, "written", /*RequiresNullTerminator=*/false));
  if (!A)
    report_fatal_error(A.takeError());
  if (Error E = verify(*A, [](const Trouble &T) {
        errs() << T.Count << " " << T.What << '\n';
      }))
    report_fatal_error(std::move(E));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  Expected<std::unique_ptr<Binary>> Main = Binary::create(
      MemoryBuffer::getMemBuffer(Bytes, "fuzz",
                                 /*RequiresNullTerminator=*/false),
      "fuzz");
  if (!Main) {
    consumeError(Main.takeError());
    return 0;
  }
  ConvertOptions Options;
  Options.Lines = true;
  Options.Archive.Columns = true;
  Options.Archive.Checksums = true;
  Options.Threads = 1;
  // The outcome must depend on the input alone.
  Options.FindDebugFile = false;
  // Bytes that are no code crash some of LLVM's disassemblers, which is why
  // llvm-lidia leaves them to another program. These two do not.
  uint16_t Machine = (*Main)->identity().Machine;
  if (Machine == ELF::EM_X86_64 || Machine == ELF::EM_AARCH64)
    Options.FindReturnPads = findReturnPads;
  SmallString<0> Written;
  raw_svector_ostream OS(Written);
  Silent Observer;
  Expected<ConvertStatistics> Statistics =
      convert(std::move(*Main), OS, Options, Observer);
  if (!Statistics) {
    consumeError(Statistics.takeError());
    return 0;
  }
  checkArchive(Written);
  return 0;
}
