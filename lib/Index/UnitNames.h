//===- UnitNames.h - The names of a unit's DIEs -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_INDEX_UNITNAMES_H
#define LIDIA_LIB_INDEX_UNITNAMES_H

#include "DWARF/Unit.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <optional>
#include <vector>

namespace lidia {

/// A DIE to be found by a name.
struct NamedDIE {
  /// The offset of the name in .debug_str or, with InOthers, its place in
  /// UnitNames::Others.
  uint32_t Name = 0;
  /// The offset from the unit's first byte.
  uint32_t DIE = 0;
  llvm::dwarf::Tag Tag = llvm::dwarf::DW_TAG_null;

  static constexpr uint32_t InOthers = uint32_t(1) << 31;
};

struct UnitNames {
  /// In the order of the DIEs.
  std::vector<NamedDIE> DIEs;
  /// Names that are not in .debug_str. They point into sections.
  std::vector<llvm::StringRef> Others;
  /// Why the unit is left out of the index; empty if it is not.
  std::string Problem;
  /// It is a skeleton, whose DIEs are in a .dwo file.
  bool IsSplit = false;
};

/// Reads the names that LLDB's ManualDWARFIndex has for the DIEs of a unit, and
/// by the same rules: functions and inlined calls with code, by name and
/// linkage name; variables outside functions that have a place or a value;
/// types that are defined; namespaces. Not thread-safe: use one per thread.
class NameReader {
public:
  /// \p Headers are all units of the file, by offset. Both must outlive this
  /// object.
  NameReader(const dwarf::Sections &S,
             llvm::ArrayRef<dwarf::UnitHeader> Headers)
      : S(S), Headers(Headers), Abbreviations(S, Budget) {}

  /// Reads unit \p Index. May charge up to \p MostWork; used() says how much it
  /// was, whatever was read before.
  UnitNames read(size_t Index, uint64_t MostWork);
  uint64_t used() const { return Budget.used(); }

private:
  struct Name {
    enum KindOfPlace : uint8_t { None, Str, Other };
    KindOfPlace Kind = None;
    /// In .debug_str.
    uint64_t Offset = 0;
    /// Of a name elsewhere.
    llvm::StringRef Text;
  };
  /// The attributes of a DIE, and of those that it refers to by
  /// DW_AT_specification and DW_AT_abstract_origin.
  struct Attributes {
    Name Plain;
    Name Linkage;
    bool IsDeclaration = false;
    bool HasAddress = false;
    bool HasValue = false;

    void add(const Attributes &Origin);
  };
  /// More hops than this are taken for a cycle.
  static constexpr unsigned MaxHops = 16;
  static constexpr size_t MaxForeignUnits = 64;

  llvm::Error open(size_t Index);
  llvm::Error walk(UnitNames &Out);
  Attributes readDIE(const dwarf::Unit &U, dwarf::Cursor &C,
                     const dwarf::Abbreviation &A, unsigned Hops);
  Attributes readOrigin(const dwarf::Unit &U, const dwarf::FormValue &V,
                        unsigned Hops);
  const dwarf::Unit *unitOf(uint64_t DIE);
  Name nameOf(const dwarf::Unit &U, const dwarf::FormValue &V);
  llvm::StringRef text(const Name &N);
  void addNames(UnitNames &Out, llvm::dwarf::Tag T, uint64_t DIE,
                const Attributes &A, bool InFunction);
  void addName(UnitNames &Out, llvm::dwarf::Tag T, uint64_t DIE,
               const Name &N) const;
  void addLinkageName(UnitNames &Out, llvm::dwarf::Tag T, uint64_t DIE,
                      const Attributes &A);

  const dwarf::Sections &S;
  llvm::ArrayRef<dwarf::UnitHeader> Headers;
  dwarf::WorkBudget Budget;
  dwarf::AbbreviationCache Abbreviations;
  std::optional<dwarf::Unit> Current;
  /// Units that the current one refers to, by index.
  llvm::DenseMap<size_t, std::unique_ptr<dwarf::Unit>> Foreign;
  /// What readOrigin() found for the current unit, by offset.
  llvm::DenseMap<uint64_t, Attributes> Origins;
};

} // namespace lidia

#endif // LIDIA_LIB_INDEX_UNITNAMES_H
