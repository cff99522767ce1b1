//===- SymbolFiles.h - Archives as other tools' files -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXPORT_SYMBOLFILES_H
#define LIDIA_EXPORT_SYMBOLFILES_H

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace lidia {

/// Facts about the binary that other formats record and archives do not.
struct ExportedModule {
  /// The binary's file name, without folders.
  std::string Name;
  /// The preferred load address of the binary: that of its first PT_LOAD
  /// segment. Breakpad and SymCache count addresses from there.
  uint64_t ImageBase = 0;
  /// What stands for the build ID of an ELF file without one; may be empty.
  std::vector<uint8_t> CodeIdentity;

  /// Reads these facts from the binary at \p Path. Its build ID must be
  /// \p BuildID, the archive's (empty for none). Errors name the file.
  static llvm::Expected<ExportedModule> read(llvm::StringRef Path,
                                             llvm::ArrayRef<uint8_t> BuildID);
};

/// Receives a sentence for each kind of thing that the archive has and the
/// format cannot hold, with their number but without the archive's name.
using LossReport = llvm::function_ref<void(const llvm::Twine &)>;

/// Each exporter writes \p A to \p OS. The same archive gives the same bytes.
/// Columns and what only debuggers need are left out without a report, because
/// none of the formats can hold them.
///
/// Fails if \p A is damaged or exceeds ExportLimits; the error names the
/// archive.
using Exporter = llvm::Error(const Archive &A, const ExportedModule &Module,
                             llvm::raw_ostream &OS, LossReport Report);

/// A Breakpad symbol file, with INLINE and INLINE_ORIGIN records. Names are
/// linkage names.
/// https://chromium.googlesource.com/breakpad/breakpad/+/master/docs/symbol_files.md
Exporter exportBreakpad;

/// A GSYM file of version 1, written by LLVM's GsymCreator.
Exporter exportGSYM;

/// A symbfile of symblib (OpenTelemetry's eBPF profiler) with the functions.
/// Names are demangled.
Exporter exportSymbfile;

/// A symbfile with the frames of each return pad. Fails if the archive was made
/// without return pads.
Exporter exportReturnPads;

/// A SymCache of version 8, which the crate symbolic-symcache 12 writes and
/// later ones read, too.
Exporter exportSymCache;

} // namespace lidia

#endif // LIDIA_EXPORT_SYMBOLFILES_H
