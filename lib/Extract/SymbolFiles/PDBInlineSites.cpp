//===- PDBInlineSites.cpp - Code of inlined calls -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PDBInlineSites.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/CodeView/CodeView.h"
#include "llvm/Support/Endian.h"
#include <tuple>

using namespace llvm;
using Op = llvm::codeview::BinaryAnnotationsOpCode;

namespace lidia {

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

namespace {

/// Executes annotations. Each operation that moves the address begins a piece,
/// which ends where the next begins, or after the length that another gives.
class AnnotationReader {
public:
  AnnotationReader(StringRef Bytes, uint32_t Base, const PDBPosition &Begin,
                   std::vector<PDBPiece> &Pieces)
      : Bytes(Bytes), Base(Base), Position(Begin), Pieces(Pieces) {}

  bool run();

private:
  std::optional<uint32_t> number();
  static int32_t signedOf(uint32_t N) {
    return N & 1 ? -int32_t(N >> 1) : int32_t(N >> 1);
  }
  bool execute(Op Operation);
  bool executeWithPlace(Op Operation, uint32_t A);
  void beginPiece();
  void endPiece(uint32_t Length);

  StringRef Bytes;
  uint32_t Base;
  uint32_t Offset = 0;
  PDBPosition Position;
  std::vector<PDBPiece> &Pieces;
  /// Whether the last piece has no end yet.
  bool IsOpen = false;
};

} // namespace

/// A number of 1, 2 or 4 bytes; its first bits encode the size.
std::optional<uint32_t> AnnotationReader::number() {
  if (Bytes.empty())
    return std::nullopt;
  uint8_t First = Bytes.front();
  size_t Size = !(First & 0x80) ? 1 : !(First & 0x40) ? 2 : 4;
  if (Bytes.size() < Size || First >= 0xe0)
    return std::nullopt;
  uint32_t Result = First & (Size == 1 ? 0x7f : Size == 2 ? 0x3f : 0x1f);
  for (size_t I = 1; I != Size; ++I)
    Result = Result << 8 | uint8_t(Bytes[I]);
  Bytes = Bytes.drop_front(Size);
  return Result;
}

/// Begins a piece at Offset. If the previous piece has no end yet, it ends
/// there.
void AnnotationReader::beginPiece() {
  uint32_t Address = Base + Offset;
  if (IsOpen)
    Pieces.back().End = Address;
  Pieces.push_back({Address, Address, Position});
  IsOpen = true;
}

void AnnotationReader::endPiece(uint32_t Length) {
  if (IsOpen)
    Pieces.back().End = Pieces.back().Start + Length;
  IsOpen = false;
}

/// Executes an operation that moves the address, with the operand \p A. Returns
/// false if \p Operation is a different one, or the rest is broken.
bool AnnotationReader::executeWithPlace(Op Operation, uint32_t A) {
  switch (Operation) {
  case Op::CodeOffset:
    Offset = A;
    break;
  case Op::ChangeCodeOffset:
    Offset += A;
    break;
  case Op::ChangeCodeOffsetAndLineOffset:
    Offset += A & 0xf;
    Position.Line += signedOf(A >> 4);
    break;
  case Op::ChangeCodeLengthAndCodeOffset: {
    std::optional<uint32_t> Delta = number();
    if (!Delta)
      return false;
    Offset += *Delta;
    beginPiece();
    endPiece(A);
    return true;
  }
  default:
    return false;
  }
  beginPiece();
  return true;
}

bool AnnotationReader::execute(Op Operation) {
  std::optional<uint32_t> A = number();
  if (!A)
    return false;
  switch (Operation) {
  case Op::ChangeCodeOffsetBase:
    // Pieces that are separate from the function. Their address is not given.
    return *A == 0;
  case Op::ChangeCodeLength:
    endPiece(*A);
    Offset += *A;
    return true;
  case Op::ChangeFile:
    Position.File = *A;
    return true;
  case Op::ChangeLineOffset:
    Position.Line += signedOf(*A);
    return true;
  case Op::ChangeColumnStart:
    Position.Column = *A;
    return true;
  case Op::ChangeLineEndDelta:
  case Op::ChangeRangeKind:
  case Op::ChangeColumnEndDelta:
  case Op::ChangeColumnEnd:
    return true;
  default:
    return executeWithPlace(Operation, *A);
  }
}

/// The record is padded with zero bytes.
bool AnnotationReader::run() {
  while (std::optional<uint32_t> Operation = number()) {
    if (*Operation == uint32_t(Op::Invalid))
      return true;
    if (!execute(Op(*Operation)))
      return false;
  }
  return Bytes.empty();
}

/// Sorts \p Pieces and cuts overlapping parts.
static void putInOrder(std::vector<PDBPiece> &Pieces) {
  auto IsBefore = [](const PDBPiece &A, const PDBPiece &B) {
    return A.Start < B.Start;
  };
  erase_if(Pieces, [](const PDBPiece &P) { return P.Start >= P.End; });
  if (!is_sorted(Pieces, IsBefore))
    llvm::sort(Pieces, [](const PDBPiece &A, const PDBPiece &B) {
      return std::tie(A.Start, A.End) < std::tie(B.Start, B.End);
    });
  for (size_t I = 1; I < Pieces.size(); ++I)
    Pieces[I - 1].End = std::min(Pieces[I - 1].End, Pieces[I].Start);
  erase_if(Pieces, [](const PDBPiece &P) { return P.Start >= P.End; });
}

bool readAnnotations(StringRef Annotations, uint32_t Base,
                     const PDBPosition &Begin, std::vector<PDBPiece> &Pieces) {
  Pieces.clear();
  bool IsSound = AnnotationReader(Annotations, Base, Begin, Pieces).run();
  putInOrder(Pieces);
  return IsSound;
}

//===----------------------------------------------------------------------===//
// The calls of a function
//===----------------------------------------------------------------------===//

/// The function's own lines are the first level. It has no gaps, because calls
/// may be in code without lines.
void PDBFunctionTree::begin(uint32_t Start, uint32_t End,
                            ArrayRef<PDBRow> Table) {
  Calls.clear();
  Pieces.clear();
  Depth = 1;
  if (Levels.empty())
    Levels.emplace_back();
  std::vector<PDBPiece> &Own = Levels.front();
  Own.assign(1, {Start, End, PDBPosition()});
  const auto *Row =
      upper_bound(Table, Start, [](uint32_t Address, const PDBRow &R) {
        return Address < R.Address;
      });
  if (Row != Table.begin())
    Own.front().Position = std::prev(Row)->Position;
  for (; Row != Table.end() && Row->Address < End; ++Row) {
    PDBPiece &Last = Own.back();
    if (Row->Position == Last.Position)
      continue;
    if (Last.Start == Row->Address) {
      Last.Position = Row->Position;
      continue;
    }
    Last.End = Row->Address;
    Own.push_back({Row->Address, End, Row->Position});
  }
  for (const PDBPiece &P : Own)
    Pieces.emplace_back(P, 0);
}

/// Adds a part of a call with a single call site.
void PDBFunctionTree::addPart(uint32_t Inlinee, const PDBPiece &Part,
                              const PDBPosition &From) {
  Pieces.emplace_back(Part, Depth);
  bool GoesOn = !Calls.empty() && Calls.back().Inlinee == Inlinee &&
                Calls.back().Depth == Depth && Calls.back().End == Part.Start &&
                Calls.back().From == From;
  if (GoesOn)
    Calls.back().End = Part.End;
  else
    Calls.push_back({Part.Start, Part.End, uint32_t(Depth), Inlinee, From});
}

void PDBFunctionTree::enterCall(uint32_t Inlinee, ArrayRef<PDBPiece> Code) {
  const std::vector<PDBPiece> &Around = Levels[Depth - 1];
  auto Outer = Around.begin();
  for (const PDBPiece &P : Code) {
    Outer = std::partition_point(Outer, Around.end(), [&](const PDBPiece &O) {
      return O.End <= P.Start;
    });
    for (auto O = Outer; O != Around.end() && O->Start < P.End; ++O) {
      if (!Work.take(1))
        break;
      addPart(
          Inlinee,
          {std::max(P.Start, O->Start), std::min(P.End, O->End), P.Position},
          O->Position);
    }
  }
  if (Levels.size() == Depth)
    Levels.emplace_back();
  Levels[Depth].assign(Code.begin(), Code.end());
  ++Depth;
}

/// Pieces nest: those of a call are within those around it.
ArrayRef<PDBRow> PDBFunctionTree::rows() {
  llvm::sort(Pieces, [](const auto &A, const auto &B) {
    return std::tie(A.first.Start, A.second) <
           std::tie(B.first.Start, B.second);
  });
  Rows.clear();
  SmallVector<const PDBPiece *, 16> Open;
  auto CloseUpTo = [&](uint32_t Address) {
    while (!Open.empty() && Open.back()->End <= Address) {
      uint32_t End = Open.back()->End;
      Open.pop_back();
      if (!Open.empty() && Open.back()->End > End)
        Rows.push_back({End, Open.back()->Position});
    }
  };
  for (const auto &[Piece, Level] : Pieces) {
    CloseUpTo(Piece.Start);
    Rows.push_back({Piece.Start, Piece.Position});
    Open.push_back(&Piece);
  }
  CloseUpTo(UINT32_MAX);
  return Rows;
}

} // namespace lidia
