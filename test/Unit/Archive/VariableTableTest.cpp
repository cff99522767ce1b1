//===- VariableTableTest.cpp - The section VARS read back -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Variables.h"
#include "lidia/Error.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "gtest/gtest.h"
#include <random>

using namespace lidia;
using namespace llvm;
using namespace llvm::dwarf;

namespace {

/// Tables that look like those of no compiler.
class RandomTable {
public:
  explicit RandomTable(unsigned Seed) : Random(Seed) {}

  void build();

  std::vector<DIEShape> Shapes;
  std::vector<std::string> Strings, Expressions;
  std::vector<DIETree> Types, Callees;
  std::vector<FunctionVariables> Functions;
  /// A call, the address of the function that it calls, and its values.
  struct Call {
    uint64_t ReturnAddress;
    std::optional<uint64_t> Callee;
    std::vector<CallValue> Values;
  };
  std::vector<Call> Calls;
  VariableTableBuilder Builder;

private:
  uint64_t below(uint64_t End) { return Random() % End; }
  /// Small numbers mostly, and some of all sizes.
  uint64_t number() { return Random() >> below(64); }
  bool often() { return below(4) != 0; }

  void addNode(DIETree &Tree, uint32_t Shape, uint32_t Depth);
  void addTypes();
  void addCallees();
  void addVariables(FunctionVariables &F, VariableScope &S);
  FunctionVariables function(uint64_t Address);
  void addCalls();

  std::mt19937_64 Random;
};

void RandomTable::addNode(DIETree &Tree, uint32_t Shape, uint32_t Depth) {
  Tree.Nodes.push_back({Shape, Depth, uint32_t(Tree.Values.size())});
  for (const DIEAttribute &A : Shapes[Shape].Attributes) {
    uint64_t Value = number();
    if (A.Kind == ValueKind::Flag)
      Value = 1;
    else if (A.Kind == ValueKind::String)
      Value = below(Strings.size());
    else if (A.Kind == ValueKind::Type)
      // Only references to earlier types come to an end for certain.
      Value = Types.empty() ? 0 : below(Types.size());
    Tree.Values.push_back(Value);
  }
}

void RandomTable::addTypes() {
  for (unsigned E = Types.size() + 1 + below(8), I = Types.size(); I != E;
       ++I) {
    // The first refers to no type.
    DIETree Tree;
    addNode(Tree, I == 0 ? 0 : below(Shapes.size()), 0);
    uint32_t Depth = 0;
    for (unsigned Child = I == 0 ? 0 : below(6); Child; --Child) {
      Depth = 1 + below(Depth + 1);
      addNode(Tree, below(Shapes.size()), Depth);
    }
    Builder.addType(Tree);
    Types.push_back(Tree);
  }
}

void RandomTable::addCallees() {
  for (unsigned I = 0, E = 1 + below(4); I != E; ++I) {
    DIETree Tree;
    addNode(Tree, below(Shapes.size()), 0);
    for (unsigned Child = 1 + below(5); Child; --Child)
      addNode(Tree, below(Shapes.size()), 1);
    Builder.addFunction(Tree);
    Callees.push_back(Tree);
  }
}

void RandomTable::addVariables(FunctionVariables &F, VariableScope &S) {
  S.FirstVariable = F.Variables.size();
  S.VariableCount = below(4);
  for (unsigned I = 0; I != S.VariableCount; ++I) {
    ScopedVariable V;
    V.Definition = below(Callees[S.Callee].Nodes.size() - 1);
    V.Kind = ScopedVariable::LocationKind(below(ScopedVariable::LocationKinds));
    V.FirstEntry = F.Entries.size();
    if (V.Kind == ScopedVariable::Constant)
      V.Value = number();
    else if (V.Kind == ScopedVariable::List)
      V.EntryCount = below(4);
    else if (V.Kind != ScopedVariable::None)
      V.Value = below(Expressions.size());
    for (unsigned E = 0; E != V.EntryCount; ++E)
      F.Entries.push_back(
          {number(), number(), uint32_t(below(Expressions.size()))});
    F.Variables.push_back(V);
  }
}

FunctionVariables RandomTable::function(uint64_t Address) {
  FunctionVariables F;
  F.Address = Address;
  F.FrameBase = below(Expressions.size());
  for (unsigned I = 0, E = 1 + below(8); I != E; ++I) {
    VariableScope S;
    if (I != 0) {
      // Some scope around the last one, or the last one itself.
      S.Parent = I - 1;
      while (S.Parent && !often())
        S.Parent = F.Scopes[S.Parent].Parent;
      S.Kind = often() ? VariableScope::Call : VariableScope::Block;
    }
    S.Callee = S.Kind == VariableScope::Block ? F.Scopes[S.Parent].Callee
                                              : below(Callees.size());
    S.FirstRange = F.Ranges.size();
    if (S.Kind == VariableScope::Block)
      S.RangeCount = 1 + below(3);
    else if (S.Kind == VariableScope::Call)
      S.RangeCount = below(2);
    for (unsigned R = 0; R != S.RangeCount; ++R)
      F.Ranges.push_back(
          {number(), S.Kind == VariableScope::Block ? number() : 0});
    if (S.Kind == VariableScope::Call)
      S.Start = number();
    else if (S.Kind == VariableScope::Block)
      S.Start = F.Ranges[S.FirstRange].Start;
    addVariables(F, S);
    F.Scopes.push_back(S);
  }
  return F;
}

void RandomTable::addCalls() {
  for (uint64_t Address = number(), I = below(12); I; --I) {
    Call C = {Address, std::nullopt, {}};
    if (!Functions.empty() && often())
      C.Callee = Functions[below(Functions.size())].Address;
    for (unsigned V = below(4); V; --V)
      C.Values.push_back({uint32_t(below(MaxCallRegister)),
                          uint32_t(below(Expressions.size()))});
    Builder.addCall(C.ReturnAddress, C.Callee, C.Values);
    Calls.push_back(C);
    uint64_t Step = 1 + number() / 32;
    if (Step > UINT64_MAX - Address)
      break;
    Address += Step;
  }
}

void RandomTable::build() {
  // Shape 0 has no reference, so that there is a first type.
  Shapes.push_back({DW_TAG_base_type, {{DW_AT_name, ValueKind::String}}});
  for (unsigned I = below(8); I; --I) {
    DIEShape S;
    S.Tag = uint16_t(1 + below(UINT16_MAX));
    for (unsigned A = below(5); A; --A)
      S.Attributes.push_back(
          {uint16_t(200 + below(8)), ValueKind(below(ValueKinds))});
    Shapes.push_back(S);
  }
  Shapes.push_back({DW_TAG_typedef,
                    {{DW_AT_type, ValueKind::Type},
                     {DW_AT_const_value, ValueKind::Signed}}});
  // The builder numbers equal shapes once.
  std::vector<DIEShape> Distinct;
  for (const DIEShape &S : Shapes)
    if (Builder.shape(S) == Distinct.size())
      Distinct.push_back(S);
  Shapes = Distinct;
  for (unsigned I = 0, E = 1 + below(30); I != E; ++I) {
    Strings.push_back("s" + std::to_string(I));
    EXPECT_EQ(Builder.string(Strings.back()), I);
  }
  // The builder has an empty expression.
  Expressions.push_back("");
  for (unsigned I = 1, E = 1 + below(30); I != E; ++I) {
    Expressions.push_back("\x70" + std::to_string(I));
    EXPECT_EQ(Builder.expression(Expressions.back()), I);
  }
  for (unsigned I = 1 + below(5); I; --I) {
    addTypes();
    addCallees();
  }
  std::vector<uint64_t> Addresses;
  for (unsigned I = below(12); I; --I)
    Addresses.push_back(number());
  llvm::sort(Addresses);
  Addresses.erase(std::unique(Addresses.begin(), Addresses.end()),
                  Addresses.end());
  std::vector<uint64_t> Order = Addresses;
  std::shuffle(Order.begin(), Order.end(), Random);
  for (uint64_t Address : Order) {
    Functions.push_back(function(Address));
    Builder.add(Functions.back());
  }
  addCalls();
}

void expectSameTree(const VariableTable &Table, ArrayRef<DIENode> Nodes,
                    const DIETree &Tree) {
  ASSERT_EQ(Nodes.size(), Tree.Nodes.size());
  for (size_t I = 0; I != Nodes.size(); ++I) {
    EXPECT_EQ(Nodes[I].Shape, Tree.Nodes[I].Shape);
    EXPECT_EQ(Nodes[I].Depth, Tree.Nodes[I].Depth);
    ArrayRef<uint64_t> Values = Table.values(Nodes[I]);
    EXPECT_EQ(
        Values,
        ArrayRef(Tree.Values).slice(Tree.Nodes[I].FirstValue, Values.size()));
  }
}

void expectSameFunction(const FunctionVariables &X,
                        const FunctionVariables &Y) {
  EXPECT_EQ(X.Address, Y.Address);
  EXPECT_EQ(X.FrameBase, Y.FrameBase);
  ASSERT_EQ(X.Scopes.size(), Y.Scopes.size());
  for (size_t I = 0; I != X.Scopes.size(); ++I) {
    const VariableScope &A = X.Scopes[I], &B = Y.Scopes[I];
    EXPECT_EQ(std::tie(A.Kind, A.Parent, A.Callee, A.Start, A.FirstRange,
                       A.RangeCount, A.FirstVariable, A.VariableCount),
              std::tie(B.Kind, B.Parent, B.Callee, B.Start, B.FirstRange,
                       B.RangeCount, B.FirstVariable, B.VariableCount));
  }
  ASSERT_EQ(X.Variables.size(), Y.Variables.size());
  for (size_t I = 0; I != X.Variables.size(); ++I) {
    const ScopedVariable &A = X.Variables[I], &B = Y.Variables[I];
    EXPECT_EQ(
        std::tie(A.Definition, A.Kind, A.Value, A.FirstEntry, A.EntryCount),
        std::tie(B.Definition, B.Kind, B.Value, B.FirstEntry, B.EntryCount));
  }
  ASSERT_EQ(X.Entries.size(), Y.Entries.size());
  for (size_t I = 0; I != X.Entries.size(); ++I)
    EXPECT_EQ(std::tie(X.Entries[I].Start, X.Entries[I].Length,
                       X.Entries[I].Expression),
              std::tie(Y.Entries[I].Start, Y.Entries[I].Length,
                       Y.Entries[I].Expression));
  ASSERT_EQ(X.Ranges.size(), Y.Ranges.size());
  for (size_t I = 0; I != X.Ranges.size(); ++I)
    EXPECT_EQ(std::tie(X.Ranges[I].Start, X.Ranges[I].Length),
              std::tie(Y.Ranges[I].Start, Y.Ranges[I].Length));
}

void expectSameCalls(const VariableTable &Table,
                     ArrayRef<RandomTable::Call> Calls) {
  ArrayRef<ValuedCall> Read = Table.calls(0, UINT64_MAX);
  ASSERT_EQ(Read.size(), Calls.size());
  for (size_t I = 0; I != Read.size(); ++I) {
    const ValuedCall &C = Read[I];
    EXPECT_EQ(C.ReturnAddress, Calls[I].ReturnAddress);
    ASSERT_EQ(C.Callee.has_value(), Calls[I].Callee.has_value());
    if (C.Callee) {
      EXPECT_EQ(Table.address(*C.Callee), *Calls[I].Callee);
    }
    ArrayRef<CallValue> Values = Table.values(C);
    ASSERT_EQ(Values.size(), Calls[I].Values.size());
    for (size_t V = 0; V != Values.size(); ++V) {
      EXPECT_EQ(Values[V].Register, Calls[I].Values[V].Register);
      EXPECT_EQ(Values[V].Expression, Calls[I].Values[V].Expression);
    }
    // Both ends of the range belong to it.
    ArrayRef<ValuedCall> One = Table.calls(C.ReturnAddress, C.ReturnAddress);
    ASSERT_EQ(One.size(), 1u);
    EXPECT_EQ(One.data(), &C);
  }
}

TEST(VariableTable, IsReadAsItWasBuilt) {
  for (unsigned Seed = 0; Seed != 300; ++Seed) {
    SCOPED_TRACE(Seed);
    RandomTable R(Seed);
    R.build();
    std::string Section = R.Builder.bytes();
    Expected<VariableTable> Table = VariableTable::open(Section, "x.lidia");
    ASSERT_TRUE(bool(Table)) << toString(Table.takeError());
    ASSERT_EQ(Table->typeCount(), R.Types.size());
    ASSERT_EQ(Table->calleeCount(), R.Callees.size());
    ASSERT_EQ(Table->size(), R.Functions.size());
    for (uint32_t I = 0; I != R.Types.size(); ++I)
      expectSameTree(*Table, Table->type(I), R.Types[I]);
    for (uint32_t I = 0; I != R.Callees.size(); ++I)
      expectSameTree(*Table, Table->function(I), R.Callees[I]);
    for (uint32_t I = 0; I != R.Expressions.size(); ++I)
      EXPECT_EQ(Table->expression(I), R.Expressions[I]);
    for (const FunctionVariables &F : R.Functions) {
      std::optional<uint32_t> Index = Table->find(F.Address);
      ASSERT_TRUE(Index.has_value());
      FunctionVariables Read;
      Table->read(*Index, Read);
      expectSameFunction(Read, F);
    }
    expectSameCalls(*Table, R.Calls);
  }
}

/// Whatever the bytes are, opening ends, and what it accepts can be read.
TEST(VariableTable, SurvivesDamage) {
  unsigned Accepted = 0, Refused = 0;
  for (unsigned Seed = 0; Seed != 100; ++Seed) {
    RandomTable R(Seed);
    R.build();
    std::string Section = R.Builder.bytes();
    std::mt19937_64 Random(Seed);
    for (unsigned Change = 0; Change != 40; ++Change) {
      std::string Damaged = Section;
      Damaged[Random() % Damaged.size()] ^= char(1 << Random() % 8);
      if (Change % 8 == 0)
        Damaged.resize(Random() % Damaged.size());
      Expected<VariableTable> Table = VariableTable::open(Damaged, "x.lidia");
      if (!Table) {
        ++Refused;
        EXPECT_TRUE(Table.errorIsA<DamagedError>());
        consumeError(Table.takeError());
        continue;
      }
      ++Accepted;
      FunctionVariables F;
      for (uint32_t I = 0; I != Table->size(); ++I) {
        Table->read(I, F);
        EXPECT_EQ(F.Address, Table->address(I));
      }
      for (const ValuedCall &C : Table->calls(0, UINT64_MAX)) {
        EXPECT_LT(C.Callee.value_or(0), std::max(Table->size(), 1u));
        for (const CallValue &V : Table->values(C))
          EXPECT_LT(V.Expression, Table->expressionCount());
      }
    }
  }
  EXPECT_GT(Accepted, 100u);
  EXPECT_GT(Refused, 1000u);
}

TEST(VariableTable, RefusesTypesThatReferToThemselves) {
  VariableTableBuilder Builder;
  DIEShape Shape = {DW_TAG_typedef, {{DW_AT_type, ValueKind::Type}}};
  DIETree Tree;
  Tree.Nodes = {{Builder.shape(Shape), 0, 0}};
  Tree.Values = {1};
  Builder.addType(Tree);
  Tree.Values = {0};
  Builder.addType(Tree);
  Expected<VariableTable> Table =
      VariableTable::open(Builder.bytes(), "x.lidia");
  ASSERT_FALSE(bool(Table));
  EXPECT_EQ(toString(Table.takeError()),
            "x.lidia: section VARS has types that refer to themselves");
}

/// The error of opening a table with one type.
std::string errorOf(const DIEShape &Shape, std::vector<uint64_t> Values) {
  VariableTableBuilder Builder;
  Builder.string("a");
  DIETree Tree;
  Tree.Nodes = {{Builder.shape(Shape), 0, 0}};
  Tree.Values = std::move(Values);
  Builder.addType(Tree);
  return toString(VariableTable::open(Builder.bytes(), "x.lidia").takeError());
}

TEST(VariableTable, RefusesAttributesOfAWrongKind) {
  const std::string Wrong =
      "x.lidia: section VARS has an attribute of a wrong kind";
  EXPECT_EQ(errorOf({DW_TAG_typedef, {{DW_AT_name, ValueKind::String}}}, {0}),
            "");
  // What reads them would take the numbers for indices.
  for (uint16_t Attribute :
       {uint16_t(DW_AT_type), uint16_t(DW_AT_name), ScopeAttribute})
    EXPECT_EQ(errorOf({DW_TAG_typedef, {{Attribute, ValueKind::Unsigned}}},
                      {1000000}),
              Wrong);
  // Others mean nothing.
  EXPECT_EQ(errorOf({DW_TAG_typedef, {{DW_AT_ranges, ValueKind::String}}}, {0}),
            "");
  // LLVM reads no abbreviation without a tag.
  EXPECT_EQ(errorOf({0, {{DW_AT_name, ValueKind::String}}}, {0}),
            "x.lidia: section VARS has a shape without a tag");
}

/// Flags take no bytes, so that a small table could have any number of them.
TEST(VariableTable, RefusesTooManyFlags) {
  VariableTableBuilder Builder;
  DIEShape Shape;
  Shape.Tag = DW_TAG_structure_type;
  for (unsigned I = 0; I != 1000; ++I)
    Shape.Attributes.push_back({DW_AT_artificial, ValueKind::Flag});
  DIETree Tree;
  Tree.Nodes = {{Builder.shape(Shape), 0, 0}};
  Tree.Values.assign(1000, 1);
  for (unsigned I = 0; I != 2000; ++I)
    Builder.addType(Tree);
  std::string Section = Builder.bytes();
  EXPECT_LT(Section.size(), 1000u);
  EXPECT_EQ(toString(VariableTable::open(Section, "x.lidia").takeError()),
            "x.lidia: section VARS has a damaged DIE");
}

} // namespace
