//===- FunctionNames.cpp - Names of functions -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionNames.h"
#include "llvm/ADT/StringExtras.h"
#include <utility>

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {
namespace dwarf {

FunctionNames::FunctionNames(const Sections &S, ArrayRef<UnitHeader> Headers,
                             ArrayRef<UnitHeader> SupplementaryHeaders,
                             TypeUnits &Types, AbbreviationCache &Abbreviations,
                             WorkBudget &Budget)
    : Budget(Budget), Main{S, Headers, Abbreviations}, Types(Types) {
  if (!S.Supplementary)
    return;
  SupplementaryAbbreviations.emplace(*S.Supplementary, Budget);
  Supplementary.emplace(File{*S.Supplementary, SupplementaryHeaders,
                             *SupplementaryAbbreviations});
}

void FunctionNames::setUnit(const Unit &U, const ScopeTable &Scopes) {
  Current = &U;
  CurrentScopes = &Scopes;
  Foreign.clear();
  ChargedTypes.clear();
  if (SupplementaryAbbreviations)
    SupplementaryAbbreviations->beginUnit(std::nullopt);
}

/// The unit that contains the DIE at \p Offset; null if there is none.
const UnitHeader *FunctionNames::findHeader(const File &F, uint64_t Offset) {
  const auto *It = std::upper_bound(
      F.Headers.begin(), F.Headers.end(), Offset,
      [](uint64_t Offset, const UnitHeader &H) { return Offset < H.Offset; });
  if (It == F.Headers.begin())
    return nullptr;
  --It;
  return Offset >= It->FirstDIE && Offset < It->End ? &*It : nullptr;
}

FunctionNames::ForeignUnit *FunctionNames::foreignUnit(uint64_t DIE) {
  bool IsSupplementary = DIE & InSupplementary;
  if (IsSupplementary && !Supplementary)
    return nullptr;
  const File &F = IsSupplementary ? *Supplementary : Main;
  uint64_t Offset = DIE & ~InSupplementary;
  for (size_t I = Foreign.size(); I-- > 0;) {
    const Unit &U = Foreign[I]->U;
    if (&U.sections() != &F.S || Offset < U.header().FirstDIE ||
        Offset >= U.header().End)
      continue;
    std::rotate(Foreign.begin() + I, Foreign.begin() + I + 1, Foreign.end());
    return Foreign.back().get();
  }
  const UnitHeader *H = findHeader(F, Offset);
  if (!H)
    return nullptr;
  Expected<Unit> U = Unit::open(F.S, *H, F.Abbreviations, Budget);
  if (!U) {
    // The error is reported when that unit itself is read. In a supplementary
    // file, only names are lost.
    consumeError(U.takeError());
    return nullptr;
  }
  if (Foreign.size() == MaxForeignUnits)
    Foreign.erase(Foreign.begin());
  Foreign.push_back(std::make_unique<ForeignUnit>(std::move(*U)));
  return Foreign.back().get();
}

const Unit *FunctionNames::unitOf(uint64_t DIE) {
  if (inCurrentUnit(DIE))
    return Current;
  ForeignUnit *F = foreignUnit(DIE);
  return F ? &F->U : nullptr;
}

const ScopeTable *FunctionNames::scopesOf(uint64_t DIE) {
  if (inCurrentUnit(DIE))
    return CurrentScopes;
  ForeignUnit *F = foreignUnit(DIE);
  if (!F)
    return nullptr;
  if (!F->HasScopes) {
    consumeError(readScopes(F->U, F->Scopes, Budget));
    F->HasScopes = true;
  }
  return &F->Scopes;
}

/// Whether \p Name, a linkage name, was cut within an identifier. GCC cuts
/// linkage names at the first dot, where a clone's suffix begins; but it calls
/// the frame of a coroutine "_Z3fibi.Frame", and this name is a part of those
/// of the coroutine's functions.
static bool isCutLinkageName(StringRef Name) {
  // Nearly all names have no other mark, which is cheaper to see.
  if (!Name.consume_front("_Z") || !Name.contains("_Z"))
    return false;
  for (size_t At = Name.find_first_of("0123456789"); At < Name.size();
       At = Name.find_first_of("0123456789", At)) {
    StringRef Identifier = Name.substr(At);
    uint64_t Length;
    if (Identifier.consumeInteger(10, Length))
      return false;
    if (Identifier.size() < Length && Identifier.starts_with("_Z"))
      return true;
    At = Identifier.data() - Name.data();
  }
  return false;
}

/// Whether \p Name, a DW_AT_name, is that of a symbol, which has all of its
/// scopes: GCC so names the functions that it makes of others' loops and blocks
/// ("_Z4workv._omp_fn.0").
static bool isSymbolOfPart(StringRef Name) {
  auto [Rest, Number] = Name.rsplit('.');
  return !Number.empty() && all_of(Number, isDigit) && Rest.contains('.') &&
         all_of(Rest, [](char C) {
           return isAlnum(C) || C == '_' || C == '.' || C == '$';
         });
}

FunctionNames::NameAttributes FunctionNames::read(uint64_t DIE, NameUse Use) {
  const Unit *U = unitOf(DIE);
  return U ? read(*U, DIE, Use) : NameAttributes();
}

FunctionNames::NameAttributes FunctionNames::read(const Unit &U, uint64_t DIE,
                                                  NameUse Use) {
  NameAttributes R;
  FormValue Name;
  Cursor C = U.cursor(DIE);
  const Abbreviation *A = U.abbreviations().find(C.uleb());
  if (!A)
    return R;
  R.Tag = A->Tag;
  for (const AttributeSpec &Spec : U.abbreviations().specs(*A)) {
    FormValue V = FormValue::read(C, Spec, U.header().Sizes);
    if (C.bad())
      break;
    switch (Spec.Attribute) {
    case DW_AT_name:
      Name = V;
      break;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
      R.LinkageName = U.string(V);
      if (isCutLinkageName(R.LinkageName))
        R.LinkageName = StringRef();
      break;
    case DW_AT_decl_line:
      R.DeclLine = uint32_t(V.Number);
      R.DeclLineIsLast = R.Origin.has_value();
      break;
    case DW_AT_decl_file:
      R.DeclFile = V.Number;
      R.DeclFileIsLast = R.Origin.has_value();
      break;
    case DW_AT_abstract_origin:
    case DW_AT_specification:
      if (!R.Origin)
        R.Origin = U.reference(V);
      break;
    case DW_AT_signature:
      if (V.Form == DW_FORM_ref_sig8)
        R.Signature = V.Number;
      break;
    default:
      break;
    }
  }
  // Finding the end of a string takes two cache misses.
  if (R.LinkageName.empty() || Use == NameUse::Always ||
      (Use == NameUse::UnlessMangled && !isMangled(R.LinkageName)))
    R.Name = U.string(Name);
  else
    R.HasUnreadName = bool(Name);
  return R;
}

/// The name of a type in its type unit; empty if that unit is missing.
StringRef FunctionNames::typeName(uint64_t Signature) {
  auto [It, New] = TypeNames.try_emplace(Signature);
  TypeName &Name = It->second;
  // Another unit that this thread read may have been charged for it.
  bool Charged = !ChargedTypes.insert(Signature).second;
  if (!New) {
    if (!Charged)
      Budget.charge(Name.Cost);
    return Name.Text;
  }
  uint64_t Before = Budget.used();
  Name.Text = readTypeName(Signature);
  Name.Cost = Budget.used() - Before;
  StringRef Text = Name.Text;
  if (Budget.exhausted())
    TypeNames.erase(It);
  return Text;
}

StringRef FunctionNames::readTypeName(uint64_t Signature) {
  std::optional<TypeUnit> T = Types.find(Signature, Budget);
  if (!T)
    return {};
  AbbreviationCache Abbreviations(T->S, Budget);
  Expected<Unit> U = Unit::open(T->S, T->Header, Abbreviations, Budget);
  if (!U) {
    consumeError(U.takeError());
    return {};
  }
  const UnitHeader &H = T->Header;
  if (H.TypeOffset >= H.End - H.Offset)
    return {};
  return read(*U, H.Offset + H.TypeOffset, NameUse::Always).Name;
}

/// Whether functions' names are qualified with their enclosing scopes.
static bool hasScopes(uint16_t Language) {
  switch (Language) {
  case DW_LANG_C89:
  case DW_LANG_C:
  case DW_LANG_C99:
  case DW_LANG_C11:
  case DW_LANG_C17:
  case DW_LANG_Mips_Assembler:
  case DW_LANG_Assembly:
  case DW_LANG_ObjC:
  // These names include their packages.
  case DW_LANG_Go:
  case DW_LANG_Ada83:
  case DW_LANG_Ada95:
  case DW_LANG_Ada2005:
  case DW_LANG_Ada2012:
  case DW_LANG_OpenCL:
  case 0:
    return false;
  default:
    return true;
  }
}

bool FunctionNames::inScopedLanguage(uint64_t DIE) {
  const Unit *U = unitOf(DIE);
  if (!U)
    return false;
  // A partial unit may have the language of the unit that imports it.
  uint16_t Language = U->language();
  return hasScopes(Language ? Language : Current->language());
}

FunctionIdentity FunctionNames::identify(uint64_t DIE,
                                         SmallString<128> &Storage,
                                         IdentityParts Parts) {
  FunctionIdentity F = find(DIE, Storage, Parts);
  // A long string may be the name, or a scope, of any number of functions.
  Budget.charge(F.Name.size() + F.Plain.size() + F.Unscoped.size());
  return F;
}

FunctionIdentity FunctionNames::find(uint64_t DIE, SmallString<128> &Storage,
                                     IdentityParts Parts) {
  FunctionIdentity F;
  bool HasLastLine = false, HasLastFile = false, HasName = false;
  NameUse Use = Parts == IdentityParts::Name ? NameUse::WithoutLinkageName
                                             : NameUse::UnlessMangled;
  for (unsigned Hops = 0; Hops < MaxHops; ++Hops) {
    NameAttributes A = read(DIE, Use);
    if (!F.DeclLine)
      F.DeclLine = A.DeclLine;
    if (!F.DeclFile && A.DeclFile) {
      F.DeclFile = A.DeclFile;
      F.DeclFileDIE = DIE;
    }
    if (A.DeclLine && !HasLastLine) {
      F.LastDeclLine = A.DeclLine;
      HasLastLine = A.DeclLineIsLast;
    }
    if (A.DeclFile && !HasLastFile) {
      F.LastDeclFile = A.DeclFile;
      F.LastDeclFileDIE = DIE;
      HasLastFile = A.DeclFileIsLast;
    }
    if (F.Name.empty())
      F.Name = A.LinkageName;
    if (F.Plain.empty() && !A.Name.empty()) {
      F.Plain = A.Name;
      F.NameDIE = DIE;
    }
    HasName |= !F.Plain.empty() || A.HasUnreadName;
    bool IsComplete = !F.Name.empty() && Parts == IdentityParts::Name;
    if (Parts == IdentityParts::Declaration)
      IsComplete = !F.Name.empty() && HasName && F.DeclLine && F.DeclFile;
    if (IsComplete || !A.Origin)
      break;
    DIE = *A.Origin;
  }
  if (!F.Name.empty())
    F.NameDIE = 0;
  if (!F.Name.empty() || F.Plain.empty())
    return F;
  F.Name = !isSymbolOfPart(F.Plain) && inScopedLanguage(DIE)
               ? qualified(DIE, F.Plain, Storage)
               : F.Plain;
  F.Unscoped = std::exchange(F.Plain, StringRef());
  return F;
}

/// The placeholder for an unnamed scope, in clang's spelling. \p Inner is the
/// name of the scope or function directly inside it.
static StringRef anonymousName(Tag T, StringRef Inner) {
  bool IsClass = T == DW_TAG_class_type || T == DW_TAG_structure_type;
  if (IsClass && Inner == "operator()")
    return "{lambda}";
  switch (T) {
  case DW_TAG_namespace:
    return "(anonymous namespace)";
  case DW_TAG_class_type:
    return "(anonymous class)";
  case DW_TAG_structure_type:
    return "(anonymous struct)";
  case DW_TAG_union_type:
    return "(anonymous union)";
  case DW_TAG_enumeration_type:
    return "(anonymous enum)";
  default:
    return "(anonymous)";
  }
}

/// The unqualified name of a scope. Empty for a type whose unit is missing.
StringRef FunctionNames::scopeName(uint64_t DIE, StringRef Inner, Tag &T) {
  NameAttributes A = read(DIE, NameUse::Always);
  T = A.Tag;
  for (unsigned Hops = 0; A.Name.empty() && A.Origin && Hops < MaxHops; ++Hops)
    A = read(*A.Origin, NameUse::Always);
  if (A.Name.empty() && A.Signature)
    return typeName(*A.Signature);
  return A.Name.empty() ? anonymousName(T, Inner) : A.Name;
}

StringRef FunctionNames::qualified(uint64_t Declaration, StringRef Name,
                                   SmallString<128> &Storage) {
  const ScopeTable *Scopes = scopesOf(Declaration);
  uint32_t Index = Scopes ? Scopes->find(Declaration) : ScopeTable::NoScope;
  if (Index == ScopeTable::NoScope)
    return Name;
  SmallVector<uint64_t, 8> Enclosing;
  while (Enclosing.size() < MaxScopes) {
    Index = (*Scopes)[Index].Parent;
    if (Index == ScopeTable::NoScope)
      break;
    Enclosing.push_back((*Scopes)[Index].DIE);
  }
  if (Enclosing.empty())
    return Name;

  // From the innermost scope outwards, because the contents of a scope may
  // determine its name.
  SmallVector<StringRef, 16> Parts = {Name};
  StringRef Inner = Name;
  for (uint64_t DIE : Enclosing) {
    Tag T;
    StringRef Scope = scopeName(DIE, Inner, T);
    if (Scope.empty())
      continue;
    Inner = Scope;
    Parts.push_back(T == DW_TAG_subprogram ? "()::" : "::");
    Parts.push_back(Inner);
  }
  Storage.clear();
  for (StringRef Part : reverse(Parts))
    Storage += Part;
  return Storage;
}

} // namespace dwarf
} // namespace lidia
