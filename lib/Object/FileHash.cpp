//===- FileHash.cpp - The htlhash of a file -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileHash.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SHA256.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

FileHash hashFileParts(StringRef First, StringRef Last, uint64_t Size) {
  SHA256 Hash;
  Hash.update(First);
  Hash.update(Last);
  uint8_t SizeBytes[8];
  support::endian::write64be(SizeBytes, Size);
  Hash.update(ArrayRef<uint8_t>(SizeBytes));
  FileHash Result;
  std::array<uint8_t, 32> Digest = Hash.final();
  std::copy_n(Digest.begin(), Result.size(), Result.begin());
  return Result;
}

FileHash hashFile(StringRef Bytes) {
  return hashFileParts(Bytes.take_front(FileHashPart),
                       Bytes.take_back(FileHashPart), Bytes.size());
}

} // namespace lidia
