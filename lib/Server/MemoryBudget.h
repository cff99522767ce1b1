//===- MemoryBudget.h - One bound for all bodies in memory ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The bodies of requests and of answers are in memory as long as their clients
/// take to send and to read them. Each may be small enough, and all together
/// too large. So they share one budget.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_MEMORYBUDGET_H
#define LIDIA_LIB_SERVER_MEMORYBUDGET_H

#include <atomic>
#include <cstdint>
#include <utility>

namespace lidia {

/// A number of bytes that many may use together. Thread-safe.
class MemoryBudget {
public:
  explicit MemoryBudget(uint64_t Max) : Max(Max) {}

  uint64_t used() const { return Used; }
  uint64_t max() const { return Max; }

private:
  friend class MemoryShare;

  const uint64_t Max;
  std::atomic<uint64_t> Used{0};
};

/// What one body uses of a budget, until it is destroyed.
class MemoryShare {
public:
  MemoryShare() = default;
  explicit MemoryShare(MemoryBudget &Of) : Of(&Of) {}
  MemoryShare(MemoryShare &&Other) { *this = std::move(Other); }
  MemoryShare &operator=(MemoryShare &&Other) {
    std::swap(Of, Other.Of);
    std::swap(Size, Other.Size);
    return *this;
  }
  ~MemoryShare() { giveBack(); }

  /// Uses \p Bytes more. Returns false, and uses none of them, if the budget
  /// lacks them.
  [[nodiscard]] bool grow(uint64_t Bytes) {
    if (Of && Bytes && (Of->Used += Bytes) > Of->Max) {
      Of->Used -= Bytes;
      return false;
    }
    Size += Bytes;
    return true;
  }

  /// Makes the share \p Bytes large, which it may be already.
  [[nodiscard]] bool resize(uint64_t Bytes) {
    if (Bytes >= Size)
      return grow(Bytes - Size);
    if (Of)
      Of->Used -= Size - Bytes;
    Size = Bytes;
    return true;
  }

  void giveBack() { (void)resize(0); }
  uint64_t size() const { return Size; }

private:
  MemoryBudget *Of = nullptr;
  uint64_t Size = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_MEMORYBUDGET_H
