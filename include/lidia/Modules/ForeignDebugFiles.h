//===- ForeignDebugFiles.h - PDB and dSYM files in folders ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MODULES_FOREIGNDEBUGFILES_H
#define LIDIA_MODULES_FOREIGNDEBUGFILES_H

#include "lidia/Modules/OpenedFile.h"
#include "lidia/Object/DebugFileSearch.h"
#include <mutex>
#include <optional>

namespace lidia {

/// Finds the debug files of PE and Mach-O files in folders, for
/// DebugFileSearch::FindForeign. The folders are listed when the first file of
/// a kind is wanted. Thread-safe.
class ForeignDebugFiles {
public:
  explicit ForeignDebugFiles(std::vector<RootFolder> Folders);

  /// The paths of files that may be \p Wanted, best first: those with its build
  /// ID, anywhere in the folders, and PDB files with its name, in the layout of
  /// symbol servers or in a folder itself, also packed. No link leads out of
  /// the folders.
  std::vector<std::string> find(const ForeignDebugFile &Wanted);

private:
  /// Paths by build ID in hexadecimal digits.
  using PathMap = llvm::StringMap<std::string>;

  void addPDBPaths(const ForeignDebugFile &Wanted,
                   std::vector<std::string> &Paths) const;
  PathMap listPDBFiles() const;
  PathMap listMachOFiles() const;

  const std::vector<RootFolder> Folders;
  std::mutex Mutex;
  std::optional<PathMap> PDBFiles;
  std::optional<PathMap> MachOFiles;
};

} // namespace lidia

#endif // LIDIA_MODULES_FOREIGNDEBUGFILES_H
