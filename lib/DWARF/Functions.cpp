//===- Functions.cpp - Walks the DIEs of a unit ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "lidia/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {
namespace dwarf {

uint32_t ScopeTable::find(uint64_t DIE) const {
  auto It = std::lower_bound(
      Entries.begin(), Entries.end(), DIE,
      [](const ScopeEntry &E, uint64_t DIE) { return E.DIE < DIE; });
  return It != Entries.end() && It->DIE == DIE ? It - Entries.begin() : NoScope;
}

void UnitFunctions::clear() {
  Nodes.clear();
  Ranges.clear();
  EmptyRanges.clear();
  Calls.clear();
  Blocks.clear();
  Scopes.clear();
  TooDeep = 0;
  BrokenRanges = 0;
}

namespace {

/// The scope of the DIEs of one level of the tree.
struct Level {
  uint32_t Scope = ScopeTable::NoScope;
  uint32_t Node = FunctionNode::None;
  /// Whether call sites at this level are listed (see CallSite::IsListed).
  bool ListsCalls = false;
  /// DW_AT_frame_base of the subprogram.
  StringRef FrameBase;
  /// Offset of the last DIE at this level that has children and a
  /// DW_AT_sibling; 0 if there is none or its sibling could not be used.
  uint64_t LastParent = 0;
};

/// The parts of the tree that a walk reads.
enum class WalkParts : uint8_t { Scopes, Functions, ForDebuggers };

/// The attributes of a subprogram, an inlined call or a block that are needed.
struct FunctionAttributes {
  FormValue LowPC, HighPC, Ranges, EntryPC, FrameBase;
  uint32_t CallFile = 0, CallLine = 0, CallColumn = 0;
  std::optional<uint64_t> Origin;
  /// DW_AT_call_all_calls or its GNU form.
  bool AllCalls = false;
};

class Walker {
public:
  Walker(const Unit &U, UnitFunctions &Out, WorkBudget &Budget, WalkParts Parts)
      : U(U), Budget(Budget), OnlyScopes(Parts == WalkParts::Scopes),
        ForDebuggers(Parts == WalkParts::ForDebuggers),
        Abbrevs(U.abbreviations()), ReferenceMark(U.sections().ReferenceMark),
        Out(Out), C(U.cursor(U.header().FirstDIE)) {}

  Error walk();

private:
  Error readDIE();
  Error checkRest() const;
  bool resume();
  Error whatBroke(Error Last);
  Level visit(const Abbreviation &A, uint64_t DIE, Level Enclosing,
              uint64_t &SkipTo);
  FunctionAttributes readAttributes(const Abbreviation &A);
  uint64_t readSibling(Cursor &From, const Abbreviation &A) const;
  bool skipLeaves();
  uint64_t readCallSite(const Abbreviation &A, const Level &Enclosing);
  uint64_t entryOf(const FunctionAttributes &Attributes) const;
  void addOnlyAddress(const FunctionAttributes &Attributes);
  void readRanges(const FunctionAttributes &Attributes);
  uint32_t addNode(DIEKind Kind, uint64_t DIE, uint32_t Parent,
                   const FunctionAttributes &Attributes);
  void addBlock(uint32_t Node, const FunctionAttributes &Attributes);

  const Unit &U;
  WorkBudget &Budget;
  const bool OnlyScopes;
  const bool ForDebuggers;
  const AbbreviationTable &Abbrevs;
  const uint64_t ReferenceMark;
  UnitFunctions &Out;
  Cursor C;
  /// The levels from the children of the root to those of the DIE read last.
  SmallVector<Level, 64> Levels;
  SmallVector<AddressRange, 16> RangeBuffer;
  /// Offset of the DIE that is being read; the broken one after an error.
  uint64_t Current = 0;
  /// The first error after which the walk continued, and the number of such
  /// errors.
  std::string FirstBroken;
  uint64_t FirstResumed = 0;
  uint64_t ResumeCount = 0;
};

} // namespace

FunctionAttributes Walker::readAttributes(const Abbreviation &A) {
  FunctionAttributes R;
  for (const AttributeSpec &Spec : Abbrevs.specs(A)) {
    FormValue V = FormValue::read(C, Spec, U.header().Sizes);
    switch (Spec.Attribute) {
    case DW_AT_low_pc:
      R.LowPC = V;
      break;
    case DW_AT_high_pc:
      R.HighPC = V;
      break;
    case DW_AT_ranges:
      R.Ranges = V;
      break;
    case DW_AT_entry_pc:
      R.EntryPC = V;
      break;
    case DW_AT_frame_base:
      R.FrameBase = V;
      break;
    case DW_AT_call_file:
      R.CallFile = V.Number;
      break;
    case DW_AT_call_line:
      R.CallLine = V.Number;
      break;
    case DW_AT_call_column:
      R.CallColumn = V.Number;
      break;
    case DW_AT_abstract_origin:
      R.Origin = U.reference(V);
      break;
    case DW_AT_call_all_calls:
    case DW_AT_GNU_all_call_sites:
      R.AllCalls = V.Number;
      break;
    default:
      break;
    }
  }
  return R;
}

/// Moves \p From past the attributes of a DIE of shape \p A. Returns the offset
/// that its DW_AT_sibling has, or 0.
uint64_t Walker::readSibling(Cursor &From, const Abbreviation &A) const {
  uint64_t Sibling = 0;
  for (const AttributeSpec &Spec : Abbrevs.specs(A)) {
    if (Spec.Attribute != DW_AT_sibling && Spec.FixedSize <= 8) {
      From.skip(Spec.FixedSize);
      continue;
    }
    FormValue V = FormValue::read(From, Spec, U.header().Sizes);
    if (Spec.Attribute == DW_AT_sibling)
      Sibling = U.reference(V).value_or(ReferenceMark) ^ ReferenceMark;
  }
  return Sibling;
}

/// Skips DIEs that are not needed: most parameters, variables and members.
/// Returns false if one of them is broken.
bool Walker::skipLeaves() {
  // A local cursor can stay in registers.
  Cursor Leaf = C;
  uint64_t DIE = C.offset();
  while (!Leaf.atEnd()) {
    DIE = Leaf.offset();
    uint64_t Code = Leaf.uleb();
    const Abbreviation *A = Code ? Abbrevs.find(Code) : nullptr;
    if (!A || !A->IsSkippable ||
        (ForDebuggers &&
         (A->Kind == DIEKind::CallSite || A->Kind == DIEKind::LexicalBlock))) {
      C.seek(DIE);
      return true;
    }
    Abbrevs.skipAttributes(Leaf, *A);
  }
  C = Leaf;
  Current = DIE;
  return !C.bad();
}

/// The address of a call site (DWARF 5, section 3.4, and GNU's form before it,
/// whose DW_AT_low_pc is the return address). Tail calls may have only the
/// address of the call.
uint64_t Walker::readCallSite(const Abbreviation &A, const Level &Enclosing) {
  CallSite Site;
  FormValue ReturnPC, CallPC;
  std::optional<uint64_t> Callee;
  uint64_t Sibling = 0;
  for (const AttributeSpec &Spec : Abbrevs.specs(A)) {
    FormValue V = FormValue::read(C, Spec, U.header().Sizes);
    switch (Spec.Attribute) {
    case DW_AT_sibling:
      Sibling = U.reference(V).value_or(ReferenceMark) ^ ReferenceMark;
      break;
    case DW_AT_call_return_pc:
    case DW_AT_low_pc:
      ReturnPC = V;
      break;
    case DW_AT_call_pc:
      CallPC = V;
      break;
    case DW_AT_call_origin:
    case DW_AT_abstract_origin:
      Callee = U.reference(V);
      break;
    case DW_AT_call_target:
    case DW_AT_GNU_call_site_target:
      Site.Target = V.Inline;
      break;
    case DW_AT_call_tail_call:
    case DW_AT_GNU_tail_call:
      Site.IsTail = V.Number;
      break;
    default:
      break;
    }
  }
  std::optional<uint64_t> Address = U.address(ReturnPC);
  Site.AtReturn = Address.has_value();
  if (!Address && Site.IsTail)
    Address = U.address(CallPC);
  Site.HasCallee = Callee.has_value();
  bool IsKnown = Callee || (Site.AtReturn && !Site.Target.empty());
  // A tail call of an unknown function says that the others do not tell all.
  if (!(IsKnown || Site.IsTail) || !Address || C.bad())
    return Sibling;
  Site.Callee = Callee.value_or(0);
  Site.FrameBase = Enclosing.FrameBase;
  Site.Address = *Address;
  Site.Subprogram = Out.Nodes[Enclosing.Node].Subprogram;
  Site.IsListed = Enclosing.ListsCalls;
  Out.Calls.push_back(Site);
  Budget.charge(sizeof(CallSite));
  return Sibling;
}

/// The entry of the subprogram whose ranges are in RangeBuffer: its
/// DW_AT_entry_pc, or else its base address (DWARF 5, section 2.18), which is
/// DW_AT_low_pc or the start of the first range. An address outside the ranges
/// is not an entry: DW_AT_low_pc can be a zero that only accompanies
/// DW_AT_ranges.
uint64_t Walker::entryOf(const FunctionAttributes &Attributes) const {
  auto IsInside = [&](std::optional<uint64_t> Address) {
    return Address && any_of(RangeBuffer, [&](const AddressRange &R) {
             return R.Start <= *Address && *Address < R.End;
           });
  };
  std::optional<uint64_t> Base = U.address(Attributes.LowPC);
  if (!IsInside(Base))
    Base = RangeBuffer.front().Start;
  std::optional<uint64_t> Entry = U.address(Attributes.EntryPC);
  if (Attributes.EntryPC.isConstant())
    Entry = *Base + Attributes.EntryPC.Number;
  return IsInside(Entry) ? *Entry : *Base;
}

/// Adds an empty range for a call that has an address but no ranges.
void Walker::addOnlyAddress(const FunctionAttributes &Attributes) {
  std::optional<uint64_t> Address =
      U.address(Attributes.LowPC ? Attributes.LowPC : Attributes.EntryPC);
  if (Address)
    Out.EmptyRanges.push_back(*Address);
}

/// Sets RangeBuffer to the addresses of a DIE.
void Walker::readRanges(const FunctionAttributes &Attributes) {
  RangeBuffer.clear();
  if (Error E = U.ranges(Attributes.LowPC, Attributes.HighPC, Attributes.Ranges,
                         RangeBuffer)) {
    consumeError(std::move(E));
    ++Out.BrokenRanges;
  }
}

void Walker::addBlock(uint32_t Node, const FunctionAttributes &Attributes) {
  readRanges(Attributes);
  erase_if(RangeBuffer, [](const AddressRange &R) { return R.Start == R.End; });
  if (RangeBuffer.empty())
    return;
  Out.Blocks.push_back({Node, uint32_t(Out.Nodes.size()),
                        uint32_t(Out.Ranges.size()),
                        uint32_t(RangeBuffer.size())});
  Out.Ranges.insert(Out.Ranges.end(), RangeBuffer.begin(), RangeBuffer.end());
  Budget.charge(sizeof(LexicalBlock));
}

uint32_t Walker::addNode(DIEKind Kind, uint64_t DIE, uint32_t Parent,
                         const FunctionAttributes &Attributes) {
  bool Inlined = Kind == DIEKind::InlinedSubroutine;
  // What was read past the end of the unit is zero.
  if (C.bad())
    return FunctionNode::None;
  // An inlined call outside a function with code belongs to an abstract
  // instance.
  if (Inlined && Parent == FunctionNode::None)
    return Parent;
  readRanges(Attributes);
  uint32_t FirstEmpty = Out.EmptyRanges.size();
  erase_if(RangeBuffer, [&](const AddressRange &R) {
    if (R.Start == R.End && Inlined)
      Out.EmptyRanges.push_back(R.Start);
    return R.Start == R.End;
  });
  if (Inlined && RangeBuffer.empty() && Out.EmptyRanges.size() == FirstEmpty)
    addOnlyAddress(Attributes);
  // The children of a function without code have no code either. A call without
  // code of its own still lies between its children and their caller.
  if (RangeBuffer.empty() && !Inlined)
    return FunctionNode::None;
  uint32_t Index = Out.Nodes.size();
  FunctionNode Node;
  Node.DIE = DIE;
  Node.Subprogram = Index;
  if (!Inlined) {
    Node.Entry = entryOf(Attributes);
  } else {
    const FunctionNode &Caller = Out.Nodes[Parent];
    if (Caller.Depth == MaxInlineDepth) {
      ++Out.TooDeep;
      return Parent;
    }
    // All calls of a function share its name.
    Node.DIE = Attributes.Origin.value_or(DIE);
    Node.Parent = Parent;
    Node.Subprogram = Caller.Subprogram;
    Node.Depth = Caller.Depth + 1;
    Node.CallFile = Attributes.CallFile;
    Node.CallLine = Attributes.CallLine;
    Node.CallColumn = Attributes.CallColumn;
  }
  Node.FirstRange = Out.Ranges.size();
  Node.RangeCount = RangeBuffer.size();
  Node.FirstEmpty = FirstEmpty;
  Node.EmptyCount = Out.EmptyRanges.size() - FirstEmpty;
  Out.Ranges.insert(Out.Ranges.end(), RangeBuffer.begin(), RangeBuffer.end());
  Out.Nodes.push_back(Node);
  return Index;
}

/// Reads the DIE's attributes and returns the level of its children. \p SkipTo
/// is set if they need not be read.
Level Walker::visit(const Abbreviation &A, uint64_t DIE, Level Enclosing,
                    uint64_t &SkipTo) {
  switch (A.Kind) {
  case DIEKind::LexicalBlock:
    if (ForDebuggers && Enclosing.Node != FunctionNode::None) {
      addBlock(Enclosing.Node, readAttributes(A));
      Enclosing.ListsCalls = false;
      return Enclosing;
    }
    [[fallthrough]];
  case DIEKind::Other:
    Abbrevs.skipAttributes(C, A);
    Enclosing.ListsCalls = false;
    return Enclosing;
  case DIEKind::CallSite:
    if (ForDebuggers && Enclosing.Node != FunctionNode::None) {
      SkipTo = readCallSite(A, Enclosing);
      return {};
    }
    [[fallthrough]];
  case DIEKind::Opaque:
    if (A.HasSibling && A.HasChildren)
      SkipTo = readSibling(C, A);
    else
      Abbrevs.skipAttributes(C, A);
    return Enclosing;
  case DIEKind::Scope:
    Abbrevs.skipAttributes(C, A);
    return {Out.Scopes.add(DIE, Enclosing.Scope), Enclosing.Node, false,
            Enclosing.FrameBase};
  case DIEKind::Subprogram: {
    Level Inner;
    Inner.Scope = Out.Scopes.add(DIE, Enclosing.Scope);
    if (A.HasCode && !OnlyScopes) {
      FunctionAttributes Attributes = readAttributes(A);
      Inner.Node = addNode(A.Kind, DIE, FunctionNode::None, Attributes);
      Inner.ListsCalls = Attributes.AllCalls;
      Inner.FrameBase = Attributes.FrameBase.Inline;
    } else if (A.IsDeclaration && A.HasSibling && A.HasChildren) {
      SkipTo = readSibling(C, A);
    } else {
      Abbrevs.skipAttributes(C, A);
    }
    return Inner;
  }
  case DIEKind::InlinedSubroutine:
    if (OnlyScopes) {
      Abbrevs.skipAttributes(C, A);
      return Enclosing;
    }
    return {Enclosing.Scope,
            addNode(A.Kind, DIE, Enclosing.Node, readAttributes(A)), false,
            Enclosing.FrameBase};
  }
  llvm_unreachable("every kind is handled");
}

static Error reachesPastUnit() {
  return make_error<DamagedError>(
      "", "a DIE reaches past the end of its unit or has an unknown form");
}

/// Reads a DIE, or the end of a DIE's children. After an error, Current is the
/// offset of the broken DIE.
Error Walker::readDIE() {
  if (!Levels.empty()) {
    if (!skipLeaves())
      return reachesPastUnit();
    if (C.atEnd())
      return Error::success();
  }
  Current = C.offset();
  uint64_t DIE = Current | ReferenceMark;
  uint64_t Code = C.uleb();
  if (C.bad())
    return reachesPastUnit();
  if (!Code) {
    if (Levels.size() == 1)
      if (Error E = checkRest())
        return E;
    if (!Levels.empty())
      Levels.pop_back();
    return Error::success();
  }
  const Abbreviation *A = Abbrevs.find(Code);
  if (!A)
    return make_error<DamagedError>(
        "",
        formatv("DIE at {0:x} has the unknown abbreviation {1}", Current, Code)
            .str());
  if (A->UnknownForm)
    return make_error<DamagedError>(
        "", formatv("DIE at {0:x} has the unknown form {1:x}", Current,
                    unsigned(A->UnknownForm))
                .str());
  if (A->HasChildren && A->HasSibling && !Levels.empty())
    Levels.back().LastParent = Current;
  uint64_t SkipTo = 0;
  Level Inner =
      visit(*A, DIE, Levels.empty() ? Level() : Levels.back(), SkipTo);
  if (Budget.exhausted())
    return make_error<LimitError>("", "its range lists are read too often");
  if (C.bad())
    return reachesPastUnit();
  if (!A->HasChildren)
    return Error::success();
  // A sibling before this DIE would make the walk endless. One that does not
  // follow the end of a DIE's children is within a DIE.
  if (SkipTo > C.offset() && SkipTo < U.header().End &&
      U.sections().Info[SkipTo - 1] == 0) {
    C.seek(SkipTo);
    return Error::success();
  }
  Inner.LastParent = 0;
  Levels.push_back(Inner);
  return Error::success();
}

/// After an error, continues at the sibling of an enclosing or preceding DIE.
/// Returns whether there is one. Reads the attributes of each DIE only once,
/// and only moves forward, so that the work stays within that of the walk.
bool Walker::resume() {
  for (; !Levels.empty(); Levels.pop_back()) {
    uint64_t Parent = std::exchange(Levels.back().LastParent, 0);
    if (!Parent)
      continue;
    Cursor From = U.cursor(Parent);
    uint64_t Sibling = readSibling(From, *Abbrevs.find(From.uleb()));
    if (From.bad() || Sibling <= Current || Sibling >= U.header().End)
      continue;
    C = U.cursor(Sibling);
    if (++ResumeCount == 1)
      FirstResumed = Sibling;
    return true;
  }
  return false;
}

/// The error for the whole walk, whose last error, if any, is \p Last. It has
/// the message of the first error, and how much was lost.
Error Walker::whatBroke(Error Last) {
  if (ResumeCount == 0)
    return Last;
  bool IsCut = bool(Last);
  std::string More = IsCut ? toString(std::move(Last)) : std::string();
  std::string Text =
      formatv("{0}; resumed at {1:x}", FirstBroken, FirstResumed).str();
  if (ResumeCount > 1)
    Text += formatv(", and after {0} more broken DIE{1}", ResumeCount - 1,
                    ResumeCount == 2 ? "" : "s")
                .str();
  if (IsCut)
    Text += "; then " + More;
  return make_error<DamagedError>("", Text);
}

Error Walker::walk() {
  do {
    Error E = readDIE();
    if (!E)
      continue;
    if (Budget.exhausted())
      return E;
    std::string Text = toString(std::move(E));
    bool IsFirst = ResumeCount == 0;
    if (!resume())
      return whatBroke(make_error<DamagedError>("", Text));
    if (IsFirst)
      FirstBroken = std::move(Text);
  } while (!Levels.empty() && !C.atEnd());
  return whatBroke(checkRest());
}

/// Only padding may follow the DIEs. Anything else means that a broken DIE,
/// such as one overwritten with zeros, ended the tree too early.
Error Walker::checkRest() const {
  StringRef Rest = U.sections().Info.slice(C.offset(), U.header().End);
  if (Rest.find_first_not_of('\0') == StringRef::npos)
    return Error::success();
  return make_error<DamagedError>(
      "", formatv("its tree of DIEs ends at {0:x}, {1} bytes before the unit",
                  C.offset(), Rest.size())
              .str());
}

Error readFunctions(const Unit &U, UnitFunctions &Out, WorkBudget &Budget,
                    bool ForDebuggers) {
  Out.clear();
  WalkParts Parts =
      ForDebuggers ? WalkParts::ForDebuggers : WalkParts::Functions;
  return Walker(U, Out, Budget, Parts).walk();
}

Error readScopes(const Unit &U, ScopeTable &Out, WorkBudget &Budget) {
  Budget.charge(U.header().End - U.header().Offset);
  UnitFunctions Functions;
  Error E = Walker(U, Functions, Budget, WalkParts::Scopes).walk();
  Out = std::move(Functions.Scopes);
  return E;
}

} // namespace dwarf
} // namespace lidia
