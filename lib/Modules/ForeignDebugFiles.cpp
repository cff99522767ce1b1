//===- ForeignDebugFiles.cpp - PDB and dSYM files in folders --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Modules/ForeignDebugFiles.h"
#include "ForeignFile.h"
#include "Object/DebugFiles.h"
#include "Object/MachOBinary.h"
#include "Support/WindowsNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

ForeignDebugFiles::ForeignDebugFiles(std::vector<RootFolder> Folders)
    : Folders(std::move(Folders)) {}

/// Opens \p Path in \p Root; null if it cannot be opened.
static std::unique_ptr<OpenedFile> openIfThere(const RootFolder &Root,
                                               StringRef Path) {
  Expected<std::unique_ptr<OpenedFile>> File = Root.openFile(Path);
  if (File)
    return std::move(*File);
  consumeError(File.takeError());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// PDB files
//===----------------------------------------------------------------------===//

ForeignDebugFiles::PathMap ForeignDebugFiles::listPDBFiles() const {
  PathMap Found;
  for (const RootFolder &Root : Folders)
    Root.forEachFile([&](StringRef Path) {
      if (!Path.ends_with_insensitive(".pdb"))
        return;
      std::unique_ptr<OpenedFile> File = openIfThere(Root, Path);
      // Unpacking cabinet files takes long.
      if (!File || fileKindOf(*File) != FileKind::PDB)
        return;
      Expected<ForeignFile> Its = readForeignFile(*File, Path, {});
      if (!Its)
        return consumeError(Its.takeError());
      if (!Its->BuildID.empty())
        Found.try_emplace(toHex(Its->BuildID, /*LowerCase=*/true),
                          File->path().str());
    });
  return Found;
}

void ForeignDebugFiles::addPDBPaths(const ForeignDebugFile &Wanted,
                                    std::vector<std::string> &Paths) const {
  if (Wanted.Name.empty())
    return;
  std::string Packed = packedName(Wanted.Name);
  std::string Below = ("/" + Wanted.Name + "/" + Wanted.DebugID + "/").str();
  for (const RootFolder &Root : Folders)
    for (StringRef In : {StringRef(Below), StringRef("/")})
      for (StringRef Name : {Wanted.Name, StringRef(Packed)})
        if (std::unique_ptr<OpenedFile> File =
                openIfThere(Root, (In + Name).str()))
          Paths.push_back(File->path().str());
}

//===----------------------------------------------------------------------===//
// Mach-O files
//===----------------------------------------------------------------------===//

/// Calls \p Visit with each of the files in the universal file \p Path, or with
/// the file.
static void forEachArchitecture(const OpenedFile &File,
                                function_ref<void(const Binary &)> Visit) {
  std::vector<uint8_t> First(1024);
  First.resize(File.read(0, First));
  std::vector<std::string> Architectures = architecturesOf(toStringRef(First));
  if (Architectures.size() < 2)
    Architectures = {""};
  for (const std::string &Architecture : Architectures) {
    Expected<std::unique_ptr<Binary>> Part =
        Binary::open(File.path(), Architecture);
    if (Part)
      Visit(**Part);
    else
      consumeError(Part.takeError());
  }
}

/// Lists the files with DWARF.
ForeignDebugFiles::PathMap ForeignDebugFiles::listMachOFiles() const {
  PathMap Found;
  for (const RootFolder &Root : Folders)
    Root.forEachFile([&](StringRef Path) {
      std::unique_ptr<OpenedFile> File = openIfThere(Root, Path);
      if (!File || fileKindOf(*File) != FileKind::MachO)
        return;
      forEachArchitecture(*File, [&](const Binary &B) {
        if (!B.buildID().empty() && hasDWARF(B))
          Found.try_emplace(toHex(B.buildID(), /*LowerCase=*/true),
                            File->path().str());
      });
    });
  return Found;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

std::vector<std::string>
ForeignDebugFiles::find(const ForeignDebugFile &Wanted) {
  std::lock_guard<std::mutex> Lock(Mutex);
  std::optional<PathMap> &Files = Wanted.IsPDB ? PDBFiles : MachOFiles;
  if (!Files)
    Files = Wanted.IsPDB ? listPDBFiles() : listMachOFiles();
  std::vector<std::string> Paths;
  auto Known = Files->find(toHex(Wanted.BuildID, /*LowerCase=*/true));
  if (Known != Files->end())
    Paths.push_back(Known->second);
  if (Wanted.IsPDB)
    addPDBPaths(Wanted, Paths);
  return Paths;
}

} // namespace lidia
