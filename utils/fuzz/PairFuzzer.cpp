//===- PairFuzzer.cpp - Any bytes as a binary and a second file -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converting any binary and a second file to which it refers either fails or
/// produces a valid archive. The input is the second file, followed by the
/// binary, followed by the size of the second file in four bytes
/// (little-endian). The second file is available with all names that the corpus
/// uses: those of a .dwo file, a package and a supplementary file.
///
//===----------------------------------------------------------------------===//

#include "ConvertCheck.h"
#include "TemporaryFolder.h"
#include "llvm/Support/Endian.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const TemporaryFolder Temporary;
  if (Size < 4)
    return 0;
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size - 4);
  size_t OtherSize = support::endian::read32le(Data + Size - 4);
  StringRef Other = Bytes.take_front(OtherSize);
  StringRef MainBytes = Bytes.drop_front(Other.size());
  Expected<std::unique_ptr<Binary>> Main = Binary::create(
      MemoryBuffer::getMemBufferCopy(MainBytes), Temporary.file("a.elf"));
  if (!Main) {
    consumeError(Main.takeError());
    return 0;
  }
  for (StringRef Name : {"a.elf.dwp", "i.dwo", "t.dwo", "common.debug"})
    Temporary.write(Name, Other);
  ConvertOptions Options = fuzzOptions();
  // No file outside the folder may affect the result.
  Options.Search.Directories = {Temporary.file("none")};
  Options.SplitDirectories = {Temporary.file("")};
  convertAndCheck(std::move(*Main), Options);
  return 0;
}
