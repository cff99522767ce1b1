//===- VariableTable.cpp - Reads the section VARS -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableColumns.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Compression.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

class VariableTable::Impl {
public:
  /// Where a function begins in each column, and what reading it depends on.
  struct FunctionPosition {
    std::array<uint32_t, VC_FunctionColumns> Offsets = {};
    uint32_t SeenCallees = 0;
    uint64_t AddressBefore = 0;
  };

  struct IndexedFunction {
    uint64_t Address = 0;
    FunctionPosition Position;
  };
  class FunctionReader;

  explicit Impl(StringRef Name) : Name(Name) {}

  Error open(StringRef Section);
  Error damaged(const Twine &Why) const {
    return make_error<DamagedError>(Name, Why, "section VARS");
  }
  Error unpack(StringRef Section);
  Error readShapes();
  Error readTexts();
  Error readTrees(VariableColumn Column, uint32_t Count,
                  std::vector<uint32_t> &Starts);
  bool readTree(ColumnReader &C);
  bool readValues(const DIEShape &Shape);
  Error checkTypes() const;
  Error checkCallees() const;
  Error indexFunctions();
  Error readCalls();

  std::optional<uint64_t> find(const DIENode &Node, uint16_t Attribute) const;

  std::string Name;
  VariablesHeader H = {};
  /// The columns, unpacked. Those that were not packed are in the section.
  std::vector<StringRef> Columns;
  std::vector<SmallVector<uint8_t, 0>> Unpacked;
  std::vector<DIEShape> Shapes;
  std::vector<StringRef> Strings, Expressions;
  DIETree Trees;
  /// The first node of each, and the end.
  std::vector<uint32_t> Types, Callees;
  /// The number of variables of each of the callees.
  std::vector<uint32_t> Definitions;
  std::vector<IndexedFunction> Functions;
  std::vector<ValuedCall> Calls;
  std::vector<CallValue> CallValues;

private:
  uint64_t MaxValues = 0;
  /// The attributes with a column, and for readTree(), a reader for each.
  size_t AttributeCount = 0;
  std::vector<ColumnReader> Values;
  /// By shape: the index in Values of each attribute.
  std::vector<SmallVector<uint32_t, 6>> ValuesOf;
  NewestFirst Names;
  uint32_t CurrentShape = 0;
};

//===----------------------------------------------------------------------===//
// Unpacking
//===----------------------------------------------------------------------===//

Error VariableTable::Impl::unpack(StringRef Section) {
  if (Section.size() < sizeof(H))
    return damaged("is shorter than its header");
  memcpy(&H, Section.data(), sizeof(H));
  StringRef Rest = Section.drop_front(sizeof(H));
  if (H.Columns < VC_FixedColumns ||
      H.Columns > Rest.size() / sizeof(VariableColumnSize))
    return damaged("does not have its columns");
  std::vector<VariableColumnSize> Sizes(H.Columns);
  memcpy(Sizes.data(), Rest.data(), H.Columns * sizeof(VariableColumnSize));
  Rest = Rest.drop_front(H.Columns * sizeof(VariableColumnSize));
  const uint64_t Max = VariablesFloor + Section.size() * VariablesRatio;
  uint64_t Left = Max;
  Unpacked.resize(H.Columns);
  for (auto [Size, Bytes] : zip_equal(Sizes, Unpacked)) {
    if (Size.Packed > Rest.size())
      return damaged("ends before its columns");
    if (Size.Size > Left)
      return damaged("claims to unpack to more than it can");
    Left -= Size.Size;
    StringRef Packed = Rest.take_front(Size.Packed);
    Rest = Rest.drop_front(Size.Packed);
    if (Size.Packed == Size.Size) {
      Columns.push_back(Packed);
      continue;
    }
    if (!compression::zstd::isAvailable())
      return damaged("is packed by zstd, which this LLVM is built without");
    if (Error E = compression::zstd::decompress(arrayRefFromStringRef(Packed),
                                                Bytes, Size.Size))
      return damaged("cannot be unpacked: " + toString(std::move(E)));
    if (Bytes.size() != Size.Size)
      return damaged("has a column that does not have its size");
    Columns.push_back(toStringRef(Bytes));
  }
  MaxValues = (Max - Left) * ValuesRatio;
  return Error::success();
}

std::optional<ValueKind> kindOfAttribute(uint16_t Attribute) {
  switch (Attribute) {
  case DW_AT_GNU_template_name:
  case DW_AT_linkage_name:
  case DW_AT_name:
    return ValueKind::String;
  case DW_AT_type:
  case DW_AT_containing_type:
  case ScopeAttribute:
    return ValueKind::Type;
  case DW_AT_alignment:
  case DW_AT_bit_offset:
  case DW_AT_bit_size:
  case DW_AT_byte_size:
  case DW_AT_const_value:
  case DW_AT_count:
  case DW_AT_data_bit_offset:
  case DW_AT_data_member_location:
  case DW_AT_decl_line:
  case DW_AT_discr_value:
  case DW_AT_encoding:
  case DW_AT_lower_bound:
  case DW_AT_upper_bound:
  case DW_AT_virtuality:
  case LanguageAttribute:
    return ValueKind::Unsigned;
  case DW_AT_artificial:
  case DW_AT_declaration:
  case DW_AT_default_value:
  case DW_AT_discr:
  case DW_AT_enum_class:
  case DW_AT_export_symbols:
  case DW_AT_external:
  case DW_AT_GNU_vector:
  case DW_AT_prototyped:
    return ValueKind::Flag;
  default:
    return std::nullopt;
  }
}

/// Whether readers can rely on the kind of \p A.
static bool isValid(const DIEAttribute &A) {
  std::optional<ValueKind> Kind = kindOfAttribute(A.Attribute);
  // Later writers may have others.
  if (!Kind)
    return true;
  return A.Kind == *Kind ||
         (*Kind == ValueKind::Unsigned && A.Kind == ValueKind::Signed);
}

Error VariableTable::Impl::readShapes() {
  ColumnReader C(Columns[VC_Shapes]);
  for (uint32_t I = 0; I < H.Shapes && !C.Bad; ++I) {
    DIEShape &S = Shapes.emplace_back();
    S.Tag = C.below(UINT16_MAX + 1);
    uint64_t Count = C.next();
    if (Count > C.left())
      return damaged("has a shape with more attributes than it can have");
    for (; Count; --Count) {
      DIEAttribute A;
      A.Attribute = C.below(UINT16_MAX + 1);
      A.Kind = ValueKind(C.below(ValueKinds));
      if (!isValid(A))
        return damaged("has an attribute of a wrong kind");
      S.Attributes.push_back(A);
    }
    if (S.Tag == DW_TAG_null)
      return damaged("has a shape without a tag");
  }
  if (C.Bad || !C.atEnd())
    return damaged("has damaged shapes");
  AttributeColumns Attributes(Shapes);
  AttributeCount = Attributes.size();
  if (Columns.size() != VC_FixedColumns + 2 * AttributeCount)
    return damaged("does not have the columns of its attributes");
  for (const DIEShape &S : Shapes) {
    auto &Of = ValuesOf.emplace_back();
    for (const DIEAttribute &A : S.Attributes)
      Of.push_back(Attributes.indexOf(A));
  }
  return Error::success();
}

Error VariableTable::Impl::readTexts() {
  StringRef Rest = Columns[VC_Strings];
  for (uint32_t I = 0; I < H.Strings; ++I) {
    size_t End = Rest.find('\0');
    if (End == StringRef::npos)
      return damaged("has fewer strings than it says");
    Strings.push_back(Rest.take_front(End));
    Rest = Rest.drop_front(End + 1);
  }
  ColumnReader Sizes(Columns[VC_ExpressionSizes]);
  StringRef Bytes = Columns[VC_ExpressionBytes];
  for (uint32_t I = 0; I < H.Expressions; ++I) {
    uint64_t Size = Sizes.next();
    if (Sizes.Bad || Size > Bytes.size())
      return damaged("has fewer expressions than it says");
    Expressions.push_back(Bytes.take_front(Size));
    Bytes = Bytes.drop_front(Size);
  }
  if (!Rest.empty() || !Bytes.empty() || !Sizes.atEnd())
    return damaged("has more text than it says");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

/// Appends the values of a DIE. Returns false if one is invalid.
bool VariableTable::Impl::readValues(const DIEShape &Shape) {
  if (Shape.Attributes.size() > MaxValues - Trees.Values.size())
    return false;
  for (auto [A, Index] : zip_equal(Shape.Attributes, ValuesOf[CurrentShape])) {
    uint64_t Value = 1;
    if (A.Kind != ValueKind::Flag) {
      ColumnReader &C = Values[Index];
      Value = C.next();
      if (A.Kind == ValueKind::Signed)
        Value = unzigzag(Value);
      else if (A.Kind == ValueKind::String)
        Value = Names.decode(Value);
      if (C.Bad || (A.Kind == ValueKind::String && Value >= Strings.size()) ||
          (A.Kind == ValueKind::Type && Value >= H.Types))
        return false;
    }
    Trees.Values.push_back(Value);
  }
  return true;
}

/// Appends the next tree in \p C.
bool VariableTable::Impl::readTree(ColumnReader &C) {
  uint32_t Depth = 0;
  do {
    uint32_t Code = C.below(uint64_t(Shapes.size()) + 1);
    if (C.Bad || (Code == 0 && Depth == 0) || Depth > MaxTypeDepth)
      return false;
    if (Code == 0) {
      --Depth;
      continue;
    }
    CurrentShape = Code - 1;
    Trees.Nodes.push_back(
        {CurrentShape, Depth++, uint32_t(Trees.Values.size())});
    if (!readValues(Shapes[CurrentShape]))
      return false;
  } while (Depth);
  return true;
}

Error VariableTable::Impl::readTrees(VariableColumn Column, uint32_t Count,
                                     std::vector<uint32_t> &Starts) {
  ColumnReader C(Columns[Column]);
  // Declared functions have the second set of columns.
  size_t FirstValue = VC_FixedColumns;
  if (Column == VC_Functions)
    FirstValue += AttributeCount;
  Values.clear();
  for (StringRef Bytes : ArrayRef(Columns).slice(FirstValue, AttributeCount))
    Values.emplace_back(Bytes);
  Names = NewestFirst();
  for (uint32_t I = 0; I < Count; ++I) {
    Starts.push_back(Trees.Nodes.size());
    if (!readTree(C))
      return damaged("has a damaged DIE");
  }
  Starts.push_back(Trees.Nodes.size());
  if (!C.atEnd() ||
      any_of(Values, [](const ColumnReader &V) { return !V.atEnd(); }))
    return damaged("has more DIEs than it says");
  return Error::success();
}

std::optional<uint64_t> VariableTable::Impl::find(const DIENode &Node,
                                                  uint16_t Attribute) const {
  for (auto [I, A] : enumerate(Shapes[Node.Shape].Attributes))
    if (A.Attribute == Attribute)
      return Trees.Values[Node.FirstValue + I];
  return std::nullopt;
}

/// Readers follow the references of a type to others, so these must end.
Error VariableTable::Impl::checkTypes() const {
  // The walk in which a type was visited first.
  std::vector<uint32_t> Walks(H.Types, 0);
  for (uint32_t First = 0; First < H.Types; ++First) {
    std::optional<uint64_t> T = First;
    for (; T && Walks[*T] == 0; T = find(Trees.Nodes[Types[*T]], DW_AT_type))
      Walks[*T] = First + 1;
    if (T && Walks[*T] == First + 1)
      return damaged("has types that refer to themselves");
  }
  for (uint32_t First = 0; First < H.Types; ++First) {
    std::optional<uint64_t> T = First;
    for (uint32_t Depth = 0; T; ++Depth) {
      if (Depth > MaxTypeDepth)
        return damaged("has types that are nested too deeply");
      T = find(Trees.Nodes[Types[*T]], ScopeAttribute);
    }
  }
  return Error::success();
}

Error VariableTable::Impl::checkCallees() const {
  for (uint32_t I = 0; I < H.Callees; ++I)
    for (uint32_t N = Callees[I]; N < Callees[I + 1]; ++N)
      if (Trees.Nodes[N].Depth != (N == Callees[I] ? 0 : 1))
        return damaged("has variables inside variables");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Reads functions one after another.
class VariableTable::Impl::FunctionReader {
public:
  FunctionReader(ArrayRef<StringRef> Columns, ArrayRef<uint32_t> Definitions,
                 uint32_t ExpressionCount, const FunctionPosition &P)
      : Definitions(Definitions), ExpressionCount(ExpressionCount) {
    for (unsigned I = 0; I < VC_FunctionColumns; ++I)
      C[I] = ColumnReader(Columns[I].drop_front(P.Offsets[I]));
    Callees.Seen = P.SeenCallees;
    Address = P.AddressBefore;
  }

  /// Sets \p Out to the next function. Returns false if it is damaged.
  bool read(FunctionVariables &Out);
  FunctionPosition position(ArrayRef<StringRef> Columns) const;
  bool atEnd() const {
    return all_of(C, [](const ColumnReader &R) { return R.atEnd(); });
  }

private:
  bool readScope(FunctionVariables &F, uint32_t Index);
  bool readRanges(FunctionVariables &F, VariableScope &S);
  bool readVariable(FunctionVariables &F, uint32_t Owner, uint64_t Base);

  ArrayRef<uint32_t> Definitions;
  const uint32_t ExpressionCount;
  ColumnReader C[VC_FunctionColumns];
  NewestFirst Callees;
  uint64_t Address = 0;
  // Of the current function.
  std::vector<uint32_t> Depths, NextDefinition;
  /// By scope: the function or call that it is a part of.
  std::vector<uint32_t> Owners;
  uint64_t LastCall = 0, LastRangeEnd = 0;
};

VariableTable::Impl::FunctionPosition
VariableTable::Impl::FunctionReader::position(
    ArrayRef<StringRef> Columns) const {
  FunctionPosition P;
  for (unsigned I = 0; I < VC_FunctionColumns; ++I)
    P.Offsets[I] = Columns[I].size() - C[I].left();
  P.SeenCallees = Callees.Seen;
  P.AddressBefore = Address;
  return P;
}

bool VariableTable::Impl::FunctionReader::readVariable(FunctionVariables &F,
                                                       uint32_t Owner,
                                                       uint64_t Base) {
  ScopedVariable V;
  uint64_t Definition = NextDefinition[Owner] + C[VC_Definition].nextSigned();
  V.Kind = ScopedVariable::LocationKind(
      C[VC_LocationKind].below(ScopedVariable::LocationKinds));
  if (Definition >= Definitions[F.Scopes[Owner].Callee] ||
      C[VC_LocationKind].Bad || C[VC_Definition].Bad)
    return false;
  V.Definition = uint32_t(Definition);
  NextDefinition[Owner] = V.Definition + 1;
  V.FirstEntry = F.Entries.size();
  if (V.Kind == ScopedVariable::Expression || V.Kind == ScopedVariable::Bytes)
    V.Value = C[VC_Expression].below(ExpressionCount);
  else if (V.Kind == ScopedVariable::Constant)
    V.Value = C[VC_Constant].nextSigned();
  else if (V.Kind == ScopedVariable::List)
    V.EntryCount = C[VC_ListCount].below(C[VC_ListLength].left() + 1);
  for (uint32_t I = 0; I < V.EntryCount; ++I) {
    LocationEntry E;
    E.Start = Base + C[VC_ListStart].nextSigned();
    E.Length = C[VC_ListLength].next();
    E.Expression = C[VC_ListExpression].below(ExpressionCount);
    Base = E.Start + E.Length;
    F.Entries.push_back(E);
  }
  F.Variables.push_back(V);
  return !C[VC_Expression].Bad && !C[VC_Constant].Bad && !C[VC_ListCount].Bad &&
         !C[VC_ListStart].Bad && !C[VC_ListLength].Bad &&
         !C[VC_ListExpression].Bad;
}

/// Reads the ranges of a block, or the further pieces of a call.
bool VariableTable::Impl::FunctionReader::readRanges(FunctionVariables &F,
                                                     VariableScope &S) {
  S.FirstRange = F.Ranges.size();
  S.RangeCount = C[VC_RangeCount].below(C[VC_RangeStart].left() + 1);
  for (uint32_t I = 0; I < S.RangeCount; ++I) {
    ScopeRange R;
    R.Start = LastRangeEnd + C[VC_RangeStart].nextSigned();
    if (S.Kind == VariableScope::Block)
      R.Length = C[VC_RangeLength].next();
    LastRangeEnd = R.Start + R.Length;
    F.Ranges.push_back(R);
  }
  return !C[VC_RangeCount].Bad && !C[VC_RangeStart].Bad &&
         !C[VC_RangeLength].Bad;
}

bool VariableTable::Impl::FunctionReader::readScope(FunctionVariables &F,
                                                    uint32_t Index) {
  VariableScope S;
  if (Index != 0) {
    uint64_t Kind = C[VC_ScopeKind].next();
    S.Kind = Kind & 1 ? VariableScope::Block : VariableScope::Call;
    S.Parent = Index - 1;
    // One step up for each scope that ends.
    if (Kind >> 1 > Depths[Index - 1] || C[VC_ScopeKind].Bad)
      return false;
    for (uint64_t Up = Kind >> 1; Up; --Up)
      S.Parent = F.Scopes[S.Parent].Parent;
    Depths[Index] = Depths[S.Parent] + 1;
    if (Depths[Index] > MaxScopeDepth)
      return false;
  }
  uint32_t Owner = Index;
  if (S.Kind == VariableScope::Block) {
    Owner = Owners[S.Parent];
    S.Callee = F.Scopes[Owner].Callee;
  } else {
    uint64_t Callee = Callees.decode(C[VC_Callee].next());
    if (C[VC_Callee].Bad || Callee >= Definitions.size())
      return false;
    S.Callee = uint32_t(Callee);
  }
  Owners[Index] = Owner;
  if (S.Kind == VariableScope::Call)
    LastCall = S.Start = LastCall + C[VC_CallStart].nextSigned();
  if (S.Kind != VariableScope::Function && !readRanges(F, S))
    return false;
  if (S.Kind == VariableScope::Block) {
    if (S.RangeCount == 0)
      return false;
    S.Start = F.Ranges[S.FirstRange].Start;
  }
  S.FirstVariable = F.Variables.size();
  S.VariableCount = C[VC_VariableCount].below(C[VC_LocationKind].left() + 1);
  if (C[VC_CallStart].Bad || C[VC_VariableCount].Bad)
    return false;
  F.Scopes.push_back(S);
  for (uint32_t I = 0; I < S.VariableCount; ++I)
    if (!readVariable(F, Owner, S.Start))
      return false;
  return true;
}

bool VariableTable::Impl::FunctionReader::read(FunctionVariables &Out) {
  Out.clear();
  Address += C[VC_Address].nextSigned();
  Out.Address = Address;
  Out.FrameBase = C[VC_FrameBase].below(ExpressionCount);
  uint32_t Count = C[VC_ScopeCount].below(C[VC_VariableCount].left() + 1);
  if (Count == 0 || C[VC_Address].Bad || C[VC_FrameBase].Bad)
    return false;
  Depths.assign(Count, 0);
  Owners.assign(Count, 0);
  NextDefinition.assign(Count, 0);
  LastCall = LastRangeEnd = 0;
  for (uint32_t I = 0; I < Count; ++I)
    if (!readScope(Out, I))
      return false;
  return true;
}

Error VariableTable::Impl::indexFunctions() {
  for (uint32_t I = 0; I < H.Callees; ++I)
    Definitions.push_back(Callees[I + 1] - Callees[I] - 1);
  FunctionReader Reader(Columns, Definitions, Expressions.size(),
                        FunctionPosition());
  FunctionVariables F;
  for (uint32_t I = 0; I < H.Functions; ++I) {
    FunctionPosition P = Reader.position(Columns);
    if (!Reader.read(F))
      return damaged("has a damaged function");
    Functions.push_back({F.Address, P});
  }
  if (!Reader.atEnd())
    return damaged("has more functions than it says");
  auto ByAddress = [](const IndexedFunction &X, const IndexedFunction &Y) {
    return X.Address < Y.Address;
  };
  llvm::sort(Functions, ByAddress);
  for (uint32_t I = 1; I < Functions.size(); ++I)
    if (Functions[I - 1].Address == Functions[I].Address)
      return damaged("has a function twice");
  return Error::success();
}

Error VariableTable::Impl::readCalls() {
  ColumnReader Returns(Columns[VC_CallReturn]), Callee(Columns[VC_CallCallee]),
      Counts(Columns[VC_ValueCount]), Registers(Columns[VC_ValueRegister]),
      Values(Columns[VC_ValueExpression]);
  uint64_t Address = 0;
  for (uint32_t I = 0; I < H.Calls; ++I) {
    ValuedCall Call;
    uint64_t Step = Returns.next();
    Call.ReturnAddress = Address + Step;
    if (Returns.Bad || Call.ReturnAddress < Address || (I != 0 && Step == 0))
      return damaged("has calls that are not in order");
    Address = Call.ReturnAddress;
    if (uint32_t Index = Callee.below(uint64_t(H.Functions) + 1))
      Call.Callee = Index - 1;
    Call.FirstValue = CallValues.size();
    Call.ValueCount = Counts.below(Registers.left() + 1);
    for (uint32_t V = 0; V < Call.ValueCount; ++V)
      CallValues.push_back(
          {Registers.below(MaxCallRegister), Values.below(Expressions.size())});
    if (Callee.Bad || Counts.Bad || Registers.Bad || Values.Bad)
      return damaged("has a damaged call");
    Calls.push_back(Call);
  }
  if (!Returns.atEnd() || !Callee.atEnd() || !Counts.atEnd() ||
      !Registers.atEnd() || !Values.atEnd())
    return damaged("has more calls than it says");
  return Error::success();
}

Error VariableTable::Impl::open(StringRef Section) {
  if (Error E = unpack(Section))
    return E;
  if (Error E = readShapes())
    return E;
  if (Error E = readTexts())
    return E;
  if (Error E = readTrees(VC_Types, H.Types, Types))
    return E;
  if (Error E = readTrees(VC_Functions, H.Callees, Callees))
    return E;
  if (Error E = checkTypes())
    return E;
  if (Error E = checkCallees())
    return E;
  if (Error E = indexFunctions())
    return E;
  return readCalls();
}

//===----------------------------------------------------------------------===//
// VariableTable
//===----------------------------------------------------------------------===//

VariableTable::VariableTable(std::unique_ptr<Impl> P) : P(std::move(P)) {}
VariableTable::VariableTable(VariableTable &&) = default;
VariableTable::~VariableTable() = default;

Expected<VariableTable> VariableTable::open(StringRef Section, StringRef Name) {
  auto Opened = std::make_unique<Impl>(Name);
  if (Error E = Opened->open(Section))
    return E;
  return VariableTable(std::move(Opened));
}

ArrayRef<DIEShape> VariableTable::shapes() const { return P->Shapes; }
uint32_t VariableTable::typeCount() const { return P->H.Types; }
uint32_t VariableTable::calleeCount() const { return P->H.Callees; }
uint32_t VariableTable::stringCount() const { return P->Strings.size(); }
uint32_t VariableTable::expressionCount() const {
  return P->Expressions.size();
}

StringRef VariableTable::string(uint32_t Index) const {
  return P->Strings[Index];
}

StringRef VariableTable::expression(uint32_t Index) const {
  return P->Expressions[Index];
}

ArrayRef<DIENode> VariableTable::type(uint32_t Index) const {
  return ArrayRef(P->Trees.Nodes)
      .slice(P->Types[Index], P->Types[Index + 1] - P->Types[Index]);
}

ArrayRef<DIENode> VariableTable::function(uint32_t Index) const {
  return ArrayRef(P->Trees.Nodes)
      .slice(P->Callees[Index], P->Callees[Index + 1] - P->Callees[Index]);
}

ArrayRef<uint64_t> VariableTable::values(const DIENode &Node) const {
  return ArrayRef(P->Trees.Values)
      .slice(Node.FirstValue, P->Shapes[Node.Shape].Attributes.size());
}

std::optional<uint64_t> VariableTable::find(const DIENode &Node,
                                            uint16_t Attribute) const {
  return P->find(Node, Attribute);
}

uint32_t VariableTable::size() const { return P->Functions.size(); }

uint64_t VariableTable::address(uint32_t Index) const {
  return P->Functions[Index].Address;
}

std::optional<uint32_t> VariableTable::find(uint64_t Address) const {
  auto It =
      llvm::lower_bound(P->Functions, Address,
                        [](const Impl::IndexedFunction &F, uint64_t Address) {
                          return F.Address < Address;
                        });
  if (It == P->Functions.end() || It->Address != Address)
    return std::nullopt;
  return uint32_t(It - P->Functions.begin());
}

void VariableTable::read(uint32_t Index, FunctionVariables &Out) const {
  Impl::FunctionReader Reader(P->Columns, P->Definitions, P->Expressions.size(),
                              P->Functions[Index].Position);
  // open() has read it, too.
  Reader.read(Out);
}

bool VariableTable::isUnit(uint32_t Index) const {
  // Units are behind all functions, except those of a kernel.
  if (address(Index) <= UINT64_MAX / 2)
    return false;
  FunctionVariables F;
  read(Index, F);
  const DIENode &Root = function(F.Scopes.front().Callee).front();
  return shapes()[Root.Shape].Tag == DW_TAG_compile_unit;
}

ArrayRef<ValuedCall> VariableTable::calls(uint64_t Start, uint64_t End) const {
  ArrayRef<ValuedCall> All = P->Calls;
  const auto *First = llvm::partition_point(
      All, [&](const ValuedCall &C) { return C.ReturnAddress < Start; });
  const auto *Last =
      std::partition_point(First, All.end(), [&](const ValuedCall &C) {
        return C.ReturnAddress <= End;
      });
  return ArrayRef(First, Last);
}

ArrayRef<CallValue> VariableTable::values(const ValuedCall &Call) const {
  return ArrayRef(P->CallValues).slice(Call.FirstValue, Call.ValueCount);
}

} // namespace lidia
