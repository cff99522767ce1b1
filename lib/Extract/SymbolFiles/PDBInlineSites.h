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

/// A run of code, and the place in the source that it is from.
struct PDBPiece {
  uint32_t Start = 0;
  uint32_t End = 0;
  PDBPosition Position;
};

/// Decodes \p Annotations, which say where the code of an inlined call is, and
/// its lines. \p Base is the address of the function that the call is in, and
/// \p Begin where the called function begins. Replaces \p Pieces by what they
/// say, by address and without overlaps. False if they are broken; what was
/// before the error is kept.
bool readAnnotations(llvm::StringRef Annotations, uint32_t Base,
                     const PDBPosition &Begin, std::vector<PDBPiece> &Pieces);

/// The inlined calls of one function, and the lines of all its code.
class PDBFunctionTree {
public:
  explicit PDBFunctionTree(WorkLimit &Work) : Work(Work) {}

  /// A piece of a call, all of which is called from one place.
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

  /// Enters a call of \p Inlinee, which is in the call that was entered and not
  /// left before. Its own code is \p Code. What is outside of the call around
  /// it is left out.
  void enterCall(uint32_t Inlinee, llvm::ArrayRef<PDBPiece> Code);
  void leaveCall() { --Depth; }
  bool isInCall() const { return Depth > 1; }

  llvm::ArrayRef<Call> calls() const { return Calls; }
  /// The line of the innermost call at each address, by address.
  llvm::ArrayRef<PDBRow> rows();

private:
  void addPart(uint32_t Inlinee, const PDBPiece &Part, const PDBPosition &From);

  WorkLimit &Work;
  /// How many of Levels are in use: the function, and each call around.
  size_t Depth = 0;
  std::vector<std::vector<PDBPiece>> Levels;
  std::vector<Call> Calls;
  /// All of Levels and what was left, with the depth of each.
  std::vector<std::pair<PDBPiece, uint32_t>> Pieces;
  std::vector<PDBRow> Rows;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBINLINESITES_H
