//===- PDBPublics.h - Symbols of the linker ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBPUBLICS_H
#define LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBPUBLICS_H

#include "PDBLines.h"
#include "lidia/Extract/RangeExtractor.h"

namespace lidia {

/// The symbols that the linker knew by address. They name code without debug
/// information.
///
/// They also have the mangled names of functions with debug information. Those
/// are given by their own names, as Microsoft's debuggers show them: of folded
/// functions, which share their code, any of the mangled names could be meant.
class PDBPublics {
public:
  explicit PDBPublics(const PDBFile &File);

  /// Notes that a function was given.
  void addFunction(uint32_t Start, uint32_t End) {
    Functions.push_back({Start, End});
  }

  /// Calls \p Visit with each part of \p Code that begins with a symbol, and
  /// the symbol's name.
  void visitCode(PDBArea Code,
                 llvm::function_ref<void(PDBArea, llvm::StringRef)> Visit);

  /// Gives the symbols of code that is in no function to \p Visitor. They have
  /// no sizes: each reaches to the next one, or the next function, or the end
  /// of the code that one object file gave. False if no more is wanted.
  bool visitRest(RangeVisitor &Visitor);

private:
  struct Symbol {
    uint32_t Address = 0;
    /// Where its name is among the records.
    uint32_t NameAt = 0;
    uint16_t NameSize = 0;
  };
  void readSymbols();
  void sortAreas();
  llvm::StringRef nameOf(const Symbol &S,
                         llvm::SmallVectorImpl<char> &Memory) const;
  size_t firstFrom(uint32_t Address) const;
  uint32_t endOf(uint32_t Start, size_t Next) const;

  const PDBFile &File;
  std::vector<Symbol> Symbols;
  std::vector<PDBArea> Functions;
  std::vector<PDBArea> Contributions;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBPUBLICS_H
