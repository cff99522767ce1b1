//===- JSONTree.h - JSON in memory ------------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_JSONTREE_H
#define LIDIA_LIB_PROFILE_JSONTREE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>

namespace lidia {

/// A value of a JSONTree, of 16 bytes. All functions accept values of any kind.
class JSONNode {
public:
  /// The elements of an array; empty for anything else.
  llvm::ArrayRef<JSONNode> elements() const {
    return Its == Kind::Array ? llvm::ArrayRef(Nodes, Count)
                              : llvm::ArrayRef<JSONNode>();
  }
  bool isArray() const { return Its == Kind::Array; }
  /// The member \p Name of an object; null if there is none.
  const JSONNode *member(llvm::StringRef Name) const;
  std::optional<llvm::StringRef> text() const;
  std::optional<double> number() const;
  /// A number that is an integer and not negative.
  std::optional<uint64_t> unsignedNumber() const;

private:
  friend class JSONTreeBuilder;
  enum class Kind : uint8_t { Other, Text, Unsigned, Real, Array, Object };

  union {
    /// An object has its names and values in turn.
    const JSONNode *Nodes = nullptr;
    const char *Text;
    uint64_t Unsigned;
    double Real;
  };
  uint32_t Count = 0;
  Kind Its = Kind::Other;
};

/// A JSON text in memory, in a few times its size: LLVM's values are larger,
/// and its parser is recursive.
class JSONTree {
public:
  /// \p Name is for errors. Fails for texts of 4 GiB and more.
  static llvm::Expected<JSONTree> parse(llvm::StringRef Text,
                                        llvm::StringRef Name);

  const JSONNode &root() const { return Root; }

private:
  friend class JSONTreeBuilder;
  llvm::BumpPtrAllocator Allocator;
  JSONNode Root;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_JSONTREE_H
