//===- Answers.h - Prints answers to queries --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_ANSWERS_H
#define LLVM_LIDIA_ANSWERS_H

#include "AnswerOptions.h"
#include "SourceText.h"
#include "Support/MessageText.h"
#include "lidia/Miss.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/Query.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>
#include <string>

namespace lidia {

/// An archive in which addresses are looked up, and the name of its module.
class AnswerModule {
public:
  /// \p A must outlive this object. \p Name is printed in JSON and in messages.
  AnswerModule(const Archive &A, llvm::StringRef Name, const AnswerOptions &O);
  /// The same. Shares ownership of \p A.
  AnswerModule(std::shared_ptr<const Archive> A, llvm::StringRef Name,
               const AnswerOptions &O);

  /// Prepares for queries of \p Addresses (Symbolizer::prepare).
  void prepare(llvm::ArrayRef<uint64_t> Addresses, unsigned Threads) {
    S.prepare(Addresses, Threads);
  }

  bool isPaged() const { return A.isPaged(); }

private:
  friend class Answers;

  /// Empty if it is not known.
  llvm::ArrayRef<uint8_t> buildID() const {
    return A.info() ? A.info()->BuildID : llvm::ArrayRef<uint8_t>();
  }

  MissCode leftOut() const { return A.leftOut(); }

  std::shared_ptr<const Archive> Shared;
  const Archive &A;
  const std::string Name;
  Symbolizer S;
};

/// Prints answers to the stream and in the style of the options, one by one or,
/// only in JSON, as one list.
class Answers {
public:
  /// \p O must outlive this object.
  Answers(const AnswerOptions &O, bool AsList);
  Answers(const Answers &) = delete;
  Answers &operator=(const Answers &) = delete;

  /// Ends the list. Call it last.
  void finish();

  /// Answers \p Q from \p M. \p Line, the line with the query, is for messages.
  void print(AnswerModule &M, const Query &Q, llvm::StringRef Line);

  /// Whether \p M has an answer to \p Q. For code, this is the function, not
  /// only a line.
  bool knows(AnswerModule &M, const Query &Q);

  /// Answers the queries for code in \p Lines, for which \p M was last
  /// prepared, on \p Threads threads. Returns false, and prints nothing, in
  /// styles that require print().
  bool printPrepared(AnswerModule &M, llvm::ArrayRef<uint64_t> Addresses,
                     llvm::ArrayRef<std::string> Lines, unsigned Threads);

  /// Prints the answer to a line that has no address.
  void printUnknown(llvm::StringRef Module);

  /// Prints the answer to \p Q in a module that cannot be opened. Reports
  /// \p Why; in JSON, as part of the answer.
  void printFailure(llvm::StringRef Module, const Query &Q, const Miss &Why);

  /// Prints the answer to \p Q in a module without any information.
  void printNothing(llvm::StringRef Module, const Query &Q);

  /// Reports, before all answers, that the only module cannot be opened.
  void reportFailure(llvm::StringRef Module, const Miss &Why);

  /// Prints an answer of OriginalSymbolizer. Returns false if it is malformed.
  bool printForeign(const Query &Q, llvm::StringRef Text);

  /// \p Text as this style prints it.
  std::string printable(llvm::StringRef Text) const {
    return printableText(Text, O);
  }

  bool isJSON() const { return O.Style->isJSON(); }

  /// The number of answers that were truncated because of their size.
  uint64_t cutAnswers() const { return CutAnswers; }

private:
  friend class AnswerModule;

  static std::string printableText(llvm::StringRef Text,
                                   const AnswerOptions &O);
  AskedQuestion question(llvm::StringRef Module, const Query &Q,
                         llvm::StringRef Symbol) const;
  void printForeignObject(const Query &Q, const llvm::json::Object &Answer);
  struct Piece;

  void fill(Piece &P, AnswerModule &M,
            llvm::ArrayRef<uint64_t> Addresses) const;
  void reportCut(llvm::StringRef Line);
  bool printAnswer(AnswerModule &M, const Query &Q);
  void printEmpty(const Query &Q, const AskedQuestion &Asked);
  void addSource(AnswerModule &M,
                 llvm::MutableArrayRef<SymbolizedFrame> Frames);

  const AnswerOptions &O;
  SourceText Source;
  FramePrinter Fast;
  std::unique_ptr<AnswerPrinter> Printer;
  /// Whether Fast prints the frames of addresses.
  const bool UseFast;
  uint64_t CutAnswers = 0;
};

} // namespace lidia

#endif // LLVM_LIDIA_ANSWERS_H
