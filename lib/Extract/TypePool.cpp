//===- TypePool.cpp - The types of variables, each once -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypePool.h"
#include "DWARF/TypeUnits.h"
#include "lidia/Symbolize/Language.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

/// Whether a DIE may be the type of a variable.
static bool isTypeOfVariable(Tag T) {
  switch (T) {
  case DW_TAG_array_type:
  case DW_TAG_atomic_type:
  case DW_TAG_base_type:
  case DW_TAG_class_type:
  case DW_TAG_const_type:
  case DW_TAG_enumeration_type:
  case DW_TAG_pointer_type:
  case DW_TAG_ptr_to_member_type:
  case DW_TAG_reference_type:
  case DW_TAG_restrict_type:
  case DW_TAG_rvalue_reference_type:
  case DW_TAG_string_type:
  case DW_TAG_structure_type:
  case DW_TAG_subrange_type:
  case DW_TAG_subroutine_type:
  case DW_TAG_typedef:
  case DW_TAG_union_type:
  case DW_TAG_unspecified_type:
  case DW_TAG_volatile_type:
    return true;
  default:
    return false;
  }
}

/// Whether a DIE has a name in the scope of the DIE around it.
static bool hasScope(Tag T) {
  switch (T) {
  case DW_TAG_class_type:
  case DW_TAG_enumeration_type:
  case DW_TAG_namespace:
  case DW_TAG_structure_type:
  case DW_TAG_typedef:
  case DW_TAG_union_type:
    return true;
  default:
    return false;
  }
}

/// Whether a child of a type is part of its value.
static bool isPart(const ReadDIE &D) {
  switch (D.Tag) {
  case DW_TAG_GNU_template_parameter_pack:
  case DW_TAG_GNU_template_template_param:
  case DW_TAG_enumerator:
  case DW_TAG_formal_parameter:
  case DW_TAG_generic_subrange:
  case DW_TAG_inheritance:
  case DW_TAG_subrange_type:
  case DW_TAG_template_type_parameter:
  case DW_TAG_template_value_parameter:
  case DW_TAG_unspecified_parameters:
  case DW_TAG_variant:
  case DW_TAG_variant_part:
    return true;
  case DW_TAG_member:
    // Static members are declarations.
    return !D.find(DW_AT_declaration) && !D.find(DW_AT_external);
  default:
    return false;
  }
}

/// Whether only global variables need an attribute.
static bool isOfVariables(Attribute A) {
  return A == DW_AT_external || A == DW_AT_linkage_name;
}

/// Whether DW_AT_default_value is a flag in a DIE with this tag: LLDB leaves
/// out arguments of templates that are the default.
static bool isTemplateParameter(Tag T) {
  return T == DW_TAG_template_type_parameter ||
         T == DW_TAG_template_value_parameter ||
         T == DW_TAG_GNU_template_template_param;
}

/// The number in \p V, which may be the expression DW_OP_plus_uconst that
/// DWARF 2 has for the place of a member.
static std::optional<uint64_t> numberOf(const dwarf::Unit &U,
                                        const dwarf::FormValue &V) {
  if (V.isConstant())
    return V.Number;
  if (V.Inline.empty() || uint8_t(V.Inline.front()) != DW_OP_plus_uconst)
    return std::nullopt;
  dwarf::Cursor C(V.Inline, U.sections().LittleEndian, 1);
  uint64_t Number = C.uleb();
  return C.atEnd() && !C.bad() ? std::optional<uint64_t>(Number) : std::nullopt;
}

/// The language of a unit, zero if it is unknown. One for all versions of C,
/// and one for those of C++: units that share a header may have different ones.
static uint16_t languageOf(const dwarf::Unit &U) {
  // LLVM's predicates accept only languages that it knows.
  if (LanguageString(U.language()).empty())
    return 0;
  SourceLanguage Language = SourceLanguage(U.language());
  if (isCPlusPlus(Language))
    return DW_LANG_C_plus_plus_14;
  return isC(Language) ? uint16_t(DW_LANG_C11) : U.language();
}

/// What arrays without a lower bound begin at.
static unsigned lowerBound(const dwarf::Unit &U) {
  if (LanguageString(U.language()).empty())
    return 0;
  return LanguageLowerBound(SourceLanguage(U.language())).value_or(0);
}

std::optional<uint64_t> TypePool::reference(const dwarf::Unit &U,
                                            const dwarf::FormValue &V) {
  if (V.Form != DW_FORM_ref_sig8)
    return U.reference(V);
  std::optional<dwarf::TypeUnit> T = Unit->Types.find(V.Number, Unit->Budget);
  // A DIE reference cannot say that the DIE is in .debug_types.
  if (!T || T->S.Info.data() != Unit->U.sections().Info.data())
    return std::nullopt;
  return T->Header.Offset + T->Header.TypeOffset;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// The scopes of \p U, by DIE. DWARF has no references from a DIE to its
/// parent.
const TypePool::UnitScopes &TypePool::scopesOf(const dwarf::Unit &U) {
  uint64_t Key = U.header().Offset | U.sections().ReferenceMark;
  auto [It, New] = Scopes.try_emplace(Key);
  if (!New)
    return It->second;
  UnitScopes &Found = It->second;
  Unit->Budget.charge(U.header().End - U.header().Offset);
  dwarf::Cursor C = U.cursor(U.header().FirstDIE);
  // The scope of each level of DIEs.
  SmallVector<uint32_t, 32> Levels;
  do {
    uint64_t DIE = C.offset() | U.sections().ReferenceMark;
    uint64_t Code = C.uleb();
    if (!Code) {
      if (!Levels.empty())
        Levels.pop_back();
      continue;
    }
    const dwarf::Abbreviation *A = U.abbreviations().find(Code);
    if (!A || A->UnknownForm)
      break;
    U.abbreviations().skipAttributes(C, *A);
    uint32_t Scope = Levels.empty() ? UINT32_MAX : Levels.back();
    if (hasScope(A->Tag)) {
      Found.push_back({DIE, Scope});
      Scope = Found.size() - 1;
    } else if (A->Tag == DW_TAG_subprogram) {
      Scope = UINT32_MAX;
    }
    if (A->HasChildren)
      Levels.push_back(Scope);
  } while (!Levels.empty() && !C.atEnd() && !C.bad());
  return Found;
}

std::optional<uint64_t> TypePool::scopeOf(const dwarf::Unit &U,
                                          const ReadDIE &D) {
  if (!hasScope(D.Tag) || languageOf(U) == DW_LANG_C11)
    return std::nullopt;
  const UnitScopes &All = scopesOf(U);
  auto It = llvm::lower_bound(
      All, D.Reference,
      [](const ScopeParent &S, uint64_t DIE) { return S.DIE < DIE; });
  if (It == All.end() || It->DIE != D.Reference || It->Parent >= All.size())
    return std::nullopt;
  return All[It->Parent].DIE;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The language of a type of \p U. Partial units, which dwz makes, have none.
uint16_t TypePool::languageForType(const dwarf::Unit &U) const {
  if (uint16_t Language = languageOf(U))
    return Language;
  uint16_t Language = languageOf(Unit->U);
  return Language ? Language : uint16_t(DW_LANG_C11);
}

void TypePool::addNode(const dwarf::Unit &U, const ReadDIE &D, uint32_t Depth,
                       std::optional<uint64_t> Scope, bool HasLanguage,
                       DIETree &Out) {
  DIEShape Shape;
  Shape.Tag = D.Tag;
  Out.Nodes.push_back({0, Depth, uint32_t(Out.Values.size())});
  auto Add = [&](uint16_t Attribute, ValueKind Kind, uint64_t Value) {
    Shape.Attributes.push_back({Attribute, Kind});
    Out.Values.push_back(Value);
  };
  bool IsComposite =
      hasScope(D.Tag) && D.Tag != DW_TAG_typedef && D.Tag != DW_TAG_namespace;
  for (const auto &[Attribute, Value] : D.Attributes) {
    std::optional<ValueKind> Kind = kindOfAttribute(Attribute);
    // LLDB tells types of the same name apart by their lines.
    if (!Kind || (Attribute == DW_AT_decl_line && !IsComposite) ||
        isOfVariables(Attribute) ||
        (Attribute == DW_AT_default_value && !isTemplateParameter(D.Tag)))
      continue;
    if (any_of(Shape.Attributes, [Known = Attribute](const DIEAttribute &A) {
          return A.Attribute == Known;
        }))
      continue;
    if (*Kind == ValueKind::String) {
      StringRef Name = U.string(Value);
      if (!Name.empty())
        Add(Attribute, *Kind, Builder.string(Name));
    } else if (*Kind == ValueKind::Type) {
      // Zero is not the offset of a DIE.
      Add(Attribute, *Kind, reference(U, Value).value_or(0));
    } else if (*Kind == ValueKind::Flag) {
      if (Value.Number || Attribute == DW_AT_discr)
        Add(Attribute, *Kind, 1);
    } else if (std::optional<uint64_t> Number = numberOf(U, Value)) {
      // Readers of DWARF do not accept signed bounds.
      bool IsNegative = Value.Form == DW_FORM_sdata && int64_t(*Number) < 0;
      Add(Attribute, IsNegative ? ValueKind::Signed : *Kind, *Number);
    }
  }
  // Readers that do not know the language count from zero.
  if (D.Tag == DW_TAG_subrange_type && D.find(DW_AT_upper_bound) &&
      !D.find(DW_AT_lower_bound))
    if (unsigned First = lowerBound(U))
      Add(DW_AT_lower_bound, ValueKind::Unsigned, First);
  if (Scope)
    Add(ScopeAttribute, ValueKind::Type, *Scope);
  else if (HasLanguage)
    Add(LanguageAttribute, ValueKind::Unsigned, languageForType(U));
  Out.Nodes.back().Shape = Builder.shape(Shape);
}

/// Appends the children of a DIE that are parts of its values.
void TypePool::readChildren(const dwarf::Unit &U, dwarf::Cursor &C,
                            DIETree &Out) {
  uint32_t Depth = 1;
  // The depth at which DIEs are left out with what is below them.
  uint32_t LeftOut = UINT32_MAX;
  ReadDIE D;
  while (Depth != 0 && !C.atEnd() && readDIE(U, C, D, Unit->Budget)) {
    if (!D.Tag) {
      if (--Depth <= LeftOut)
        LeftOut = UINT32_MAX;
      continue;
    }
    bool Keep = LeftOut == UINT32_MAX && isPart(D) && Depth < MaxTypeDepth;
    if (Keep)
      addNode(U, D, Depth, std::nullopt, /*HasLanguage=*/false, Out);
    else if (LeftOut == UINT32_MAX && D.HasChildren)
      LeftOut = Depth;
    if (D.HasChildren)
      ++Depth;
  }
}

bool TypePool::read(const dwarf::Unit &U, uint64_t DIE, ParsedType &Out) {
  dwarf::Cursor C = U.cursor(DIE);
  uint64_t Start = C.offset();
  ReadDIE D;
  if (!readDIE(U, C, D, Unit->Budget) ||
      (!isTypeOfVariable(D.Tag) && D.Tag != DW_TAG_namespace))
    return false;
  addNode(U, D, 0, scopeOf(U, D), /*HasLanguage=*/true, Out.Tree);
  Out.Name = U.string(D.find(DW_AT_name)).str();
  if (D.HasChildren && D.Tag != DW_TAG_namespace)
    readChildren(U, C, Out.Tree);
  Unit->Budget.charge(C.offset() - Start + sizeof(ParsedType) +
                      Out.Tree.Nodes.size() * sizeof(DIENode) +
                      Out.Tree.Values.size() * sizeof(uint64_t));
  return true;
}

TypePool::ParsedType &TypePool::parse(uint64_t DIE) {
  auto [It, New] = Parsed.try_emplace(DIE);
  if (!New)
    return *It->second;
  It->second = std::make_unique<ParsedType>();
  ParsedType &P = *It->second;
  const dwarf::Unit *U = DIE ? Unit->Names.unitOf(DIE) : nullptr;
  P.IsValid = U && !Unit->Budget.exhausted() && read(*U, DIE, P);
  if (!P.IsValid) {
    // What the pool has for all types that cannot be read.
    P.Tree.clear();
    DIEShape Shape;
    Shape.Tag = DW_TAG_unspecified_type;
    Shape.Attributes = {{DW_AT_name, ValueKind::String},
                        {LanguageAttribute, ValueKind::Unsigned}};
    P.Name = "<unknown type>";
    P.Tree.Nodes.push_back({Builder.shape(Shape), 0, 0});
    P.Tree.Values = {Builder.string(P.Name), uint64_t(DW_LANG_C11)};
  }
  return P;
}

//===----------------------------------------------------------------------===//
// Equal types
//===----------------------------------------------------------------------===//

/// The hash of a type and of those up to \p Round references away.
uint64_t TypePool::hash(uint64_t DIE, unsigned Round) {
  ParsedType &P = parse(DIE);
  if (P.Known & 1u << Round)
    return P.Hashes[Round];
  uint64_t Hash = xxh3_64bits(arrayRefFromStringRef(P.Name));
  auto Add = [&](uint64_t Value) {
    // The finalizer of MurmurHash3.
    Hash = (Hash ^ Value) * 0xff51afd7ed558ccd;
    Hash ^= Hash >> 33;
    Hash *= 0xc4ceb9fe1a85ec53;
    Hash ^= Hash >> 33;
  };
  Add(Builder.shapeAt(P.Tree.Nodes.front().Shape).Tag);
  for (const DIENode &N : P.Tree.Nodes) {
    if (Round == 0)
      break;
    Add(uint64_t(N.Shape) << 32 | N.Depth);
    // The builder's shapes may move.
    DIEShape Shape = Builder.shapeAt(N.Shape);
    for (auto [I, A] : enumerate(Shape.Attributes)) {
      uint64_t Value = P.Tree.Values[N.FirstValue + I];
      Add(A.Kind == ValueKind::Type ? hash(Value, Round - 1) : Value);
    }
  }
  P.Known |= 1u << Round;
  return P.Hashes[Round] = Hash;
}

uint32_t TypePool::indexOf(uint64_t DIE) {
  auto [It, New] = Indices.try_emplace(hash(DIE, Rounds), Count);
  if (New) {
    ++Count;
    Pending.push_back(DIE);
  }
  return It->second;
}

std::optional<uint32_t> TypePool::type(uint64_t DIE) {
  if (!parse(DIE).IsValid)
    return std::nullopt;
  return indexOf(DIE);
}

void TypePool::finishUnit() {
  for (; !Pending.empty(); Pending.pop_front()) {
    DIETree Tree = parse(Pending.front()).Tree;
    for (const DIENode &N : Tree.Nodes)
      for (auto [I, A] : enumerate(Builder.shapeAt(N.Shape).Attributes))
        if (A.Kind == ValueKind::Type) {
          uint64_t &Value = Tree.Values[N.FirstValue + I];
          Value = indexOf(Value);
        }
    Builder.addType(Tree);
  }
  Parsed.clear();
  // In files of dwz and of link-time optimization, many units refer to the
  // types of a few others. Each split unit may be in a file of its own.
  if (isSplit())
    Scopes.clear();
  else
    Scopes.erase(Unit->U.header().Offset | Unit->U.sections().ReferenceMark);
}

} // namespace lidia
