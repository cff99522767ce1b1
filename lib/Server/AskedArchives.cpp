//===- AskedArchives.cpp - The store for what a body names ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AskedArchives.h"
#include "lidia/MissError.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

static Error notStored() {
  return make_error<SystemError>(
      std::make_error_code(std::errc::no_such_file_or_directory), "",
      "not in the store");
}

Expected<std::shared_ptr<const Archive>>
AskedArchives::find(ArrayRef<uint8_t> BuildID) {
  auto [It, IsNew] = Asked.try_emplace(toStringRef(BuildID), true);
  if (!areTooMany() && It->second && whyNotABuildID(BuildID).empty()) {
    Expected<std::shared_ptr<ServedModule>> M = S.find(Request, BuildID);
    if (M)
      return (*M)->sharedArchive();
    Error E = noteWishes(M.takeError(), Wishes);
    bool IsOutage = E.isA<OutageError>();
    consumeError(std::move(E));
    if (IsOutage)
      return make_error<MissError>(
          Miss{MissCode::NoAnswer, "the store does not answer"});
  }
  It->second = false;
  return notStored();
}

/// A hash may cost the store a request, too.
Expected<BuildIDBytes> AskedArchives::findID(ArrayRef<uint8_t> FileHash) {
  Asked.try_emplace(("htlhash " + toStringRef(FileHash)).str(), true);
  if (areTooMany())
    return notStored();
  return S.Store->buildIDOfFile(FileHash);
}

Expected<std::unique_ptr<ModuleResolver>> AskedArchives::resolver() {
  SymbolSources Sources;
  ModuleArchivesOptions &O = Sources.Archives;
  O.Make = false;
  O.StoreOnly = true;
  O.Store.ByBuildID = [this](ArrayRef<uint8_t> BuildID) {
    return find(BuildID);
  };
  O.Store.BuildIDOfFile = [this](ArrayRef<uint8_t> Hash) {
    return findID(Hash);
  };
  Sources.FindBuildID = [this](const DebugID &ID) -> BuildIDBytes {
    Expected<BuildIDBytes> BuildID = S.Store->findBuildID(ID);
    if (BuildID)
      return *BuildID;
    consumeError(BuildID.takeError());
    return {};
  };
  return ModuleResolver::create(std::move(Sources), Unused, Observer);
}

} // namespace lidia
