//===- FunctionIndex.h - The functions of an archive, by unit ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_PLUGIN_NATIVE_FUNCTIONINDEX_H
#define LLDB_PLUGIN_NATIVE_FUNCTIONINDEX_H

#include "lidia/Archive/Archive.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace lidia {

/// Whether the range of depth 0 at \p Root is a function for LLDB, that is,
/// whether it has source information. Others (assembly, PLT stubs) only have a
/// name, which makes them symbols for LLDB.
bool isFunction(const Archive &A, uint64_t Root);

/// The first index at or after \p Start of a range that may have depth 0, by
/// \p Parents.
uint64_t nextRoot(const FieldView &Parents, uint64_t Start);

/// Calls \p Visit with the index of each range of depth 0. Releases pages, so
/// that a large archive does not fill the debugger's memory.
template <typename Visitor> void visitRoots(const Archive &A, Visitor Visit) {
  // This array has two bytes for each range, but a range has 36.
  FieldView Parents = A.array(format::ET_Parents).value_or(FieldView());
  constexpr uint64_t Step = 1 << 17;
  uint64_t Release = Step;
  for (uint64_t I = nextRoot(Parents, 0); I < A.rangeCount();
       I = nextRoot(Parents, I + 1)) {
    if (I >= Release) {
      A.releasePages();
      Release = I + Step;
    }
    if (A.range(I).Depth == 0)
      Visit(I);
  }
}

/// A compile unit for LLDB: that of the debug information or, for functions
/// without a unit, the source file of their ranges.
struct UnitOfFunctions {
  /// The primary file.
  StringOffset File = 0;
  /// The offset of the file, or the number of the unit and a flag.
  lldb::user_id_t ID = 0;

  /// Whether it is a unit of the debug information.
  bool isReal() const { return ID & RealMask; }
  static constexpr uint64_t RealMask = uint64_t(1) << 60;
};

/// The unit of the function at \p Root.
UnitOfFunctions unitOfFunction(const Archive &A, uint64_t Root);

/// The functions of an archive by their units. Built in one pass over the range
/// table; takes four to twelve bytes per function.
class FunctionIndex {
public:
  explicit FunctionIndex(const Archive &A);

  /// The units that have functions, in order of first appearance, followed by
  /// those that only had copies.
  llvm::ArrayRef<UnitOfFunctions> units() const { return Units; }

  /// The ranges of depth 0 of the functions of the unit with \p ID, in order of
  /// address.
  llvm::ArrayRef<uint64_t> functions(lldb::user_id_t ID) const;

  /// The ranges of depth 0 of functions of other units that the unit with \p ID
  /// had copies of, in order of address.
  llvm::ArrayRef<uint64_t> copies(lldb::user_id_t ID) const;

private:
  uint32_t numberOf(const UnitOfFunctions &U);
  void addCopies(const Archive &A);

  std::vector<UnitOfFunctions> Units;
  llvm::DenseMap<lldb::user_id_t, uint32_t> Numbers;
  /// The index in Roots of the first function of each unit, and the end.
  std::vector<uint64_t> Starts;
  std::vector<uint64_t> Roots;
  llvm::DenseMap<lldb::user_id_t, std::vector<uint64_t>> Copies;
};

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_FUNCTIONINDEX_H
