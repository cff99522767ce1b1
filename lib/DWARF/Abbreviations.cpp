//===- Abbreviations.cpp - Reads .debug_abbrev ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Abbreviations.h"
#include "FormValue.h"
#include "lidia/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {
namespace dwarf {

static DIEKind kindOf(Tag T) {
  switch (T) {
  case DW_TAG_subprogram:
    return DIEKind::Subprogram;
  case DW_TAG_inlined_subroutine:
    return DIEKind::InlinedSubroutine;
  case DW_TAG_lexical_block:
    return DIEKind::LexicalBlock;
  case DW_TAG_namespace:
  case DW_TAG_class_type:
  case DW_TAG_structure_type:
  case DW_TAG_union_type:
  case DW_TAG_interface_type:
  case DW_TAG_enumeration_type:
  case DW_TAG_module:
    return DIEKind::Scope;
  case DW_TAG_array_type:
  case DW_TAG_subroutine_type:
  case DW_TAG_GNU_formal_parameter_pack:
  case DW_TAG_GNU_template_parameter_pack:
    return DIEKind::Opaque;
  case DW_TAG_call_site:
  case DW_TAG_GNU_call_site:
    return DIEKind::CallSite;
  default:
    return DIEKind::Other;
  }
}

Expected<AbbreviationTable> AbbreviationTable::parse(const Sections &S,
                                                     uint64_t Offset,
                                                     FormSizes Sizes,
                                                     WorkBudget &Budget) {
  AbbreviationTable Table;
  Table.Sizes = Sizes;
  if (Offset >= S.Abbrev.size())
    return make_error<DamagedError>(
        "",
        formatv("abbreviation table at {0:x} is outside .debug_abbrev ({1:x} "
                "bytes)",
                Offset, S.Abbrev.size())
            .str());
  Cursor C(S.Abbrev, S.LittleEndian, Offset);
  auto Charge = [&] {
    Budget.charge(C.offset() - Offset - Table.Bytes);
    Table.Bytes = C.offset() - Offset;
  };
  while (uint64_t Code = C.uleb()) {
    if (Error E = Table.addDeclaration(C, Code))
      return E;
    Charge();
    if (Budget.exhausted())
      return make_error<LimitError>(
          "", formatv("abbreviation table at {0:x} is read too often", Offset)
                  .str());
  }
  Charge();
  if (C.bad())
    return make_error<DamagedError>(
        "", formatv("abbreviation table at {0:x} does not end", Offset).str());
  return Table;
}

Error AbbreviationTable::addDeclaration(Cursor &C, uint64_t Code) {
  Abbreviation A;
  A.Code = Code;
  A.Tag = Tag(C.uleb());
  A.Kind = kindOf(A.Tag);
  A.HasChildren = C.u8() != DW_CHILDREN_no;
  A.FirstSpec = Specs.size();
  while (true) {
    uint64_t Attr = C.uleb(), F = C.uleb();
    int64_t Implicit = F == DW_FORM_implicit_const ? C.sleb() : 0;
    if (C.bad() || (!Attr && !F))
      break;
    if (Attr > UINT16_MAX || F > UINT16_MAX)
      return make_error<DamagedError>(
          "", formatv("abbreviation {0} has attribute {1:x} of form {2:x}",
                      Code, Attr, F)
                  .str());
    A.HasSibling |= Attr == DW_AT_sibling;
    A.IsDeclaration |= Attr == DW_AT_declaration;
    A.HasCode |= Attr == DW_AT_low_pc || Attr == DW_AT_ranges;
    if (F == DW_FORM_flag_present)
      Implicit = 1;
    Specs.push_back(
        {Attribute(Attr), Form(F),
         uint8_t(
             fixedFormSize(Form(F), Sizes).value_or(AttributeSpec::Variable)),
         Implicit});
  }
  A.SpecCount = Specs.size() - A.FirstSpec;
  addSteps(A);

  if (Declarations.empty())
    FirstCode = Code;
  else if (Sequential && Code != FirstCode + Declarations.size()) {
    Sequential = false;
    for (size_t I = 0; I < Declarations.size(); ++I)
      addToMap(Declarations[I].Code, I);
  }
  if (!Sequential)
    addToMap(Code, Declarations.size());
  Declarations.push_back(A);
  return Error::success();
}

void AbbreviationTable::addToMap(uint64_t Code, size_t Index) {
  // DenseMap reserves the two greatest codes; no table uses them.
  if (Code < UINT64_MAX - 1)
    ByCode.try_emplace(Code, uint32_t(Index));
}

void AbbreviationTable::addSteps(Abbreviation &A) {
  A.FirstStep = Steps.size();
  Step Current;
  auto Finish = [&](Step::Action Then) {
    Current.Then = Then;
    Steps.push_back(Current);
    Current = Step();
  };
  for (const AttributeSpec &Spec : specs(A)) {
    if (Spec.FixedSize != AttributeSpec::Variable) {
      Current.FixedBytes += Spec.FixedSize;
      continue;
    }
    switch (Spec.Form) {
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      Finish(Step::LEB);
      break;
    case DW_FORM_string:
      Finish(Step::CString);
      break;
    case DW_FORM_block1:
      Finish(Step::Block1);
      break;
    case DW_FORM_block2:
      Finish(Step::Block2);
      break;
    case DW_FORM_block4:
      Finish(Step::Block4);
      break;
    case DW_FORM_block:
    case DW_FORM_exprloc:
      Finish(Step::BlockLEB);
      break;
    case DW_FORM_indirect:
      Finish(Step::Indirect);
      break;
    default:
      A.UnknownForm = Spec.Form;
      return;
    }
  }
  if (Current.FixedBytes)
    Finish(Step::Nothing);
  A.StepCount = Steps.size() - A.FirstStep;
  A.IsSkippable =
      !A.HasChildren &&
      (A.Kind == DIEKind::Other || A.Kind == DIEKind::Opaque ||
       A.Kind == DIEKind::CallSite || A.Kind == DIEKind::LexicalBlock);
}

const Abbreviation *AbbreviationTable::findInMap(uint64_t Code) const {
  if (Code >= UINT64_MAX - 1)
    return nullptr;
  auto It = ByCode.find(Code);
  return It == ByCode.end() ? nullptr : &Declarations[It->second];
}

void AbbreviationTable::skipValue(Cursor &C, Step::Action Then) const {
  switch (Then) {
  case Step::Nothing:
    break;
  case Step::LEB:
    C.skipLEB();
    break;
  case Step::CString:
    C.cstring();
    break;
  case Step::Block1:
    C.skip(C.u8());
    break;
  case Step::Block2:
    C.skip(C.u16());
    break;
  case Step::Block4:
    C.skip(C.u32());
    break;
  case Step::BlockLEB:
    C.skip(C.uleb());
    break;
  case Step::Indirect:
    FormValue::read(C, DW_FORM_indirect, 0, Sizes);
    break;
  }
}

bool mayReferToOtherUnits(const Sections &S) {
  Cursor C(S.Abbrev, S.LittleEndian);
  while (!C.atEnd()) {
    if (!C.uleb())
      continue; // ends a table
    C.uleb();
    C.u8();
    while (true) {
      uint64_t Attr = C.uleb(), F = C.uleb();
      if (F == DW_FORM_ref_addr || F == DW_FORM_ref_sig8 ||
          F == DW_FORM_indirect)
        return true;
      if (F == DW_FORM_implicit_const)
        C.skipLEB();
      if (C.bad() || (!Attr && !F))
        break;
    }
  }
  return C.bad();
}

void AbbreviationCache::beginUnit(std::optional<uint64_t> FreeOffset) {
  Free = FreeOffset;
  erase_if(Entries, [&](const Entry &E) { return Free != E.Offset; });
}

Expected<std::shared_ptr<const AbbreviationTable>>
AbbreviationCache::get(uint64_t Offset, FormSizes Sizes) {
  for (size_t I = Entries.size(); I-- > 0;)
    if (Entries[I].Offset == Offset && Entries[I].Table->sizes() == Sizes) {
      std::rotate(Entries.begin() + I, Entries.begin() + I + 1, Entries.end());
      if (Free == Offset)
        Budget.charge(Entries.back().Table->sizeInBytes());
      return useFree(Offset);
    }
  Expected<AbbreviationTable> Table =
      AbbreviationTable::parse(S, Offset, Sizes, Budget);
  if (!Table)
    return Table.takeError();
  if (Entries.size() == MaxEntries)
    Entries.erase(Entries.begin());
  Entries.push_back(
      {Offset, std::make_shared<const AbbreviationTable>(std::move(*Table))});
  return useFree(Offset);
}

/// The most recently used entry; refunds the charge for the table that the
/// previous unit had, whether this thread read it then or now.
std::shared_ptr<const AbbreviationTable>
AbbreviationCache::useFree(uint64_t Offset) {
  if (Free == Offset)
    Budget.refund(Entries.back().Table->sizeInBytes());
  return Entries.back().Table;
}

} // namespace dwarf
} // namespace lidia
