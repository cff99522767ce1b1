//===- Language.cpp - The language of a source file -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/Language.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

/// rustc appends "/@/" and the name of the part of the program to the primary
/// file of a compile unit.
SourceLanguage languageOf(StringRef Path) {
  return StringSwitch<SourceLanguage>(
             sys::path::extension(Path.split("/@/").first))
      .Case(".c", DW_LANG_C11)
      .Case(".s", DW_LANG_Mips_Assembler)
      .Case(".S", DW_LANG_Mips_Assembler)
      .Case(".asm", DW_LANG_Mips_Assembler)
      .Case(".rs", DW_LANG_Rust)
      .Case(".go", DW_LANG_Go)
      .Case(".adb", DW_LANG_Ada95)
      .Case(".ads", DW_LANG_Ada95)
      .Case(".d", DW_LANG_D)
      .Case(".f", DW_LANG_Fortran08)
      .Case(".F", DW_LANG_Fortran08)
      .Case(".f90", DW_LANG_Fortran08)
      .Case(".F90", DW_LANG_Fortran08)
      .Case(".f95", DW_LANG_Fortran08)
      .Default(DW_LANG_C_plus_plus_14);
}

SourceLanguage languageOf(const FunctionUnit &Unit, StringRef Path) {
  if (!Unit.Language)
    return languageOf(Path);
  // LLVM's functions of a language end the program if they do not know it.
  return LanguageString(Unit.Language).empty() ? SourceLanguage(0)
                                               : SourceLanguage(Unit.Language);
}

} // namespace lidia
