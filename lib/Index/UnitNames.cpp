//===- UnitNames.cpp - The names of a unit's DIEs -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitNames.h"
#include "lidia/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

namespace {
/// The kind of a DIE in the index, from its tag.
enum class NameKind : uint8_t { None, Function, Variable, Type, Namespace };
} // namespace

static NameKind kindOf(Tag T) {
  switch (T) {
  case DW_TAG_subprogram:
  case DW_TAG_inlined_subroutine:
    return NameKind::Function;
  case DW_TAG_variable:
    return NameKind::Variable;
  case DW_TAG_array_type:
  case DW_TAG_base_type:
  case DW_TAG_class_type:
  case DW_TAG_enumeration_type:
  case DW_TAG_string_type:
  case DW_TAG_structure_type:
  case DW_TAG_subroutine_type:
  case DW_TAG_typedef:
  case DW_TAG_union_type:
  case DW_TAG_unspecified_type:
    return NameKind::Type;
  case DW_TAG_namespace:
  case DW_TAG_imported_declaration:
    return NameKind::Namespace;
  default:
    return NameKind::None;
  }
}

/// Whether variables in a DIE with this tag are local.
static bool isFunctionScope(Tag T) {
  return T == DW_TAG_subprogram || T == DW_TAG_lexical_block ||
         T == DW_TAG_inlined_subroutine;
}

/// Whether DIEs with the abbreviation \p A may have names in the index, as far
/// as their attributes show without following references.
static bool mayHaveName(const dwarf::AbbreviationTable &Table,
                        const dwarf::Abbreviation &A, bool InFunction) {
  NameKind Kind = kindOf(A.Tag);
  if (Kind == NameKind::None || (Kind == NameKind::Variable && InFunction) ||
      (Kind == NameKind::Type && A.IsDeclaration))
    return false;
  bool HasName = false,
       IsFound = Kind != NameKind::Function && Kind != NameKind::Variable;
  for (const dwarf::AttributeSpec &Spec : Table.specs(A))
    switch (Spec.Attribute) {
    case DW_AT_specification:
    case DW_AT_abstract_origin:
      return true;
    case DW_AT_name:
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
      HasName = true;
      break;
    case DW_AT_low_pc:
    case DW_AT_high_pc:
    case DW_AT_ranges:
    case DW_AT_entry_pc:
      IsFound |= Kind == NameKind::Function;
      break;
    case DW_AT_location:
    case DW_AT_const_value:
      IsFound |= Kind == NameKind::Variable;
      break;
    default:
      break;
    }
  return HasName && IsFound;
}

/// Adds the attributes of \p Origin, as if they replaced the reference to it.
void NameReader::Attributes::add(const Attributes &Origin) {
  if (Origin.Plain.Kind != Name::None)
    Plain = Origin.Plain;
  if (Origin.Linkage.Kind != Name::None)
    Linkage = Origin.Linkage;
  HasNearName |= Origin.HasOwnName;
  HasAddress |= Origin.HasAddress;
  HasValue |= Origin.HasValue;
}

NameReader::Name NameReader::nameOf(const dwarf::Unit &U,
                                    const dwarf::FormValue &V) {
  Name N;
  if (V.Form == DW_FORM_strp) {
    N.Kind = V.Number < S.Str.size() ? Name::Str : Name::None;
    N.Offset = V.Number;
    return N;
  }
  N.Text = U.string(V);
  Budget.charge(N.Text.size());
  // Strings that are referenced by index are in .debug_str, too.
  if (!N.Text.empty() && N.Text.data() >= S.Str.data() &&
      N.Text.data() < S.Str.data() + S.Str.size()) {
    N.Kind = Name::Str;
    N.Offset = N.Text.data() - S.Str.data();
  } else if (!N.Text.empty()) {
    N.Kind = Name::Other;
  }
  return N;
}

/// The text of \p N; for an unterminated string, up to the end of the section.
StringRef NameReader::text(const Name &N) {
  if (N.Kind != Name::Str)
    return N.Text;
  StringRef Text =
      S.Str.substr(N.Offset).take_until([](char C) { return C == '\0'; });
  Budget.charge(Text.size());
  return Text;
}

const dwarf::Unit *NameReader::unitOf(uint64_t DIE) {
  if (DIE >= Current->header().FirstDIE && DIE < Current->header().End)
    return &*Current;
  const auto *After =
      upper_bound(Headers, DIE, [](uint64_t D, const dwarf::UnitHeader &H) {
        return D < H.Offset;
      });
  if (After == Headers.begin())
    return nullptr;
  const dwarf::UnitHeader &H = *std::prev(After);
  if (DIE < H.FirstDIE || DIE >= H.End)
    return nullptr;
  if (Foreign.size() >= MaxForeignUnits)
    Foreign.clear();
  auto [It, New] = Foreign.try_emplace(size_t(&H - Headers.begin()));
  if (!New)
    return It->second.get();
  Expected<dwarf::Unit> U = dwarf::Unit::open(S, H, Abbreviations, Budget);
  if (U)
    It->second = std::make_unique<dwarf::Unit>(std::move(*U));
  else
    consumeError(U.takeError());
  return It->second.get();
}

NameReader::Attributes NameReader::readOrigin(const dwarf::Unit &U,
                                              const dwarf::FormValue &V,
                                              unsigned Hops) {
  std::optional<uint64_t> DIE = U.reference(V);
  if (!DIE || Hops >= MaxHops || Budget.exhausted())
    return Attributes();
  auto Known = Origins.find(*DIE);
  if (Known != Origins.end())
    return Known->second;
  const dwarf::Unit *Home = unitOf(*DIE);
  if (!Home)
    return Attributes();
  dwarf::Cursor C = Home->cursor(*DIE);
  const dwarf::Abbreviation *A = Home->abbreviations().find(C.uleb());
  if (!A || A->UnknownForm)
    return Attributes();
  Attributes Result = readDIE(*Home, C, *A, Hops + 1);
  Budget.charge(sizeof(uint64_t) + sizeof(Attributes));
  Origins.try_emplace(*DIE, Result);
  return Result;
}

/// Reads a DIE's attributes and moves \p C past them.
NameReader::Attributes NameReader::readDIE(const dwarf::Unit &U,
                                           dwarf::Cursor &C,
                                           const dwarf::Abbreviation &A,
                                           unsigned Hops) {
  Attributes Result;
  for (const dwarf::AttributeSpec &Spec : U.abbreviations().specs(A)) {
    dwarf::FormValue V = dwarf::FormValue::read(C, Spec, U.header().Sizes);
    switch (Spec.Attribute) {
    case DW_AT_name:
      Result.Plain = nameOf(U, V);
      Result.HasOwnName = Result.HasNearName = true;
      break;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
      Result.Linkage = nameOf(U, V);
      Result.HasOwnName = Result.HasNearName = true;
      break;
    case DW_AT_declaration:
      Result.IsDeclaration = V.Number != 0;
      break;
    case DW_AT_low_pc:
    case DW_AT_high_pc:
    case DW_AT_ranges:
    case DW_AT_entry_pc:
      Result.HasAddress = true;
      break;
    case DW_AT_location:
    case DW_AT_const_value:
      Result.HasValue = true;
      break;
    case DW_AT_specification:
    case DW_AT_abstract_origin:
      Result.add(readOrigin(U, V, Hops));
      break;
    default:
      break;
    }
  }
  return Result;
}

void NameReader::addName(UnitNames &Out, Tag T, uint64_t DIE,
                         const Name &N) const {
  if (N.Kind == Name::None)
    return;
  NamedDIE D;
  D.DIE = uint32_t(DIE - Current->header().Offset);
  D.Tag = T;
  if (N.Kind == Name::Str) {
    D.Name = uint32_t(N.Offset);
  } else {
    D.Name = NamedDIE::InOthers | uint32_t(Out.Others.size());
    Out.Others.push_back(N.Text);
  }
  Out.DIEs.push_back(D);
}

/// Adds the linkage name if it differs from the plain name. LLDB compares the
/// two only if the linkage name does not begin with '_'.
void NameReader::addLinkageName(UnitNames &Out, Tag T, uint64_t DIE,
                                const Attributes &A) {
  const Name &Plain = A.Plain, &Linkage = A.Linkage;
  if (Plain.Kind == Name::None || Linkage.Kind == Name::None ||
      (Plain.Kind == Name::Str && Linkage.Kind == Name::Str &&
       Plain.Offset == Linkage.Offset))
    return;
  StringRef Start =
      Linkage.Kind == Name::Str ? S.Str.substr(Linkage.Offset) : Linkage.Text;
  if (Start.starts_with("_") || text(Linkage) != text(Plain))
    addName(Out, T, DIE, Linkage);
}

void NameReader::addNames(UnitNames &Out, Tag T, uint64_t DIE,
                          const Attributes &A, bool InFunction) {
  switch (kindOf(T)) {
  case NameKind::Function:
    if (!A.HasAddress)
      return;
    ++Out.Functions;
    Out.LostCalls += T == DW_TAG_inlined_subroutine && !A.HasNearName;
    addName(Out, T, DIE, A.Plain);
    return addLinkageName(Out, T, DIE, A);
  case NameKind::Variable:
    if (!A.HasValue || InFunction || A.Plain.Kind == Name::None)
      return;
    addName(Out, T, DIE, A.Plain);
    return addLinkageName(Out, T, DIE, A);
  case NameKind::Type:
    if (A.IsDeclaration)
      return;
    addName(Out, T, DIE, A.Plain);
    return addName(Out, T, DIE, A.Linkage);
  case NameKind::Namespace:
    return addName(Out, T, DIE, A.Plain);
  case NameKind::None:
    return;
  }
}

/// Reads all DIEs of the current unit.
Error NameReader::walk(UnitNames &Out) {
  const dwarf::Unit &U = *Current;
  const dwarf::AbbreviationTable &Table = U.abbreviations();
  dwarf::Cursor C = U.cursor(U.header().FirstDIE);
  // For each DIE whose children are being read: whether they are in a function.
  std::vector<bool> Scopes;
  do {
    uint64_t DIE = C.offset(), Code = C.uleb();
    if (C.bad())
      return make_error<DamagedError>("", "its DIEs do not end");
    if (!Code) {
      if (!Scopes.empty())
        Scopes.pop_back();
      continue;
    }
    const dwarf::Abbreviation *A = Table.find(Code);
    if (!A || A->UnknownForm)
      return make_error<DamagedError>(
          "", formatv("DIE at {0:x} has {1}", DIE,
                      A ? "an unknown form" : "no abbreviation")
                  .str());
    bool InFunction = !Scopes.empty() && Scopes.back();
    if (mayHaveName(Table, *A, InFunction))
      addNames(Out, A->Tag, DIE, readDIE(U, C, *A, 0), InFunction);
    else
      Table.skipAttributes(C, *A);
    if (A->HasChildren)
      Scopes.push_back(InFunction || isFunctionScope(A->Tag));
  } while (!Scopes.empty());
  if (Budget.exhausted())
    return make_error<LimitError>(
        "", "refers to the same abbreviations or DIEs too often");
  return C.bad() ? make_error<DamagedError>("", "its DIEs do not end")
                 : Error::success();
}

Error NameReader::open(size_t Index) {
  Origins.clear();
  Foreign.clear();
  // Charges the abbreviation table even if it was read before.
  Abbreviations.beginUnit(std::nullopt);
  Expected<dwarf::Unit> U =
      dwarf::Unit::open(S, Headers[Index], Abbreviations, Budget);
  if (!U)
    return U.takeError();
  Current.emplace(std::move(*U));
  return Error::success();
}

UnitNames NameReader::read(size_t Index, uint64_t MaxWork) {
  UnitNames Out;
  Budget.reset(MaxWork);
  Error E = open(Index);
  if (!E) {
    Out.IsSplit = !Current->splitName().empty() ||
                  Current->header().Type == DW_UT_skeleton;
    if (!Out.IsSplit)
      E = walk(Out);
  }
  if (!E)
    return Out;
  UnitNames Broken;
  Broken.Problem = toString(std::move(E));
  return Broken;
}

} // namespace lidia
