//===- DumpFuzzer.cpp - Any archive as text -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Printing any archive terminates, and the archive's size limits the output.
/// The last byte of the input selects the parts.
///
//===----------------------------------------------------------------------===//

#include "ArchiveInput.h"
#include "lidia/Symbolize/ArchiveText.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Input(reinterpret_cast<const char *>(Data), Size);
  uint8_t Bits = takeLastByte(Input);
  std::optional<Archive> A = archiveFromInput(Input);
  if (!A)
    return 0;
  ArchiveTextOptions Options;
  Options.Header = Options.Extension = Bits & 1;
  Options.Functions = Options.Files = Bits & 1;
  Options.Ranges = Bits & 2;
  Options.Rows = Bits & 4;
  Options.Strings = Bits & 8;
  Options.ReturnPads = Bits & 16;
  Options.ReturnPadsAsJSON = Bits & 32;
  Options.Demangle = Bits & 64;
  if (Bits & 128 && A->rangeCount() != 0)
    Options.Address = A->range(A->rangeCount() / 2).VA;
  // Each row or frame prints a file name, which may be as long as the archive.
  uint64_t Bytes = A->buffer().getBufferSize();
  LimitedStream OS(64 * 1024 + 64 * Bytes + Bytes * Bytes);
  // Disproportionately large output is truncated.
  consumeError(printArchive(OS, *A, Options));
  return 0;
}
