//===- ServedModules.cpp - The open archives of a server ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServedModules.h"
#include "Archive/LookupPrefetch.h"
#include "Support/NilBuildID.h"
#include "Support/Threads.h"
#include "lidia/Archive/ImageBase.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include <atomic>

using namespace llvm;

namespace lidia {

using Clock = std::chrono::steady_clock;

Expected<BuildIDBytes> parseBuildID(StringRef Text) {
  std::string Bytes;
  if (Text.size() % 2 || !tryGetFromHex(Text, Bytes))
    return make_error<ArgumentError>("",
                                     "'" + Text.take_front(128) +
                                         "' is not a build ID: expected an "
                                         "even number of hexadecimal digits");
  BuildIDBytes BuildID(arrayRefFromStringRef(Bytes));
  // Clients send zeros for modules without a build ID among others.
  if (StringRef Why = whyNotABuildID(BuildID);
      !Why.empty() && !isNilBuildID(BuildID))
    return make_error<ArgumentError>("", Why);
  return BuildID;
}

//===----------------------------------------------------------------------===//
// One module
//===----------------------------------------------------------------------===//

ServedModule::ServedModule(std::shared_ptr<const Archive> Opened,
                           BuildIDBytes ID, uint64_t MaxText)
    : A(std::move(Opened)), BuildID(std::move(ID)),
      ImageBase(lidia::imageBase(*A)), MaxText(MaxText) {}

static SymbolizerOptions symbolizerOptions() {
  SymbolizerOptions O;
  O.Text = TextForm::UTF8;
  return O;
}

bool ServedModule::prefetch(ArrayRef<uint64_t> Addresses, bool MayWait) const {
  Addresses = Addresses.take_front(Archive::FarGroup);
  if (!MayWait)
    return isPrefetched(*A, Addresses);
  A->prefetch(Addresses);
  return true;
}

void ServedModule::symbolize(function_ref<void(Symbolizer &)> Use) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (!S || S->textMemory() > MaxText)
    S.emplace(*A, symbolizerOptions());
  Use(*S);
}

//===----------------------------------------------------------------------===//
// All modules
//===----------------------------------------------------------------------===//

/// The number of remembered debug IDs for each module that may be open.
static constexpr unsigned IDsPerModule = 64;

ServedModules::ServedModules(SymbolStore &Store, const ServerOptions &Options,
                             Metrics &M)
    : Store(Store),
      MaxTextOfModule(Options.MaxText / std::max(Options.MaxModules, 1u)),
      Counts(M), Modules(Options.MaxModules),
      DebugIDs(size_t(std::max(Options.MaxModules, 1u)) * IDsPerModule) {}

Expected<std::shared_ptr<ServedModule>>
ServedModules::find(ArrayRef<uint8_t> BuildID) {
  StringRef Key = toStringRef(BuildID);
  uint64_t ChangesBefore;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    ChangesBefore = Changes;
    if (std::shared_ptr<ServedModule> *Known = Modules.find(Key);
        Known && *Known) {
      ++Counts.ModuleHits;
      Used.insert(Key);
      return *Known;
    }
  }
  // Threads that want the same archive wait in this call for the first one.
  Expected<std::shared_ptr<const Archive>> A = Store.archive(BuildID);
  if (!A) {
    Error E = A.takeError();
    std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
    bool IsMissing =
        Why->convertToErrorCode() == std::errc::no_such_file_or_directory;
    ++(IsMissing ? Counts.ModulesMissing : Counts.ModuleErrors);
    return Error(std::move(Why));
  }
  auto Opened = std::make_shared<ServedModule>(
      std::move(*A), BuildIDBytes(BuildID), MaxTextOfModule);
  std::lock_guard<std::mutex> Lock(Mutex);
  Used.insert(Key);
  std::shared_ptr<ServedModule> *Known = Modules.find(Key);
  if (Known && *Known)
    return *Known;
  ++Counts.ModulesOpened;
  // The archive may have been replaced in the meantime.
  if (Changes != ChangesBefore)
    return Opened;
  if (Known)
    return *Known = std::move(Opened);
  return Modules.add(Key, std::move(Opened));
}

bool ServedModules::isKnown(ArrayRef<uint8_t> BuildID) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (std::shared_ptr<ServedModule> *Known =
            Modules.find(toStringRef(BuildID));
        Known && *Known)
      return true;
  }
  return Store.isKnown(BuildID);
}

void ServedModules::forEach(size_t Count,
                            function_ref<bool(size_t, bool)> Find) const {
  // Threads cost more than what is in memory.
  std::vector<size_t> Left;
  for (size_t I = 0; I != Count; ++I)
    if (!Find(I, /*MayWait=*/!Store.isFar()))
      Left.push_back(I);
  if (Left.empty())
    return;
  std::atomic<size_t> Next = 0;
  runOnThreads(std::min(Left.size(), MostThreads), [&] {
    for (size_t I; (I = Next++) < Left.size();)
      Find(Left[I], /*MayWait=*/true);
  });
}

void ServedModules::noteUse(ArrayRef<uint8_t> BuildID) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Used.insert(toStringRef(BuildID));
}

std::vector<BuildIDBytes> ServedModules::takeUsed() {
  std::vector<BuildIDBytes> IDs;
  std::lock_guard<std::mutex> Lock(Mutex);
  for (const auto &ID : Used)
    IDs.emplace_back(arrayRefFromStringRef(ID.first()));
  Used.clear();
  return IDs;
}

void ServedModules::forget(ArrayRef<uint8_t> BuildID) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (std::shared_ptr<ServedModule> *Known = Modules.find(toStringRef(BuildID)))
    Known->reset();
  ++Changes;
}

static Error missingDebugID(const DebugID &ID) {
  return make_error<SystemError>(
      std::make_error_code(std::errc::no_such_file_or_directory), ID.text(),
      "no archive of this debug ID");
}

bool ServedModules::isKnown(const DebugID &ID) {
  BuildIDBytes BuildID;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    KnownID *Known = DebugIDs.find(ID.text());
    if (!Known || (Known->BuildID.empty() && !isStillMissing(*Known)))
      return false;
    BuildID = Known->BuildID;
  }
  return BuildID.empty() || isKnown(BuildID);
}

bool ServedModules::isStillMissing(const KnownID &Known) const {
  return Clock::now() < Known.MissingUntil && Known.MissingAfter == Changes;
}

Expected<BuildIDBytes> ServedModules::findBuildID(const DebugID &ID) {
  std::string Key = ID.text();
  KnownID Now;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    KnownID *Known = DebugIDs.find(Key);
    if (Known && !Known->BuildID.empty())
      return Known->BuildID;
    if (Known && isStillMissing(*Known))
      return missingDebugID(ID);
    Now.MissingAfter = Changes;
  }
  Expected<BuildIDBytes> BuildID = Store.findBuildID(ID);
  if (BuildID) {
    Now.BuildID = *BuildID;
  } else {
    std::unique_ptr<LidiaError> Why = toLidiaError(BuildID.takeError());
    if (Why->convertToErrorCode() != std::errc::no_such_file_or_directory)
      return Error(std::move(Why));
    Now.MissingUntil = Clock::now() + Store.options().MissingLifetime;
  }
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (KnownID *Known = DebugIDs.find(Key))
      *Known = Now;
    else
      DebugIDs.add(Key, Now);
  }
  if (Now.BuildID.empty())
    return missingDebugID(ID);
  return Now.BuildID;
}

} // namespace lidia
