//===- VariableExport.cpp - Variables as DWARF ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableExport.h"
#include "Archive/StatementCodec.h"
#include "Support/LEB128.h"
#include "lidia/Archive/ExpressionOperands.h"
#include "llvm/DebugInfo/DWARF/DWARFAcceleratorTable.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

//===----------------------------------------------------------------------===//
// Abbreviations
//===----------------------------------------------------------------------===//

// Codes, counted from FirstCode.
enum : uint32_t {
  /// Two bases for each kind of function, without and with a return type. The
  /// exporter adds the names of the function.
  NamesOfFunction = 8,
  AbbrevEntry = 0,
  AbbrevPiece = AbbrevEntry + 2 * NamesOfFunction,
  AbbrevVariable = AbbrevPiece + 2 * NamesOfFunction,
  /// For each location kind, of variables and parameters, artificial or not,
  /// with the line of the declaration or not, with a name or not.
  VariableCodes = ScopedVariable::LocationKinds * 16,
  VariableHasName = 8,
  VariableHasLine = 4,
  VariableIsParameter = 2,
  VariableIsArtificial = 1,
  AbbrevGlobal = AbbrevVariable + VariableCodes,
  /// For each location kind, with a linkage name or not, external or not.
  GlobalCodes = ScopedVariable::LocationKinds * 4,
  GlobalHasLinkage = 2,
  GlobalIsExternal = 1,
  AbbrevFurtherParameters = AbbrevGlobal + GlobalCodes,
  AbbrevBlock,
  AbbrevTypeUnit,
  /// A base type that expressions refer to.
  AbbrevExpressionType,
  /// Two for each shape, without and with children.
  AbbrevShape,
};

static Form formOfKind(ValueKind Kind, uint16_t Attribute) {
  switch (Kind) {
  case ValueKind::Unsigned:
    return DW_FORM_udata;
  case ValueKind::Signed:
    return DW_FORM_sdata;
  case ValueKind::Flag:
    // The first child.
    return Attribute == DW_AT_discr ? DW_FORM_ref4 : DW_FORM_flag_present;
  case ValueKind::String:
    return DW_FORM_strp;
  case ValueKind::Type:
    return DW_FORM_ref_addr;
  }
  llvm_unreachable("every kind is handled");
}

/// Whether an attribute of a shape is written. Others could make a function or
/// something else of a type.
static bool isWritten(uint16_t Attribute) {
  return Attribute != ScopeAttribute && Attribute != LanguageAttribute &&
         kindOfAttribute(Attribute);
}

static void addLocation(SectionWriter &Abbrevs, unsigned Kind) {
  switch (ScopedVariable::LocationKind(Kind)) {
  case ScopedVariable::None:
    return;
  case ScopedVariable::Expression:
    return Abbrevs.attribute(DW_AT_location, DW_FORM_exprloc);
  case ScopedVariable::List:
    return Abbrevs.attribute(DW_AT_location, DW_FORM_sec_offset);
  case ScopedVariable::Constant:
    return Abbrevs.attribute(DW_AT_const_value, DW_FORM_sdata);
  case ScopedVariable::Bytes:
    return Abbrevs.attribute(DW_AT_const_value, DW_FORM_block);
  }
}

uint16_t languageInLLDB(uint16_t Language) {
  SourceLanguage L = SourceLanguage(Language);
  // LLVM's predicates accept only languages that it knows.
  bool HasTypes =
      !LanguageString(Language).empty() &&
      (isC(L) || isCPlusPlus(L) || L == DW_LANG_Rust || L == DW_LANG_D);
  return HasTypes ? Language : uint16_t(DW_LANG_C11);
}

/// LLDB reports other types of Fortran and Ada as errors.
Tag VariableExport::tagOf(const DIEShape &S) const {
  if (ForLLDB && S.Tag == DW_TAG_string_type)
    return DW_TAG_structure_type;
  // Those of arrays have no names.
  bool HasName = any_of(S.Attributes, [](const DIEAttribute &A) {
    return A.Attribute == DW_AT_name;
  });
  if (ForLLDB && S.Tag == DW_TAG_subrange_type && HasName)
    return DW_TAG_typedef;
  return Tag(S.Tag);
}

void VariableExport::writeAbbreviations(SectionWriter &Abbrevs, uint32_t First,
                                        FunctionAttributes AddAttributes) {
  FirstCode = First;
  uint32_t Code = First;
  for (bool IsEntry : {true, false})
    for (bool HasType : {false, true})
      for (unsigned What = 0; What < NamesOfFunction; ++What) {
        Abbrevs.beginAbbreviation(Code++, DW_TAG_subprogram, true);
        AddAttributes(What, IsEntry);
        Abbrevs.attribute(DW_AT_frame_base, DW_FORM_exprloc);
        if (HasType)
          Abbrevs.attribute(DW_AT_type, DW_FORM_ref_addr);
        Abbrevs.endAbbreviation();
      }
  for (unsigned I = 0; I < VariableCodes; ++I) {
    Abbrevs.beginAbbreviation(Code++,
                              I & VariableIsParameter ? DW_TAG_formal_parameter
                                                      : DW_TAG_variable,
                              false);
    if (I & VariableHasName)
      Abbrevs.attribute(DW_AT_name, DW_FORM_strp);
    Abbrevs.attribute(DW_AT_type, DW_FORM_ref_addr);
    if (I & VariableIsArtificial)
      Abbrevs.attribute(DW_AT_artificial, DW_FORM_flag_present);
    addLocation(Abbrevs, I / 16);
    if (I & VariableHasLine) {
      Abbrevs.attribute(DW_AT_decl_file, DW_FORM_udata);
      Abbrevs.attribute(DW_AT_decl_line, DW_FORM_udata);
    }
    Abbrevs.endAbbreviation();
  }
  for (unsigned I = 0; I < GlobalCodes; ++I) {
    Abbrevs.beginAbbreviation(Code++, DW_TAG_variable, false);
    Abbrevs.attribute(DW_AT_name, DW_FORM_strp);
    if (I & GlobalHasLinkage)
      Abbrevs.attribute(DW_AT_linkage_name, DW_FORM_strp);
    Abbrevs.attribute(DW_AT_type, DW_FORM_ref_addr);
    if (I & GlobalIsExternal)
      Abbrevs.attribute(DW_AT_external, DW_FORM_flag_present);
    addLocation(Abbrevs, I / 4);
    Abbrevs.endAbbreviation();
  }
  Abbrevs.beginAbbreviation(Code++, DW_TAG_unspecified_parameters, false);
  Abbrevs.endAbbreviation();
  Abbrevs.beginAbbreviation(Code++, DW_TAG_lexical_block, true);
  Abbrevs.attribute(DW_AT_ranges, DW_FORM_sec_offset);
  Abbrevs.endAbbreviation();
  Abbrevs.beginAbbreviation(Code++, DW_TAG_compile_unit, true);
  Abbrevs.attribute(DW_AT_producer, DW_FORM_strp);
  Abbrevs.attribute(DW_AT_language, DW_FORM_data2);
  Abbrevs.attribute(DW_AT_name, DW_FORM_strp);
  Abbrevs.endAbbreviation();
  Abbrevs.beginAbbreviation(Code++, DW_TAG_base_type, false);
  Abbrevs.attribute(DW_AT_byte_size, DW_FORM_udata);
  Abbrevs.attribute(DW_AT_encoding, DW_FORM_udata);
  Abbrevs.endAbbreviation();
  for (const DIEShape &S : Table.shapes())
    for (bool Children : {false, true}) {
      Abbrevs.beginAbbreviation(Code++, tagOf(S), Children);
      for (const DIEAttribute &A : S.Attributes)
        if (isWritten(A.Attribute))
          Abbrevs.attribute(Attribute(A.Attribute),
                            formOfKind(A.Kind, A.Attribute));
      Abbrevs.endAbbreviation();
    }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Takes operations from an expression of the section VARS.
class VariableExport::ExpressionReader {
public:
  ExpressionReader(StringRef Bytes, const Target &T) : Rest(Bytes), T(T) {}

  bool atEnd() const { return Rest.empty(); }
  /// Takes the next operation. Returns false if it is invalid.
  bool next();

  uint8_t Code = 0;
  /// Its bytes, without those of Type and behind.
  StringRef Bytes;
  /// The index of a type plus one, if it has one.
  std::optional<uint64_t> Type;
  /// The bytes behind Type, or the expression in DW_OP_entry_value.
  StringRef Behind;

private:
  bool skip(uint64_t Size) {
    if (Size > Rest.size())
      return false;
    Rest = Rest.drop_front(Size);
    return true;
  }
  bool skipLEB() { return takeULEB(Rest).has_value(); }

  StringRef Rest;
  const Target &T;
};

bool VariableExport::ExpressionReader::next() {
  StringRef Start = Rest;
  Type.reset();
  Behind = StringRef();
  Code = Rest.front();
  Rest = Rest.drop_front();
  bool IsValid = true, IsTyped = true;
  switch (Code) {
  case DW_OP_regval_type:
    IsValid = skipLEB();
    break;
  case DW_OP_deref_type:
    IsValid = skip(1);
    break;
  case DW_OP_const_type:
  case DW_OP_convert:
  case DW_OP_reinterpret:
    break;
  default:
    IsTyped = false;
  }
  if (IsTyped) {
    Bytes = Start.drop_back(Rest.size());
    Type = takeULEB(Rest);
    StringRef Value = Rest;
    if (IsValid && Code == DW_OP_const_type)
      IsValid = !Rest.empty() && skip(uint64_t(uint8_t(Rest.front())) + 1);
    Behind = Value.drop_back(Rest.size());
    return IsValid && Type;
  }
  if (Code == DW_OP_addr) {
    IsValid = skip(T.AddressSize);
  } else if (Code == DW_OP_entry_value) {
    std::optional<uint64_t> Size = takeULEB(Rest);
    Behind = Rest.take_front(Size.value_or(0));
    Bytes = Start.take_front(1);
    return Size && skip(*Size);
  } else if (std::optional<OperandKinds> Operands = operandsOf(Code)) {
    IsValid = skip(Operands->FixedBytes);
    for (unsigned I = 0; I < Operands->LEBs; ++I)
      IsValid &= skipLEB();
    if (Operands->HasBlock) {
      std::optional<uint64_t> Size = takeULEB(Rest);
      IsValid &= Size && skip(*Size);
    }
  } else {
    return false;
  }
  Bytes = Start.drop_back(Rest.size());
  return IsValid;
}

/// Calls \p VisitType with each type that an expression refers to.
VariableExport::Form
VariableExport::formOf(StringRef Expression, unsigned Depth,
                       function_ref<bool(uint64_t)> VisitType) const {
  Form Result = Form::Plain;
  ExpressionReader Reader(Expression, T);
  while (!Reader.atEnd()) {
    if (!Reader.next())
      return Form::Invalid;
    Form Inner = Form::Plain;
    if (Reader.Code == DW_OP_entry_value)
      Inner =
          Depth ? Form::Invalid : formOf(Reader.Behind, Depth + 1, VisitType);
    if (Inner == Form::Invalid)
      return Inner;
    if (Reader.Type && *Reader.Type && !VisitType(*Reader.Type - 1))
      return Form::Invalid;
    if (Reader.Type || Inner == Form::Typed)
      Result = Form::Typed;
  }
  return Result;
}

void VariableExport::readExpressions() {
  DenseSet<uint32_t> Known;
  // Each unit gets them. Programs have some twenty.
  constexpr size_t MaxTypes = 128;
  auto VisitType = [&](uint64_t Type) {
    if (Type >= Table.typeCount() || Known.size() == MaxTypes)
      return false;
    // Debuggers accept only these.
    if (Table.shapes()[Table.type(Type).front().Shape].Tag != DW_TAG_base_type)
      return false;
    if (Known.insert(uint32_t(Type)).second)
      TypesInExpressions.push_back(uint32_t(Type));
    return true;
  };
  for (uint32_t I = 0; I < Table.expressionCount(); ++I)
    Forms.push_back(formOf(Table.expression(I), 0, VisitType));
}

/// \p Expression with the DIEs of types in the current unit.
std::string VariableExport::withTypes(StringRef Expression) const {
  std::string Out;
  ExpressionReader Reader(Expression, T);
  while (!Reader.atEnd() && Reader.next()) {
    Out += Reader.Bytes;
    if (Reader.Code == DW_OP_entry_value) {
      std::string Inner = withTypes(Reader.Behind);
      appendULEB(Out, Inner.size());
      Out += Inner;
      continue;
    }
    if (Reader.Type)
      appendULEB(Out, *Reader.Type ? TypesOfUnit.lookup(*Reader.Type - 1) : 0);
    Out += Reader.Behind;
  }
  return Out;
}

/// Writes the size and the bytes of \p Expression.
void VariableExport::writeBytes(SectionWriter &Out, StringRef Expression) {
  ExpressionBytes += Expression.size();
  if (exceeds())
    Expression = StringRef();
  Out.uleb(Expression.size());
  Out.append(Expression);
}

void VariableExport::writeExpression(SectionWriter &Out, uint32_t Index) {
  if (Forms[Index] == Form::Typed && !exceeds())
    return writeBytes(Out, withTypes(Table.expression(Index)));
  writeBytes(Out, Forms[Index] == Form::Plain ? Table.expression(Index)
                                              : StringRef());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A unit with types.
struct VariableExport::TypeUnit {
  uint16_t Language = 0;
  /// The types in the unit that are not inside others.
  std::vector<uint32_t> Types;
  /// By namespace, what is directly in it.
  DenseMap<uint32_t, std::vector<uint32_t>> InNamespace;
};

VariableExport::VariableExport(VariableTable Opened, SectionWriter &Debug,
                               StringSection &Strings,
                               SectionWriter &RangeLists,
                               uint64_t MaxExpressions, bool ForLLDB)
    : Table(std::move(Opened)), Debug(Debug), Strings(Strings),
      RangeLists(RangeLists), T(Debug.target()), Lists(T),
      StringOffsets(Table.stringCount(), UINT32_MAX),
      TypeOffsets(Table.typeCount()), ForLLDB(ForLLDB),
      MaxExpressions(MaxExpressions) {
  readExpressions();
  indexGlobals();
  ListsStart = Lists.beginLength();
  Lists.u16(5);
  Lists.u8(T.AddressSize);
  Lists.u8(0);  // segment selector size
  Lists.u32(0); // no table of offsets
}

uint32_t VariableExport::stringOffset(uint32_t String) {
  uint32_t &Offset = StringOffsets[String];
  if (Offset == UINT32_MAX)
    Offset = Strings.add(asUTF8(Table.string(String)));
  return Offset;
}

/// Divides the types among units. LLDB reads all DIEs of a unit for one of its
/// types, so units are small.
std::vector<VariableExport::TypeUnit> VariableExport::planTypes() {
  constexpr uint32_t MaxNodes = 16384;
  std::vector<TypeUnit> Units;
  std::map<uint16_t, std::pair<size_t, uint32_t>> Current;
  auto ScopeOfType = [&](uint32_t Type) {
    return Table.find(Table.type(Type).front(), ScopeAttribute);
  };
  auto IsNamespace = [&](uint32_t Type) {
    return Table.shapes()[Table.type(Type).front().Shape].Tag ==
           DW_TAG_namespace;
  };
  for (uint32_t Type = 0; Type < Table.typeCount(); ++Type) {
    if (IsNamespace(Type))
      continue;
    std::optional<uint64_t> Scope = ScopeOfType(Type);
    if (Scope && !IsNamespace(*Scope)) {
      TypesInside[*Scope].push_back(Type);
      continue;
    }
    // The namespaces around the type, innermost first.
    SmallVector<uint32_t, 8> Around;
    for (; Scope && IsNamespace(*Scope); Scope = ScopeOfType(*Scope))
      Around.push_back(*Scope);
    uint32_t Outermost = Around.empty() ? Type : Around.back();
    uint16_t Language =
        Table.find(Table.type(Outermost).front(), LanguageAttribute)
            .value_or(DW_LANG_C11);
    if (ForLLDB)
      Language = languageInLLDB(Language);
    auto [It, New] = Current.try_emplace(Language);
    auto &[Index, Nodes] = It->second;
    if (New || Nodes > MaxNodes) {
      Index = Units.size();
      Nodes = 0;
      Units.emplace_back().Language = Language;
    }
    Nodes += Table.type(Type).size();
    TypeUnit &Unit = Units[Index];
    uint32_t Inner = Type;
    bool IsKnown = false;
    for (uint32_t Namespace : Around) {
      auto [In, First] = Unit.InNamespace.try_emplace(Namespace);
      In->second.push_back(Inner);
      IsKnown = !First;
      if (IsKnown)
        break;
      Inner = Namespace;
    }
    if (!IsKnown)
      Unit.Types.push_back(Inner);
  }
  return Units;
}

void VariableExport::indexType(uint32_t Type, uint32_t Number,
                               NameIndex &Names) {
  const DIENode &Root = Table.type(Type).front();
  Tag T = tagOf(Table.shapes()[Root.Shape]);
  std::optional<uint64_t> String = Table.find(Root, DW_AT_name);
  std::string Name = String ? asUTF8(Table.string(uint32_t(*String))) : "";
  // As LLVM's own indexes do.
  if (Name.empty() && T == DW_TAG_namespace)
    Name = "(anonymous namespace)";
  if (!Name.empty() && !Table.find(Root, DW_AT_declaration))
    Names.add(Name, Strings.add(Name), Number,
              uint32_t(Debug.size() - UnitStart), T);
}

void VariableExport::writeReference(uint32_t Type) {
  if (!TypeOffsets[Type])
    TypeReferences.emplace_back(uint32_t(Debug.size()), Type);
  Debug.u32(TypeOffsets[Type]);
}

void VariableExport::writeNode(const DIENode &N, bool HasChildren) {
  const DIEShape &Shape = Table.shapes()[N.Shape];
  Debug.uleb(FirstCode + AbbrevShape + N.Shape * 2 + HasChildren);
  std::optional<uint64_t> FirstChild;
  for (auto [A, Value] : zip_equal(Shape.Attributes, Table.values(N))) {
    if (!isWritten(A.Attribute))
      continue;
    switch (A.Kind) {
    case ValueKind::Unsigned:
      Debug.uleb(Value);
      break;
    case ValueKind::Signed:
      Debug.sleb(int64_t(Value));
      break;
    case ValueKind::Flag:
      if (A.Attribute != DW_AT_discr)
        break;
      FirstChild = Debug.size();
      Debug.u32(0);
      break;
    case ValueKind::String:
      Debug.u32(stringOffset(uint32_t(Value)));
      break;
    case ValueKind::Type:
      writeReference(uint32_t(Value));
      break;
    }
  }
  if (FirstChild && HasChildren)
    Debug.patch(*FirstChild, uint32_t(Debug.size() - UnitStart));
}

/// Writes a type and those inside it. Their nesting is limited by the reader.
void VariableExport::writeType(uint32_t Type, const TypeUnit &Unit,
                               uint32_t Number, NameIndex &Names) {
  ArrayRef<DIENode> Nodes = Table.type(Type);
  const std::vector<uint32_t> *Inside = nullptr;
  if (auto In = TypesInside.find(Type); In != TypesInside.end())
    Inside = &In->second;
  if (auto In = Unit.InNamespace.find(Type); In != Unit.InNamespace.end())
    Inside = &In->second;
  TypeOffsets[Type] = uint32_t(Debug.size());
  indexType(Type, Number, Names);
  uint32_t Depth = 0;
  for (auto [I, N] : enumerate(Nodes)) {
    for (; Depth > N.Depth; --Depth)
      Debug.uleb(0);
    bool HasChildren = (I + 1 < Nodes.size() && Nodes[I + 1].Depth > N.Depth) ||
                       (I == 0 && Inside);
    writeNode(N, HasChildren);
    Depth = N.Depth + HasChildren;
  }
  // The root's own children end after the types inside it.
  for (; Depth > 1; --Depth)
    Debug.uleb(0);
  if (Inside)
    for (uint32_t T : *Inside)
      writeType(T, Unit, Number, Names);
  if (Depth == 1)
    Debug.uleb(0);
}

/// Begins a unit without code. Returns what ends its length.
uint64_t VariableExport::beginUnitOfTypes(uint32_t Producer, uint16_t Language,
                                          StringRef Name,
                                          std::vector<uint32_t> &Units) {
  UnitStart = Debug.size();
  Units.push_back(uint32_t(UnitStart));
  uint64_t Start = Debug.beginLength();
  Debug.u16(5);
  Debug.u8(DW_UT_compile);
  Debug.u8(T.AddressSize);
  Debug.u32(0); // offset of the only abbreviation table
  Debug.uleb(FirstCode + AbbrevTypeUnit);
  Debug.u32(Producer);
  Debug.u16(Language);
  Debug.u32(Strings.add(Name));
  return Start;
}

void VariableExport::writeTypes(uint32_t Producer, std::vector<uint32_t> &Units,
                                NameIndex &Names) {
  for (const TypeUnit &Unit : planTypes()) {
    uint32_t Number = Units.size();
    uint64_t Start = beginUnitOfTypes(Producer, Unit.Language, "types", Units);
    for (uint32_t Type : Unit.Types)
      writeType(Type, Unit, Number, Names);
    Debug.uleb(0);
    Debug.endLength(Start);
  }
  for (auto [Place, Type] : TypeReferences)
    Debug.patch(Place, TypeOffsets[Type]);
  TypeReferences.clear();
}

void VariableExport::beginUnit(uint64_t Start) {
  UnitStart = Start;
  TypesOfUnit.clear();
  for (uint32_t Type : TypesInExpressions) {
    TypesOfUnit[Type] = uint32_t(Debug.size() - UnitStart);
    const DIENode &Root = Table.type(Type).front();
    Debug.uleb(FirstCode + AbbrevExpressionType);
    Debug.uleb(Table.find(Root, DW_AT_byte_size).value_or(0));
    Debug.uleb(Table.find(Root, DW_AT_encoding).value_or(0));
  }
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Archives may have the arguments of templates or not.
static StringRef withoutArguments(StringRef Name) {
  std::optional<StringRef> Plain = StripTemplateParameters(Name);
  return Plain ? *Plain : Name;
}

/// Rust's older mangling has no numbers of closures, which DWARF has.
static bool isClosure(StringRef Name) {
  return Name.starts_with("{closure") || Name.starts_with("{{closure");
}

/// Whether \p Name is that of the function by which a virtual table calls a
/// closure, in Rust's legacy or v0 mangling. DWARF calls it "call_once".
static bool isVirtualCall(StringRef Name) {
  return Name.ends_with("{{vtable.shim}}") || Name.starts_with("{shim:vtable#");
}

bool VariableExport::hasName(uint32_t Callee, StringRef Name) {
  std::optional<uint64_t> Own =
      Table.find(Table.function(Callee).front(), DW_AT_name);
  if (!Own)
    return false;
  StringRef Text = Table.string(uint32_t(*Own));
  // Any number of scopes may have the same long name.
  if (!spend(1 + (Text.size() + Name.size()) / 64))
    return false;
  return withoutArguments(Text) == withoutArguments(Name) ||
         (isClosure(Text) && isClosure(Name)) ||
         (isVirtualCall(Name) && withoutArguments(Text) == "call_once");
}

bool VariableExport::beginFunction(uint64_t Entry, StringRef Name) {
  ScopeOf.clear();
  std::optional<uint32_t> Index = Table.find(Entry);
  if (!Index)
    return false;
  Table.read(*Index, F);
  if (!hasName(F.Scopes.front().Callee, Name))
    return false;
  ScopesInside.assign(F.Scopes.size(), {});
  for (uint32_t I = 1; I < F.Scopes.size(); ++I)
    ScopesInside[F.Scopes[I].Parent].push_back(I);
  ListOffsets.clear();
  return true;
}

/// Sets the call that the scope \p Index belongs to: the outermost one that has
/// code at its address, its name, and the call of the scope around it above it.
void VariableExport::matchCall(uint32_t Index, const InnermostCalls &Innermost,
                               NameFunction NameOf) {
  const VariableScope &S = F.Scopes[Index];
  uint32_t Above = F.Scopes[S.Parent].Kind == VariableScope::Function
                       ? InlinedCall::None
                       : CallOf[S.Parent];
  SmallVector<uint64_t, 4> Starts = {S.Start};
  for (const ScopeRange &R :
       ArrayRef(F.Ranges).slice(S.FirstRange, S.RangeCount))
    Starts.push_back(R.Start);
  for (uint64_t Start : Starts) {
    uint64_t Address = F.Address + Start;
    if (Address < Piece.Start || Address >= Piece.End)
      continue;
    uint32_t Found = InlinedCall::None, Call = Innermost.at(Address);
    for (; Call != Above && Call != InlinedCall::None && spend(1);
         Call = Calls[Call].Parent)
      if (!ScopeOf.count(Call) &&
          hasName(S.Callee, NameOf(Calls[Call].Function)))
        Found = Call;
    if (Call != Above || Found == InlinedCall::None)
      continue;
    CallOf[Index] = Found;
    ScopeOf[Found] = Index;
    return;
  }
}

void VariableExport::beginPiece(ArrayRef<InlinedCall> CallsOfPiece,
                                const AddressSpan &Span, NameFunction NameOf) {
  Calls = CallsOfPiece;
  Piece = Span;
  ScopeOf.clear();
  // Nothing can be inside NoCall.
  constexpr uint32_t NoCall = InlinedCall::None - 1;
  CallOf.assign(F.Scopes.size(), NoCall);
  ScopeOf[InlinedCall::None] = 0;
  CallOf[0] = InlinedCall::None;
  InnermostCalls Innermost(Calls, Piece.Start, Piece.End);
  for (uint32_t I = 1; I < F.Scopes.size(); ++I) {
    const VariableScope &S = F.Scopes[I];
    if (S.Kind == VariableScope::Block)
      CallOf[I] = CallOf[S.Parent];
    else if (CallOf[S.Parent] != NoCall)
      matchCall(I, Innermost, NameOf);
  }
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

uint32_t VariableExport::functionCode(bool IsEntry) const {
  bool HasType =
      Table.find(Table.function(F.Scopes.front().Callee).front(), DW_AT_type)
          .has_value();
  return FirstCode + (IsEntry ? AbbrevEntry : AbbrevPiece) +
         HasType * NamesOfFunction;
}

void VariableExport::writeFunctionAttributes() {
  writeExpression(Debug, F.FrameBase);
  if (std::optional<uint64_t> Type = Table.find(
          Table.function(F.Scopes.front().Callee).front(), DW_AT_type))
    writeReference(uint32_t(*Type));
}

/// Writes the list of a variable, and returns its offset. Pieces of a function
/// share lists.
uint32_t VariableExport::writeList(uint32_t Variable) {
  auto [It, New] = ListOffsets.try_emplace(Variable, uint32_t(Lists.size()));
  // Expressions with types refer to the unit, which pieces share, too.
  if (!New)
    return It->second;
  const ScopedVariable &V = F.Variables[Variable];
  for (const LocationEntry &E :
       ArrayRef(F.Entries).slice(V.FirstEntry, V.EntryCount)) {
    if (Forms[E.Expression] == Form::Invalid)
      continue;
    Lists.u8(DW_LLE_start_length);
    Lists.codeAddress(F.Address + E.Start);
    Lists.uleb(E.Length);
    writeExpression(Lists, E.Expression);
  }
  Lists.u8(DW_LLE_end_of_list);
  return It->second;
}

void VariableExport::writeVariable(uint32_t Variable, const VariableScope &S,
                                   std::optional<uint32_t> File) {
  const ScopedVariable &V = F.Variables[Variable];
  const DIENode &N = Table.function(S.Callee)[1 + V.Definition];
  std::optional<uint64_t> Name = Table.find(N, DW_AT_name),
                          Type = Table.find(N, DW_AT_type);
  if (!Name || !Type)
    return;
  bool IsParameter = Table.shapes()[N.Shape].Tag == DW_TAG_formal_parameter;
  bool IsArtificial = Table.find(N, DW_AT_artificial).has_value();
  std::optional<uint64_t> Line;
  if (File)
    Line = Table.find(N, DW_AT_decl_line);
  ScopedVariable::LocationKind Kind = locationKind(V);
  // Parameters may have no name.
  bool HasName = !Table.string(uint32_t(*Name)).empty();
  Debug.uleb(FirstCode + AbbrevVariable + Kind * 16 +
             IsParameter * VariableIsParameter +
             IsArtificial * VariableIsArtificial + HasName * VariableHasName +
             Line.has_value() * VariableHasLine);
  if (HasName)
    Debug.u32(stringOffset(uint32_t(*Name)));
  writeReference(uint32_t(*Type));
  writeLocation(Kind, Variable);
  if (Line) {
    Debug.uleb(*File);
    Debug.uleb(*Line);
  }
}

ScopedVariable::LocationKind
VariableExport::locationKind(const ScopedVariable &V) const {
  bool IsInvalid =
      V.Kind == ScopedVariable::Expression && Forms[V.Value] == Form::Invalid;
  return IsInvalid ? ScopedVariable::None : V.Kind;
}

/// Writes where a variable of the current function is.
void VariableExport::writeLocation(ScopedVariable::LocationKind Kind,
                                   uint32_t Variable) {
  const ScopedVariable &V = F.Variables[Variable];
  switch (Kind) {
  case ScopedVariable::None:
    break;
  case ScopedVariable::Expression:
    writeExpression(Debug, uint32_t(V.Value));
    break;
  case ScopedVariable::List:
    Debug.u32(writeList(Variable));
    break;
  case ScopedVariable::Constant:
    Debug.sleb(int64_t(V.Value));
    break;
  case ScopedVariable::Bytes:
    writeBytes(Debug, Table.expression(uint32_t(V.Value)));
    break;
  }
}

//===----------------------------------------------------------------------===//
// Global variables
//===----------------------------------------------------------------------===//

/// Finds what the table has for units instead of functions.
void VariableExport::indexGlobals() {
  for (uint32_t I = 0; I < Table.size(); ++I) {
    if (!Table.isUnit(I))
      continue;
    Table.read(I, F);
    if (F.Scopes.size() > 1)
      Globals.try_emplace(F.Address + F.Scopes[1].Start, I);
    else
      OtherGlobals.push_back(I);
  }
}

void VariableExport::writeGlobalsOf(uint32_t Index, uint32_t Number,
                                    NameIndex &Names) {
  Table.read(Index, F);
  ListOffsets.clear();
  uint32_t Callee = F.Scopes.front().Callee;
  for (auto [I, V] : enumerate(F.Variables)) {
    const DIENode &N = Table.function(Callee)[1 + V.Definition];
    std::optional<uint64_t> Name = Table.find(N, DW_AT_name),
                            Type = Table.find(N, DW_AT_type),
                            Linkage = Table.find(N, DW_AT_linkage_name);
    if (!Name || !Type || V.Kind == ScopedVariable::List)
      continue;
    uint64_t DIE = Debug.size();
    ScopedVariable::LocationKind Kind = locationKind(V);
    bool IsExternal = Table.find(N, DW_AT_external).has_value();
    Debug.uleb(FirstCode + AbbrevGlobal + Kind * 4 +
               Linkage.has_value() * GlobalHasLinkage +
               IsExternal * GlobalIsExternal);
    for (std::optional<uint64_t> String : {Name, Linkage}) {
      if (!String)
        continue;
      uint32_t Offset = stringOffset(uint32_t(*String));
      Debug.u32(Offset);
      Names.add(asUTF8(Table.string(uint32_t(*String))), Offset, Number,
                uint32_t(DIE - UnitStart), DW_TAG_variable);
    }
    writeReference(uint32_t(*Type));
    writeLocation(Kind, uint32_t(I));
  }
}

void VariableExport::writeGlobals(ArrayRef<uint64_t> Entries, uint32_t Number,
                                  NameIndex &Names) {
  if (Globals.empty())
    return;
  for (uint64_t Entry : Entries)
    if (auto Found = Globals.find(Entry); Found != Globals.end())
      writeGlobalsOf(Found->second, Number, Names);
}

void VariableExport::writeOtherGlobals(uint32_t Producer,
                                       std::vector<uint32_t> &Units,
                                       NameIndex &Names) {
  if (OtherGlobals.empty())
    return;
  uint32_t Number = Units.size();
  // LLDB puts "::" before a C++ name without a linkage name.
  uint64_t Start = beginUnitOfTypes(Producer, DW_LANG_C11, "globals", Units);
  beginUnit(UnitStart);
  for (uint32_t Index : OtherGlobals)
    writeGlobalsOf(Index, Number, Names);
  Debug.uleb(0);
  Debug.endLength(Start);
}

void VariableExport::writeCallValues(const ValuedCall &Call, uint32_t Code) {
  for (const CallValue &V : Table.values(Call)) {
    if (Forms[V.Expression] == Form::Invalid)
      continue;
    Debug.uleb(Code);
    if (V.Register < 32) {
      Debug.uleb(1);
      Debug.u8(DW_OP_reg0 + V.Register);
    } else {
      Debug.uleb(2);
      Debug.u8(DW_OP_regx);
      Debug.uleb(V.Register);
    }
    writeExpression(Debug, V.Expression);
  }
}

/// Counts the work of placing calls and blocks, which crafted archives could
/// make quadratic. Returns false if there was too much; then places are not
/// looked for.
bool VariableExport::spend(uint64_t Work) {
  constexpr uint64_t MaxWork = uint64_t(1) << 30;
  Spent += Work;
  return Spent <= MaxWork;
}

bool VariableExport::isInRanges(const VariableScope &Block, uint64_t Address) {
  return spend(Block.RangeCount) &&
         any_of(ArrayRef(F.Ranges).slice(Block.FirstRange, Block.RangeCount),
                [&](const ScopeRange &R) {
                  return Address - (F.Address + R.Start) < R.Length;
                });
}

/// Whether all code of \p Call is in \p Block.
bool VariableExport::isInside(const InlinedCall &Call,
                              const VariableScope &Block) {
  if (Call.Code.empty())
    return Call.Start && isInRanges(Block, *Call.Start);
  return all_of(Call.Code, [&](const CallCode &C) {
    return isInRanges(Block, C.Start) && isInRanges(Block, C.End - 1);
  });
}

/// The ranges of \p Block in the piece. LLDB complains about code of a block
/// that is outside of its function.
SmallVector<VariableExport::AddressSpan, 4>
VariableExport::rangesInPiece(const VariableScope &Block) const {
  SmallVector<AddressSpan, 4> Result;
  for (const ScopeRange &R :
       ArrayRef(F.Ranges).slice(Block.FirstRange, Block.RangeCount)) {
    uint64_t Start = F.Address + R.Start;
    AddressSpan Inside = {std::max(Start, Piece.Start),
                          std::min(Start + R.Length, Piece.End)};
    if (Inside.Start < Inside.End)
      Result.push_back(Inside);
  }
  return Result;
}

/// Writes the variables of a scope, \p Inside, the calls in it, and the blocks
/// in it. Debuggers take the first child at an address, and calls must not be
/// hidden: those that are not completely in a block come before all blocks.
/// Blocks are nested at most MaxScopeDepth deep.
void VariableExport::writeScope(uint32_t Index, std::vector<uint32_t> Inside,
                                std::optional<uint32_t> File,
                                function_ref<void(uint32_t)> WriteCall) {
  const VariableScope &S = F.Scopes[Index];
  for (uint32_t I = 0; I < S.VariableCount; ++I)
    writeVariable(S.FirstVariable + I, S, File);
  if (S.Kind == VariableScope::Function)
    for (const DIENode &N : Table.function(S.Callee).drop_front())
      if (Table.shapes()[N.Shape].Tag == DW_TAG_unspecified_parameters)
        Debug.uleb(FirstCode + AbbrevFurtherParameters);
  struct PlacedBlock {
    uint32_t Scope;
    SmallVector<AddressSpan, 4> Ranges;
    std::vector<uint32_t> Calls;
  };
  SmallVector<PlacedBlock, 4> Blocks;
  for (uint32_t Scope : ScopesInside[Index]) {
    const VariableScope &B = F.Scopes[Scope];
    if (B.Kind != VariableScope::Block)
      continue;
    PlacedBlock Placed = {Scope, rangesInPiece(B), {}};
    if (Placed.Ranges.empty())
      continue;
    if (spend(Inside.size())) {
      std::vector<uint32_t> Outside;
      for (uint32_t Call : Inside)
        (isInside(Calls[Call], B) ? Placed.Calls : Outside).push_back(Call);
      Inside = std::move(Outside);
    }
    Blocks.push_back(std::move(Placed));
  }
  for (uint32_t Call : Inside)
    WriteCall(Call);
  for (PlacedBlock &B : Blocks) {
    Debug.uleb(FirstCode + AbbrevBlock);
    Debug.u32(uint32_t(RangeLists.size()));
    for (const AddressSpan &R : B.Ranges) {
      RangeLists.u8(DW_RLE_start_length);
      RangeLists.codeAddress(R.Start);
      RangeLists.uleb(R.End - R.Start);
    }
    RangeLists.u8(DW_RLE_end_of_list);
    writeScope(B.Scope, std::move(B.Calls), File, WriteCall);
    Debug.uleb(0);
  }
}

bool VariableExport::isInBlock(uint32_t Call, uint64_t Address) {
  if (!spend(F.Scopes.size()))
    return false;
  for (auto [I, S] : enumerate(F.Scopes))
    if (S.Kind == VariableScope::Block && CallOf[I] == Call &&
        isInRanges(S, Address))
      return true;
  return false;
}

void VariableExport::writeInside(uint32_t Call, uint32_t First,
                                 std::optional<uint32_t> File,
                                 function_ref<void(uint32_t)> WriteCall) {
  std::vector<uint32_t> Inside;
  for (uint32_t I = First; I != InlinedCall::None; I = Calls[I].NextSibling)
    Inside.push_back(I);
  writeScope(ScopeOf.find(Call)->second, std::move(Inside), File, WriteCall);
}

} // namespace lidia
