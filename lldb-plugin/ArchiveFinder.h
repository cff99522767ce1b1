//===- ArchiveFinder.h - Finds the archive of a module ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_ARCHIVEFINDER_H
#define LIDIA_LLDBPLUGIN_ARCHIVEFINDER_H

#include "lidia/Archive/Archive.h"
#include "lidia/Cache/CachedFiles.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// A module that needs an archive.
struct WantedModule {
  /// The absolute path of its file, which may not exist on this machine.
  std::string Path;
  /// Not empty.
  std::vector<uint8_t> BuildID;
};

/// An archive found for a module.
struct FoundArchive {
  /// The file that was found, perhaps compressed (.zst).
  std::string File;
  /// The archive: File itself, or the file to which it was unpacked.
  std::string Path;
  /// "found beside it", "found by its build ID below /usr/lib/debug" or "found
  /// in the cache".
  std::string How;
  Archive Opened;
};

/// Looks for the archive of \p Module: next to its file (a.out.lidia), by build
/// ID below \p Folders (.build-id/ab/cdef.lidia), then in \p C; in each
/// location first a plain archive, then a compressed one (.zst). Needs a few
/// failed system calls if there is none.
///
/// An archive must have the module's build ID. If the code's identity is known,
/// the archive must be made from the same code (lidia/Object/BinaryIdentity.h).
/// Its contents must be intact; the cache's entries are trusted. Calls \p Warn
/// for each file that cannot be used, and continues the search.
std::optional<FoundArchive>
findArchive(Cache &C, const WantedModule &Module,
            llvm::ArrayRef<std::string> Folders,
            llvm::function_ref<void(const llvm::Twine &Message)> Warn);

/// The build ID of the ELF file \p Path. Empty if it has none, if it has debug
/// information, or if it is not an ELF file.
std::vector<uint8_t> buildIDWithoutDWARF(llvm::StringRef Path);

/// The debug file that LLDB finds for the ELF file \p Path: by its build ID
/// below \p Folders, or by its debug link there or beside the file. Empty if
/// there is none.
std::string debugFileInLLDB(llvm::StringRef Path,
                            llvm::ArrayRef<std::string> Folders);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_ARCHIVEFINDER_H
