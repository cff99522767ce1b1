//===- Language.h - Which language a source file is in ----------*- C++ -*-===//
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

/// The language of the source file \p Path, by its suffix, as an archive does
/// not say it: a DW_LANG constant. C++ where the suffix leaves it open (`.h`):
/// debuggers take C for C++ with less loss than C++ for C.
llvm::dwarf::SourceLanguage languageOf(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_LANGUAGE_H
