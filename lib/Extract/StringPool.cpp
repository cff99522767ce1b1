//===- StringPool.cpp - Stores each string once, thread-safe --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StringPool.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lidia {

// An ID is the index within a shard plus one, shifted above the shard's number,
// so that zero is free for the empty string.
StringID StringPool::intern(StringRef Text, bool Stable) {
  if (Text.empty())
    return 0;
  uint64_t Hash = xxh3_64bits(Text);
  // DenseMap in the shard uses the low bits.
  unsigned Number = Hash >> (64 - ShardBits);
  Shard &S = Shards[Number];
  CachedHashStringRef Key(Text, uint32_t(Hash));
  std::lock_guard<std::mutex> Lock(S.Mutex);
  auto It = S.IDs.find(Key);
  if (It != S.IDs.end())
    return It->second;
  Bytes += Text.size();
  if (!Stable)
    Key = CachedHashStringRef(StringSaver(S.Allocator).save(Text),
                              uint32_t(Hash));
  S.Texts.push_back(Key.val());
  StringID ID = StringID(S.Texts.size()) << ShardBits | Number;
  S.IDs.try_emplace(Key, ID);
  return ID;
}

StringRef StringPool::operator[](StringID ID) const {
  if (!ID)
    return {};
  const Shard &S = Shards[ID & ((1u << ShardBits) - 1)];
  std::lock_guard<std::mutex> Lock(S.Mutex);
  return S.Texts[(ID >> ShardBits) - 1];
}

size_t StringPool::idEnd() const {
  size_t Max = 0;
  for (const Shard &S : Shards) {
    std::lock_guard<std::mutex> Lock(S.Mutex);
    Max = std::max(Max, S.Texts.size());
  }
  return (Max + 1) << ShardBits;
}

} // namespace lidia
