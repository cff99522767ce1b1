//===- CodeIdentity.cpp - What tells one build from another ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeIdentity.h"
#include "Object/Binary.h"
#include "Object/CodeHash.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

/// Null if it is not a binary.
static std::unique_ptr<Binary> openBinary(const OpenedFile &File) {
  Expected<std::unique_ptr<Binary>> Opened = Binary::open(File.path());
  if (Opened)
    return std::move(*Opened);
  consumeError(Opened.takeError());
  return nullptr;
}

bool hasCodeHash(const OpenedFile &File, ArrayRef<uint8_t> ID) {
  if (ID.size() != sizeof(CodeHash))
    return false;
  std::unique_ptr<Binary> Opened = openBinary(File);
  return Opened && Opened->buildID().empty() && isCodeHash(*Opened, ID);
}

bool hasDebugID(const OpenedFile &File, const DebugID &ID) {
  std::unique_ptr<Binary> Opened = openBinary(File);
  if (!Opened)
    return false;
  if (!Opened->buildID().empty())
    return debugID(Opened->identity(), Opened->buildID()) == ID;
  return any_of(codeHashes(*Opened), [&](const CodeHash &Hash) {
    return debugID(Opened->identity(), Hash) == ID;
  });
}

} // namespace lidia
