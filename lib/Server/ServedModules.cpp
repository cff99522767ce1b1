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

Expected<BuildIDBytes> parseFileHash(StringRef Text) {
  constexpr size_t Digits = 32;
  std::string Bytes;
  if (Text.size() != Digits || !tryGetFromHex(Text, Bytes))
    return make_error<ArgumentError>("", "'" + Text.take_front(128) +
                                             "' is not an htlhash: expected 32 "
                                             "hexadecimal digits");
  return BuildIDBytes(arrayRefFromStringRef(Bytes));
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

ServedModules::ServedModules(SymbolStore &Store, const ServerOptions &Options,
                             ServerStatistics &M)
    : Store(Store),
      MaxTextOfModule(Options.MaxText / std::max(Options.MaxModules, 1u)),
      CheckInterval(Options.RecheckSeconds), Statistics(M),
      Modules(Options.MaxModules) {}

/// Compares \p Open with the archive in the store, and returns the one that the
/// store has.
Expected<std::shared_ptr<ServedModule>>
ServedModules::check(std::shared_ptr<ServedModule> Open) {
  BuildIDBytes BuildID(Open->buildID());
  Expected<std::shared_ptr<const Archive>> A =
      Store.openAgain(BuildID, Open->sharedArchive());
  if (A && *A == Open->sharedArchive())
    return Open;
  forget(BuildID);
  if (!A)
    return A.takeError();
  return find(BuildID);
}

Expected<std::shared_ptr<ServedModule>>
ServedModules::find(ArrayRef<uint8_t> BuildID) {
  StringRef Key = toStringRef(BuildID);
  uint64_t ChangesBefore;
  {
    std::unique_lock<std::mutex> Lock(Mutex);
    ChangesBefore = Changes;
    if (OpenModule *Known = Modules.find(Key); Known && Known->Module) {
      ++Statistics.ModuleHits;
      Used.insert(Key);
      std::shared_ptr<ServedModule> Open = Known->Module;
      Clock::time_point Now = Clock::now();
      if (Now < Known->CheckAt)
        return Open;
      // One thread checks it.
      Known->CheckAt = Now + CheckInterval;
      Lock.unlock();
      return check(std::move(Open));
    }
  }
  // Threads that want the same archive wait in this call for the first one.
  Expected<std::shared_ptr<const Archive>> A = Store.archive(BuildID);
  if (!A) {
    Error E = A.takeError();
    std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
    bool IsMissing =
        Why->convertToErrorCode() == std::errc::no_such_file_or_directory;
    ++(IsMissing ? Statistics.ModulesMissing : Statistics.ModuleErrors);
    return Error(std::move(Why));
  }
  OpenModule Opened;
  Opened.Module = std::make_shared<ServedModule>(
      std::move(*A), BuildIDBytes(BuildID), MaxTextOfModule);
  Opened.CheckAt = Clock::now() + CheckInterval;
  std::lock_guard<std::mutex> Lock(Mutex);
  Used.insert(Key);
  OpenModule *Known = Modules.find(Key);
  if (Known && Known->Module)
    return Known->Module;
  ++Statistics.ModulesOpened;
  // The archive may have been replaced in the meantime.
  if (Changes != ChangesBefore)
    return Opened.Module;
  if (Known)
    return (*Known = std::move(Opened)).Module;
  return Modules.add(Key, std::move(Opened)).Module;
}

bool ServedModules::isKnown(ArrayRef<uint8_t> BuildID) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (OpenModule *Known = Modules.find(toStringRef(BuildID));
        Known && Known->Module)
      return Clock::now() < Known->CheckAt;
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
  runOnThreads(std::min(Left.size(), MaxThreads), [&] {
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
  if (OpenModule *Known = Modules.find(toStringRef(BuildID)))
    Known->Module.reset();
  ++Changes;
}

bool ServedModules::isKnown(const DebugID &ID) {
  std::optional<BuildIDBytes> BuildID = Store.knownBuildID(ID);
  return BuildID && (BuildID->empty() || isKnown(*BuildID));
}

} // namespace lidia
