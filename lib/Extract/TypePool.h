//===- TypePool.h - The types of variables, each once -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_TYPEPOOL_H
#define LIDIA_LIB_EXTRACT_TYPEPOOL_H

#include "DIEReader.h"
#include "DWARFFile.h"
#include "lidia/Archive/Variables.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>
#include <map>

namespace lidia {

/// Collects the types of variables. Equal types of different units become one:
/// those with the same attributes and children, whose types are equal in turn,
/// up to Rounds references away.
class TypePool {
public:
  explicit TypePool(VariableTableBuilder &Builder) : Builder(Builder) {}

  /// Selects the unit whose references type() is called with.
  void beginUnit(VisitedUnit &V) {
    Unit = &V;
    if (isSplit())
      Scopes.clear();
  }
  /// Adds the types that the unit's types refer to. Must be called before the
  /// next unit.
  void finishUnit();

  /// The index of the type with the DIE reference \p DIE; none if it cannot be
  /// read.
  std::optional<uint32_t> type(uint64_t DIE);

  /// The DIE reference in \p V, also for the signature of a type unit in
  /// .debug_info.
  std::optional<uint64_t> reference(const dwarf::Unit &U,
                                    const dwarf::FormValue &V);

private:
  static constexpr unsigned Rounds = 6;

  /// A type as read from its DIE. The values of ValueKind::Type are DIE
  /// references.
  struct ParsedType {
    DIETree Tree;
    std::string Name;
    bool IsValid = false;
    /// The hashes that are known, by rounds.
    std::array<uint64_t, Rounds + 1> Hashes;
    unsigned Known = 0;
  };
  struct ScopeParent {
    uint64_t DIE;
    /// Index among those of the unit; UINT32_MAX if it has none.
    uint32_t Parent;
  };
  using UnitScopes = std::vector<ScopeParent>;

  bool isSplit() const { return &Unit->U != &Unit->Skeleton; }
  ParsedType &parse(uint64_t DIE);
  bool read(const dwarf::Unit &U, uint64_t DIE, ParsedType &Out);
  uint16_t languageForType(const dwarf::Unit &U) const;
  void addNode(const dwarf::Unit &U, const ReadDIE &D, uint32_t Depth,
               std::optional<uint64_t> Scope, bool HasLanguage, DIETree &Out);
  void readChildren(const dwarf::Unit &U, dwarf::Cursor &C, DIETree &Out);
  std::optional<uint64_t> scopeOf(const dwarf::Unit &U, const ReadDIE &D);
  const UnitScopes &scopesOf(const dwarf::Unit &U);
  uint64_t hash(uint64_t DIE, unsigned Round);
  uint32_t indexOf(uint64_t DIE);

  VariableTableBuilder &Builder;
  VisitedUnit *Unit = nullptr;
  llvm::DenseMap<uint64_t, std::unique_ptr<ParsedType>> Parsed;
  std::map<uint64_t, UnitScopes> Scopes;
  /// By hash.
  llvm::DenseMap<uint64_t, uint32_t> Indices;
  /// Types that have an index but were not added yet, in order.
  std::deque<uint64_t> Pending;
  uint32_t Count = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_TYPEPOOL_H
