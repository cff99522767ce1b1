//===- OutputStyles.h - The styles of answers -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_OUTPUTSTYLES_H
#define LLVM_LIDIA_OUTPUTSTYLES_H

#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/DebugInfo/Symbolize/DIPrinter.h"
#include <memory>

namespace lidia {

/// A value of --output-style=. OutputStyles.cpp has the table of all values.
struct OutputStyle {
  llvm::StringLiteral Name;
  TextForm Text;
  /// Of several functions, addr2line names the innermost if it shows only one.
  bool InnermostAlone;
  /// Whether FramePrinter supports the style, in the layout of addr2line
  /// (GNULayout) or of llvm-symbolizer.
  bool HasFastPrinter;
  bool GNULayout;
  std::unique_ptr<llvm::symbolize::DIPrinter> (*MakePrinter)(
      llvm::raw_ostream &OS, llvm::symbolize::PrinterConfig &Config);
};

/// All styles. The first is the default.
llvm::ArrayRef<OutputStyle> outputStyles();

} // namespace lidia

#endif // LLVM_LIDIA_OUTPUTSTYLES_H
