//===- Answers.h - Prints answers to queries --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_ANSWERS_H
#define LLVM_LIDIA_ANSWERS_H

#include "ADT/MessageText.h"
#include "AnswerOptions.h"
#include "SourceText.h"
#include "lidia/Symbolize/FramePrinter.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/Query.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>
#include <string>

namespace lidia {

/// An archive that answers are looked up in, and the name of its module.
class AnswerModule {
public:
  /// \p A must outlive this object. \p Name is printed in JSON and in messages.
  AnswerModule(const Archive &A, llvm::StringRef Name, const AnswerOptions &O);
  /// Shares \p A.
  AnswerModule(std::shared_ptr<const Archive> A, llvm::StringRef Name,
               const AnswerOptions &O);

  /// Prepares for queries of \p Addresses (Symbolizer::prepare).
  void prepare(llvm::ArrayRef<uint64_t> Addresses, unsigned Threads) {
    S.prepare(Addresses, Threads);
  }

private:
  friend class Answers;

  std::shared_ptr<const Archive> Shared;
  const std::string Name;
  Symbolizer S;
  FramePrinter Fast;
};

/// Prints answers to the stream and in the style that the options name. They
/// either appear one by one, or (JSON only) as one list at the end.
class Answers {
public:
  /// \p O must outlive this object.
  Answers(const AnswerOptions &O, bool AsList);
  Answers(const Answers &) = delete;
  Answers &operator=(const Answers &) = delete;

  /// Prints the list; to be called last.
  void finish();

  /// Answers \p Q from \p M. \p Line, in which it was asked, is for messages.
  void print(AnswerModule &M, const Query &Q, llvm::StringRef Line);

  /// Whether \p M names what \p Q asks about: for code the function, not only
  /// a line.
  bool knows(AnswerModule &M, const Query &Q);

  /// Answers all queries for code that \p M was last prepared for, asked in
  /// \p Lines, on \p Threads threads. False, with nothing printed, in styles
  /// for which print() must be called.
  bool printPrepared(AnswerModule &M, llvm::ArrayRef<uint64_t> Addresses,
                     llvm::ArrayRef<std::string> Lines, unsigned Threads);

  /// The answer to a line that names no address.
  void printUnknown(llvm::StringRef Module);

  /// The answer to \p Q in a module that cannot be opened: reports \p Why, in
  /// JSON as part of the answer.
  void printFailure(llvm::StringRef Module, const Query &Q,
                    llvm::StringRef Why);

  /// The answer to \p Q in a module of which nothing is known.
  void printNothing(llvm::StringRef Module, const Query &Q);

  /// Reports, before any answer, that the only module cannot be opened.
  void reportFailure(llvm::StringRef Module, llvm::StringRef Why);

  /// Prints an answer of OriginalSymbolizer. False if it is malformed.
  bool printForeign(const Query &Q, llvm::StringRef Text);

  /// \p Text in the form in which this style prints it.
  std::string printable(llvm::StringRef Text) const {
    return printableText(Text, O);
  }

  bool isJSON() const { return O.Style->Text == TextForm::UTF8; }

  /// The number of answers that were cut because of their size.
  uint64_t cutAnswers() const { return CutAnswers; }

private:
  friend class AnswerModule;

  static std::string printableText(llvm::StringRef Text,
                                   const AnswerOptions &O);
  llvm::raw_ostream &stream();
  llvm::symbolize::Request request(llvm::StringRef Module, const Query &Q,
                                   llvm::StringRef Symbol) const;
  void endAnswer();
  void printForeignObject(const Query &Q, const llvm::json::Object &Answer);
  void printJSON(llvm::json::Value Value);
  struct Piece;

  bool printFast(AnswerModule &M, uint64_t Address);
  void fill(Piece &P, AnswerModule &M,
            llvm::ArrayRef<uint64_t> Addresses) const;
  void reportCut(llvm::StringRef Line);
  bool printFrames(AnswerModule &M, const Query &Q,
                   const llvm::symbolize::Request &Asked);
  void printFrame(AnswerModule &M, const Query &Q,
                  const llvm::symbolize::Request &Asked);
  bool printName(AnswerModule &M, const Query &Q,
                 const llvm::symbolize::Request &Asked);
  bool printAnswer(AnswerModule &M, const Query &Q);
  void printEmpty(const Query &Q, const llvm::symbolize::Request &Asked);
  void endSource(llvm::StringRef Module);

  const AnswerOptions &O;
  const bool AsList;
  SourceText Source;
  JSONEscaper JSON{*O.Stream};
  /// The JSON object that the printer is writing, and those written before, if
  /// they are printed as a list.
  std::string Pending;
  llvm::raw_string_ostream PendingStream{Pending};
  llvm::json::Array List;
  llvm::symbolize::PrinterConfig Config;
  std::unique_ptr<llvm::symbolize::DIPrinter> Printer;
  /// Whether FramePrinter supports the requested output.
  const bool UseFast;
  uint64_t CutAnswers = 0;
};

} // namespace lidia

#endif // LLVM_LIDIA_ANSWERS_H
