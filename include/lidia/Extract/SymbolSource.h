//===- SymbolSource.h - Ranges from symbol tables ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_SYMBOLSOURCE_H
#define LIDIA_EXTRACT_SYMBOLSOURCE_H

#include "lidia/Extract/Range.h"
#include "lidia/Object/Binary.h"

namespace lidia {

/// The functions that \p Table of \p File names, as ranges of depth 0 that are
/// sorted and do not overlap within a unit. Symbols outside \p Code are left
/// out.
///
/// Of several symbols at one address the one is taken that has the greater
/// size; then one that is not local; then the one with fewer leading
/// underscores; then a global before a weak one; then the shorter; then the
/// first by the alphabet. So the order of the table does not matter. A symbol
/// of size 0 reaches to the next symbol or to the end of its section. Where
/// symbols overlap, the one that starts later is meant.
///
/// Global symbols without a type, which assembly has, name what no function
/// symbol of the table does.
///
/// A local symbol has the file that STT_FILE names, if \p Files. Names stay in
/// \p File, which must live as long as \p Strings.
llvm::Expected<SourceRanges> readSymbols(Binary &File, SymbolTable Table,
                                         const CodeMap &Code, bool Files,
                                         StringPool &Strings);

} // namespace lidia

#endif // LIDIA_EXTRACT_SYMBOLSOURCE_H
