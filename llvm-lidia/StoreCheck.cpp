//===- StoreCheck.cpp - llvm-lidia store check: tests a store -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreOptions.h"
#include "lidia/Archive/Quality.h"
#include "lidia/Store/BinaryNames.h"
#include "lidia/Store/CheckStore.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace lidia {

static StringRef nameOf(StoreAction Action) {
  switch (Action) {
  case StoreAction::Reach:
    return "reach";
  case StoreAction::List:
    return "list";
  case StoreAction::Put:
    return "put";
  case StoreAction::Get:
    return "get";
  case StoreAction::Delete:
    return "delete";
  }
  llvm_unreachable("no other action");
}

/// What makes the answers of an archive poor, with what would help; empty if
/// nothing does.
static std::string povertyOf(const ArchiveQuality &Q) {
  // Segments also have padding and data.
  uint64_t Code = Q.Named + Q.Unnamed;
  if (Code < Q.Code / 10)
    Code = Q.Code;
  auto Share = [&](uint64_t Bytes) {
    return formatv("{0:F0} %", 100.0 * double(Bytes) / double(Code)).str();
  };
  if (Q.LeftOut == MissCode::Damaged)
    return "parts of its input were damaged: add it again from a new copy";
  if (Q.LeftOut == MissCode::Limit)
    return "parts of its input are left out because of a limit";
  // Code without lines is normal as a part: assembly, and libraries linked
  // statically.
  if (Code == 0 || Q.WithLines >= Code / 2)
    return "";
  return Share(Q.WithLines) + " of its code has lines, " +
         Share(Q.Named - std::min(Q.Named, Q.Doubted)) +
         " a certain name: add its debug file, or a build with -g, with "
         "--improve";
}

/// Prints the archives of \p Store whose answers are poor. Reads all of them.
static Error listPoorArchives(SymbolStore &Store) {
  std::map<SmallVector<uint8_t, 20>, std::string> Names;
  if (Error E = visitBinaryNames(Store, /*Digits=*/"", [&](NamedBinary Named) {
        Names.try_emplace(std::move(Named.BuildID), std::move(Named.Name));
        return true;
      }))
    return E;
  uint64_t All = 0, Poor = 0;
  Error Result = Store.forEach([&](const StoredArchive &Stored) -> Error {
    Expected<std::shared_ptr<const Archive>> A = Store.archive(Stored.BuildID);
    if (!A)
      return A.takeError();
    ++All;
    std::string Why = povertyOf(qualityOf(**A));
    if (Why.empty())
      return Error::success();
    ++Poor;
    outs() << "poor: " << toHex(Stored.BuildID, /*LowerCase=*/true);
    if (auto Name = Names.find(SmallVector<uint8_t, 20>(Stored.BuildID));
        Name != Names.end())
      outs() << ' ' << escapeText(Name->second);
    outs() << ": " << Why << '\n';
    return Error::success();
  });
  if (!Result)
    outs() << Poor << " of " << All << " archives are poor\n";
  return Result;
}

Error tryStore(CommandLine &Line, StringRef Where,
               std::vector<std::string> More) {
  expectNothing(Line, More);
  bool ReadOnly = Line.args().hasArg(OPT_read_only);
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Nothing);
  if (!Store)
    return Store.takeError();
  bool HasFailed = false;
  checkStore(**Store, ReadOnly,
             [&](StoreAction Action, Error E, StringRef Note) {
               outs() << nameOf(Action) << ": " << (E ? "no" : "yes");
               if (!Note.empty())
                 outs() << " (" << Note << ')';
               outs() << '\n';
               outs().flush();
               if (!E)
                 return;
               HasFailed = true;
               reportError(std::move(E));
             });
  if (HasFailed)
    return make_error<ReportedFailure>();
  return Line.args().hasArg(OPT_quality) ? listPoorArchives(**Store)
                                         : Error::success();
}

} // namespace lidia
