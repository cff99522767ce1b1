//===- BuildIDLists.cpp - Lists of used and of pinned archives ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/BuildIDLists.h"
#include "PutText.h"
#include "lidia/Error.h"
#include "lidia/Store/OpenArchive.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <ctime>
#include <optional>
#include <unistd.h>

using namespace lidia;
using namespace llvm;

static constexpr StringLiteral UseFolder = ".used/";
static constexpr StringLiteral PinFolder = ".pins/";
/// A list of a million build IDs takes 41 MB.
static constexpr uint64_t LargestList = uint64_t(128) << 20;

static std::string textOf(ArrayRef<StoreBuildID> IDs) {
  std::string Text;
  for (const StoreBuildID &ID : IDs)
    Text += toHex(ID, /*LowerCase=*/true) + '\n';
  return Text;
}

/// Reads the build IDs of the list \p Object. A list that was removed in the
/// meantime is empty.
static Expected<std::vector<StoreBuildID>> readList(SymbolStore &Store,
                                                    StringRef Object) {
  std::string Text;
  Error E = readWhole(
      Store.objects().location(Object), [&](StringRef Piece) { Text += Piece; },
      LargestList);
  E = handleErrors(
      std::move(E), [](std::unique_ptr<ErrorInfoBase> Info) -> Error {
        if (Info->convertToErrorCode() == std::errc::no_such_file_or_directory)
          return Error::success();
        return Error(std::move(Info));
      });
  if (E)
    return E;
  std::vector<StoreBuildID> IDs;
  StringRef Rest = Text;
  while (!Rest.empty()) {
    auto [Digits, Next] = Rest.split('\n');
    std::string Bytes;
    if (Digits.size() % 2 || !tryGetFromHex(Digits, Bytes) ||
        !whyNotABuildID(arrayRefFromStringRef(Bytes)).empty())
      return make_error<DamagedError>(
          Store.name(), Object + ": not a list of build IDs: remove it");
    IDs.emplace_back(arrayRefFromStringRef(Bytes));
    Rest = Next;
  }
  return IDs;
}

//===----------------------------------------------------------------------===//
// Use
//===----------------------------------------------------------------------===//

/// The day in UTC, as "2026-11-25".
static std::string today() {
  std::time_t Now = std::time(nullptr);
  std::tm Day;
  gmtime_r(&Now, &Day);
  char Text[16];
  return std::string(Text, std::strftime(Text, sizeof(Text), "%Y-%m-%d", &Day));
}

bool lidia::isRecordable(const SymbolStore &Store) {
  std::string Folder = Store.name().str();
  return !Store.isFar() && ::access(Folder.c_str(), W_OK) == 0 &&
         (sys::fs::exists(Folder + "/.names") ||
          sys::fs::exists(Folder + "/.used"));
}

Error lidia::recordUse(SymbolStore &Store, std::vector<StoreBuildID> IDs) {
  if (IDs.empty())
    return Error::success();
  llvm::sort(IDs);
  IDs.erase(llvm::unique(IDs), IDs.end());
  for (const StoreBuildID &ID : IDs)
    if (StringRef Why = whyNotABuildID(ID); !Why.empty())
      return make_error<ArgumentError>(toHex(ID, /*LowerCase=*/true), Why);
  std::string Text = textOf(IDs);
  constexpr size_t HashSize = 16;
  auto Hash = BLAKE3::hash(arrayRefFromStringRef(Text));
  std::string Object = UseFolder.str() + today() + "/" +
                       toHex(ArrayRef(Hash).take_front(HashSize),
                             /*LowerCase=*/true);
  return putText(Store, Object, PutMode::IfAbsent,
                 [&](raw_ostream &OS) { OS << Text; });
}

namespace {
/// A list of one day.
struct UseList {
  std::string Object;
  sys::TimePoint<> EndOfDay;
};
} // namespace

/// The end of the day in the name of the list \p Object, if it has one.
static std::optional<sys::TimePoint<>> endOfDay(StringRef Object) {
  StringRef Date = Object;
  if (!Date.consume_front(UseFolder))
    return std::nullopt;
  std::tm Day = {};
  if (Date.size() < 12 || Date[4] != '-' || Date[7] != '-' || Date[10] != '/' ||
      Date.substr(0, 4).getAsInteger(10, Day.tm_year) ||
      Date.substr(5, 2).getAsInteger(10, Day.tm_mon) ||
      Date.substr(8, 2).getAsInteger(10, Day.tm_mday))
    return std::nullopt;
  Day.tm_year -= 1900;
  --Day.tm_mon;
  std::time_t Start = timegm(&Day);
  constexpr std::time_t SecondsOfDay = 24 * 3600;
  return sys::toTimePoint(Start + SecondsOfDay);
}

/// The lists of use, latest first.
static Expected<std::vector<UseList>> useLists(SymbolStore &Store) {
  std::vector<UseList> Lists;
  if (Error E = Store.objects().list(UseFolder, [&](const StoredObject &O) {
        if (auto End = endOfDay(O.Name))
          Lists.push_back({O.Name, *End});
        return Error::success();
      }))
    return E;
  llvm::sort(Lists, [](const UseList &A, const UseList &B) {
    return std::tie(A.EndOfDay, A.Object) > std::tie(B.EndOfDay, B.Object);
  });
  return Lists;
}

Expected<StringMap<sys::TimePoint<>>> lidia::lastUses(SymbolStore &Store) {
  Expected<std::vector<UseList>> Lists = useLists(Store);
  if (!Lists)
    return Lists.takeError();
  StringMap<sys::TimePoint<>> Last;
  for (const UseList &List : *Lists) {
    Expected<std::vector<StoreBuildID>> IDs = readList(Store, List.Object);
    if (!IDs)
      return IDs.takeError();
    for (const StoreBuildID &ID : *IDs)
      Last.try_emplace(toStringRef(ID), List.EndOfDay);
  }
  return Last;
}

Error lidia::removeUselessLists(
    SymbolStore &Store,
    function_ref<bool(ArrayRef<uint8_t> BuildID)> HasArchive) {
  Expected<std::vector<UseList>> Lists = useLists(Store);
  if (!Lists)
    return Lists.takeError();
  StringSet<> Known;
  for (const UseList &List : *Lists) {
    Expected<std::vector<StoreBuildID>> IDs = readList(Store, List.Object);
    if (!IDs)
      return IDs.takeError();
    bool IsUseful = false;
    for (const StoreBuildID &ID : *IDs)
      if (HasArchive(ID))
        IsUseful |= Known.insert(toStringRef(ID)).second;
    if (!IsUseful)
      if (Error E = Store.objects().remove(List.Object))
        return E;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Pins
//===----------------------------------------------------------------------===//

StringRef lidia::whyNotAPin(StringRef Name) {
  constexpr size_t LongestName = 100;
  bool IsName = !Name.empty() && Name.size() <= LongestName &&
                Name.front() != '.' && all_of(Name, [](char C) {
                  return isAlnum(C) || StringRef("-_.").contains(C);
                });
  return IsName
             ? ""
             : "a pin's name has 1 to 100 letters, digits, '-', '_' and '.', "
               "and does not begin with '.'";
}

static Expected<std::string> objectOfPin(StringRef Name) {
  if (StringRef Why = whyNotAPin(Name); !Why.empty())
    return make_error<ArgumentError>(Name, Why);
  return (PinFolder + Name).str();
}

Error lidia::addPin(SymbolStore &Store, const StorePin &Pin) {
  Expected<std::string> Object = objectOfPin(Pin.Name);
  if (!Object)
    return Object.takeError();
  return putText(Store, *Object, PutMode::Replace,
                 [&](raw_ostream &OS) { OS << textOf(Pin.IDs); });
}

Error lidia::removePin(SymbolStore &Store, StringRef Name) {
  Expected<std::string> Object = objectOfPin(Name);
  if (!Object)
    return Object.takeError();
  Expected<bool> IsThere = Store.objects().exists(*Object);
  if (!IsThere)
    return IsThere.takeError();
  if (!*IsThere)
    return make_error<SystemError>(
        std::make_error_code(std::errc::no_such_file_or_directory), Name,
        "no pin of this name in " + Store.name());
  return Store.objects().remove(*Object);
}

Expected<std::vector<StorePin>> lidia::readPins(SymbolStore &Store) {
  std::vector<StorePin> Pins;
  if (Error E = Store.objects().list(PinFolder, [&](const StoredObject &O) {
        StringRef Name = O.Name;
        if (Name.consume_front(PinFolder) && whyNotAPin(Name).empty())
          Pins.push_back({Name.str(), {}});
        return Error::success();
      }))
    return E;
  for (StorePin &Pin : Pins)
    if (Error E =
            readList(Store, (PinFolder + Pin.Name).str()).moveInto(Pin.IDs))
      return E;
  return Pins;
}
