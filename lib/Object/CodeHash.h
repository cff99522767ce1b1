//===- CodeHash.h - What stands for a missing build ID ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_CODEHASH_H
#define LIDIA_LIB_OBJECT_CODEHASH_H

#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstdint>
#include <vector>

namespace lidia {

class Binary;

/// 16 bytes XORed over the beginning of code.
using CodeHash = std::array<uint8_t, 16>;

/// The hashes by which Breakpad and its successors identify an ELF file without
/// a build ID. The first is Breakpad's, over the first 4096 bytes of .text;
/// others take the first executable section or segment, or stop at its end
/// within 16 bytes. Empty if the file has no code.
std::vector<CodeHash> codeHashes(const Binary &File);

/// Whether \p ID is one of codeHashes().
bool isCodeHash(const Binary &File, llvm::ArrayRef<uint8_t> ID);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_CODEHASH_H
