//===- OriginalSymbolizer.h - Asks llvm-symbolizer --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_ORIGINALSYMBOLIZER_H
#define LLVM_LIDIA_ORIGINALSYMBOLIZER_H

#include "Options.h"
#include "OutputStyles.h"
#include "lidia/Symbolize/Query.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace lidia {

/// LLVM's llvm-symbolizer as a co-process, for queries that an archive cannot
/// answer: data, variables, and files that are not ELF. It is started at the
/// first query and, a limited number of times, after it has ended.
class OriginalSymbolizer {
public:
  /// The program is the one that --llvm-symbolizer= names, or the first on the
  /// PATH that is not this program under another name: llvm-symbolizer-19, with
  /// the LLVM version that this program is built with, or llvm-symbolizer. Its
  /// answers are in \p Style or, for the GNU style, whose answers have no end
  /// mark, in JSON. It runs under the name \p Name (llvm-symbolizer or
  /// llvm-addr2line), which determines its defaults.
  OriginalSymbolizer(const CommandLine &Line, const OutputStyle &Style,
                     llvm::StringRef Name);
  ~OriginalSymbolizer();
  OriginalSymbolizer(const OriginalSymbolizer &) = delete;
  OriginalSymbolizer &operator=(const OriginalSymbolizer &) = delete;

  /// Whether the program was found.
  bool exists() const { return !Program.empty(); }

  /// The answer to \p Q in \p Module, a path, or in \p BuildID if that is not
  /// empty. In the LLVM style, the answer is its lines with the final empty
  /// line; otherwise it is a JSON object on one line. Fails if the program
  /// cannot be run or ends early, if its protocol cannot express the query, or
  /// if the answer has more than 64 MiB. The program prints its own errors on
  /// standard error.
  llvm::Expected<std::string> ask(const Query &Q, llvm::StringRef Module,
                                  llvm::ArrayRef<uint8_t> BuildID);

  /// Replaces this process with the program, with the arguments of the command
  /// line and the standard streams. Returns only on errors.
  llvm::Error run() const;

private:
  llvm::Error start();
  void stop();
  llvm::Error send(llvm::StringRef Text);
  llvm::Expected<std::string> receive();
  bool isComplete(llvm::StringRef Answer) const;

  std::string Program;
  const std::string Name;
  /// For the co-process.
  std::vector<std::string> Options;
  /// For run().
  std::vector<std::string> GivenArguments;
  std::vector<std::string> Operands;
  const bool AnswersInJSON;
  bool UseServers = false;
  /// A socket that is the program's standard input and output; -1 if it is not
  /// running.
  int Socket = -1;
  pid_t Process = -1;
  unsigned Starts = 0;
};

} // namespace lidia

#endif // LLVM_LIDIA_ORIGINALSYMBOLIZER_H
