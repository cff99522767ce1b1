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

/// A value of --output-style=. The table in OutputStyles.cpp has them all.
struct OutputStyle {
  llvm::StringLiteral Name;
  TextForm Text;
  /// addr2line names the innermost function if it shows one of several.
  bool InnermostAlone;
  /// FramePrinter can print it, in the layout of addr2line or of
  /// llvm-symbolizer.
  bool HasFastPrinter;
  bool GNULayout;
  std::unique_ptr<llvm::symbolize::DIPrinter> (*MakePrinter)(
      llvm::raw_ostream &OS, llvm::symbolize::PrinterConfig &Config);
};

/// The first is the default.
llvm::ArrayRef<OutputStyle> outputStyles();

} // namespace lidia

#endif // LLVM_LIDIA_OUTPUTSTYLES_H
