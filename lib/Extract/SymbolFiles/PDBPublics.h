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

/// The linker's symbols, by address. They name code without debug information.
///
/// They also have the mangled names of functions with debug information. These
/// names are not used: functions have their own names, as in Microsoft's
/// debuggers, because for folded functions, which share their code, any of the
/// mangled names could be meant.
class PDBPublics {
public:
  explicit PDBPublics(const PDBFile &File);

  /// Records that a function was passed to the visitor.
  void addFunction(uint32_t Start, uint32_t End) {
    Functions.push_back({Start, End});
  }

  /// Calls \p Visit with each part of \p Code that begins with a symbol, and
  /// the symbol's name, which is empty for data.
  void visitCode(PDBArea Code,
                 llvm::function_ref<void(PDBArea, llvm::StringRef)> Visit);

  /// Passes the symbols of code outside of functions to \p Visitor. Symbols
  /// have no sizes: each ends at the next symbol, the next function, or the end
  /// of the object file's code. Returns false if the visitor wants no more.
  bool visitRest(RangeVisitor &Visitor);

private:
  struct Symbol {
    uint32_t Address = 0;
    /// The offset of the name in the records.
    uint32_t NameAt = 0;
    uint16_t NameSize = 0;
    /// Whether it names no code, but data among code.
    bool IsData = false;
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
