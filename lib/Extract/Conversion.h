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
#include "Merge.h"
#include "Range.h"
#include "lidia/Error.h"
#include "lidia/Extract/Convert.h"
#include <chrono>
#include <optional>
#include <string>

namespace lidia {

/// The state that the steps of one conversion share: its files, the ranges of
/// its sources, and its reports.
class Conversion {
public:
  Conversion(const ConvertOptions &Options, ConvertObserver &Observer)
      : Options(Options), Observer(Observer) {}

  /// Opens all files and reads all sources.
  llvm::Error read(std::unique_ptr<Binary> Main);
  /// Reads all sources of the files, which are open.
  llvm::Error readSources();

  /// Adds the ranges of a source. They rank after those of earlier calls.
  void addSource(SourceKind Kind, const Binary &File, SourceRanges Ranges);
  void addSource(llvm::StringRef Name, llvm::StringRef Path, uint64_t FileSize,
                 SourceRanges Ranges);
  /// Adds the functions of \p Extractor, with \p Bias added to each address.
  /// \p Path is the file that it reads, or empty.
  llvm::Error addExtractor(RangeExtractor &Extractor, llvm::StringRef Path,
                           uint64_t Bias = 0);

  /// Fails if the observer cancels the conversion.
  llvm::Error checkCancelled();

  void warn(const llvm::Twine &Message);
  /// Reports \p E. A broken section is left out with a warning. An error with a
  /// code of std::errc, such as a full disk, is fatal: otherwise the archive
  /// would lack parts that it has on another machine.
  void reportBroken(llvm::Error E);
  /// The fatal error passed to reportBroken, if any.
  llvm::Error takeFatalError();

  /// Records the time since the last call as that of phase \p Name.
  void endPhase(llvm::StringRef Name);

  /// Checks whether \p Merged has lines and what the options require. Fails if
  /// a requirement is not met; otherwise warns.
  llvm::Error checkYield(const MergeResult &Merged);
  /// Where the debug information of the binary is, for a message; empty if it
  /// does not say.
  std::string whereDebugInformationIs() const;

  /// Adds \p Bytes to the size of the files that maxNameBytes() counts.
  void countInput(uint64_t Bytes) { BytesOfOthers += Bytes; }

  /// The maximum number of bytes of all names and paths.
  uint64_t maxNameBytes() const;

  unsigned threads() const;
  bool wantLines() const { return Options.Lines || Options.Archive.Columns; }
  bool wantAliases() const {
    return Options.Archive.Extension && Options.Archive.Statements;
  }
  bool wantFiles() const { return Options.Files || wantLines(); }

  const ConvertOptions &Options;
  ConvertObserver &Observer;
  InputFiles Files;
  StringPool Strings;
  ConvertStatistics Statistics;
  /// In the order of trust, like Statistics.Sources.
  std::vector<SourceRanges> Sources;
  /// The addresses and names of all symbols that name code. Names point into
  /// the files.
  std::vector<std::pair<uint64_t, llvm::StringRef>> SymbolNames;
  /// The return pads of a symbfile that is given in place of the binary, if the
  /// options want return pads: ascending, each once.
  std::vector<uint64_t> ReturnPads;
  /// IO_Damaged and IO_Limited, if parts of the input were left out.
  uint16_t LeftOut = 0;

private:
  llvm::Error readExtractors();
  void limitNames();

  using Clock = std::chrono::steady_clock;

  Clock::time_point PhaseStart = Clock::now();
  /// The input size of the caller's extractors, and of the objects of a debug
  /// map.
  uint64_t BytesOfOthers = 0;
  RememberedError Fatal;
};

/// Reads one source and adds it to \p C. Broken parts are left out with a
/// warning; a returned error is fatal. Names point into the files, which \p C
/// keeps open.
#define LIDIA_SOURCE(KIND, NAME, OPTION)                                       \
  llvm::Error read##KIND##Source(Conversion &C);
#include "lidia/Extract/Sources.def"

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_CONVERSION_H
