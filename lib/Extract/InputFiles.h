//===- InputFiles.h - The files that an archive is made from ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_INPUTFILES_H
#define LIDIA_LIB_EXTRACT_INPUTFILES_H

#include "Object/Binary.h"
#include "lidia/Extract/Convert.h"

namespace lidia {

class Conversion;

/// The files of one conversion.
struct InputFiles {
  std::unique_ptr<Binary> Main;
  /// The separate debug file, or null.
  std::unique_ptr<Binary> Debug;
  /// Files that sources have opened. Names point into them.
  std::vector<std::unique_ptr<Binary>> Others;

  /// Takes ownership of \p TheMain and opens its debug file, if it has one.
  llvm::Error open(std::unique_ptr<Binary> TheMain, Conversion &C);

  /// The file that has the debug information.
  Binary &withDebugInfo() const { return Debug ? *Debug : *Main; }
  /// The code of the binary, from the debug file if the binary has no section
  /// headers.
  const CodeMap &code() const {
    return Debug && Main->code().empty() ? Debug->code() : Main->code();
  }
  /// The size of Main and Debug, in bytes.
  uint64_t size() const { return Main->size() + (Debug ? Debug->size() : 0); }

  /// Calls \p Visit with each file that may have symbols of the binary and each
  /// of their tables.
  void forEachSymbolTable(
      llvm::function_ref<void(Binary &, SymbolTable)> Visit) const;
};

/// All paths other than that of \p Main where convert() looks for files,
/// whether or not they exist: debug files, and packages of split DWARF. Omits
/// .dwo files and supplementary files, whose names are in the debug
/// information, and files on servers.
std::vector<std::string> inputCandidates(Binary &Main,
                                         const ConvertOptions &Options);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_INPUTFILES_H
