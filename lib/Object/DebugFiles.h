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

/// The folders of debug files, with the default filled in.
std::vector<std::string> debugDirectories(const DebugFileSearch &Search);

/// The path in Search.Known of the file with \p BuildID; empty if there is
/// none.
std::string knownFile(llvm::ArrayRef<uint8_t> BuildID,
                      const DebugFileSearch &Search);

/// Where the file of a kind for \p BuildID is in each of \p Directories
/// (".build-id/ab/cdef.debug"), whether or not it exists; none if the build ID
/// is shorter than two bytes.
std::vector<std::string> filesOfBuildID(llvm::ArrayRef<uint8_t> BuildID,
                                        llvm::ArrayRef<std::string> Directories,
                                        llvm::StringRef Extension = ".debug");

/// Whether \p File has .debug_info with contents.
bool hasDWARF(const Binary &File);

/// Empty if \p Debug can be the debug file of \p Main, otherwise the reason why
/// not: another machine or another build ID.
std::string whyNotDebugFileOf(const Binary &Debug, const Binary &Main);

/// All paths where findDebugFile looks for the debug file of \p Main, best
/// first, whether or not files exist there. Files on servers are not included.
std::vector<std::string> debugFileCandidates(Binary &Main,
                                             const DebugFileSearch &Search);

/// Finds the debug file of \p Main: of a Mach-O file, in the dSYM bundle beside
/// it, then by its build ID in the directories, then by its debug link (beside
/// it, in ".debug" beside it, and by its path in the directories), whose CRC
/// must agree, that of a kernel module by the module's path in the directories,
/// then from servers.
///
/// A candidate that is malformed or belongs to another binary is reported to
/// \p Warn, and the next one is tried; a missing one is skipped silently.
DebugFile findDebugFile(Binary &Main, const DebugFileSearch &Search,
                        llvm::function_ref<void(const llvm::Twine &)> Warn);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_DEBUGFILES_H
