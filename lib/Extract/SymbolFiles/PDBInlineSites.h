//===- PDBInlineSites.h - Code of inlined calls -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBINLINESITES_H
#define LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBINLINESITES_H

#include "PDBLines.h"
#include "SymbolFileReader.h"

namespace lidia {

/// A run of code and its position in the source.
struct PDBPiece {
  uint32_t Start = 0;
  uint32_t End = 0;
  PDBPosition Position;
};

/// Decodes \p Annotations, which have the code and the lines of an inlined
/// call. \p Base is the address of the function that contains the call, and
/// \p Begin is the position in the source where the called function begins.
/// Replaces \p Pieces with the result, in order of address and without
/// overlaps. Returns false if the annotations are broken; the pieces before the
/// error are kept.
bool readAnnotations(llvm::StringRef Annotations, uint32_t Base,
                     const PDBPosition &Begin, std::vector<PDBPiece> &Pieces);

/// The inlined calls of one function, and the lines of all its code.
class PDBFunctionTree {
public:
  explicit PDBFunctionTree(WorkLimit &Work) : Work(Work) {}

  /// A piece of a call with a single call site.
  struct Call {
    uint32_t Start = 0;
    uint32_t End = 0;
    uint32_t Depth = 1;
    uint32_t Inlinee = 0;
    PDBPosition From;
  };

  /// Begins the function from \p Start to \p End, whose lines are among
  /// \p Rows.
  void begin(uint32_t Start, uint32_t End, llvm::ArrayRef<PDBRow> Rows);

  /// Enters a call of \p Inlinee inside the innermost call that was entered and
  /// not left. \p Code is its own code; parts outside of the enclosing call are
  /// left out.
  void enterCall(uint32_t Inlinee, llvm::ArrayRef<PDBPiece> Code);
  void leaveCall() { --Depth; }
  bool isInCall() const { return Depth > 1; }

  llvm::ArrayRef<Call> calls() const { return Calls; }
  /// The line of the innermost call at each address, by address.
  llvm::ArrayRef<PDBRow> rows();

private:
  void addPart(uint32_t Inlinee, const PDBPiece &Part, const PDBPosition &From);

  WorkLimit &Work;
  /// How many elements of Levels are in use: the function, and each enclosing
  /// call.
  size_t Depth = 0;
  std::vector<std::vector<PDBPiece>> Levels;
  std::vector<Call> Calls;
  /// The pieces of all levels, including calls that were left, with their
  /// depths.
  std::vector<std::pair<PDBPiece, uint32_t>> Pieces;
  std::vector<PDBRow> Rows;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBINLINESITES_H
