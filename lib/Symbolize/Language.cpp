//===- Language.cpp - Which language a source file is in ------------------===//
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

SourceLanguage languageOf(StringRef Path) {
  return StringSwitch<SourceLanguage>(sys::path::extension(Path))
      .Case(".c", DW_LANG_C11)
      .Cases(".s", ".S", ".asm", DW_LANG_Mips_Assembler)
      .Case(".rs", DW_LANG_Rust)
      .Case(".go", DW_LANG_Go)
      .Cases(".adb", ".ads", DW_LANG_Ada95)
      .Case(".d", DW_LANG_D)
      .Cases(".f", ".F", ".f90", ".F90", ".f95", DW_LANG_Fortran08)
      .Default(DW_LANG_C_plus_plus_14);
}

} // namespace lidia
