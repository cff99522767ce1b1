//===- Symbolize.h - Addresses of many modules ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_SYMBOLIZE_H
#define LLVM_LIDIA_SYMBOLIZE_H

#include "Commands.h"

namespace lidia {

/// The name of the program that runs `llvm-lidia symbolize`.
enum class SymbolizerName {
  /// llvm-lidia symbolize.
  Command,
  /// lidia-symbolizer or llvm-symbolizer: no warnings, because standard error
  /// is part of another program's report.
  Symbolizer,
  /// llvm-addr2line: the same with other defaults and hexadecimal addresses.
  Addr2Line,
};

/// Runs `llvm-lidia symbolize` as \p Name.
llvm::Error symbolize(CommandLine &Line, SymbolizerName Name);

} // namespace lidia

#endif // LLVM_LIDIA_SYMBOLIZE_H
