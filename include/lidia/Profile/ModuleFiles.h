//===- ModuleFiles.h - Where the files of a profile are ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_MODULEFILES_H
#define LIDIA_PROFILE_MODULEFILES_H

#include "lidia/Process/AddressSpace.h"
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// Finds the files of a profile's mappings. A profile may come from anywhere,
/// so its paths are only opened in the folders that the user named.
class ModuleFiles {
public:
  /// Adds a binary that the user named. It belongs to the mappings with its
  /// build ID, or of those without any to the ones with its htlhash; of those
  /// without either, to the ones whose file has its base name,
  /// and to the first mapping of a profile (which is that of the program) if it
  /// is the only binary.
  llvm::Error addBinary(llvm::StringRef Path);

  /// Adds a folder in which a file may be FILE/PATH, as in a copy of a system,
  /// BUILDID/NAME or NAME.
  void addFolder(RootFolder Folder) { Folders.push_back(std::move(Folder)); }

  /// Sets the folder that stands for "/" in the profile's paths.
  void setRoot(RootFolder Folder) { Root.emplace(std::move(Folder)); }

  /// A mapping's file, as far as the profile tells.
  struct Wanted {
    llvm::StringRef Path;
    /// Either is empty if it is not known. The hash counts only without a build
    /// ID: a program with its symbols has another one than the stripped one.
    llvm::ArrayRef<uint8_t> BuildID;
    llvm::ArrayRef<uint8_t> FileHash;
    /// Whether the mapping is the first of its profile.
    bool IsFirst = false;
  };

  LoadedModule open(const Wanted &W) const;

  /// Whether the user allowed no paths of the profile, in no folder.
  bool isClosed() const { return Folders.empty() && !Root; }

private:
  struct Binary {
    std::string Path;
    std::vector<uint8_t> BuildID;
    std::vector<uint8_t> FileHash;
  };

  const Binary *findBinary(const Wanted &W) const;
  bool openInFolders(const Wanted &W, LoadedModule &Result) const;

  std::vector<Binary> Binaries;
  std::vector<RootFolder> Folders;
  std::optional<RootFolder> Root;
};

} // namespace lidia

#endif // LIDIA_PROFILE_MODULEFILES_H
