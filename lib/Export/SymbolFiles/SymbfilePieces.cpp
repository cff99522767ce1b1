//===- SymbfilePieces.cpp - Functions in pieces of one file ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbfilePieces.h"
#include "lidia/Archive/FunctionLines.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace lidia {

namespace {

/// A range that has begun.
struct OpenRange {
  uint64_t End = 0;
  uint64_t Depth = 0;
  /// The index of its last piece.
  size_t Piece = 0;
};

class PieceCutter {
public:
  explicit PieceCutter(const Archive &A) : A(A) {}

  std::vector<SymbfilePiece> run(uint64_t Root);

private:
  void open(uint64_t Index, const RangeEntry &R);
  void close();
  void advanceTo(uint64_t Limit);
  void addCode(OpenRange &O, const FunctionLine &Line);

  const Archive &A;
  std::vector<FunctionLine> Lines;
  /// The index of the line after that of Position.
  size_t NextLine = 0;
  uint64_t Position = 0;
  SmallVector<OpenRange, 16> Open;
  std::vector<SymbfilePiece> Pieces;
};

} // namespace

/// Says that the code from Position on is \p O's own, and belongs to \p Line.
void PieceCutter::addCode(OpenRange &O, const FunctionLine &Line) {
  SymbfilePiece *P = &Pieces[O.Piece];
  if (P->File != Line.File && P->HasCode) {
    P->End = Position;
    SymbfilePiece Next;
    Next.Start = Position;
    Next.Range = P->Range;
    O.Piece = Pieces.size();
    P = &Pieces.emplace_back(std::move(Next));
  }
  P->File = Line.File;
  P->HasCode = true;
  uint32_t Before = P->Lines.empty() ? 0 : P->Lines.back().Line;
  if (Line.Line != Before)
    P->Lines.push_back({Position, Line.Line});
}

/// Gives the code up to \p Limit to the innermost open range.
void PieceCutter::advanceTo(uint64_t Limit) {
  OpenRange &O = Open.back();
  Limit = std::min(Limit, O.End);
  while (Position < Limit) {
    while (NextLine != Lines.size() && Lines[NextLine].Address <= Position)
      ++NextLine;
    // The first line is that of the function's start.
    addCode(O, Lines[NextLine - 1]);
    Position = NextLine == Lines.size()
                   ? Limit
                   : std::min(Limit, Lines[NextLine].Address);
  }
}

void PieceCutter::open(uint64_t Index, const RangeEntry &R) {
  SymbfilePiece P;
  P.Start = R.VA;
  P.Range = Index;
  P.File = R.File;
  Open.push_back({R.VA + R.Length, R.Depth, Pieces.size()});
  Pieces.push_back(std::move(P));
}

void PieceCutter::close() {
  advanceTo(Open.back().End);
  Pieces[Open.back().Piece].End = Open.back().End;
  Open.pop_back();
}

std::vector<SymbfilePiece> PieceCutter::run(uint64_t Root) {
  visitFunctionLines(A, Root,
                     [&](const FunctionLine &Line) { Lines.push_back(Line); });
  RangeEntry Function = A.range(Root);
  Position = Function.VA;
  open(Root, Function);
  for (uint64_t I = Root + 1, End = functionEnd(A, Root); I != End; ++I) {
    RangeEntry R = A.range(I);
    while (Open.size() > 1 && Open.back().Depth >= R.Depth)
      close();
    advanceTo(R.VA);
    open(I, R);
  }
  while (!Open.empty())
    close();
  return std::move(Pieces);
}

std::vector<SymbfilePiece> symbfilePieces(const Archive &A, uint64_t Root) {
  return PieceCutter(A).run(Root);
}

} // namespace lidia
