//===- SymbfileReader.cpp - Functions of a symbfile -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// symblib writes one file with ranges and one with return pads. A return pad
/// has the frames of one address, so without ranges it is a function of one
/// byte: the last one of a call.
///
//===----------------------------------------------------------------------===//

#include "Support/StableSort.h"
#include "SymbfileRecords.h"
#include "SymbolFileReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace lidia::symbfile;

namespace lidia {

namespace {

/// A range that has begun.
struct OpenRange {
  const symbfile::Range *R;
  uint64_t End;
  /// Its next row, and the line in force.
  size_t NextRow;
  uint32_t Line = 0;
};

/// Turns the ranges of one function, by address and depth, into calls and rows.
class FunctionBuilder {
public:
  explicit FunctionBuilder(const Records &From) : From(From) {}

  /// \p Parts are pieces of one function, each with the calls inlined into it.
  FunctionRange build(ArrayRef<symbfile::Range> Parts);

  /// Calls without what they are inlined into.
  uint64_t CallsLeftOut = 0;

private:
  void addCode(OpenRange &O, uint64_t Limit);
  void advanceTo(uint64_t Address);
  void open(const symbfile::Range &R);
  void addCall(const symbfile::Range &R, uint64_t End, StringRef CallFile);

  const Records &From;
  uint64_t Position = 0;
  SmallVector<OpenRange, 16> Open;
  /// The last call of each depth in the last call of the depth before: its
  /// index in Calls, and the file of its last piece.
  struct LastCall {
    size_t Index;
    StringRef File;
  };
  SmallVector<LastCall, 16> Last;
  std::vector<InlinedRange> Calls;
  std::vector<SourceRow> Rows;
};

class SymbfileReader final : public RangeExtractor {
public:
  SymbfileReader(const SymbolFile &File, std::vector<uint64_t> *ReturnPads)
      : File(File), ReturnPads(ReturnPads) {}

  StringRef name() const override { return "symbfile"; }
  uint64_t inputSize() const override { return File.size(); }
  Error extract(RangeVisitor &Visitor) override;

private:
  bool passRanges(RangeVisitor &Visitor);
  bool passPad(const Pad &P, RangeVisitor &Visitor) const;
  void passPads(RangeVisitor &Visitor) const;
  void storePads() const;

  const SymbolFile &File;
  std::vector<uint64_t> *ReturnPads;
  Records From;
  uint64_t CallsLeftOut = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// Adds rows for the code from Position to \p Limit, of which \p O is the
/// innermost range.
void FunctionBuilder::addCode(OpenRange &O, uint64_t Limit) {
  if (Position >= Limit)
    return;
  auto IsBefore = [&](uint64_t Address) {
    return O.NextRow != O.R->EndRow && From.Rows[O.NextRow].Address < Address;
  };
  while (IsBefore(Position + 1))
    O.Line = From.Rows[O.NextRow++].Line;
  Rows.push_back({Position, O.R->File, O.Line, 0});
  for (; IsBefore(Limit); ++O.NextRow) {
    O.Line = From.Rows[O.NextRow].Line;
    Rows.push_back({From.Rows[O.NextRow].Address, O.R->File, O.Line, 0});
  }
  Position = Limit;
}

/// Adds the code up to \p Address, and closes the ranges that end there or
/// before.
void FunctionBuilder::advanceTo(uint64_t Address) {
  while (!Open.empty()) {
    addCode(Open.back(), std::min(Open.back().End, Address));
    if (Open.back().End > Address)
      return;
    Open.pop_back();
  }
}

/// Whether a function or call with code in both files is split between them.
static bool splitsBetween(StringRef File, StringRef Next) {
  return File != Next && !File.empty() && !Next.empty();
}

/// Adds the call \p R up to \p End, or extends the last one by it: a call is
/// split where its file changes.
void FunctionBuilder::addCall(const symbfile::Range &R, uint64_t End,
                              StringRef CallFile) {
  if (Last.size() >= R.Depth) {
    Last.truncate(R.Depth);
    LastCall &L = Last.back();
    InlinedRange &Call = Calls[L.Index];
    if (Call.End == R.Start && splitsBetween(L.File, R.File) &&
        Call.Name == R.Name && Call.CallLine == R.CallLine &&
        Call.CallFile == CallFile) {
      Call.End = End;
      L.File = R.File;
      return;
    }
    Last.pop_back();
  }
  Last.push_back({Calls.size(), R.File});
  Calls.push_back({R.Start, End, R.Depth, R.Name, CallFile, R.CallLine, 0});
}

/// Begins \p R in the open ranges.
void FunctionBuilder::open(const symbfile::Range &R) {
  if (R.Depth != Open.size()) {
    ++CallsLeftOut;
    return;
  }
  uint64_t End = R.End;
  if (R.Depth) {
    const OpenRange &Caller = Open.back();
    End = std::min(End, Caller.End);
    CallsLeftOut += End != R.End;
    addCall(R, End, R.CallFile.value_or(Caller.R->File));
  }
  Open.push_back({&R, End, R.FirstRow});
}

FunctionRange FunctionBuilder::build(ArrayRef<symbfile::Range> Parts) {
  Calls.clear();
  Rows.clear();
  Last.clear();
  FunctionRange F;
  F.Start = Position = Parts.front().Start;
  F.Name = Parts.front().Name;
  F.File = Parts.front().File;
  for (const symbfile::Range &R : Parts) {
    advanceTo(R.Start);
    open(R);
    if (R.Depth == 0)
      F.End = R.End;
  }
  advanceTo(F.End);
  F.Calls = Calls;
  F.Rows = Rows;
  return F;
}

/// Whether \p Next is a piece of the function whose last piece is \p Piece: a
/// function is split where its file changes.
static bool continues(const symbfile::Range &Next,
                      const symbfile::Range &Piece) {
  return Next.Start == Piece.End && Next.Name == Piece.Name &&
         splitsBetween(Piece.File, Next.File);
}

/// The number of ranges at the front of \p Ranges that are of one function.
static size_t functionSize(ArrayRef<symbfile::Range> Ranges) {
  size_t Piece = 0, Size = 1;
  for (; Size != Ranges.size(); ++Size) {
    if (Ranges[Size].Depth)
      continue;
    if (!continues(Ranges[Size], Ranges[Piece]))
      break;
    Piece = Size;
  }
  return Size;
}

/// Returns false once \p Visitor takes no more.
bool SymbfileReader::passRanges(RangeVisitor &Visitor) {
  erase_if(From.Ranges,
           [](const symbfile::Range &R) { return R.Start == R.End; });
  // They come in any order.
  stableSort(From.Ranges, [](const symbfile::Range &R) {
    return std::pair(R.Start, R.Depth);
  });
  ArrayRef<symbfile::Range> Rest = From.Ranges;
  auto IsCall = [](const symbfile::Range &R) { return R.Depth != 0; };
  size_t Orphans = find_if_not(Rest, IsCall) - Rest.begin();
  Rest = Rest.drop_front(Orphans);
  FunctionBuilder Builder(From);
  bool GoOn = true;
  while (!Rest.empty() && GoOn) {
    size_t Size = functionSize(Rest);
    GoOn = Visitor.visit(Builder.build(Rest.take_front(Size)));
    Rest = Rest.drop_front(Size);
  }
  CallsLeftOut += Orphans + Builder.CallsLeftOut;
  return GoOn;
}

//===----------------------------------------------------------------------===//
// Return pads
//===----------------------------------------------------------------------===//

/// Passes the byte before the return address \p P.
bool SymbfileReader::passPad(const Pad &P, RangeVisitor &Visitor) const {
  auto Frames =
      ArrayRef(From.Frames).slice(P.FirstFrame, P.EndFrame - P.FirstFrame);
  FunctionRange F;
  F.Start = P.Address;
  F.End = P.Address + 1;
  F.Name = Frames.front().Name;
  // No known code.
  F.Entry = UINT64_MAX;
  SmallVector<InlinedRange, 8> Calls;
  for (size_t I = 1; I != Frames.size(); ++I)
    Calls.push_back({F.Start, F.End, uint32_t(I), Frames[I].Name,
                     Frames[I - 1].File, Frames[I - 1].Line, 0});
  SourceRow Row = {F.Start, Frames.back().File, Frames.back().Line, 0};
  F.Calls = Calls;
  F.Rows = Row;
  return Visitor.visit(F);
}

/// Passes the return pads outside of all ranges, which passRanges() sorted.
void SymbfileReader::passPads(RangeVisitor &Visitor) const {
  auto Next = From.Ranges.begin();
  uint64_t CoveredUpTo = 0, Last = UINT64_MAX;
  SmallVector<const Pad *, 0> Sorted;
  for (const Pad &P : From.Pads)
    Sorted.push_back(&P);
  stableSort(Sorted, [](const Pad *P) { return P->Address; });
  for (const Pad *P : Sorted) {
    for (; Next != From.Ranges.end() && Next->Start <= P->Address; ++Next)
      if (Next->Depth == 0)
        CoveredUpTo = std::max(CoveredUpTo, Next->End);
    bool IsNew = P->Address != Last;
    Last = P->Address;
    if (IsNew && P->Address >= CoveredUpTo && !passPad(*P, Visitor))
      return;
  }
}

/// Stores the return addresses of all return pads.
void SymbfileReader::storePads() const {
  std::vector<uint64_t> &To = *ReturnPads;
  To.clear();
  for (const Pad &P : From.Pads)
    To.push_back(P.Address + 1);
  llvm::sort(To);
  To.erase(llvm::unique(To), To.end());
}

Error SymbfileReader::extract(RangeVisitor &Visitor) {
  Error E = readRecords(File, From);
  if (ReturnPads)
    storePads();
  if (passRanges(Visitor))
    passPads(Visitor);
  if (From.Broken)
    Visitor.warning(File.path() + ": " + Twine(From.Broken) +
                    " records are broken; what is left of them is kept");
  if (CallsLeftOut)
    Visitor.warning(File.path() + ": " + Twine(CallsLeftOut) +
                    " inlined calls, or parts of them, are outside of what "
                    "they are inlined into and are left out");
  return E;
}

std::unique_ptr<RangeExtractor>
createSymbfileReader(const SymbolFile &File,
                     std::vector<uint64_t> *ReturnPads) {
  return std::make_unique<SymbfileReader>(File, ReturnPads);
}

} // namespace lidia
