//===- BinaryInput.cpp - Binaries in the place of archives ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryInput.h"
#include "Object/Binary.h"
#include "lidia/Object/PackedBinary.h"
#include "lidia/Object/SymbolFiles.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace lidia {

bool isBinary(StringRef Path) {
  Expected<std::string> File = binaryFile(Path);
  if (!File) {
    consumeError(File.takeError());
    return true;
  }
  file_magic Magic;
  return sys::fs::is_regular_file(*File) && !identify_magic(*File, Magic) &&
         (Magic != file_magic::unknown || isPackedBinary(*File) ||
          isSymbolFile(*File));
}

} // namespace lidia
