//===- FunctionIndex.h - The functions of an archive, by file ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_PLUGIN_NATIVE_FUNCTIONINDEX_H
#define LLDB_PLUGIN_NATIVE_FUNCTIONINDEX_H

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace lidia {

/// Whether the range of depth 0 at \p Root is a function for LLDB, that is, has
/// source information. Others (assembly, PLT stubs) only have a name, which
/// makes them symbols for LLDB.
bool isFunction(const Archive &A, uint64_t Root);

/// Calls \p Visit with the index of each range, releasing pages so that a large
/// archive does not fill the debugger's memory.
template <typename Visitor> void visitIndices(const Archive &A, Visitor Visit) {
  constexpr uint64_t Step = 1 << 17;
  for (uint64_t I = 0; I < A.rangeCount(); ++I) {
    if (I % Step == Step - 1)
      A.releasePages();
    Visit(I);
  }
}

/// Calls \p Visit with the index of each range of depth 0, as visitIndices().
template <typename Visitor> void visitRoots(const Archive &A, Visitor Visit) {
  // Two bytes for each range, where the range itself has 36.
  FieldView Parents = A.array(format::ET_Parents).value_or(FieldView());
  visitIndices(A, [&](uint64_t I) {
    if ((I >= Parents.Count || Parents[I] == 0) && A.range(I).Depth == 0)
      Visit(I);
  });
}

/// The functions of an archive by their ranges' source file. Built in one pass
/// over the range table; takes four to twelve bytes per function.
class FunctionIndex {
public:
  explicit FunctionIndex(const Archive &A);

  /// The files that have functions, in the order in which they first appear.
  llvm::ArrayRef<StringOffset> files() const { return Files; }

  /// The ranges of depth 0 of the functions of \p File, in order of address.
  llvm::ArrayRef<uint64_t> functions(StringOffset File) const;

private:
  std::vector<StringOffset> Files;
  llvm::DenseMap<StringOffset, uint32_t> Numbers;
  /// The index in Roots of the first function of each file, and the end.
  std::vector<uint64_t> Starts;
  std::vector<uint64_t> Roots;
};

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_FUNCTIONINDEX_H
