//===- Options.h - Reading command lines, reporting errors ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_OPTIONS_H
#define LLVM_LIDIA_OPTIONS_H

#include "Commands.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"
#include <optional>

namespace lidia {

/// Prints "llvm-lidia: error: <message>" on standard error.
void reportError(const llvm::Twine &Message);
/// The same for each error in \p E.
void reportError(llvm::Error E);
/// Prints "llvm-lidia: warning: <message>" on standard error.
void reportWarning(const llvm::Twine &Message);

/// Flushes standard output and says what status the process is to end with: 1
/// if the output could not be written (a full disk, for one), else \p Status.
int finishOutput(int Status);

/// What the options mean that every command has, and how its help begins.
struct CommandInfo {
  /// "lookup"; empty for the command that needs no name.
  const char *Name;
  /// "[options] <archive> [address...]"
  const char *Usage;
  /// A sentence or more under the usage line.
  const char *Overview;
  /// Printed under the table of options.
  const char *Footer;
  unsigned InputID;
  unsigned UnknownID;
  unsigned HelpID;
  unsigned VersionID;
};

/// A command line, read with a table that TableGen made of a *Opts.td file.
/// Response files (@file) are expanded; after "--" everything is an operand.
class CommandLine {
public:
  CommandLine(llvm::opt::OptTable &Table, const CommandInfo &Info,
              Arguments Args);

  /// The status to end with at once: after --help and --version, and when the
  /// command line is wrong, which was reported.
  std::optional<int> exitStatus() const { return ExitStatus; }

  llvm::opt::InputArgList &args() { return Args; }
  std::vector<std::string> operands() const;

  /// The non-negative number that \p ID was given, or \p Default. Anything else
  /// is reported and becomes the exit status.
  uint64_t number(unsigned ID, uint64_t Default);

  /// Reports \p Message about the command line.
  void fail(const llvm::Twine &Message);

private:
  void printHelp(llvm::opt::OptTable &Table) const;

  const CommandInfo &Info;
  llvm::BumpPtrAllocator Allocator;
  llvm::StringSaver Saver{Allocator};
  std::optional<int> ExitStatus;
  llvm::opt::InputArgList Args;
};

} // namespace lidia

#endif // LLVM_LIDIA_OPTIONS_H
