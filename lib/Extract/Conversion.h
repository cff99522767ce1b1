//===- Conversion.h - The state of one conversion ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_CONVERSION_H
#define LIDIA_LIB_EXTRACT_CONVERSION_H

#include "InputFiles.h"
#include "Range.h"
#include "lidia/Extract/Convert.h"
#include <chrono>
#include <optional>
#include <string>

namespace lidia {

/// The state that the steps of one conversion share: its files, what its
/// sources have given, and what is reported.
class Conversion {
public:
  Conversion(const ConvertOptions &Options, ConvertObserver &Observer)
      : Options(Options), Observer(Observer) {}

  /// Opens all files and reads all sources.
  llvm::Error read(std::unique_ptr<Binary> Main);

  /// Takes the ranges of a source. They rank behind those of earlier calls.
  void addSource(SourceKind Kind, const Binary &File, SourceRanges Ranges);

  void warn(const llvm::Twine &Message);
  /// Reports \p E. A broken section costs itself and a warning. An error with a
  /// code of std::errc, such as a full disk, costs the archive: it would lack
  /// what the same input gives on another machine.
  void reportBroken(llvm::Error E);
  /// The error of the second kind that reportBroken was given, if any.
  llvm::Error takeFatalError();

  /// Notes the time since the last call as that of phase \p Name.
  void endPhase(llvm::StringRef Name);

  unsigned threads() const;
  bool wantLines() const { return Options.Lines || Options.Archive.Columns; }
  bool wantFiles() const { return Options.Files || wantLines(); }

  const ConvertOptions &Options;
  ConvertObserver &Observer;
  InputFiles Files;
  StringPool Strings;
  ConvertStatistics Statistics;
  /// In the order of trust, as Statistics.Sources.
  std::vector<SourceRanges> Sources;

private:
  void limitNames();

  using Clock = std::chrono::steady_clock;

  struct FatalError {
    std::error_code Code;
    std::string Message;
  };

  Clock::time_point PhaseStart = Clock::now();
  std::optional<FatalError> Fatal;
};

/// Reads one source and gives it to \p C. Broken parts cost a warning; an error
/// costs the archive. Names stay in the files, which \p C keeps open.
#define LIDIA_SOURCE(KIND, NAME, OPTION)                                       \
  llvm::Error read##KIND##Source(Conversion &C);
#include "lidia/Extract/Sources.def"

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_CONVERSION_H
