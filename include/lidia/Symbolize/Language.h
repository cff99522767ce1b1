//===- Language.h - The language of a source file ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_LANGUAGE_H
#define LIDIA_SYMBOLIZE_LANGUAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/Dwarf.h"

namespace lidia {

/// The language of the source file \p Path, a DW_LANG constant, derived from
/// its suffix because archives do not record it. C++ if the suffix is ambiguous
/// (`.h`): treating C as C++ costs debuggers less than the reverse.
llvm::dwarf::SourceLanguage languageOf(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_LANGUAGE_H
