//===- ModuleFinder.h - Finds the files of modules --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_MODULEFINDER_H
#define LIDIA_PROCESS_MODULEFINDER_H

#include "lidia/Process/OpenedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// Where the modules may be that a log or a profile names. Nothing else is
/// opened.
struct ModuleFinderOptions {
  /// Files that the user named. Each stands for the modules that have its base
  /// name or its build ID, wherever they were.
  std::vector<std::string> Files;
  /// Folders to search: for the module's path, as if the folder were "/", for
  /// its build ID as in /usr/lib/debug, and then everywhere in the folder, for
  /// its base name and, if it has a build ID, for that. Symbolic links to
  /// folders are not followed.
  std::vector<RootFolder> Folders;
  /// Where a module's path is opened; none: nowhere. A base name that only a
  /// library has is also looked for in the usual folders of libraries.
  std::optional<RootFolder> Root;
  /// What a relative path is relative to, an absolute path in Root. Empty: a
  /// relative path names nothing.
  std::string WorkingFolder;
};

/// Opens the files of modules by the names that others wrote. Not thread-safe.
///
/// Only regular files in the places of the options are opened, as RootFolder
/// describes. If a module's build ID is known, only a file that has it counts.
class ModuleFinder {
public:
  explicit ModuleFinder(ModuleFinderOptions Options);

  /// The file of the module \p Path, a path or base name, which may be empty if
  /// \p BuildID is not. Fails if there is none; the error names the module, and
  /// says what is wrong with the first file that has its name.
  llvm::Expected<std::unique_ptr<OpenedFile>>
  open(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID);

  /// Whether a file with the base name of \p Name was given, or is in a folder
  /// to search.
  bool isNamed(llvm::StringRef Name);

private:
  struct Folder {
    RootFolder Root;
    bool IsListed = false;
    bool BuildIDsRead = false;
    /// Paths in the folder by base name, sorted.
    llvm::StringMap<std::vector<std::string>> ByName;
    /// By build ID, in hexadecimal digits.
    llvm::StringMap<std::string> ByBuildID;
  };
  class Search;

  void list(Folder &F);
  void readBuildIDs(Folder &F);
  void searchFolder(Search &S, Folder &F);
  void searchRoot(Search &S);

  ModuleFinderOptions Options;
  std::vector<Folder> Folders;
};

} // namespace lidia

#endif // LIDIA_PROCESS_MODULEFINDER_H
