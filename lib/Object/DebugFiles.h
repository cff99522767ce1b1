//===- DebugFiles.h - Finds separate debug files ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_DEBUGFILES_H
#define LIDIA_LIB_OBJECT_DEBUGFILES_H

#include "Binary.h"
#include "lidia/Object/DebugFileSearch.h"

namespace lidia {

/// A debug file, or null, and how it was found.
struct DebugFile {
  std::unique_ptr<Binary> File;
  llvm::StringRef FoundBy;
};

/// The folders with debug files, including the default.
std::vector<std::string> debugDirectories(const DebugFileSearch &Search);

/// The path in Search.Known of the file with \p BuildID; empty if there is
/// none.
std::string knownFile(llvm::ArrayRef<uint8_t> BuildID,
                      const DebugFileSearch &Search);

/// The possible path of \p BuildID in each of \p Directories
/// (".build-id/ab/cdef.debug"), whether or not the file exists; empty if the
/// build ID is shorter than two bytes.
std::vector<std::string> filesOfBuildID(llvm::ArrayRef<uint8_t> BuildID,
                                        llvm::ArrayRef<std::string> Directories,
                                        llvm::StringRef Extension = ".debug");

/// Whether \p File has .debug_info with contents.
bool hasDWARF(const Binary &File);

/// Empty if \p Debug can be the debug file of \p Main, otherwise the reason why
/// not: a different machine or build ID.
std::string whyNotDebugFileOf(const Binary &Debug, const Binary &Main);

/// All paths at which findDebugFile looks for the debug file of \p Main, best
/// first, whether or not files exist there. Files on servers are not included.
std::vector<std::string> debugFileCandidates(Binary &Main,
                                             const DebugFileSearch &Search);

/// Finds the debug file of \p Main: in the dSYM bundle beside a Mach-O file, by
/// the build ID in the directories, by the debug link (beside \p Main, in
/// ".debug" beside it, and by its path in the directories), whose CRC must
/// match, by the path of a kernel module in the directories, where the caller
/// finds that of a PE or Mach-O file, by the path of a PE file's PDB file, by
/// the name in a WebAssembly module, and from servers.
///
/// Reports a candidate that is malformed or belongs to another binary to
/// \p Warn, and tries the next one. Skips a missing one silently.
DebugFile findDebugFile(Binary &Main, const DebugFileSearch &Search,
                        llvm::function_ref<void(const llvm::Twine &)> Warn);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_DEBUGFILES_H
