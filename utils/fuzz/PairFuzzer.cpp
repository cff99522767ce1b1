//===- PairFuzzer.cpp - Any bytes as a binary and its other file ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Whatever a binary and the file that it leads to are, converting them either
/// fails or gives an archive whose structure is sound. The input is the other
/// file, the binary, and in its last four bytes the former's size
/// (little-endian). The other file has all the names by which the corpus asks
/// for one: a .dwo file's, a package's, a supplementary file's.
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
  // Nothing outside of the folder may decide the outcome.
  Options.Search.Directories = {Temporary.file("none")};
  Options.SplitDirectories = {Temporary.file("")};
  convertAndCheck(std::move(*Main), Options);
  return 0;
}
