//===- SymbolSource.h - Ranges from symbol tables ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_SYMBOLSOURCE_H
#define LIDIA_EXTRACT_SYMBOLSOURCE_H

#include "lidia/Extract/StringPool.h"
#include "lidia/Object/Binary.h"
#include <vector>

namespace lidia {

/// The code that one symbol names.
struct SymbolRange {
  uint64_t Start = 0;
  uint64_t End = 0;
  StringID Name = 0;
  /// Of a local symbol, as STT_FILE names it: without a directory.
  StringID File = 0;
};

/// The functions that \p Table of \p File names, one for each address, sorted
/// by start; they may overlap, and then the later start is meant. Symbols
/// outside
/// \p Code are left out.
///
/// Of several symbols at one address the one is taken that has the greater
/// size; then one that is not local; then the one with fewer leading
/// underscores; then a global before a weak one; then the shorter; then the
/// first by the alphabet. So the order of the table does not matter. A symbol
/// of size 0 reaches to the next symbol or to the end of its section.
///
/// Names stay in \p File, which must live as long as \p Strings.
llvm::Expected<std::vector<SymbolRange>> readSymbols(Binary &File,
                                                     SymbolTable Table,
                                                     const CodeMap &Code,
                                                     StringPool &Strings);

} // namespace lidia

#endif // LIDIA_EXTRACT_SYMBOLSOURCE_H
