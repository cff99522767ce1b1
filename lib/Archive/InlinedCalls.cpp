//===- InlinedCalls.cpp - The calls inlined into one function -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/InlinedCalls.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace lidia {

namespace {

class CallBuilder {
public:
  CallBuilder(const Archive &A, uint64_t Root, ArrayRef<CallNote> Notes)
      : A(A), Root(Root), Notes(Notes) {}

  std::vector<InlinedCall> build();

private:
  static constexpr uint32_t None = InlinedCall::None;

  void addRange(uint64_t Index, const RangeEntry &R);
  uint32_t add(InlinedCall Call);
  std::optional<uint32_t> partOf(uint32_t Range, uint32_t Parent) const;
  void setStart(const CallNote &N);
  void addEmpty(const CallNote &N);

  /// The notes of \p Range, which ascend.
  ArrayRef<CallNote> notesOf(uint32_t Range) const {
    auto *First = partition_point(
        Notes, [&](const CallNote &N) { return N.Range < Range; });
    return ArrayRef(First, Notes.end()).take_while([&](const CallNote &N) {
      return N.Range == Range;
    });
  }

  const Archive &A;
  const uint64_t Root;
  ArrayRef<CallNote> Notes;
  std::vector<InlinedCall> Calls;
  using Key =
      std::tuple<uint32_t, StringOffset, StringOffset, uint64_t, uint32_t>;
  std::map<Key, uint32_t> Known;
  /// The call of each range behind Root.
  std::vector<uint32_t> CallOf;
  /// Open[D] is the call of depth D + 1 whose range began last.
  SmallVector<uint32_t, 16> Open;
  /// The newest call of each parent, at the parent's index plus one.
  std::vector<uint32_t> Newest = {None};
};

} // namespace

/// Appends \p Call to the children of its parent.
uint32_t CallBuilder::add(InlinedCall Call) {
  uint32_t New = uint32_t(Calls.size()), Parent = Call.Parent;
  Calls.push_back(std::move(Call));
  Newest.push_back(None);
  // For None this is the first entry, that of the function itself.
  uint32_t &Last = Newest[Parent + 1u];
  if (Last != None)
    Calls[Last].NextSibling = New;
  else if (Parent != None)
    Calls[Parent].FirstChild = New;
  Last = New;
  return New;
}

/// The call that a note says \p Range is part of; None for one of its own.
std::optional<uint32_t> CallBuilder::partOf(uint32_t Range,
                                            uint32_t Parent) const {
  for (const CallNote &N : notesOf(Range)) {
    if (N.Kind != CallNote::Part)
      continue;
    if (N.First == Range)
      return None;
    if (N.First && N.First < Range) {
      uint32_t Call = CallOf[N.First - 1];
      if (Call != None && Calls[Call].Parent == Parent)
        return Call;
    }
  }
  return std::nullopt;
}

void CallBuilder::addRange(uint64_t Index, const RangeEntry &R) {
  Open.truncate(std::min<uint64_t>(R.Depth - 1, Open.size()));
  // Callers may walk the calls recursively.
  if (Open.size() >= format::MaxDepth) {
    CallOf.push_back(None);
    return;
  }
  InlinedCall New;
  New.Parent = Open.empty() ? None : Open.back();
  New.Function = R.Function;
  New.CallFile = R.CallFile;
  New.CallLine = uint32_t(R.CallLine);
  New.CallColumn = A.callColumn(Index);
  std::optional<uint32_t> Part = partOf(uint32_t(Index - Root), New.Parent);
  uint32_t Call = Part.value_or(None);
  if (!Part) {
    auto [It, IsNew] = Known.try_emplace(
        {New.Parent, R.Function, R.CallFile, R.CallLine, New.CallColumn},
        uint32_t(Calls.size()));
    Call = IsNew ? None : It->second;
  }
  if (Call == None)
    Call = add(New);
  Calls[Call].Ranges.push_back(Index);
  CallOf.push_back(Call);
  Open.push_back(Call);
}

void CallBuilder::setStart(const CallNote &N) {
  uint32_t Call = CallOf[N.Range - 1];
  if (Call != None && A.range(Calls[Call].Ranges.front()).VA > N.Address)
    Calls[Call].Start = N.Address;
}

void CallBuilder::addEmpty(const CallNote &N) {
  InlinedCall New;
  New.Parent = N.Range ? CallOf[N.Range - 1] : None;
  if (N.Range && New.Parent == None)
    return;
  // A depth of MaxDepth has the innermost ranges only.
  if (N.Range && A.range(Root + N.Range).Depth >= format::MaxDepth)
    return;
  New.Start = N.Address;
  New.Function = N.Function;
  New.CallFile = N.CallFile;
  New.CallLine = N.CallLine;
  New.CallColumn = N.CallColumn;
  add(std::move(New));
}

std::vector<InlinedCall> CallBuilder::build() {
  for (uint64_t I = Root + 1; I < A.rangeCount(); ++I) {
    RangeEntry R = A.range(I);
    if (R.Depth == 0)
      break;
    addRange(I, R);
  }
  RangeEntry Function = A.range(Root);
  for (const CallNote &N : Notes) {
    if (N.Range > CallOf.size() || N.Address - Function.VA >= Function.Length)
      continue;
    if (N.Kind == CallNote::Start && N.Range)
      setStart(N);
    else if (N.Kind == CallNote::Empty)
      addEmpty(N);
  }
  return std::move(Calls);
}

std::vector<InlinedCall> inlinedCalls(const Archive &A, uint64_t Root,
                                      ArrayRef<CallNote> Notes) {
  return CallBuilder(A, Root, Notes).build();
}

} // namespace lidia
