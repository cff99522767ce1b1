//===- ZipFuzzer.cpp - Any bytes as a zip or cabinet file -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The files in a zip file have the sizes in its table, in proportion to
/// the file, or cannot be read. The same holds for the file in a cabinet file.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "Object/Cabinet.h"
#include "Object/Decompress.h"
#include "Object/ZipFile.h"
#include "lidia/Object/FileKind.h"

using namespace lidia;
using namespace llvm;

static void checkCabinet(StringRef Bytes) {
  Expected<std::unique_ptr<MemoryBuffer>> File = unpackCabinet(Bytes, "fuzz");
  if (File)
    check((*File)->getBufferSize() <= maxUnpackedSize(Bytes),
          "a file that is too large");
  else
    consumeError(File.takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (fileKind(Bytes) == FileKind::Cabinet) {
    checkCabinet(Bytes);
    return 0;
  }
  Expected<ZipFile> Zip = ZipFile::open(Bytes, "fuzz");
  if (!Zip) {
    consumeError(Zip.takeError());
    return 0;
  }
  check(Zip->entries().size() <= Size, "more files than bytes");
  for (const ZipFile::Entry &E : Zip->entries()) {
    check(Zip->find(E.Name), "a file that is not found");
    // Larger ones only take more time.
    if (E.Size > 1 << 20)
      continue;
    Expected<std::unique_ptr<MemoryBuffer>> File = Zip->read(E, "fuzz");
    if (File)
      check((*File)->getBufferSize() == E.Size, "a file of another size");
    else
      consumeError(File.takeError());
  }
  return 0;
}
