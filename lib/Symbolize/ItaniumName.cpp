//===- ItaniumName.cpp - Demangle C++ names ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameCost.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/ItaniumDemangle.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>

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
    Size = std::min(Size + 8, Max);
    Known[N] = Size;
    return Size;
  }

private:
  template <typename T> uint64_t partsOf(const T *N) {
    uint64_t Size = 0;
    N->match([&](const auto &...Parts) {
      ((Size = std::min(Size + part(Parts), Max)), ...);
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
      Size = std::min(Size + of(N), Max);
    return Size;
  }

  static constexpr uint64_t Max = uint64_t(1) << 40;
  DenseMap<const Node *, uint64_t> Known;
};

} // namespace

/// Whether \p Name has more references to its own parts (`S_`, `S1_`, `T_`,
/// `T1_` or `TL0__1_`) than can make it long. Letters of identifiers look like
/// references rarely, and abbreviations ("St") never.
static bool hasManyReferences(StringRef Name) {
  // A part that consists of two references to the part before it doubles the
  // name, and no other number of references makes much more of them.
  size_t Harmless =
      2 * Log2_64(MaxDemangled / std::max<size_t>(Name.size(), 1));
  size_t Count = 0;
  for (size_t End = Name.find('_'); End != StringRef::npos;
       End = Name.find('_', End + 1))
    for (size_t At = End; At != 0; --At) {
      char C = Name[At - 1];
      if (!isDigit(C) && !isUpper(C))
        break;
      if ((C == 'S' || C == 'T') && ++Count > Harmless)
        return true;
    }
  return false;
}

bool isItaniumNameWithinLimit(StringRef Mangled) {
  if (!hasManyReferences(Mangled))
    return true;
  ManglingParser<NodeAllocator> Parser(Mangled.begin(), Mangled.end());
  return SizeSum().of(Parser.parse()) <= MaxDemangled;
}

// LLVM's itaniumDemangle() would parse the name a second time.
std::optional<std::string> demangleItaniumName(StringRef Mangled,
                                               bool ParseParams) {
  ManglingParser<NodeAllocator> Parser(Mangled.begin(), Mangled.end());
  const Node *Tree = Parser.parse(ParseParams);
  if (!Tree ||
      (hasManyReferences(Mangled) && SizeSum().of(Tree) > MaxDemangled))
    return std::nullopt;
  OutputBuffer Buffer;
  Tree->print(Buffer);
  Buffer += '\0';
  std::string Text = Buffer.getBuffer();
  std::free(Buffer.getBuffer());
  return Text;
}

} // namespace lidia
