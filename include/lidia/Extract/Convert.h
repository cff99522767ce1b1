//===- Convert.h - From a binary to an archive ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_CONVERT_H
#define LIDIA_EXTRACT_CONVERT_H

#include "lidia/Archive/ArchiveWriter.h"
#include "lidia/Object/DebugFileSearch.h"
#include "llvm/ADT/Twine.h"
#include <functional>
#include <string>
#include <vector>

namespace lidia {

class Binary;
struct CodeHints;

/// A source of symbols: something that tells which function code belongs to.
/// Sources.def lists them in the order of trust.
enum class SourceKind : uint8_t {
#define LIDIA_SOURCE(KIND, NAME, OPTION) KIND,
#include "lidia/Extract/Sources.def"
};

/// A row of Sources.def.
struct SourceNames {
  SourceKind Kind;
  /// As statistics show it: "DWARF", ".symtab", ...
  llvm::StringLiteral Name;
  /// As the option --source= takes it: "dwarf", "symtab", ...
  llvm::StringLiteral Option;
};

/// All sources, in the order of trust; indexed by SourceKind.
llvm::ArrayRef<SourceNames> sourceNames();
std::vector<SourceKind> allSources();

/// Finds the addresses behind the call instructions of \p File, ascending:
/// findReturnPads (lidia/Disassemble/ReturnPads.h), or what asks another
/// program to, since that one brings 30 MB of LLVM along. An error without a
/// code of std::errc costs the pads and is a warning; any other costs the
/// archive.
using ReturnPadFinder = std::function<llvm::Expected<std::vector<uint64_t>>(
    Binary &File, const CodeHints &Hints, unsigned Threads)>;

struct ConvertOptions {
  ArchiveWriterOptions Archive;
  /// Keep source files; implied by Lines.
  bool Files = false;
  /// Keep lines of code and of call sites.
  bool Lines = false;
  /// Which sources to read. Where two name the same code, the first is meant.
  std::vector<SourceKind> Sources = allSources();
  /// Read debug information and symbols from this file instead of the binary.
  /// Its build ID must be the binary's. Empty: from the binary or, if it has no
  /// DWARF and FindDebugFile is set, from the debug file that Search leads to.
  std::string DebugFile;
  bool FindDebugFile = true;
  DebugFileSearch Search;
  /// Folders of .dwo files, beside those that skeleton units name.
  std::vector<std::string> SplitDirectories;
  /// The package of the split units (empty: the binary's name with ".dwp", if
  /// it is there).
  std::string SplitPackage;
  /// Keep return pads, which this finds in the binary. Needs the extension.
  ReturnPadFinder FindReturnPads;
  /// Threads that read compile units; 0: as many as the machine has.
  unsigned Threads = 0;
  /// How a file is written.
  OutputFileOptions Output;
};

/// A conversion in figures, for `--statistics`.
struct ConvertStatistics {
  /// A file that was read.
  struct File {
    std::string Path;
    /// How it was found: "named", "build ID", "debug link", ...
    std::string FoundBy;
  };
  /// The yield of one source of symbols.
  struct Source {
    /// "DWARF", "Go", ".symtab", ...
    std::string Name;
    /// The file it was read from, and its size in bytes.
    std::string File;
    uint64_t FileSize = 0;
    /// Ranges of depth 0 and of inlined calls that it gave, before the merge.
    uint64_t Functions = 0;
    uint64_t InlinedCalls = 0;
    /// Bytes of code that got their name from it, after the merge.
    uint64_t BytesNamed = 0;
  };
  /// Seconds of wall time that one phase took, in the order they ran.
  struct Phase {
    std::string Name;
    double Seconds = 0;
  };
  std::vector<File> Files;
  std::vector<Source> Sources;
  /// Files beside those of the sources that were read for them.
  std::vector<std::string> OtherFiles;
  std::vector<Phase> Phases;
  uint64_t CompileUnits = 0;
  /// Compile units that were left out because they are broken.
  uint64_t BrokenCompileUnits = 0;
  uint64_t Warnings = 0;
  /// The charge for reading the compile units, and the bytes of debug
  /// information that bound it.
  uint64_t Work = 0;
  uint64_t WorkBase = 0;
  /// See MergeResult.
  uint64_t RangesRepeated = 0;
  ArchiveSizes Sizes;
};

/// Where a conversion reports to. Calls come from one thread at a time.
class ConvertObserver {
public:
  virtual ~ConvertObserver() = default;
  /// A part of the input is broken and was left out. \p Message names the file.
  virtual void warning(const llvm::Twine &Message) = 0;
  /// \p Done of \p Total units of work of \p Phase are finished.
  virtual void progress(llvm::StringRef Phase, uint64_t Done,
                        uint64_t Total) = 0;
};

/// Writes the archive of the ELF file \p Binary to \p Output (see
/// ArchiveWriter::writeFile). The same input gives the same bytes, whatever the
/// number of threads.
///
/// Fails when \p Binary is not an ELF file, when nothing in it names any code,
/// when the debug file belongs to another binary, or when the output cannot be
/// written; broken parts of the debug information cost that part and a warning.
llvm::Expected<ConvertStatistics> convert(llvm::StringRef Binary,
                                          llvm::StringRef Output,
                                          const ConvertOptions &Options,
                                          ConvertObserver &Observer);

} // namespace lidia

#endif // LIDIA_EXTRACT_CONVERT_H
