//===- Language.h - The language of a source file ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_LANGUAGE_H
#define LIDIA_SYMBOLIZE_LANGUAGE_H

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/Dwarf.h"

namespace lidia {

/// The language of the functions of \p Unit, a DW_LANG constant: the one in the
/// archive or, if it has none, the one that the functions' file \p Path
/// suggests. Zero for a language that LLVM does not know.
llvm::dwarf::SourceLanguage languageOf(const FunctionUnit &Unit,
                                       llvm::StringRef Path);

/// The language of the source file \p Path, a DW_LANG constant, derived from
/// its suffix. C++ if the suffix is ambiguous (`.h`): debuggers lose less if C
/// is treated as C++ than the reverse.
llvm::dwarf::SourceLanguage languageOf(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_LANGUAGE_H
