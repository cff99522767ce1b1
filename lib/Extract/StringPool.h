//===- StringPool.h - Stores each string once, thread-safe ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_STRINGPOOL_H
#define LIDIA_LIB_EXTRACT_STRINGPOOL_H

#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <array>
#include <atomic>
#include <mutex>
#include <vector>

namespace lidia {

/// The ID of a string in a StringPool. Zero is the empty string.
using StringID = uint32_t;

/// Stores each string once. Thread-safe.
///
/// IDs depend on the order of threads, so no ID may reach the archive or decide
/// an order; the writer renumbers strings by first use.
class StringPool {
public:
  /// The total size of all distinct strings.
  uint64_t bytes() const { return Bytes; }

  /// The ID of \p Text. Unless \p Stable, the text is copied; otherwise the
  /// caller keeps it alive as long as the pool, for example in a mapped
  /// section.
  StringID intern(llvm::StringRef Text, bool Stable);

  llvm::StringRef operator[](StringID ID) const;

  /// One more than the greatest ID given so far.
  size_t idEnd() const;

private:
  static constexpr unsigned ShardBits = 4;
  struct Shard {
    mutable std::mutex Mutex;
    llvm::DenseMap<llvm::CachedHashStringRef, StringID> IDs;
    std::vector<llvm::StringRef> Texts;
    llvm::BumpPtrAllocator Allocator;
  };
  std::array<Shard, 1u << ShardBits> Shards;
  std::atomic<uint64_t> Bytes{0};
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_STRINGPOOL_H
