//===- ItaniumNameCost.cpp - The size of a demangled C++ name -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameCost.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Demangle/ItaniumDemangle.h"
#include "llvm/Support/Allocator.h"

using namespace llvm;
using namespace llvm::itanium_demangle;

namespace lidia {

namespace {

/// Allocates the parser's nodes.
class NodeAllocator {
public:
  void reset() { Memory.Reset(); }
  template <typename T, typename... Args> T *makeNode(Args &&...A) {
    return new (Memory.Allocate(sizeof(T), alignof(T)))
        T(std::forward<Args>(A)...);
  }
  void *allocateNodeArray(size_t Count) {
    return Memory.Allocate(sizeof(Node *) * Count, alignof(Node *));
  }

private:
  // With a slab size of our own: the default instantiation is compiled into
  // LLVM's libraries without AddressSanitizer, and ours with it would poison
  // memory that they use.
  BumpPtrAllocatorImpl<MallocAllocator, 8192> Memory;
};

/// Computes the size of a tree with shared nodes, visiting each node once.
class SizeSum {
public:
  uint64_t of(const Node *N) {
    if (!N)
      return 0;
    // A node nested in itself is printed once.
    auto [It, New] = Known.try_emplace(N, 0);
    if (!New)
      return It->second;
    uint64_t Size = 0;
    N->visit([&](const auto *Concrete) { Size = partsOf(Concrete); });
    // Allow for brackets and keywords around its parts.
    Size = std::min(Size + 8, Most);
    Known[N] = Size;
    return Size;
  }

private:
  template <typename T> uint64_t partsOf(const T *N) {
    uint64_t Size = 0;
    N->match([&](const auto &...Parts) {
      ((Size = std::min(Size + part(Parts), Most)), ...);
    });
    return Size;
  }
  uint64_t partsOf(const ForwardTemplateReference *N) { return of(N->Ref); }

  template <typename T> uint64_t part(const T &Part) {
    if constexpr (std::is_convertible_v<T, const Node *>)
      return of(Part);
    else if constexpr (std::is_same_v<T, NodeArray>)
      return sizeOfAll(Part);
    else if constexpr (std::is_same_v<T, std::string_view>)
      return Part.size();
    else
      return 0; // flags and numbers
  }
  uint64_t sizeOfAll(NodeArray Nodes) {
    uint64_t Size = 0;
    for (const Node *N : Nodes)
      Size = std::min(Size + of(N), Most);
    return Size;
  }

  static constexpr uint64_t Most = uint64_t(1) << 40;
  DenseMap<const Node *, uint64_t> Known;
};

} // namespace

bool isItaniumNameWithin(StringRef Mangled, uint64_t Limit) {
  ManglingParser<NodeAllocator> Parser(Mangled.begin(), Mangled.end());
  return SizeSum().of(Parser.parse()) <= Limit;
}

} // namespace lidia
