//===- Functions.h - Subprograms and inlined calls of a unit ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_FUNCTIONS_H
#define LIDIA_LIB_DWARF_FUNCTIONS_H

#include "Unit.h"

namespace lidia {
namespace dwarf {

/// A DIE that may be a scope in the name of a DIE below it.
struct ScopeEntry {
  /// Its DIE reference (see Unit::reference).
  uint64_t DIE = 0;
  /// Index of the enclosing entry; NoScope directly below the root.
  uint32_t Parent = 0;
};

/// The nesting of scopes: the namespaces, types and subprograms of a unit, in
/// order of their DIEs. The only part of a unit's tree that is kept while its
/// functions are read.
class ScopeTable {
public:
  static constexpr uint32_t NoScope = UINT32_MAX;

  void clear() { Entries.clear(); }
  uint32_t add(uint64_t DIE, uint32_t Parent) {
    Entries.push_back({DIE, Parent});
    return Entries.size() - 1;
  }
  /// Index of the entry for \p DIE; NoScope if there is none.
  uint32_t find(uint64_t DIE) const;
  const ScopeEntry &operator[](uint32_t Index) const { return Entries[Index]; }

private:
  std::vector<ScopeEntry> Entries;
};

/// A subprogram with code, or a call inlined into one.
struct FunctionNode {
  static constexpr uint32_t None = UINT32_MAX;

  /// The DIE reference from which its name is found: its own for a subprogram,
  /// the abstract origin's for a call.
  uint64_t DIE = 0;
  /// Index of the node it was inlined into; None for a subprogram.
  uint32_t Parent = None;
  /// Index of the node of the enclosing subprogram.
  uint32_t Subprogram = None;
  /// Inlining depth: zero for a subprogram.
  uint32_t Depth = 0;
  uint32_t CallFile = 0;
  uint32_t CallLine = 0;
  uint32_t CallColumn = 0;
  /// The entry of a subprogram; always in one of its ranges.
  uint64_t Entry = 0;
  /// The node's part of UnitFunctions::Ranges.
  uint32_t FirstRange = 0;
  uint32_t RangeCount = 0;
  /// The node's part of UnitFunctions::EmptyRanges.
  uint32_t FirstEmpty = 0;
  uint32_t EmptyCount = 0;
};

/// A call, not inlined, of a known function or by a pointer.
struct CallSite {
  /// The DIE reference from which the callee's name is found, if HasCallee.
  uint64_t Callee = 0;
  /// If not HasCallee, the expression of the callee's address and the
  /// expression of the subprogram's frame base, as bytes of .debug_info.
  llvm::StringRef Target;
  llvm::StringRef FrameBase;
  /// The call instruction or, if AtReturn, the one after it.
  uint64_t Address = 0;
  /// Index of the node of the subprogram that calls.
  uint32_t Subprogram = FunctionNode::None;
  bool HasCallee = false;
  bool AtReturn = false;
  /// Whether the callee returns to the caller's caller.
  bool IsTail = false;
  /// Whether its DIE is directly below that of a subprogram that claims to
  /// list all of its calls. LLDB 19 uses no others.
  bool IsListed = false;
};

/// A block of the source in a subprogram or in a call inlined into one.
struct LexicalBlock {
  /// Index of the innermost node around it.
  uint32_t Node = FunctionNode::None;
  /// The number of nodes whose DIEs precede its DIE.
  uint32_t NodesBefore = 0;
  /// The block's part of UnitFunctions::Ranges; not empty.
  uint32_t FirstRange = 0;
  uint32_t RangeCount = 0;
};

/// The functions of one unit, in the order of their DIEs.
struct UnitFunctions {
  std::vector<FunctionNode> Nodes;
  std::vector<AddressRange> Ranges;
  /// The addresses of empty ranges of calls. GCC writes an empty range at the
  /// beginning of a call whose first instruction belongs to something else.
  std::vector<uint64_t> EmptyRanges;
  std::vector<CallSite> Calls;
  std::vector<LexicalBlock> Blocks;
  ScopeTable Scopes;
  /// The numbers of inlined calls left out because they are deeper than
  /// MaxInlineDepth, and of ranges that could not be read.
  uint64_t TooDeep = 0;
  uint64_t BrokenRanges = 0;

  llvm::ArrayRef<AddressRange> ranges(const FunctionNode &N) const {
    return llvm::ArrayRef(Ranges).slice(N.FirstRange, N.RangeCount);
  }
  llvm::ArrayRef<AddressRange> ranges(const LexicalBlock &B) const {
    return llvm::ArrayRef(Ranges).slice(B.FirstRange, B.RangeCount);
  }
  llvm::ArrayRef<uint64_t> emptyRanges(const FunctionNode &N) const {
    return llvm::ArrayRef(EmptyRanges).slice(N.FirstEmpty, N.EmptyCount);
  }
  void clear();
};

/// Compilers do not produce deeper calls, and each level adds a frame to every
/// answer below it.
inline constexpr uint32_t MaxInlineDepth = 1000;

/// Walks the DIEs of \p U once and gathers its functions in \p Out. On an
/// error, the functions found before it stay in \p Out. \p Budget is the one
/// that the unit was opened with; exhausting it is an error. Call sites and
/// lexical blocks, which only debuggers need, are read only if \p ForDebuggers.
llvm::Error readFunctions(const Unit &U, UnitFunctions &Out, WorkBudget &Budget,
                          bool ForDebuggers);

/// Like readFunctions(), but reads only the scopes, and charges the unit's
/// bytes to \p Budget.
llvm::Error readScopes(const Unit &U, ScopeTable &Out, WorkBudget &Budget);

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_FUNCTIONS_H
