//===- ModuleResolver.h - From a module to its archive ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MODULES_MODULERESOLVER_H
#define LIDIA_MODULES_MODULERESOLVER_H

#include "lidia/Archive/DebugID.h"
#include "lidia/Modules/ModuleArchives.h"
#include "lidia/Modules/ModuleFinder.h"
#include <functional>

namespace lidia {

/// Returns the build ID of the binary with a debug ID, like
/// SymbolStore::findBuildID(); empty if it is not known.
using BuildIDSource =
    std::function<llvm::SmallVector<uint8_t, 20>(const DebugID &ID)>;

/// Returns the path of the file \p Name with the identifier \p ID, a code ID or
/// debug ID as symbol servers have them in paths, from symbol servers or
/// folders in their layout; empty if there is none. \p IsRight says whether the
/// file at a path is the right one.
using SymbolFileSource = std::function<std::string(
    llvm::StringRef Name, llvm::StringRef ID,
    llvm::function_ref<bool(llvm::StringRef)> IsRight)>;

/// Where the symbols of modules come from.
///
/// The file of a module is looked for in Files, Folders and Root, in this
/// order; its archive, with the file or the build ID, as ModuleArchives
/// describes: beside the file, in the store, in the cache, made from the file.
struct SymbolSources : FileSources {
  /// ModuleResolver::create() sets what archives contain and the folders of
  /// debug files, and clears Archives.Beside if the files of modules are
  /// elsewhere.
  ModuleArchivesOptions Archives;
  /// Finds the build ID of modules that have only a debug ID; may be empty.
  BuildIDSource FindBuildID;
  /// Whether the environment names debuginfod servers that are not asked.
  bool HasUnaskedServers = false;
};

/// Where a module is mapped.
struct ModulePlace {
  /// The runtime address of the byte at Offset.
  uint64_t Begin = 0;
  uint64_t Offset = 0;
  bool Executable = true;
  /// Mapping::IsImage: Offset counts from the beginning of the module in
  /// memory.
  bool IsImage = false;
  /// The runtime address of the first byte of the file, if it is known.
  std::optional<uint64_t> FirstByte;
};

/// A module with its file and its archive, as far as they were found.
struct ResolvedModule {
  LoadedModule Loaded;
  /// The archive; null if the module has none.
  std::shared_ptr<const Archive> A;
  /// Why it has no archive; empty if it has one.
  Miss Reason;
  /// Why the archive may lack what the module has; None if nothing tells so.
  MissCode LeftOut = MissCode::None;

  /// Converts the runtime address \p Address at \p Place to the module's own
  /// address. If the segments are not known because neither the file nor its
  /// first page is available, assumes the layout that most linkers produce.
  /// None if no segment contains the address.
  std::optional<uint64_t> addressOf(const ModulePlace &Place,
                                    uint64_t Address) const;
  /// Why addressOf() returned none for an address of the module.
  Miss whyNoAddress() const;
};

/// The one way from what is known of a module to its archive. Thread-safe.
///
/// \code
///   auto Modules = ModuleResolver::create(std::move(Sources), C, Observer);
///   if (!Modules)
///     return Modules.takeError();
///   ResolvedModule M = (*Modules)->resolve({Path, BuildID});
/// \endcode
class ModuleResolver {
public:
  /// \p C and \p Observer must outlive the result. Unless the user named
  /// folders of debug files, they are looked for in the folders of modules,
  /// too, and in the root. Archives beside files count only if no file comes
  /// from a copy of another system: a link there could lead out of its folder.
  static llvm::Expected<std::unique_ptr<ModuleResolver>>
  create(SymbolSources Sources, Cache &C, ConvertObserver &Observer);

  /// Finds files by \p Sources, and their archives by \p Shared, which must
  /// outlive the result.
  static llvm::Expected<std::unique_ptr<ModuleResolver>>
  sharing(ModuleArchives &Shared, const FileSources &Sources = {});

  /// The module \p M: its file, and the archive of the file or of the
  /// identifiers.
  ResolvedModule resolve(const ModuleIdentity &M);

  /// The archive of a module whose file was searched for. \p M has the
  /// identifiers that lead to an archive without a file.
  ResolvedModule resolve(LoadedModule Loaded, const ModuleIdentity &M = {});

  ModuleFinder &files() { return *Files; }
  ModuleArchives &archives() { return Archives; }
  const BuildIDSource &buildIDSource() const { return FindBuildID; }
  /// Finds PE files and PDB files by the symbol path; may be empty.
  const SymbolFileSource &symbolFileSource() const { return FindSymbolFile; }

private:
  ModuleResolver(std::unique_ptr<ModuleFinder> Files,
                 std::unique_ptr<ModuleArchives> Own, ModuleArchives &Archives);

  bool mayServersKnow(const LoadedModule &L) const;

  const std::unique_ptr<ModuleFinder> Files;
  const std::unique_ptr<ModuleArchives> Own;
  ModuleArchives &Archives;
  BuildIDSource FindBuildID;
  SymbolFileSource FindSymbolFile;
  bool HasUnaskedServers = false;
};

} // namespace lidia

#endif // LIDIA_MODULES_MODULERESOLVER_H
