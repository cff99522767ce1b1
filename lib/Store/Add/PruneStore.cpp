//===- PruneStore.cpp - Removes unused archives ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/PruneStore.h"
#include "lidia/Store/AddToStore.h"
#include "lidia/Store/BinaryNames.h"
#include "lidia/Store/BuildIDLists.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace lidia;
using namespace llvm;

Error lidia::forEachWithUse(SymbolStore &Store,
                            function_ref<void(const StoredArchive &)> Visit) {
  Expected<StringMap<sys::TimePoint<>>> Uses = lastUses(Store);
  if (!Uses)
    return Uses.takeError();
  return Store.forEach([&](StoredArchive A) {
    auto Use = Uses->find(toStringRef(A.BuildID));
    if (Use != Uses->end())
      A.Object.LastUsed = std::max(A.Object.LastUsed, Use->second);
    Visit(A);
    return Error::success();
  });
}

/// All archives of \p Store, the least recently used first.
static Expected<std::vector<StoredArchive>> archivesByUse(SymbolStore &Store) {
  std::vector<StoredArchive> All;
  if (Error E = forEachWithUse(
          Store, [&](const StoredArchive &A) { All.push_back(A); }))
    return E;
  llvm::sort(All, [](const StoredArchive &A, const StoredArchive &B) {
    return std::tie(A.Object.LastUsed, A.Object.Name) <
           std::tie(B.Object.LastUsed, B.Object.Name);
  });
  return All;
}

static Expected<StringSet<>> pinnedIDs(SymbolStore &Store) {
  Expected<std::vector<StorePin>> Pins = readPins(Store);
  if (!Pins)
    return Pins.takeError();
  StringSet<> IDs;
  for (const StorePin &Pin : *Pins)
    for (const StoreBuildID &ID : Pin.IDs)
      IDs.insert(toStringRef(ID));
  return IDs;
}

namespace {

/// Chooses archives to remove.
class Choice {
public:
  Choice(const StringSet<> &Pinned, const PruneRequest &Request)
      : Pinned(Pinned), Request(Request) {}

  /// The archives of \p All, which is sorted, that the request does not keep.
  std::vector<StoredArchive> make(ArrayRef<StoredArchive> All);

  /// Archives that were kept only because of a pin.
  uint64_t keptByPins() const { return KeptByPins; }

private:
  void removeTooLarge(ArrayRef<StoredArchive> All);
  void removeOldest(ArrayRef<StoredArchive> All);
  void remove(const StoredArchive &A) {
    Left -= A.Object.Size;
    Chosen.push_back(A);
    Removed.insert(A.Object.Name);
  }
  bool isPinned(const StoredArchive &A) const {
    return Pinned.contains(toStringRef(A.BuildID));
  }

  const StringSet<> &Pinned;
  const PruneRequest &Request;
  uint64_t Left = 0;
  std::vector<StoredArchive> Chosen;
  /// Names of objects.
  StringSet<> Removed;
  uint64_t KeptByPins = 0;
};

} // namespace

/// Archives that do not fit beside the pinned ones cannot stay, whatever else
/// is removed.
void Choice::removeTooLarge(ArrayRef<StoredArchive> All) {
  uint64_t Room = *Request.MaxSize;
  for (const StoredArchive &A : All)
    if (isPinned(A))
      Room -= std::min(Room, A.Object.Size);
  for (const StoredArchive &A : All)
    if (!isPinned(A) && A.Object.Size > Room)
      remove(A);
}

void Choice::removeOldest(ArrayRef<StoredArchive> All) {
  auto Now = std::chrono::system_clock::now();
  for (const StoredArchive &A : All) {
    bool IsOld =
        Request.OlderThan && Now - A.Object.LastUsed > *Request.OlderThan;
    bool IsTooMuch = Request.MaxSize && Left > *Request.MaxSize;
    if (!IsOld && !IsTooMuch)
      return;
    if (isPinned(A))
      ++KeptByPins;
    else if (!Removed.contains(A.Object.Name))
      remove(A);
  }
}

std::vector<StoredArchive> Choice::make(ArrayRef<StoredArchive> All) {
  for (const StoredArchive &A : All)
    Left += A.Object.Size;
  if (Request.MaxSize && Left > *Request.MaxSize)
    removeTooLarge(All);
  removeOldest(All);
  return std::move(Chosen);
}

/// Removes \p Chosen, a part of \p All, and the lists and records that become
/// useless.
static Error removeArchives(SymbolStore &Store, ArrayRef<StoredArchive> All,
                            ArrayRef<StoredArchive> Chosen) {
  if (Error E = Store.objects().forEachIndex(
          Chosen.size(), [&](size_t I) { return Store.remove(Chosen[I]); }))
    return E;
  StringSet<> Left;
  for (const StoredArchive &A : All)
    Left.insert(toStringRef(A.BuildID));
  for (const StoredArchive &A : Chosen)
    Left.erase(toStringRef(A.BuildID));
  auto HasArchive = [&](ArrayRef<uint8_t> BuildID) {
    return Left.contains(toStringRef(BuildID));
  };
  if (Error E = removeUselessLists(Store, HasArchive))
    return E;
  if (Chosen.empty())
    return Error::success();
  if (Error E = removeUselessNames(Store, HasArchive))
    return E;
  return removeUselessRecords(Store, HasArchive);
}

Expected<PruneStatistics>
lidia::pruneStore(SymbolStore &Store, const PruneRequest &Request,
                  function_ref<void(const StoredArchive &)> Visit) {
  if (!Request.IsDryRun)
    Store.objects().removeAbandoned();
  Expected<StringSet<>> Pinned = pinnedIDs(Store);
  if (!Pinned)
    return Pinned.takeError();
  Expected<std::vector<StoredArchive>> All = archivesByUse(Store);
  if (!All)
    return All.takeError();
  PruneStatistics Counts;
  Choice TheChoice(*Pinned, Request);
  std::vector<StoredArchive> Chosen = TheChoice.make(*All);
  Counts.Pinned = TheChoice.keptByPins();
  Counts.Removed = Chosen.size();
  for (const StoredArchive &A : Chosen) {
    Visit(A);
    Counts.Bytes += A.Object.Size;
  }
  if (!Request.IsDryRun)
    if (Error E = removeArchives(Store, *All, Chosen))
      return E;
  return Counts;
}
