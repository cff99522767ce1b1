//===- BinaryInput.cpp - Binaries in place of archives --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryInput.h"
#include "Object/Binary.h"
#include "Object/ZipFile.h"
#include "lidia/Object/FileKind.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace lidia {

bool isBinary(StringRef Path) {
  if (existingZipPath(Path))
    return true;
  Expected<std::string> File = binaryFile(Path);
  if (!File) {
    consumeError(File.takeError());
    return true;
  }
  FileKind Kind = fileKindOf(*File);
  return isObjectFile(Kind) || isSymbolFile(Kind) ||
         (isCompressed(Kind) && isPackedBinary(*File));
}

} // namespace lidia
