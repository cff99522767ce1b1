//===- SymbolServers.cpp - PDB files from symbol servers ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/SymbolServers.h"
#include "Downloads.h"
#include "Support/PercentEncoding.h"
#include "Support/WindowsNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace lidia;
using namespace llvm;

namespace {
/// The PDB file that is looked for.
struct WantedPDB {
  StringRef Name;
  StringRef ID;
  function_ref<bool(StringRef)> IsRight;
  function_ref<void(const Twine &)> Warn;

  /// It as \p File in the cache of \p Server.
  WantedFile as(StringRef File, const Downloads &Server) const {
    return {percentEncode(Name) + "/" + ID.str() + "/" + percentEncode(File),
            Server.cacheFolder() + "/" + Name.str() + "/" + ID.str(),
            File.str(),
            (Name + " " + ID).str(),
            {},
            IsRight,
            Warn};
  }
};
} // namespace

class SymbolServers::Impl {
public:
  std::string find(const WantedPDB &Wanted);

  /// Each server may have a cache of its own.
  std::deque<Downloads> Servers;
};

std::string SymbolServers::Impl::find(const WantedPDB &Wanted) {
  std::string Packed = packedName(Wanted.Name);
  const StringRef Files[] = {Wanted.Name, Packed};
  for (Downloads &Server : Servers)
    for (StringRef File : Files)
      if (WantedFile W = Wanted.as(File, Server); Server.isInCache(W))
        return W.path();
  for (Downloads &Server : Servers) {
    for (StringRef File : Files)
      if (DownloadedFile Found = Server.get(Wanted.as(File, Server));
          !Found.Path.empty())
        return Found.Path;
    // Fails if there are files of other programs.
    sys::fs::remove(Server.cacheFolder() + "/" + Wanted.Name);
  }
  return std::string();
}

SymbolServers::SymbolServers(std::vector<SymbolPath::Server> Servers,
                             DownloadOptions Options)
    : P(std::make_unique<Impl>()) {
  for (SymbolPath::Server &S : Servers)
    P->Servers.emplace_back("symbol server",
                            std::vector<std::string>{std::move(S.URL)},
                            std::move(S.CacheFolder), Options);
}

SymbolServers::~SymbolServers() = default;

std::string SymbolServers::pdb(StringRef Name, StringRef ID,
                               function_ref<bool(StringRef)> IsRight,
                               function_ref<void(const Twine &)> Warn) {
  return P->find({Name, ID, IsRight, Warn});
}
