//===- FlameTree.cpp - The stacks of a profile as a tree ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlameTree.h"
#include "SampleFrames.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

static constexpr uint32_t MaxValueTypes = 8;

FlameTree::FlameTree(const Profile &P, const FlameGraphLimits &Limits)
    : P(P), Limits(Limits), Canonical(P.Strings.size(), None) {
  chooseValueTypes();
  functionWith(Texts.intern("(smaller frames)"), TextID(0), false);
  Boxes.push_back({Root, SmallerFrames});
  SelfValues.resize(ValueTypes.size());
  SampleBoxes.assign(P.Samples.size(), Root);
  for (size_t I = 0; I != P.Samples.size(); ++I)
    addSample(I);
}

void FlameTree::chooseValueTypes() {
  uint32_t Count = std::min<size_t>(P.SampleTypes.size(), MaxValueTypes);
  for (uint32_t I = 0; I != Count; ++I)
    ValueTypes.push_back(I);
  DefaultType = P.DefaultSampleType;
  if (DefaultType >= Count && Count != 0) {
    ValueTypes.back() = DefaultType;
    DefaultType = Count - 1;
  }
}

void FlameTree::addSample(size_t Index) {
  ArrayRef<int64_t> Values = P.values(Index);
  SmallVector<uint64_t, MaxValueTypes> Drawn;
  for (uint32_t Type : ValueTypes) {
    HasNegativeValues |= Values[Type] < 0;
    Drawn.push_back(std::max<int64_t>(Values[Type], 0));
  }
  // Do not add boxes, either, because they would not be visible.
  if (all_of(Drawn, [](uint64_t V) { return V == 0; }))
    return;

  Current = Root;
  Depth = 0;
  CurrentValue = Drawn[DefaultType];
  addFrames(P.Samples[Index]);
  // The root has no box of its own on the page.
  if (Current == Root)
    enter(functionWith(Texts.intern(NoStack), TextID(0), false), None);
  SampleBoxes[Index] = Current;
  MutableArrayRef<uint64_t> Self =
      MutableArrayRef(SelfValues)
          .slice(Current * ValueTypes.size(), ValueTypes.size());
  for (size_t I = 0; I != Drawn.size(); ++I)
    Self[I] = SaturatingAdd(Self[I], Drawn[I]);
}

void FlameTree::addFrames(const Profile::Sample &S) {
  for (const Profile::Label &L : P.labels(S))
    if (P.Strings[L.Key] == "comm" && L.Text != 0 &&
        !enter(functionWith(canonical(L.Text), TextID(0), false), None))
      return;
  for (uint32_t LocationIndex : reverse(P.stack(S))) {
    const Profile::Location &L = P.Locations[LocationIndex];
    if (L.LineCount == 0 && !enter(functionOf(L, None, false), None))
      return;
    ArrayRef<Profile::Line> Lines = P.lines(L);
    for (size_t I = Lines.size(); I-- != 0;)
      if (!enter(functionOf(L, Lines[I].Function, I + 1 != Lines.size()),
                 positionOf(Lines[I])))
        return;
  }
}

bool FlameTree::enter(uint32_t Function, uint32_t Position) {
  if (Depth == Limits.Depth)
    Function = SmallerFrames;
  ++Depth;
  Current = child(Function);
  if (Boxes[Current].Function == SmallerFrames)
    return false;
  if (Position == None)
    return true;
  // Usually there are as many positions as boxes.
  if (ValuesAtPositions.size() < Limits.Boxes ||
      ValuesAtPositions.count({Current, Position})) {
    uint64_t &Value = ValuesAtPositions[{Current, Position}];
    Value = SaturatingAdd(Value, CurrentValue);
  }
  return true;
}

/// The box of \p Function below the current one.
FlameTree::BoxID FlameTree::child(uint32_t Function) {
  auto Known = Children.find({Current, Function});
  if (Known != Children.end())
    return Known->second;
  if (Boxes.size() >= Limits.Boxes && Function != SmallerFrames)
    return child(SmallerFrames);
  BoxID New = BoxID(Boxes.size());
  Boxes.push_back({Current, Function});
  SelfValues.resize(Boxes.size() * ValueTypes.size());
  Children[{Current, Function}] = New;
  return New;
}

/// The function with the index \p Index in the profile. If it is None, the
/// function that stands for the code of \p L.
uint32_t FlameTree::functionOf(const Profile::Location &L, uint32_t Index,
                               bool Inlined) {
  TextID Module = 0;
  if (L.Mapping != Profile::None)
    Module = canonical(P.Mappings[L.Mapping].File);
  Profile::StringID Name = Index == None ? 0 : P.Functions[Index].Name;
  return functionWith(Name == 0 ? Texts.intern(placeOf(P, L)) : canonical(Name),
                      Module, Inlined);
}

uint32_t FlameTree::functionWith(TextID Name, TextID Module, bool Inlined) {
  auto [Entry, IsNew] =
      FunctionIDs.try_emplace({Name, Module, Inlined}, Functions.size());
  if (IsNew)
    Functions.push_back({Name, Module, Inlined});
  return Entry->second;
}

uint32_t FlameTree::positionOf(const Profile::Line &L) {
  if (L.Function == Profile::None || P.Functions[L.Function].File == 0)
    return None;
  TextID File = canonical(P.Functions[L.Function].File);
  auto [Entry, IsNew] =
      PositionIDs.try_emplace({File, L.Number}, Positions.size());
  if (IsNew)
    Positions.push_back({File, L.Number});
  return Entry->second;
}

FlameTree::TextID FlameTree::canonical(Profile::StringID ID) {
  TextID &Known = Canonical[ID];
  if (Known == None)
    Known = Texts.intern(P.Strings[ID]);
  return Known;
}

std::vector<FlameTree::PositionValue> FlameTree::positionValues() const {
  std::vector<PositionValue> Result;
  Result.reserve(ValuesAtPositions.size());
  for (const auto &[Key, Value] : ValuesAtPositions)
    Result.push_back({Key.first, Key.second, Value});
  llvm::sort(Result, [](const PositionValue &L, const PositionValue &R) {
    return std::tie(L.Box, L.Position) < std::tie(R.Box, R.Position);
  });
  return Result;
}

} // namespace lidia
