//===- DebugFileSearch.h - Where debug files are looked for -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_OBJECT_DEBUGFILESEARCH_H
#define LIDIA_OBJECT_DEBUGFILESEARCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lidia {

/// The wanted debug file of a PE or Mach-O file.
struct ForeignDebugFile {
  /// Whether it is the PDB file of a PE file, and not a Mach-O file with DWARF.
  bool IsPDB = false;
  llvm::ArrayRef<uint8_t> BuildID;
  /// The base name of a PDB file, and its debug ID as symbol servers have it in
  /// paths. Not known if empty.
  llvm::StringRef Name;
  llvm::StringRef DebugID;
};

/// Where to look for debug files.
struct DebugFileSearch {
  /// Paths of debug files and supplementary files to try first, by build ID in
  /// lower-case hexadecimal digits; may be null. Their build IDs are checked,
  /// as for all other files.
  std::shared_ptr<const llvm::StringMap<std::string>> Known;
  /// Open only the files in Known, and no files of split units. For untrusted
  /// binaries, which must not choose the files that are read.
  bool OnlyKnown = false;
  /// Folders that contain ".build-id/xx/yyyy.debug" and, under the path of the
  /// binary's folder, the files that debug links name. Empty: /usr/lib/debug.
  std::vector<std::string> Directories;
  /// Searched before Directories, but only for the debug files of ELF files:
  /// FindForeign follows no link out of a folder of modules from elsewhere.
  std::vector<std::string> ModuleFolders;
  /// Used for debug links instead of Directories.
  std::string FallbackPath;
  /// Queries servers for the debug file of a build ID, and returns the path of
  /// a local copy, or an empty path if they have none. If null, no server is
  /// queried. This is a callback so that embedders need not link an HTTP
  /// client.
  std::function<std::string(llvm::ArrayRef<uint8_t> BuildID,
                            llvm::function_ref<void(const llvm::Twine &)> Warn)>
      Fetch;
  /// Folders of a symbol path, which may have PDB files or be stores in
  /// Microsoft's layout. Unlike Directories, they are used for nothing else.
  std::vector<std::string> SymbolFolders;
  /// Queries symbol servers for the PDB file \p Name with the debug ID \p ID,
  /// and returns the path of a local copy for which \p IsRight is true, or an
  /// empty path. If null, no server is queried.
  std::function<std::string(llvm::StringRef Name, llvm::StringRef ID,
                            llvm::function_ref<bool(llvm::StringRef)> IsRight,
                            llvm::function_ref<void(const llvm::Twine &)> Warn)>
      FetchPDB;
  /// Returns the paths of local files that may be \p Wanted, best first; may be
  /// null.
  std::function<std::vector<std::string>(const ForeignDebugFile &Wanted)>
      FindForeign;
};

} // namespace lidia

#endif // LIDIA_OBJECT_DEBUGFILESEARCH_H
