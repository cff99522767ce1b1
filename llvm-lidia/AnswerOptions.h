//===- AnswerOptions.h - Options for answers --------------------*- C++ -*-===//
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
#include "SourcePath.h"
#include "lidia/Symbolize/SourceURLs.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/Support/raw_ostream.h"

namespace lidia {

/// The kind of answers and the way to print them.
struct AnswerOptions {
  /// The destination of answers. Errors go to standard error.
  llvm::raw_ostream *Stream = &llvm::outs();
  SymbolizerOptions Symbolizer;
  FramePrinterOptions Printer;
  const OutputStyle *Style = nullptr;
  /// Where source files are.
  SourcePath Sources;
  /// Where they are on the web, for JSON.
  SourceURLs Links;
  FrameChoice Frames = FrameChoice::All;
};

/// The printer of \p O, which must outlive it. In JSON, answers are one array
/// if \p AsList.
std::unique_ptr<AnswerPrinter> makePrinter(const AnswerOptions &O, bool AsList);

/// The defaults in which llvm-symbolizer and llvm-addr2line differ.
struct AnswerDefaults {
  llvm::StringRef Style = "LLVM";
  llvm::StringRef Functions = "linkage";
  bool Demangle = true;
  bool Inlines = true;
  llvm::StringRef RustNames = "plain";
  /// Whether text leaves out refuted names and marks uncertain ones.
  bool Doubt = false;
  /// The values of --format= that are styles of answers; none if the command's
  /// formats are its own.
  llvm::ArrayRef<OutputStyle> Formats = OwnJSONStyle;
};

/// Reads the options of Options.td for answers.
AnswerOptions readAnswerOptions(CommandLine &Line,
                                const AnswerDefaults &Defaults = {});

} // namespace lidia

#endif // LLVM_LIDIA_ANSWEROPTIONS_H
