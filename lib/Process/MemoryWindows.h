//===- MemoryWindows.h - Few reads for many words ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROCESS_MEMORYWINDOWS_H
#define LIDIA_LIB_PROCESS_MEMORYWINDOWS_H

#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

namespace lidia {

/// Speeds up reads of words that are near each other, as in unwinding, by
/// reading whole windows of memory at once. The memory must not change during
/// the lifetime of this object.
class MemoryWindows {
public:
  using Function =
      std::function<size_t(uint64_t, llvm::MutableArrayRef<uint8_t>)>;

  explicit MemoryWindows(Function Read) : Read(std::move(Read)) {}

  /// Like AddressSpace::readMemory().
  size_t read(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) {
    size_t Done = 0;
    while (Done != To.size()) {
      const Window &W = window(Address + Done);
      uint64_t At = Address + Done - W.Begin;
      if (At >= W.Bytes.size())
        break;
      size_t Count = std::min<uint64_t>(To.size() - Done, W.Bytes.size() - At);
      std::memcpy(To.data() + Done, W.Bytes.data() + At, Count);
      Done += Count;
    }
    return Done;
  }

private:
  static constexpr uint64_t Page = 4096;
  static constexpr uint64_t Max = 4 * Page;

  struct Window {
    uint64_t Begin = 0;
    std::vector<uint8_t> Bytes;

    bool has(uint64_t Address) const { return Address - Begin < Bytes.size(); }
    void fill(const Function &Read, uint64_t From) {
      Begin = From;
      Bytes.resize(Max);
      Bytes.resize(Read(From, Bytes));
    }
  };

  /// The window that contains \p Address, or one that does not contain it if it
  /// cannot be read.
  const Window &window(uint64_t Address) {
    for (Window &W : Windows)
      if (W.has(Address))
        return W;
    Window &W = Windows[Next++ % Windows.size()];
    W.fill(Read, Address & ~(Page - 1));
    // Readable memory may begin within a page.
    if (!W.has(Address))
      W.fill(Read, Address);
    return W;
  }

  const Function Read;
  std::array<Window, 4> Windows;
  unsigned Next = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_MEMORYWINDOWS_H
