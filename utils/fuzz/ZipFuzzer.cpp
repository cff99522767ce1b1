//===- ZipFuzzer.cpp - Any bytes as a zip file ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The libraries in a zip file have the sizes that its table says, in
/// proportion to the file, or cannot be read.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "Object/ZipFile.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  Expected<ZipFile> Zip = ZipFile::open(Bytes, "fuzz");
  if (!Zip) {
    consumeError(Zip.takeError());
    return 0;
  }
  check(Zip->libraries().size() <= Size, "more libraries than bytes");
  for (const ZipFile::Entry &E : Zip->libraries()) {
    check(Zip->find(E.Name), "a library that is not found");
    // Larger ones only take time.
    if (E.Size > 1 << 20)
      continue;
    Expected<std::unique_ptr<MemoryBuffer>> File = Zip->read(E, "fuzz");
    if (File)
      check((*File)->getBufferSize() <= std::max<size_t>(E.Size, E.PackedSize),
            "a file of another size");
    else
      consumeError(File.takeError());
  }
  return 0;
}
