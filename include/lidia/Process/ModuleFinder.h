//===- ModuleFinder.h - Finds the files of modules --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_MODULEFINDER_H
#define LIDIA_PROCESS_MODULEFINDER_H

#include "lidia/Process/AddressSpace.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// Where the modules may be that a log or a profile names. Nothing else is
/// opened.
struct ModuleFinderOptions {
  /// Files that the user named. Each stands for the modules that have its build
  /// ID or its htlhash, wherever they were; and for those that have its base
  /// name, with or without ".debug" after it, if no build ID or hash says
  /// otherwise.
  std::vector<std::string> Files;
  /// Whether a file of Files without a build ID stands for modules of its name
  /// that have one, as with pprof: profilers also write other things than
  /// GNU's build IDs.
  bool TrustNames = false;
  /// Folders to search: for the module's path, as if the folder were "/", for
  /// BUILDID/NAME, for its build ID as in /usr/lib/debug, for its base name,
  /// and then everywhere in the folder, for its base name and, if it has a
  /// build ID, for that. Symbolic links to folders are not followed.
  std::vector<RootFolder> Folders;
  /// Folders to search for the kernel's modules, too, as /lib/modules/6.1.0.
  std::vector<RootFolder> KernelFolders;
  /// Where a module's path is opened; none: nowhere. A base name that only a
  /// library has is also looked for in the usual folders of libraries.
  std::optional<RootFolder> Root;
  /// What a relative path is relative to, an absolute path in Root. Empty: a
  /// relative path names nothing.
  std::string WorkingFolder;
};

/// A module, as far as a log or a profile tells.
struct WantedModule {
  /// A path or a base name, which may be followed by " (deleted)"; or empty.
  llvm::StringRef Path;
  /// Empty if it is not known.
  llvm::ArrayRef<uint8_t> BuildID;
  /// The "htlhash" of OpenTelemetry's profiles; empty if it is not known. It
  /// counts only without a build ID, as a stripped program has another one than
  /// the program with its symbols.
  llvm::ArrayRef<uint8_t> FileHash = {};
  /// Whether it is the program, which the only file of Files stands for
  /// whatever its name.
  bool IsProgram = false;
  /// Whether Path is the name of a module of the kernel. Its file is NAME.ko,
  /// or NAME.ko.xz, NAME.ko.zst or NAME.ko.debug, in Files or anywhere in
  /// Folders;
  /// '-' in names of files is '_' in those of modules.
  bool IsKernelModule = false;
};

/// Opens the files of modules by the names that others wrote. Not thread-safe.
///
/// Only regular files in the places of the options are opened, as RootFolder
/// describes. If a module's build ID is known, or else its hash, only a file
/// that has it counts. "[vdso]" is that of this process, if paths are those of
/// this system.
class ModuleFinder {
public:
  explicit ModuleFinder(ModuleFinderOptions Options);

  /// For the modules of a profile: any of \p Files, which are trusted by name,
  /// or a file in \p Folders or below \p Root, if that is not empty. Fails if
  /// one of them cannot be opened.
  static llvm::Expected<ModuleFinder>
  forProfile(std::vector<std::string> Files,
             llvm::ArrayRef<std::string> Folders, llvm::StringRef Root);

  /// The file of \p W; or no file and the reason, which names the module and
  /// says what is wrong with the first file that has its name. A file that is
  /// not ELF but may be an archive, or packed, has no headers. Of several files
  /// of a module of the kernel, the largest is taken if they have one build ID,
  /// otherwise none.
  LoadedModule open(const WantedModule &W);

  /// Whether a file with the base name of \p Name was given, or is in a folder
  /// to search.
  bool isNamed(llvm::StringRef Name);

  /// Whether no folder is given, so that only the files of Files are opened.
  bool isClosed() const { return Folders.empty() && !Options.Root; }

  /// Whether paths are those of this system.
  bool isOfThisSystem() const {
    return Options.Root && Options.Root->path() == "/";
  }

  /// Whether there is any place for modules of the kernel.
  bool hasKernelModules() const {
    return !Files.empty() || !Folders.empty() || !KernelFolders.empty();
  }

  /// Fails if one of Files cannot be read or is not an ELF file.
  llvm::Error checkFiles() const;

private:
  /// One of Files.
  struct NamedFile {
    std::string Path;
    std::vector<uint8_t> BuildID;
    std::vector<uint8_t> FileHash;
    /// Why it is no ELF file.
    std::string Failure;
  };
  struct Folder {
    explicit Folder(RootFolder Root) : Root(std::move(Root)) {}

    RootFolder Root;
    bool IsListed = false;
    bool BuildIDsRead = false;
    /// Paths in the folder by base name, sorted.
    llvm::StringMap<std::vector<std::string>> ByName;
    /// The same of modules of the kernel, by their names.
    llvm::StringMap<std::vector<std::string>> ByKernelModule;
    /// By build ID, in hexadecimal digits.
    llvm::StringMap<std::string> ByBuildID;
  };
  class Search;

  void list(Folder &F);
  void readBuildIDs(Folder &F);
  void searchFiles(Search &S);
  void searchFolder(Search &S, Folder &F);
  void searchRoot(Search &S);
  LoadedModule openKernelModule(const WantedModule &W);

  ModuleFinderOptions Options;
  std::vector<NamedFile> Files;
  std::vector<Folder> Folders;
  std::vector<Folder> KernelFolders;
};

} // namespace lidia

#endif // LIDIA_PROCESS_MODULEFINDER_H
