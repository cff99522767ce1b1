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

class ForeignFileReader;

/// Places in which to look for the modules that a log or a profile names.
/// Nothing else is opened.
struct ModuleFinderOptions {
  /// Files that the user named. Each is used for modules with its build ID or
  /// htlhash, whatever their paths, and for modules with its base name (with or
  /// without ".debug" at the end) unless their build ID or hash differs.
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
  std::vector<RootFolder> Folders;
  /// Additional folders to search for kernel modules, such as
  /// /lib/modules/6.1.0.
  std::vector<RootFolder> KernelFolders;
  /// The folder in which a module's path is opened; if none, it is not opened.
  /// A base name that can only be that of a library is also looked for in the
  /// usual folders of libraries.
  std::optional<RootFolder> Root;
  /// The folder that relative paths start from, an absolute path in Root. If
  /// empty, relative paths are not opened.
  std::string WorkingFolder;
};

/// A module as a log or a profile describes it.
struct WantedModule {
  /// A path or a base name, which may be followed by " (deleted)"; or empty. Of
  /// a path of Windows, only the base name is used, in any case of its letters.
  llvm::StringRef Path;
  /// Empty if it is not known.
  llvm::ArrayRef<uint8_t> BuildID;
  /// The "htlhash" of OpenTelemetry's profiles; empty if it is not known. Used
  /// only if there is no build ID, because stripping a program changes the
  /// hash.
  llvm::ArrayRef<uint8_t> FileHash = {};
  /// Whether this is the program itself. If Files has only one file, it is used
  /// for the program whatever its name.
  bool IsProgram = false;
  /// Whether Path is the name of a kernel module. Its file is NAME.ko,
  /// NAME.ko.xz, NAME.ko.zst or NAME.ko.debug, in Files or anywhere in Folders.
  /// A '-' in a file's name corresponds to '_' in the module's name.
  bool IsKernelModule = false;
  /// Whether it is a PE or Mach-O file (or its PDB file, see DebugFile) and not
  /// an ELF file.
  bool IsForeign = false;
  /// Whether it is a PE file, with a path of Windows. In Folders, the file may
  /// be anywhere, also packed (x.ex_, x.dl_).
  bool IsWindows = false;
  /// codeIDOfPE() of a PE file, which it must have if BuildID is not known;
  /// empty if it is not known.
  llvm::StringRef CodeID = {};
  /// The path of the PDB file of a PE file. If there is no file of the module,
  /// its PDB file with the build ID BuildID is used, from anywhere in Folders
  /// by its base name, also packed (x.pd_), or by the build ID.
  llvm::StringRef DebugFile = {};
};

/// Opens the files of modules by untrusted names. Not thread-safe.
///
/// Only regular files in the places that the options allow are opened, as
/// RootFolder describes. If a module's build ID or else its hash is known, only
/// a file that has it is used. "[vdso]" is the vdso of this process, if paths
/// are those of this system.
class ModuleFinder {
public:
  explicit ModuleFinder(ModuleFinderOptions Options);

  /// A finder for the modules of a profile. It uses \p Files, which are trusted
  /// by name, \p Folders, and \p Root unless that is empty. Fails if one of
  /// these cannot be opened.
  static llvm::Expected<ModuleFinder>
  forProfile(std::vector<std::string> Files,
             llvm::ArrayRef<std::string> Folders, llvm::StringRef Root);

  /// Opens the file of \p W. If there is none, the reason names the module and
  /// says what is wrong with the first file that has its name. A file that is
  /// not ELF has no headers; it is foreign, or may be an archive or compressed.
  /// If a kernel module has several files, the largest is used if all have the
  /// same build ID, otherwise none.
  LoadedModule open(const WantedModule &W);

  /// Whether a file with the base name of \p Name is in Files or in a folder to
  /// search.
  bool isNamed(llvm::StringRef Name);

  /// Whether there are no folders, so that only Files are opened.
  bool isClosed() const { return Folders.empty() && !Options.Root; }

  /// Whether paths are those of this system.
  bool isOfThisSystem() const {
    return Options.Root && Options.Root->path() == "/";
  }

  /// Whether there is any place to look for kernel modules.
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
    /// Why the file is not an ELF file.
    std::string Failure;
  };
  struct Folder {
    explicit Folder(RootFolder Root) : Root(std::move(Root)) {}

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

  void list(Folder &F);
  void readBuildIDs(Folder &F);
  void searchFiles(Search &S);
  void searchFolder(Search &S, Folder &F);
  void offerIn(Search &S, const Folder &F, const llvm::Twine &Path);
  void offerOfBuildID(Search &S, Folder &F, bool PDB);
  void offerByLowerName(Search &S, Folder &F, llvm::StringRef Name);
  void searchPDB(Search &S, Folder &F);
  void searchRoot(Search &S);
  LoadedModule openKernelModule(const WantedModule &W);

  ModuleFinderOptions Options;
  std::vector<NamedFile> Files;
  std::vector<Folder> Folders;
  std::vector<Folder> KernelFolders;
  std::shared_ptr<ForeignFileReader> Foreign;
};

} // namespace lidia

#endif // LIDIA_PROCESS_MODULEFINDER_H
