//===- Options.h - Reads command lines, reports errors ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_OPTIONS_H
#define LLVM_LIDIA_OPTIONS_H

#include "Commands.h"
#include "lidia/Archive/Archive.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"

namespace lidia {

/// Sets the name of this program in messages. The default is "llvm-lidia". Does
/// not copy \p Name.
void setToolName(llvm::StringRef Name);

/// Prints "llvm-lidia: error: <message>" on standard error, on one line,
/// because the message may contain untrusted names
/// (lidia/Symbolize/PrintableText.h). With --messages=json, prints a
/// MessageLine.
void reportError(const llvm::Twine &Message);
/// The same for each error in \p E.
void reportError(llvm::Error E);
/// Prints "llvm-lidia: warning: <message>" on standard error, or a MessageLine
/// that represents \p Count warnings.
void reportWarning(const llvm::Twine &Message, uint64_t Count = 1);

/// The failure of a command that has already been reported.
class ReportedFailure : public llvm::ErrorInfo<ReportedFailure> {
public:
  static char ID;
  void log(llvm::raw_ostream &) const override {}
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};

/// Flushes standard output and returns the exit status: 1 if the output could
/// not be written (for example, to a full disk), else \p Status.
int finishOutput(int Status);

/// The numbers of the options of all commands in Options.td.
enum OptionID : unsigned {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

/// Options.td in the form of LLVM's option library.
const llvm::opt::OptTable &optionTable();

/// The visibility that selects the options of \p C.
inline llvm::opt::Visibility visibleIn(const Command &C) {
  return llvm::opt::Visibility(llvm::opt::DefaultVis | C.Visibility);
}

/// The arguments of one command, parsed with its options from Options.td.
/// Response files (@file) are expanded, short options without values can be
/// grouped (-fpi), and after "--" everything is an operand.
class CommandLine {
public:
  CommandLine(const Command &C, Arguments Args);

  const llvm::opt::InputArgList &args() const { return Args; }
  std::vector<std::string> operands() const;

  /// The only operand, described by \p What ("archive"). Fails for any other
  /// number of operands.
  std::string operand(llvm::StringRef What);

  /// The file that --output names, or else \p Input with \p Extension. Fails
  /// for an empty name, and for an \p Input beside which no file can be
  /// written.
  std::string output(llvm::StringRef Input, llvm::StringRef Extension);

  /// The non-negative value of option \p ID, or \p Default. Fails for anything
  /// else.
  uint64_t number(unsigned ID, uint64_t Default);

  /// The same for a number of bytes, optionally with the suffix k, m or g.
  uint64_t size(unsigned ID, uint64_t Default);

  /// Records an error in the command line; reading continues.
  void fail(const llvm::Twine &Message) { Errors.push_back(Message.str()); }

  /// All errors so far. Call it before the command does anything.
  llvm::Error takeErrors();

private:
  bool splitGroup(llvm::SmallVectorImpl<const char *> &Argv);

  const Command &C;
  llvm::BumpPtrAllocator Allocator;
  llvm::StringSaver Saver{Allocator};
  std::vector<std::string> Errors;
  llvm::opt::InputArgList Args;
};

/// Reads --messages=, which determines the format of errors and warnings from
/// now on.
void readMessageForm(CommandLine &Line);

/// The zstd level that option \p ID specifies, or the default.
int readCompressionLevel(CommandLine &Line, unsigned ID);

/// Reads the options for opening the archives in which a command looks up
/// addresses.
OpenOptions readOpenOptions(CommandLine &Line);

} // namespace lidia

#endif // LLVM_LIDIA_OPTIONS_H
