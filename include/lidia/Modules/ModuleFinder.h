//===- ModuleFinder.h - Finds the files of modules --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MODULES_MODULEFINDER_H
#define LIDIA_MODULES_MODULEFINDER_H

#include "lidia/Modules/LoadedModule.h"
#include "lidia/Modules/ModuleIdentity.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

class ForeignFileReader;

/// Places in which to look for the files of the modules that an input names.
/// Nothing else is opened. All may be empty.
struct FileSources {
  /// Files that the user named. Each is used for modules with its build ID or
  /// htlhash, whatever their paths, and for modules with its base name (with or
  /// without ".debug" at the end) unless their build ID or hash differs. They
  /// may be archives, whose names may end with ".lidia", too.
  std::vector<std::string> Files;
  /// Whether a file in Files without a build ID is used for modules of its name
  /// that have one, as in pprof: profilers also write other identifiers than
  /// GNU's build IDs.
  bool TrustNames = false;
  /// Folders to search. In each, the module is looked for by its path, as if
  /// the folder were "/"; as BUILDID/NAME; by its build ID as in
  /// /usr/lib/debug; by its base name; and then anywhere in the folder by its
  /// base name and, if it has one, its build ID. Symbolic links to folders are
  /// not followed.
  std::vector<std::string> Folders;
  /// The folder in which a module's path is opened; if empty, it is not opened.
  /// A base name that can only be that of a library is also looked for in the
  /// usual folders of libraries. If this is "/", relative paths start from the
  /// current folder; otherwise they are not opened.
  std::string Root;
  /// Whether to search Root's modules of the kernel that is running.
  bool RunningKernel = false;
  /// What the user can do if no place is given, in the words of the program
  /// that he uses: an option, an argument; for messages.
  std::string HowToAllow;
};

/// Opens the files of modules by untrusted names. Thread-safe.
///
/// Only regular files in the places that the options allow are opened, as
/// RootFolder describes. If a module's build ID or else its hash is known, only
/// a file that has it is used. "[vdso]" is the vdso of this process, if paths
/// are those of this system.
class ModuleFinder {
public:
  /// Fails if one of the files, folders or the root cannot be opened.
  static llvm::Expected<std::unique_ptr<ModuleFinder>>
  create(const FileSources &Sources);
  ~ModuleFinder();

  /// Opens the file of \p W. If there is none, the reason names the module and
  /// says what is wrong with the first file that has its name. A file that is
  /// not ELF has no headers; it is foreign, or may be an archive or compressed.
  /// If a kernel module has several files, the largest is used if all have the
  /// same build ID, otherwise none.
  LoadedModule open(const ModuleIdentity &W);

  /// Whether a file with the base name of \p Name is in Files or in a folder to
  /// search.
  bool isNamed(llvm::StringRef Name);

  /// Why a file is not opened that no place has.
  std::string whyNotOpened() const {
    return HowToAllow.empty() ? "not opened" : "not opened: " + HowToAllow;
  }

  /// Whether there are no folders, so that only Files are opened.
  bool isClosed() const { return Folders.empty() && !Root; }

  /// The path of the root folder; empty if there is none.
  llvm::StringRef rootPath() const { return Root ? Root->path() : ""; }

  /// Whether paths are those of this system.
  bool isOfThisSystem() const { return rootPath() == "/"; }

  /// Whether there is any place to look for kernel modules.
  bool hasKernelModules() const {
    return !Files.empty() || !Folders.empty() || !KernelFolders.empty();
  }

private:
  /// One of Files.
  struct NamedFile {
    std::string Path;
    std::vector<uint8_t> BuildID;
    std::vector<uint8_t> FileHash;
    bool IsArchive = false;
  };
  struct Folder {
    explicit Folder(RootFolder TheRoot) : Root(std::move(TheRoot)) {}

    RootFolder Root;
    bool IsListed = false;
    bool BuildIDsRead = false;
    /// Paths in the folder by base name, sorted.
    llvm::StringMap<std::vector<std::string>> ByName;
    /// The same by base name in lower case; empty until it is needed.
    llvm::StringMap<std::vector<std::string>> ByLowerName;
    /// Paths of kernel modules by the modules' names, sorted.
    llvm::StringMap<std::vector<std::string>> ByKernelModule;
    /// Paths by build ID in hexadecimal digits; those of PDB files apart.
    llvm::StringMap<std::string> ByBuildID;
    llvm::StringMap<std::string> PDBByBuildID;
  };
  class Search;

  explicit ModuleFinder(const FileSources &Sources);
  llvm::Error addFile(const std::string &Path);
  void addRunningKernel();
  void list(Folder &F);
  void readBuildIDs(Folder &F);
  void searchFiles(Search &S);
  void searchFolder(Search &S, Folder &F);
  void offerIn(Search &S, const Folder &F, const llvm::Twine &Path);
  void offerOfBuildID(Search &S, Folder &F, bool PDB);
  void offerByLowerName(Search &S, Folder &F, llvm::StringRef Name);
  void searchPDB(Search &S, Folder &F);
  void searchRoot(Search &S);
  LoadedModule openKernelModule(const ModuleIdentity &W);

  const bool TrustNames;
  const std::string HowToAllow;
  std::optional<RootFolder> Root;
  /// Where relative paths in Root start; empty if they are not opened.
  std::string WorkingFolder;
  std::vector<NamedFile> Files;
  std::vector<Folder> Folders;
  std::vector<Folder> KernelFolders;
  const std::unique_ptr<ForeignFileReader> Foreign;
  /// Guards what is remembered of files and folders.
  std::mutex Mutex;
};

} // namespace lidia

#endif // LIDIA_MODULES_MODULEFINDER_H
