//===- VariableTableBuilder.cpp - Makes the section VARS ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementCodec.h"
#include "VariableColumns.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Compression.h"
#include <map>

using namespace llvm;

namespace lidia {

class VariableTableBuilder::Impl {
public:
  /// The columns of types or those of declared functions.
  struct TreeColumns {
    VariableColumn Shapes;
    /// By attribute and kind.
    std::map<std::pair<uint16_t, ValueKind>, std::string> Attributes;
    NewestFirst Names;
    uint32_t Count = 0;
  };

  void addTree(TreeColumns &Columns, const DIETree &Tree);
  void add(const FunctionVariables &F);
  void addCall(uint64_t ReturnAddress, std::optional<uint64_t> Callee,
               ArrayRef<CallValue> Values);
  std::string bytes();

  std::string Fixed[VC_FixedColumns];
  std::vector<DIEShape> Shapes;
  std::map<std::vector<uint16_t>, uint32_t> ShapeIndices;
  StringMap<uint32_t> Strings, Expressions;
  TreeColumns Types = {VC_Types, {}, {}, 0};
  TreeColumns DeclaredFunctions = {VC_Functions, {}, {}, 0};
  /// The addresses of the functions.
  std::vector<uint64_t> Functions;

private:
  void writeCallees();
  void addScope(const FunctionVariables &F, const VariableScope &S);
  void addVariable(const FunctionVariables &F, const ScopedVariable &V,
                   uint64_t Base);
  void put(VariableColumn Column, uint64_t Value) {
    appendULEB(Fixed[Column], Value);
  }
  void putSigned(VariableColumn Column, uint64_t Value) {
    put(Column, zigzag(Value));
  }

  NewestFirst Callees;
  uint64_t LastAddress = 0, LastReturn = 0;
  /// The called functions, by call.
  std::vector<std::optional<uint64_t>> CallCallees;
  // Of the function that is being added.
  std::vector<uint32_t> Depths;
  /// By scope: the function or call that it is a part of.
  std::vector<uint32_t> Owners;
  /// By scope: the definition expected next.
  std::vector<uint32_t> NextDefinition;
  uint32_t LastDepth = 0;
  uint64_t LastCall = 0, LastRangeEnd = 0;
};

void VariableTableBuilder::Impl::addTree(TreeColumns &Columns,
                                         const DIETree &Tree) {
  std::string &Column = Fixed[Columns.Shapes];
  uint32_t Depth = 0;
  for (const DIENode &N : Tree.Nodes) {
    // A child follows its parent; before a sibling, the children end.
    for (; Depth > N.Depth; --Depth)
      appendULEB(Column, 0);
    const DIEShape &Shape = Shapes[N.Shape];
    appendULEB(Column, N.Shape + 1);
    for (auto [I, A] : enumerate(Shape.Attributes)) {
      uint64_t Value = Tree.Values[N.FirstValue + I];
      std::string &Values = Columns.Attributes[{A.Attribute, A.Kind}];
      if (A.Kind == ValueKind::String)
        appendULEB(Values, Columns.Names.encode(uint32_t(Value)));
      else if (A.Kind == ValueKind::Signed)
        appendULEB(Values, zigzag(Value));
      else if (A.Kind != ValueKind::Flag)
        appendULEB(Values, Value);
    }
    Depth = N.Depth + 1;
  }
  for (; Depth > 0; --Depth)
    appendULEB(Column, 0);
  ++Columns.Count;
}

void VariableTableBuilder::Impl::addVariable(const FunctionVariables &F,
                                             const ScopedVariable &V,
                                             uint64_t Base) {
  put(VC_LocationKind, V.Kind);
  switch (V.Kind) {
  case ScopedVariable::None:
    return;
  case ScopedVariable::Expression:
  case ScopedVariable::Bytes:
    return put(VC_Expression, V.Value);
  case ScopedVariable::Constant:
    return putSigned(VC_Constant, V.Value);
  case ScopedVariable::List:
    break;
  }
  put(VC_ListCount, V.EntryCount);
  for (const LocationEntry &E :
       ArrayRef(F.Entries).slice(V.FirstEntry, V.EntryCount)) {
    putSigned(VC_ListStart, E.Start - Base);
    put(VC_ListLength, E.Length);
    put(VC_ListExpression, E.Expression);
    Base = E.Start + E.Length;
  }
}

void VariableTableBuilder::Impl::addScope(const FunctionVariables &F,
                                          const VariableScope &S) {
  uint32_t Index = &S - F.Scopes.data();
  bool IsBlock = S.Kind == VariableScope::Block;
  uint32_t Owner = IsBlock ? Owners[S.Parent] : Index;
  Owners[Index] = Owner;
  if (!IsBlock)
    put(VC_Callee, Callees.encode(S.Callee));
  if (S.Kind == VariableScope::Call) {
    putSigned(VC_CallStart, S.Start - LastCall);
    LastCall = S.Start;
  }
  if (S.Kind != VariableScope::Function)
    put(VC_RangeCount, S.RangeCount);
  for (const ScopeRange &R :
       ArrayRef(F.Ranges).slice(S.FirstRange, S.RangeCount)) {
    putSigned(VC_RangeStart, R.Start - LastRangeEnd);
    if (S.Kind == VariableScope::Block)
      put(VC_RangeLength, R.Length);
    LastRangeEnd = R.Start + R.Length;
  }
  put(VC_VariableCount, S.VariableCount);
  for (const ScopedVariable &V :
       ArrayRef(F.Variables).slice(S.FirstVariable, S.VariableCount)) {
    putSigned(VC_Definition, uint64_t(V.Definition) - NextDefinition[Owner]);
    NextDefinition[Owner] = V.Definition + 1;
    addVariable(F, V, S.Start);
  }
}

void VariableTableBuilder::Impl::add(const FunctionVariables &F) {
  putSigned(VC_Address, F.Address - LastAddress);
  LastAddress = F.Address;
  put(VC_FrameBase, F.FrameBase);
  put(VC_ScopeCount, F.Scopes.size());
  Depths.assign(F.Scopes.size(), 0);
  Owners.assign(F.Scopes.size(), 0);
  NextDefinition.assign(F.Scopes.size(), 0);
  LastCall = LastRangeEnd = 0;
  LastDepth = 0;
  for (auto [I, S] : enumerate(F.Scopes)) {
    if (I != 0) {
      Depths[I] = Depths[S.Parent] + 1;
      // A scope is inside the previous one or beside one around that.
      put(VC_ScopeKind, uint64_t(LastDepth + 1 - Depths[I]) << 1 |
                            (S.Kind == VariableScope::Block));
    }
    LastDepth = Depths[I];
    addScope(F, S);
  }
  Functions.push_back(F.Address);
}

void VariableTableBuilder::Impl::addCall(uint64_t ReturnAddress,
                                         std::optional<uint64_t> Callee,
                                         ArrayRef<CallValue> Values) {
  put(VC_CallReturn, ReturnAddress - LastReturn);
  LastReturn = ReturnAddress;
  CallCallees.push_back(Callee);
  put(VC_ValueCount, Values.size());
  for (const CallValue &V : Values) {
    put(VC_ValueRegister, V.Register);
    put(VC_ValueExpression, V.Expression);
  }
}

/// Writes the called functions as readers number them, by address.
void VariableTableBuilder::Impl::writeCallees() {
  std::vector<uint64_t> Sorted = Functions;
  llvm::sort(Sorted);
  Fixed[VC_CallCallee].clear();
  for (std::optional<uint64_t> Callee : CallCallees)
    put(VC_CallCallee,
        Callee ? llvm::lower_bound(Sorted, *Callee) - Sorted.begin() + 1 : 0);
}

/// The packed form of \p Column, or the column itself if that is not larger.
/// Small columns are packed as well as possible; it would take too long for
/// large ones, which gain less.
static std::string packColumn(const std::string &Column) {
  constexpr size_t Small = 1 << 20;
  if (!compression::zstd::isAvailable() || Column.size() < 32)
    return Column;
  SmallVector<uint8_t, 0> Packed;
  compression::zstd::compress(arrayRefFromStringRef(Column), Packed,
                              Column.size() <= Small ? 19 : 9);
  return Packed.size() < Column.size() ? toStringRef(Packed).str() : Column;
}

std::string VariableTableBuilder::Impl::bytes() {
  std::vector<std::string *> Columns;
  std::string &ShapeColumn = Fixed[VC_Shapes];
  ShapeColumn.clear();
  for (const DIEShape &S : Shapes) {
    appendULEB(ShapeColumn, S.Tag);
    appendULEB(ShapeColumn, S.Attributes.size());
    for (const DIEAttribute &A : S.Attributes) {
      appendULEB(ShapeColumn, A.Attribute);
      appendULEB(ShapeColumn, uint64_t(A.Kind));
    }
  }
  writeCallees();
  for (std::string &Column : Fixed)
    Columns.push_back(&Column);
  AttributeColumns Attributes(Shapes);
  for (TreeColumns *Trees : {&Types, &DeclaredFunctions})
    for (const DIEAttribute &A : Attributes.all())
      Columns.push_back(&Trees->Attributes[{A.Attribute, A.Kind}]);

  VariablesHeader H = {};
  H.Shapes = Shapes.size();
  H.Strings = Strings.size();
  H.Expressions = Expressions.size();
  H.Types = Types.Count;
  H.Callees = DeclaredFunctions.Count;
  H.Functions = Functions.size();
  H.Calls = CallCallees.size();
  H.Columns = Columns.size();
  std::string Out(reinterpret_cast<const char *>(&H), sizeof(H)), Data;
  uint64_t Unpacked = 0;
  for (std::string *Column : Columns) {
    if (Column->size() > UINT32_MAX)
      return std::string();
    std::string Packed = packColumn(*Column);
    VariableColumnSize Size;
    Size.Size = Column->size();
    Size.Packed = Packed.size();
    Out.append(reinterpret_cast<const char *>(&Size), sizeof(Size));
    Unpacked += Column->size();
    Data += Packed;
  }
  Out += Data;
  if (Unpacked > VariablesFloor + Out.size() * VariablesRatio)
    return std::string();
  return Out;
}

VariableTableBuilder::VariableTableBuilder() : P(std::make_unique<Impl>()) {
  expression("");
}
VariableTableBuilder::~VariableTableBuilder() = default;

uint32_t VariableTableBuilder::shape(const DIEShape &Shape) {
  std::vector<uint16_t> Key = {Shape.Tag};
  for (const DIEAttribute &A : Shape.Attributes) {
    Key.push_back(A.Attribute);
    Key.push_back(uint16_t(A.Kind));
  }
  auto [It, New] = P->ShapeIndices.try_emplace(Key, P->Shapes.size());
  if (New)
    P->Shapes.push_back(Shape);
  return It->second;
}

const DIEShape &VariableTableBuilder::shapeAt(uint32_t Index) const {
  return P->Shapes[Index];
}

uint32_t VariableTableBuilder::string(StringRef Text) {
  // The column has a NUL byte behind each.
  Text = Text.take_until([](char C) { return C == '\0'; });
  auto [It, New] = P->Strings.try_emplace(Text, P->Strings.size());
  if (New) {
    P->Fixed[VC_Strings] += Text;
    P->Fixed[VC_Strings] += '\0';
  }
  return It->second;
}

uint32_t VariableTableBuilder::expression(StringRef Bytes) {
  auto [It, New] = P->Expressions.try_emplace(Bytes, P->Expressions.size());
  if (New) {
    appendULEB(P->Fixed[VC_ExpressionSizes], Bytes.size());
    P->Fixed[VC_ExpressionBytes] += Bytes;
  }
  return It->second;
}

void VariableTableBuilder::addType(const DIETree &Tree) {
  P->addTree(P->Types, Tree);
}

void VariableTableBuilder::addFunction(const DIETree &Tree) {
  P->addTree(P->DeclaredFunctions, Tree);
}

void VariableTableBuilder::add(const FunctionVariables &Function) {
  P->add(Function);
}

void VariableTableBuilder::addCall(uint64_t ReturnAddress,
                                   std::optional<uint64_t> Callee,
                                   ArrayRef<CallValue> Values) {
  P->addCall(ReturnAddress, Callee, Values);
}

bool VariableTableBuilder::empty() const { return P->Functions.empty(); }

std::string VariableTableBuilder::bytes() { return P->bytes(); }

} // namespace lidia
