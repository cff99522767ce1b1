//===- StoreRetention.cpp - llvm-lidia store: what to keep, and how long --===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreOptions.h"
#include "lidia/Store/BuildIDLists.h"
#include "lidia/Store/PruneStore.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;

namespace lidia {

static StringRef archives(uint64_t Count) {
  return Count == 1 ? " archive" : " archives";
}

//===----------------------------------------------------------------------===//
// prune
//===----------------------------------------------------------------------===//

/// Parses "30d", "12h", "5m" or "600s".
static std::optional<std::chrono::seconds> parseAge(StringRef Text) {
  if (Text.empty())
    return std::nullopt;
  uint64_t Factor = StringSwitch<uint64_t>(Text.take_back(1))
                        .Case("d", 24 * 3600)
                        .Case("h", 3600)
                        .Case("m", 60)
                        .Case("s", 1)
                        .Default(0);
  uint64_t Number;
  constexpr uint64_t Max = uint64_t(1) << 32;
  if (!Factor || Text.drop_back().getAsInteger(10, Number) || Number > Max)
    return std::nullopt;
  return std::chrono::seconds(std::min(Number * Factor, Max));
}

static PruneRequest readPruneRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  PruneRequest R;
  R.IsDryRun = Args.hasArg(OPT_dry_run);
  if (const opt::Arg *A = Args.getLastArg(OPT_older_than_EQ)) {
    R.OlderThan = parseAge(A->getValue());
    if (!R.OlderThan)
      Line.fail(A->getSpelling() +
                ": expected a time such as 30d, 12h or "
                "600s, but got '" +
                A->getValue() + "'");
  }
  if (Args.hasArg(OPT_max_size_EQ))
    R.MaxSize = Line.size(OPT_max_size_EQ, 0);
  if (!Args.hasArg(OPT_older_than_EQ, OPT_max_size_EQ))
    Line.fail("prune needs --older-than= or --max-size=");
  return R;
}

Error pruneStoreByOptions(CommandLine &Line, StringRef Where,
                          std::vector<std::string> More) {
  PruneRequest R = readPruneRequest(Line);
  expectNothing(Line, More);
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Place);
  if (!Store)
    return Store.takeError();
  Expected<PruneStatistics> Counts =
      pruneStore(**Store, R, [&](const StoredArchive &A) {
        if (R.IsDryRun)
          outs() << toHex(A.BuildID, /*LowerCase=*/true) << '\n';
      });
  if (!Counts)
    return Counts.takeError();
  outs() << (R.IsDryRun ? "Would remove " : "Removed ") << Counts->Removed
         << archives(Counts->Removed) << ", " << Counts->Bytes << " bytes from "
         << escapeText((*Store)->name()) << '\n';
  if (Counts->Pinned)
    outs() << "Pins keep " << Counts->Pinned << " more" << '\n';
  return Error::success();
}

//===----------------------------------------------------------------------===//
// used, pin, unpin, pins
//===----------------------------------------------------------------------===//

/// Parses the build IDs in \p Words or, if there are none, on the lines of
/// standard input.
static Expected<std::vector<StoreBuildID>>
readBuildIDs(CommandLine &Line, std::vector<std::string> Words) {
  if (Words.empty()) {
    auto Input = MemoryBuffer::getSTDIN();
    if (!Input)
      return errorCodeToError(Input.getError());
    for (line_iterator It(**Input); !It.is_at_end(); ++It)
      Words.push_back(It->trim().str());
  }
  std::vector<StoreBuildID> IDs;
  for (const std::string &Word : Words) {
    IDs.push_back(parseBuildIDText(Word));
    if (StringRef Why = whyNotABuildID(IDs.back()); !Why.empty())
      Line.fail("expected a build ID, but got '" + Word + "'");
  }
  if (Error E = Line.takeErrors())
    return E;
  return IDs;
}

Error noteUse(CommandLine &Line, StringRef Where,
              std::vector<std::string> Words) {
  Expected<std::vector<StoreBuildID>> IDs =
      readBuildIDs(Line, std::move(Words));
  if (!IDs)
    return IDs.takeError();
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Place);
  if (!Store)
    return Store.takeError();
  return recordUse(**Store, std::move(*IDs));
}

Error pinInStore(CommandLine &Line, StringRef Where,
                 std::vector<std::string> Words) {
  if (Words.empty())
    Line.fail("expected the name of a pin after the store");
  else if (StringRef Why = whyNotAPin(Words.front()); !Why.empty())
    Line.fail("'" + Words.front() + "': " + Why);
  if (Error E = Line.takeErrors())
    return E;
  std::string Name = Words.front();
  Words.erase(Words.begin());
  Expected<std::vector<StoreBuildID>> IDs =
      readBuildIDs(Line, std::move(Words));
  if (!IDs)
    return IDs.takeError();
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Place);
  if (!Store)
    return Store.takeError();
  return addPin(**Store, {Name, std::move(*IDs)});
}

Error unpinInStore(CommandLine &Line, StringRef Where,
                   std::vector<std::string> Words) {
  if (Words.size() != 1)
    Line.fail("expected the name of a pin after the store");
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Place);
  if (!Store)
    return Store.takeError();
  return removePin(**Store, Words.front());
}

Error listPins(CommandLine &Line, StringRef Where,
               std::vector<std::string> More) {
  expectNothing(Line, More);
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Place);
  if (!Store)
    return Store.takeError();
  Expected<std::vector<StorePin>> Pins = readPins(**Store);
  if (!Pins)
    return Pins.takeError();
  for (const StorePin &Pin : *Pins)
    outs() << Pin.Name << ": " << Pin.IDs.size()
           << (Pin.IDs.size() == 1 ? " build ID\n" : " build IDs\n");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// stats
//===----------------------------------------------------------------------===//

namespace {
/// Sums over the archives of a store.
struct StoreSums {
  /// For archives that were last used in the last day, week or month, or
  /// before.
  static constexpr unsigned Ages = 4;
  uint64_t Count[Ages] = {};
  uint64_t Bytes[Ages] = {};

  void add(uint64_t Size, std::chrono::system_clock::duration Age);
};
} // namespace

static constexpr const char *AgeNames[StoreSums::Ages] = {"day", "week",
                                                          "month", "older"};

void StoreSums::add(uint64_t Size, std::chrono::system_clock::duration Age) {
  constexpr std::chrono::hours Day(24);
  unsigned I = Age <= Day ? 0 : Age <= 7 * Day ? 1 : Age <= 30 * Day ? 2 : 3;
  ++Count[I];
  Bytes[I] += Size;
}

static Expected<StoreSums> sumOf(SymbolStore &Store) {
  StoreSums Sums;
  auto Now = std::chrono::system_clock::now();
  if (Error E = forEachWithUse(Store, [&](const StoredArchive &A) {
        Sums.add(A.Object.Size, Now - A.Object.LastUsed);
      }))
    return E;
  return Sums;
}

static void printText(const StoreSums &Sums, StringRef Name, size_t Pins) {
  uint64_t Count = 0, Bytes = 0;
  outs() << "Last used            archives          bytes\n";
  for (unsigned I = 0; I != StoreSums::Ages; ++I) {
    Count += Sums.Count[I];
    Bytes += Sums.Bytes[I];
    outs() << formatv("  {0,-17} {1,9} {2,14}\n",
                      I + 1 == StoreSums::Ages
                          ? std::string("earlier")
                          : formatv("in the last {0}", AgeNames[I]).str(),
                      Sums.Count[I], Sums.Bytes[I]);
  }
  outs() << Count << archives(Count) << ", " << Bytes << " bytes, " << Pins
         << (Pins == 1 ? " pin" : " pins") << " in " << escapeText(Name)
         << '\n';
}

static void printJSON(const StoreSums &Sums, size_t Pins) {
  json::Object ByAge;
  for (unsigned I = 0; I != StoreSums::Ages; ++I)
    ByAge[AgeNames[I]] = json::Object{{"Archives", int64_t(Sums.Count[I])},
                                      {"Bytes", int64_t(Sums.Bytes[I])}};
  outs() << json::Value(json::Object{{"LastUsed", std::move(ByAge)},
                                     {"Pins", int64_t(Pins)}})
         << '\n';
}

Error printStoreStatistics(CommandLine &Line, StringRef Where,
                           std::vector<std::string> More) {
  expectNothing(Line, More);
  bool IsJSON = readsJSONFormat(Line, "stats");
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Place);
  if (!Store)
    return Store.takeError();
  Expected<StoreSums> Sums = sumOf(**Store);
  if (!Sums)
    return Sums.takeError();
  Expected<std::vector<StorePin>> Pins = readPins(**Store);
  if (!Pins)
    return Pins.takeError();
  if (IsJSON)
    printJSON(*Sums, Pins->size());
  else
    printText(*Sums, (*Store)->name(), Pins->size());
  return Error::success();
}

} // namespace lidia
