//===- FunctionNames.h - Finds the names of functions -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_FUNCTIONNAMES_H
#define LIDIA_LIB_DWARF_FUNCTIONNAMES_H

#include "Functions.h"
#include "TypeUnits.h"
#include "llvm/ADT/SmallString.h"
#include <map>
#include <set>

namespace lidia {
namespace dwarf {

/// Whether the name in the source is part of \p Name, a linkage name: it has
/// the prefix of C++, Rust or D.
inline bool isMangled(llvm::StringRef Name) {
  return Name.starts_with("_Z") || Name.starts_with("_R") ||
         Name.starts_with("_D");
}

/// The names of a function and where it is declared.
struct FunctionIdentity {
  /// Empty if the DIEs give none.
  llvm::StringRef Name;
  /// The first DW_AT_name, if Name is a linkage name; without scopes. May be
  /// empty if Name is mangled.
  llvm::StringRef Plain;
  /// The first DW_AT_name and the DIE that has it, if Name is not a linkage
  /// name.
  llvm::StringRef Unscoped;
  uint64_t NameDIE = 0;
  /// The first DW_AT_decl_line; zero if unknown.
  uint32_t DeclLine = 0;
  /// The first DW_AT_decl_file, and the DIE that has it: the number refers to
  /// the files of that DIE's unit.
  std::optional<uint64_t> DeclFile;
  uint64_t DeclFileDIE = 0;
  /// Like the above, but the last of each, where the attributes of a referenced
  /// DIE count at the position of the reference.
  uint32_t LastDeclLine = 0;
  std::optional<uint64_t> LastDeclFile;
  uint64_t LastDeclFileDIE = 0;
};

/// The parts of a FunctionIdentity to find.
enum class IdentityParts : uint8_t {
  /// Name, Unscoped and NameDIE.
  Name,
  /// All but the last declaration.
  Declaration,
  LastDeclaration,
};

/// Finds the names of functions from their DIEs, following references to other
/// units and to the supplementary file. Not thread-safe: use one per thread.
///
/// The name is the linkage name if the function's DIE, its abstract origin or
/// its specification has one. Otherwise it is the first DW_AT_name among them,
/// prefixed in languages with scopes by the names of the scopes that enclose
/// the declaration: "ns::Class::f", "(anonymous namespace)::f",
/// "outer()::{lambda}::operator()".
class FunctionNames {
public:
  /// \p Headers are all units of the file, by offset, \p Supplementary those
  /// of its supplementary file, and \p Types its type units. All arguments must
  /// outlive this object.
  FunctionNames(const Sections &S, llvm::ArrayRef<UnitHeader> Headers,
                llvm::ArrayRef<UnitHeader> Supplementary, TypeUnits &Types,
                AbbreviationCache &Abbreviations, WorkBudget &Budget);

  /// Selects \p U as the unit whose functions are named; both must outlive
  /// their use.
  void setUnit(const Unit &U, const ScopeTable &Scopes);

  /// The identity of the function with the DIE reference \p DIE in the unit.
  /// Names point into a section or, if composed, into \p Storage.
  FunctionIdentity identify(uint64_t DIE, llvm::SmallString<128> &Storage,
                            IdentityParts Parts);

  /// The unit of the DIE with the reference \p DIE; null if there is none.
  /// Valid until another DIE is read.
  const Unit *unitOf(uint64_t DIE);

private:
  /// When DW_AT_name is read.
  enum class NameUse : uint8_t { WithoutLinkageName, UnlessMangled, Always };
  /// The attributes of one DIE that lead to its name.
  struct NameAttributes {
    llvm::dwarf::Tag Tag = llvm::dwarf::DW_TAG_null;
    /// Empty if there is none, or if it is not read.
    llvm::StringRef Name;
    /// Whether there is a name that is not read.
    bool HasUnreadName = false;
    llvm::StringRef LinkageName;
    uint32_t DeclLine = 0;
    std::optional<uint64_t> DeclFile;
    /// Whether these attributes come after the reference to the origin.
    bool DeclLineIsLast = false;
    bool DeclFileIsLast = false;
    std::optional<uint64_t> Origin;
    /// Signature of the type that the DIE refers to, which has the name.
    std::optional<uint64_t> Signature;
  };
  /// The units of one file.
  struct File {
    const Sections &S;
    llvm::ArrayRef<UnitHeader> Headers;
    AbbreviationCache &Abbreviations;
  };
  /// A unit other than the current one that a reference leads to.
  struct ForeignUnit {
    explicit ForeignUnit(Unit U) : U(std::move(U)) {}
    Unit U;
    ScopeTable Scopes;
    bool HasScopes = false;
  };
  static constexpr size_t MaxForeignUnits = 4;
  /// More hops than this are taken for a cycle.
  static constexpr unsigned MaxHops = 16;
  /// Scopes deeper than this are left out of a name.
  static constexpr unsigned MaxScopes = 64;

  bool inCurrentUnit(uint64_t DIE) const {
    return DIE >= Current->header().FirstDIE && DIE < Current->header().End;
  }
  static const UnitHeader *findHeader(const File &F, uint64_t Offset);
  ForeignUnit *foreignUnit(uint64_t DIE);
  NameAttributes read(uint64_t DIE, NameUse Use);
  static NameAttributes read(const Unit &U, uint64_t DIE, NameUse Use);
  FunctionIdentity find(uint64_t DIE, llvm::SmallString<128> &Storage,
                        IdentityParts Parts);
  llvm::StringRef qualified(uint64_t Declaration, llvm::StringRef Name,
                            llvm::SmallString<128> &Storage);
  const ScopeTable *scopesOf(uint64_t DIE);
  llvm::StringRef typeName(uint64_t Signature);
  llvm::StringRef readTypeName(uint64_t Signature);
  llvm::StringRef scopeName(uint64_t DIE, llvm::StringRef Inner,
                            llvm::dwarf::Tag &T);

  bool inScopedLanguage(uint64_t DIE);

  WorkBudget &Budget;
  File Main;
  TypeUnits &Types;
  struct TypeName {
    /// Empty for a missing type.
    llvm::StringRef Text;
    /// The charge for finding the name.
    uint64_t Cost = 0;
  };
  /// By signature.
  std::map<uint64_t, TypeName> TypeNames;
  /// The types that the current unit was charged for.
  std::set<uint64_t> ChargedTypes;
  std::optional<AbbreviationCache> SupplementaryAbbreviations;
  std::optional<File> Supplementary;
  const Unit *Current = nullptr;
  const ScopeTable *CurrentScopes = nullptr;
  /// Most recently used last.
  std::vector<std::unique_ptr<ForeignUnit>> Foreign;
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_FUNCTIONNAMES_H
