//===- AnswerPrinter.h - Answers as text or JSON ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_OUTPUT_ANSWERPRINTER_H
#define LIDIA_OUTPUT_ANSWERPRINTER_H

#include "lidia/Miss.h"
#include "lidia/Output/FramePrinter.h"
#include "lidia/Output/SchemaStream.h"
#include "lidia/Symbolize/SourceURLs.h"

namespace lidia {

/// The question of an answer, as answers repeat it. Texts are as the style
/// needs them.
struct AskedQuestion {
  llvm::StringRef Module;
  std::optional<uint64_t> Address;
  /// The name that was asked for instead of an address.
  llvm::StringRef Symbol;
  /// Why there is no answer, or none with a name and a line.
  MissCode Miss = MissCode::None;
};

/// Prints answers one by one. There is an implementation for text and one for
/// JSON.
class AnswerPrinter {
public:
  virtual ~AnswerPrinter() = default;

  /// The functions at an address, innermost first; empty if there is none.
  virtual void printFrames(const AskedQuestion &Asked,
                           llvm::ArrayRef<SymbolizedFrame> Frames) = 0;
  /// Where a symbol is; empty if nowhere.
  virtual void printPlaces(const AskedQuestion &Asked,
                           llvm::ArrayRef<SymbolizedFrame> Places) = 0;
  virtual void printSymbol(const AskedQuestion &Asked,
                           const SymbolizedSymbol &Symbol) = 0;
  /// The local variables of the frame at an address.
  virtual void printVariables(const AskedQuestion &Asked,
                              llvm::ArrayRef<llvm::DILocal> Variables) = 0;
  /// Why there is no answer. Returns false, and prints nothing, if the style
  /// has no place for it.
  virtual bool printFailure(const AskedQuestion &Asked,
                            llvm::StringRef Why) = 0;
  /// An answer in the style's own JSON. Only for JSON.
  virtual void printValue(const llvm::json::Value &Answer) = 0;
  /// Ends the list of answers, if they are one. Call it last.
  virtual void finish() {}
};

/// Answers in the text of LLVM or GNU, as \p Options say.
std::unique_ptr<AnswerPrinter>
makeTextPrinter(llvm::raw_ostream &OS, const FramePrinterOptions &Options);

struct JSONPrinterOptions {
  JSONSchema Schema = JSONSchema::LLVM;
  bool Pretty = false;
  /// All answers are one array.
  bool AsList = false;
  /// FramePrinterOptions::SourceLines.
  uint32_t SourceLines = 0;
  /// If not null, frames have the URLs of their lines.
  const SourceURLs *Links = nullptr;
};

/// Answers in JSON, each in a line of its own.
std::unique_ptr<AnswerPrinter>
makeJSONPrinter(llvm::raw_ostream &OS, const JSONPrinterOptions &Options);

} // namespace lidia

#endif // LIDIA_OUTPUT_ANSWERPRINTER_H
