//===- SymbolServers.h - PDB files from symbol servers ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A client of symbol servers over HTTP, which have PDB files as
/// a.pdb/GUIDAGE/a.pdb, or packed as a.pd_ in the same folder. The layout and
/// symbol paths are described in Microsoft's documentation of Windows debuggers
/// ("Symbol path for Windows debuggers", "Using SymSrv").
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_SYMBOLSERVERS_H
#define LIDIA_STORE_SYMBOLSERVERS_H

#include "lidia/Store/DownloadOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <memory>
#include <string>
#include <vector>

namespace lidia {

/// What a symbol path names.
struct SymbolPath {
  struct Server {
    std::string URL;
    /// Where its files are kept, in the layout of the server.
    std::string CacheFolder;
  };

  /// Folders with PDB files or stores, in their order. Caches of servers are
  /// not among them.
  std::vector<std::string> Folders;
  std::vector<Server> Servers;
  /// Folders of Windows ("C:\symbols"), which do not exist here, parts of other
  /// kinds, and servers without a cache.
  std::vector<std::string> Ignored;

  /// Parses the value of _NT_SYMBOL_PATH: parts separated by ";", each one a
  /// folder, "srv*FOLDER*...*URL", "symsrv*DLL*FOLDER*...*URL" or
  /// "cache*FOLDER", which is the cache of the servers to its right. The first
  /// folder of a part is the cache of its server. \p DefaultCache is used where
  /// a part names no cache or an empty one.
  static SymbolPath parse(llvm::StringRef Text, llvm::StringRef DefaultCache);

  /// lidia-symbols in $XDG_CACHE_HOME or ~/.cache.
  static std::string defaultCache();
};

/// Requests PDB files from symbol servers. Thread-safe.
class SymbolServers {
public:
  SymbolServers(std::vector<SymbolPath::Server> Servers,
                DownloadOptions Options);
  ~SymbolServers();

  /// Returns the path of the PDB file \p Name, the last part of a path, with
  /// the debug ID \p ID (DebugID::text()) in the cache of the first server that
  /// has it, packed or not. Empty if none has it. \p IsRight says whether the
  /// file at a path is the right one; others are removed from the cache.
  /// Servers that fail are treated as DebuginfodClient::debugFile() says.
  std::string pdb(llvm::StringRef Name, llvm::StringRef ID,
                  llvm::function_ref<bool(llvm::StringRef)> IsRight,
                  llvm::function_ref<void(const llvm::Twine &)> Warn);

private:
  class Impl;
  std::unique_ptr<Impl> P;
};

} // namespace lidia

#endif // LIDIA_STORE_SYMBOLSERVERS_H
