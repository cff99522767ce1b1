//===- AnswerOptions.h - Options for answers to addresses -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_ANSWEROPTIONS_H
#define LLVM_LIDIA_ANSWEROPTIONS_H

#include "Options.h"
#include "OutputStyles.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/DebugInfo/Symbolize/DIPrinter.h"
#include "llvm/Support/raw_ostream.h"

namespace lidia {

/// Which answers are given, and how they are printed.
struct AnswerOptions {
  /// Where answers are printed; errors go to standard error.
  llvm::raw_ostream *Stream = &llvm::outs();
  SymbolizerOptions Symbolizer;
  llvm::symbolize::PrinterConfig Printer;
  const OutputStyle *Style = nullptr;
  bool Inlines = true;
  /// Without Inlines, the name is that of the innermost function, too.
  bool Innermost = false;
};

/// The defaults that llvm-symbolizer and llvm-addr2line do not share.
struct AnswerDefaults {
  llvm::StringRef Style = "LLVM";
  llvm::StringRef Functions = "linkage";
  bool Demangle = true;
  bool Inlines = true;
  llvm::StringRef RustNames = "plain";
  /// A style that only one command has, besides outputStyles(); or null.
  const OutputStyle *OwnStyle = nullptr;
};

/// Reads the options of Options.td for answers.
AnswerOptions readAnswerOptions(CommandLine &Line,
                                const AnswerDefaults &Defaults = {});

} // namespace lidia

#endif // LLVM_LIDIA_ANSWEROPTIONS_H
