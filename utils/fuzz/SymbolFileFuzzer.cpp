//===- SymbolFileFuzzer.cpp - Any bytes as another tool's symbol file -----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converting a GSYM file, a SymCache, a PDB file, a symbfile or a Breakpad
/// symbol file either fails or produces a valid archive.
///
//===----------------------------------------------------------------------===//

#include "ConvertCheck.h"
#include "Object/SymbolFile.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  // The convert fuzzer tests other files.
  if (!isSymbolFile(fileKind(Bytes)))
    return 0;
  Expected<std::unique_ptr<Binary>> File = Binary::create(
      MemoryBuffer::getMemBuffer(Bytes, "fuzz",
                                 /*RequiresNullTerminator=*/false),
      "fuzz");
  if (File)
    convertAndCheck(std::move(*File), fuzzOptions());
  else
    consumeError(File.takeError());
  return 0;
}
