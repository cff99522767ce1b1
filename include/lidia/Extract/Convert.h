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
#include "lidia/Archive/Compression.h"
#include "lidia/Extract/RangeExtractor.h"
#include "lidia/Extract/Transformer.h"
#include "lidia/Object/DebugFileSearch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm::object {
class ObjectFile;
} // namespace llvm::object

namespace lidia {

class Binary;
struct CodeHints;

/// A source of symbols: data that tells which function code belongs to.
/// Sources.def lists them in the order of trust.
enum class SourceKind : uint8_t {
#define LIDIA_SOURCE(KIND, NAME, OPTION) KIND,
#include "lidia/Extract/Sources.def"
};

/// A row of Sources.def.
struct SourceNames {
  SourceKind Kind;
  /// As shown in statistics: "DWARF", ".symtab", ...
  llvm::StringLiteral Name;
  /// As given to --source=: "dwarf", "symtab", ...
  llvm::StringLiteral Option;
};

/// All sources, in the order of trust; indexed by SourceKind.
llvm::ArrayRef<SourceNames> sourceNames();
std::vector<SourceKind> allSources();

/// Finds the return addresses after the call instructions of \p File,
/// ascending. This is findReturnPads() (lidia/Disassemble/ReturnPads.h), or a
/// function that runs it in another program, because it links 30 MB of LLVM.
/// After a DamagedError or LimitError, the archive is made without pads, with a
/// warning; any other error fails the conversion.
using ReturnPadFinder = std::function<llvm::Expected<std::vector<uint64_t>>(
    Binary &File, const CodeHints &Hints, unsigned Threads)>;

/// What a conversion has to find.
enum class Requirement : uint8_t {
  /// A name or a line of any code.
  Anything,
  /// A name of code, not counting the names of PLT stubs.
  Functions,
  /// A line of any code. Needs ConvertOptions::Lines.
  Lines,
};

struct ConvertOptions {
  ConvertOptions() { Archive.Checksums = true; }

  /// By default with checksums.
  ArchiveWriterOptions Archive;
  /// Keep source files; implied by Lines.
  bool Files = true;
  /// Keep lines of code and of call sites.
  bool Lines = true;
  /// Keep the source code of files if the debug information has it (clang's
  /// -gembed-source). Needs the extension.
  bool EmbeddedSources = false;
  /// Give the archive of an ELF file without a build ID the file's htlhash as
  /// such, so that a store can have it.
  bool FileHashAsID = false;
  /// The scheme of the binary's identity (docs/Format.md, "IDEN"). Change this
  /// only to compare the result with an archive that has another scheme.
  uint32_t IdentityScheme = format::IdentityScheme;
  /// Keep unwind information. Needs the
  /// extension.
  bool UnwindRows = true;
  /// Keep parameters, local variables and their types
  /// (lidia/Archive/Variables.h). Needs the extension.
  bool Variables = false;
  /// Which sources to read. Where two name the same code, the first wins.
  std::vector<SourceKind> Sources = allSources();
  /// Additional sources, which the caller provides and which must outlive the
  /// conversion. They rank before Sources, in this order. Caches do not accept
  /// them.
  std::vector<RangeExtractor *> Extractors;
  /// Extractors rank after Sources.
  bool ExtractorsLast = false;
  /// The architecture to read from a universal Mach-O file ("arm64"). May be
  /// empty if the file has only one.
  std::string Architecture;
  /// Read debug information and symbols from this file instead of the binary.
  /// Its build ID must be the binary's. Empty: from the binary or, if it has no
  /// DWARF and FindDebugFile is set, from the debug file that Search finds.
  std::string DebugFile;
  bool FindDebugFile = true;
  DebugFileSearch Search;
  /// Folders of .dwo files, in addition to those that skeleton units name.
  std::vector<std::string> SplitDirectories;
  /// The package of the split units (empty: the binary's name with ".dwp", if
  /// it exists).
  std::string SplitPackage;
  /// If set, find return pads in the binary with this function and keep them.
  /// Needs the extension.
  ReturnPadFinder FindReturnPads;
  /// If set, changes functions, files and calls before they are written.
  std::shared_ptr<const Transformer> Transform;
  /// Mark the archive as one that was to have names only (MissCode::NamesOnly).
  bool NamesOnly = false;
  /// What the conversion must find. Otherwise it fails and writes nothing.
  Requirement Require = Requirement::Anything;
  /// Warn if Lines are wanted and there are none, with advice.
  bool WarnWithoutLines = false;
  /// Whether messages may advise --debug-file=. It names the debug file of one
  /// binary, so programs for the modules of a process or a log do not have it.
  bool HasDebugFileOption = true;
  /// Threads that read compile units; 0: as many as the machine has.
  unsigned Threads = 0;
  /// If set, an archive that is written to a file named by the caller is
  /// compressed (lidia/Archive/Compression.h).
  std::optional<CompressionOptions> Compress;
  /// How the output file is written.
  OutputFileOptions Output;
};

/// Sets \p O to keep everything that a lookup can use: files, lines, columns,
/// embedded source code, and checksums. All archives in caches and stores are
/// made with these options, so that each program can use the archives that
/// others have made.
void keepAllForLookup(ConvertOptions &O);

/// Where unwind rows came from, and what was left out.
struct UnwindStatistics {
  /// Functions that have rows, by section: ".eh_frame".
  std::vector<std::pair<std::string, uint64_t>> Functions;
  uint64_t Rows = 0;
  uint64_t Rules = 0;
  /// Functions whose call frame information is malformed, wholly or from an
  /// instruction on.
  uint64_t Broken = 0;
  /// Functions outside the binary's code, which the linker discarded.
  uint64_t Outside = 0;
  /// Functions that begin where another one does.
  uint64_t Repeated = 0;
};

/// Figures of a conversion, for `--statistics`.
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
    /// The file that the source was read from, and the file's size in bytes.
    std::string File;
    uint64_t FileSize = 0;
    /// Ranges of depth 0 and of inlined calls that the source gave, before the
    /// merge.
    uint64_t Functions = 0;
    uint64_t InlinedCalls = 0;
    /// Bytes of code that the source named, after the merge.
    uint64_t BytesNamed = 0;
  };
  /// Wall time of one phase in seconds; phases are in the order in which they
  /// ran.
  struct Phase {
    std::string Name;
    double Seconds = 0;
  };
  std::vector<File> Files;
  std::vector<Source> Sources;
  /// Other files that were read for the sources.
  std::vector<std::string> OtherFiles;
  std::vector<Phase> Phases;
  UnwindStatistics Unwind;
  uint64_t CompileUnits = 0;
  /// Compile units that are malformed: left out, or read up to a broken DIE.
  uint64_t BrokenCompileUnits = 0;
  uint64_t Warnings = 0;
  /// The work spent on reading the compile units, and the size of the debug
  /// information, from which its limit is computed.
  uint64_t Work = 0;
  uint64_t WorkBase = 0;
  /// See MergeResult.
  uint64_t RangesRepeated = 0;
  ArchiveSizes Sizes;
};

/// Receives the reports of a conversion. Calls come from one thread at a time.
class ConvertObserver {
public:
  virtual ~ConvertObserver() = default;
  /// A part of the input is malformed and was left out. \p Message names the
  /// file.
  virtual void warning(const llvm::Twine &Message) = 0;
  /// \p Done of \p Total units of work of \p Phase are finished.
  virtual void progress(llvm::StringRef Phase, uint64_t Done,
                        uint64_t Total) = 0;
  /// Returns true to cancel the conversion, which then fails with
  /// std::errc::operation_canceled and writes nothing. Called by several
  /// threads after each compile unit, and after each phase.
  virtual bool isCancelled() { return false; }
};

/// Writes the archive of \p Binary, an ELF, PE or Mach-O file or another tool's
/// symbol file, to \p Output (see ArchiveWriter::writeFile). The same input
/// gives the same bytes, whatever the number of threads.
///
/// Fails if \p Binary is not such a file, if nothing in it names any code (with
/// std::errc::no_message_available), if it lacks what the options require, if
/// the debug file belongs to another binary, or if the output cannot be
/// written; malformed parts of the debug information are left out with a
/// warning.
llvm::Expected<ConvertStatistics> convert(llvm::StringRef Binary,
                                          llvm::StringRef Output,
                                          const ConvertOptions &Options,
                                          ConvertObserver &Observer);

/// Converts a binary in memory, which must stay there during the call. The
/// buffer's identifier is used as its path in messages and in the search for
/// files beside the binary.
llvm::Expected<ConvertStatistics> convert(llvm::MemoryBufferRef Binary,
                                          llvm::StringRef Output,
                                          const ConvertOptions &Options,
                                          ConvertObserver &Observer);

/// Converts a binary that LLVM has opened. No relocations are applied to
/// relocatable objects.
llvm::Expected<ConvertStatistics> convert(const llvm::object::ObjectFile &File,
                                          llvm::StringRef Output,
                                          const ConvertOptions &Options,
                                          ConvertObserver &Observer);

/// What is known about a binary that is not available.
struct ModuleInfo {
  /// For messages.
  std::string Name;
  /// Empty if it is not known.
  std::vector<uint8_t> BuildID;
  /// Unknown fields are zero.
  ELFIdentity Identity;
};

/// Writes an archive of the functions of \p Extractor to \p Output, without a
/// binary. Options.Sources is ignored; Options.Extractors rank after
/// \p Extractor.
llvm::Expected<ConvertStatistics> convert(RangeExtractor &Extractor,
                                          const ModuleInfo &Module,
                                          llvm::StringRef Output,
                                          const ConvertOptions &Options,
                                          ConvertObserver &Observer);

} // namespace lidia

#endif // LIDIA_EXTRACT_CONVERT_H
