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

/// A DIE that the index contains by one name.
struct NamedDIE {
  /// The offset of the name in .debug_str or, with InOthers, its index in
  /// UnitNames::Others.
  uint32_t Name = 0;
  /// The offset from the unit's first byte.
  uint32_t DIE = 0;
  llvm::dwarf::Tag Tag = llvm::dwarf::DW_TAG_null;

  static constexpr uint32_t InOthers = uint32_t(1) << 31;
};

struct UnitNames {
  /// In DIE order.
  std::vector<NamedDIE> DIEs;
  /// Names that are not in .debug_str. They point into sections.
  std::vector<llvm::StringRef> Others;
  /// The reason why the index omits the unit; empty if it does not.
  std::string Problem;
  /// Whether it is a skeleton unit, whose DIEs are in a .dwo file.
  bool IsSplit = false;
  /// Whether the index leaves it out for the sake of its calls.
  bool IsLeft = false;
  /// Functions and inlined calls, and the calls among them that LLDB does not
  /// find with an index: it looks for the name in the call's DIE and in the one
  /// that this refers to, but the name is further away.
  uint64_t Functions = 0;
  uint64_t LostCalls = 0;
};

/// Reads the names that LLDB's ManualDWARFIndex finds for the DIEs of a unit,
/// by the same rules: functions and inlined calls with code, by name and
/// linkage name; variables outside functions with a location or a value; types
/// that are defined; namespaces. Not thread-safe: use one per thread.
class NameReader {
public:
  /// \p Headers are all units of the file, by offset. \p S and \p Headers must
  /// outlive this object.
  NameReader(const dwarf::Sections &S,
             llvm::ArrayRef<dwarf::UnitHeader> Headers)
      : S(S), Headers(Headers), Abbreviations(S, Budget) {}

  /// Reads unit \p Index. Does at most \p MaxWork units of work; used()
  /// returns the number, which does not depend on earlier reads.
  UnitNames read(size_t Index, uint64_t MaxWork);
  uint64_t used() const { return Budget.used(); }

private:
  struct Name {
    enum KindOfPlace : uint8_t { None, Str, Other };
    KindOfPlace Kind = None;
    /// Offset in .debug_str.
    uint64_t Offset = 0;
    /// The text of a name elsewhere.
    llvm::StringRef Text;
  };
  /// The attributes of a DIE and of the DIEs to which it refers by
  /// DW_AT_specification and DW_AT_abstract_origin.
  struct Attributes {
    Name Plain;
    Name Linkage;
    bool IsDeclaration = false;
    bool HasAddress = false;
    bool HasValue = false;
    /// Whether the DIE itself has a name, and whether it or the one that it
    /// refers to has.
    bool HasOwnName = false;
    bool HasNearName = false;

    void add(const Attributes &Origin);
  };
  /// A longer chain of references counts as a cycle.
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
  /// Units to which the current one refers, by index.
  llvm::DenseMap<size_t, std::unique_ptr<dwarf::Unit>> Foreign;
  /// The results of readOrigin() for the current unit, by offset.
  llvm::DenseMap<uint64_t, Attributes> Origins;
};

} // namespace lidia

#endif // LIDIA_LIB_INDEX_UNITNAMES_H
