//===- Store.cpp - llvm-lidia store: archives by build ID -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServeOptions.h"
#include "StoreOptions.h"
#include "Support/URLText.h"
#include "lidia/Error.h"
#include "lidia/Store/OpenArchive.h"
#include "lidia/Store/RemoveArchive.h"
#include "lidia/Support/OutputFile.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;

namespace lidia {

static SymbolStoreOptions readStoreOptions(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  SymbolStoreOptions O;
  StringRef Layout = Args.getLastArgValue(OPT_layout_EQ, "build-id");
  if (Layout == "pyroscope")
    O.Layout = StoreLayout::Pyroscope;
  else if (Layout == "debuginfod")
    O.Layout = StoreLayout::Debuginfod;
  else if (Layout != "build-id")
    Line.fail(
        "--layout=: expected build-id, pyroscope or debuginfod, but got '" +
        Layout + "'");
  if (const opt::Arg *A = Args.getLastArg(OPT_tenant_EQ)) {
    O.Tenant = A->getValue();
    if (O.Layout != StoreLayout::Pyroscope)
      Line.fail(A->getSpelling() + " needs --layout=pyroscope");
  }
  O.Open = readOpenOptions(Line);
  O.WriteToken = readToken(Line, OPT_write_token_EQ);
  O.Output.RemoveOnSignals = true;
  return O;
}

SmallVector<uint8_t, 20> parseBuildIDText(StringRef Text) {
  Text.consume_front("BUILDID:");
  // LLVM puts a zero before an odd number of digits.
  if (Text.size() % 2)
    return {};
  object::BuildID ID = object::parseBuildID(Text);
  return SmallVector<uint8_t, 20>(ID.begin(), ID.end());
}

std::optional<DebugID> parseDebugIDText(StringRef Text) {
  // This many digits are a build ID, not a debug ID with an age of eight
  // digits.
  constexpr size_t DigitsOfSHA1 = 40;
  if (Text.size() == DigitsOfSHA1 && !parseBuildIDText(Text).empty())
    return std::nullopt;
  return DebugID::parse(Text);
}

bool isIDText(StringRef Text) {
  return parseDebugIDText(Text) || !parseBuildIDText(Text).empty();
}

Expected<SmallVector<uint8_t, 20>> resolveID(SymbolStore &Store,
                                             StringRef Text) {
  if (std::optional<DebugID> ID = parseDebugIDText(Text))
    return Store.findBuildID(*ID);
  return parseBuildIDText(Text);
}

Expected<std::unique_ptr<SymbolStore>>
openStore(CommandLine &Line, StringRef Where, StoreNeed Need) {
  SymbolStoreOptions O = readStoreOptions(Line);
  // The client that looks up keeps the archives open.
  O.KeepOpen = false;
  if (Error E = Line.takeErrors())
    return E;
  Expected<std::unique_ptr<SymbolStore>> Store = SymbolStore::open(Where, O);
  if (!Store)
    return Store;
  if (Need == StoreNeed::Place)
    if (Error E = (*Store)->objects().checkPlace())
      return E;
  if (Need == StoreNeed::Archives)
    if (Error E = (*Store)->checkFilled())
      return E;
  return Store;
}

void expectNothing(CommandLine &Line, ArrayRef<std::string> More) {
  if (!More.empty())
    Line.fail("expected nothing after the store, but got '" + More.front() +
              "'");
}

//===----------------------------------------------------------------------===//
// get
//===----------------------------------------------------------------------===//

/// Writes the archive as stored, plain or compressed.
static Error copyOut(StringRef From, StringRef To) {
  auto Write = [&](raw_ostream &OS) -> Error {
    return readWhole(From, [&](StringRef Piece) { OS << Piece; });
  };
  OutputFileOptions Output;
  Output.RemoveOnSignals = true;
  return writeOutputFile(To, Write, Output);
}

static Error get(CommandLine &Line, StringRef Where,
                 std::vector<std::string> IDs) {
  std::string Output = Line.args().getLastArgValue(OPT_output_EQ, "-").str();
  if (IDs.size() != 1)
    Line.fail("expected one build ID after the store");
  else if (!isIDText(IDs.front()))
    Line.fail("expected a build ID, but got '" + IDs.front() + "'");
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Archives);
  if (!Store)
    return Store.takeError();
  Expected<SmallVector<uint8_t, 20>> BuildID = resolveID(**Store, IDs.front());
  if (!BuildID)
    return BuildID.takeError();
  // Checks the archive: one that does not match its build ID must not be
  // returned.
  if (auto A = (*Store)->archive(*BuildID); !A)
    return A.takeError();
  Expected<std::string> From = (*Store)->find(*BuildID);
  if (!From)
    return From.takeError();
  return copyOut(*From, Output);
}

//===----------------------------------------------------------------------===//
// list
//===----------------------------------------------------------------------===//

bool readsJSONFormat(CommandLine &Line, StringRef Name) {
  const opt::Arg *A = Line.args().getLastArg(OPT_format_EQ);
  if (A && StringRef(A->getValue()) != "json")
    Line.fail("--format=: " + Name + " prints json, but got '" + A->getValue() +
              "'");
  return A;
}

static Error list(CommandLine &Line, StringRef Where,
                  std::vector<std::string> More) {
  expectNothing(Line, More);
  bool IsJSON = readsJSONFormat(Line, "list");
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Place);
  if (!Store)
    return Store.takeError();
  uint64_t Bytes = 0, Count = 0;
  Error E = (*Store)->forEach([&](const StoredArchive &A) {
    std::string ID = toHex(A.BuildID, /*LowerCase=*/true);
    Bytes += A.Object.Size;
    ++Count;
    if (IsJSON)
      outs() << json::Value(json::Object{{"BuildID", ID},
                                         {"Size", int64_t(A.Object.Size)},
                                         {"Object", A.Object.Name}})
             << '\n';
    else
      outs() << formatv("{0,-40} {1,12}\n", ID, A.Object.Size);
    return Error::success();
  });
  if (E)
    return E;
  if (!IsJSON)
    outs() << Count << (Count == 1 ? " archive, " : " archives, ") << Bytes
           << " bytes in " << escapeText((*Store)->name()) << '\n';
  return Error::success();
}

//===----------------------------------------------------------------------===//
// verify
//===----------------------------------------------------------------------===//

static void checkBuildIDs(CommandLine &Line, ArrayRef<std::string> IDs) {
  for (StringRef ID : IDs)
    if (parseBuildIDText(ID).empty())
      Line.fail("expected a build ID, but got '" + ID + "'");
}

static Error verify(CommandLine &Line, StringRef Where,
                    std::vector<std::string> IDs) {
  bool Quiet = Line.args().hasArg(OPT_quiet);
  checkBuildIDs(Line, IDs);
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Place);
  if (!Store)
    return Store.takeError();
  uint64_t Count = 0, Failed = 0;
  auto Note = [&](Error E) {
    ++Count;
    if (!E)
      return;
    ++Failed;
    reportError(std::move(E));
  };
  for (StringRef ID : IDs)
    Note((*Store)->verify(parseBuildIDText(ID)));
  if (IDs.empty())
    if (Error E = (*Store)->forEach([&](const StoredArchive &A) {
          Note((*Store)->verify(A));
          return Error::success();
        }))
      return E;
  if (Failed)
    return createStringError(Twine(Failed) + " of " + Twine(Count) +
                             " archives failed");
  if (!Quiet)
    outs() << escapeText((*Store)->name()) << ": " << Count
           << (Count == 1 ? " archive" : " archives") << ", no errors found\n";
  return Error::success();
}

//===----------------------------------------------------------------------===//
// --store
//===----------------------------------------------------------------------===//

std::function<SmallVector<uint8_t, 20>(const DebugID &)>
debugIDsOfStore(CommandLine &Line) {
  const opt::Arg *A = Line.args().getLastArg(OPT_store_EQ);
  if (!A)
    return {};
  SymbolStoreOptions O;
  O.Open = readOpenOptions(Line);
  // The client also opens the archives.
  O.KeepOpen = false;
  return [Where = std::string(A->getValue()), O,
          Store = std::shared_ptr<SymbolStore>()](
             const DebugID &ID) mutable -> SmallVector<uint8_t, 20> {
    if (!Store) {
      Expected<std::unique_ptr<SymbolStore>> Opened =
          SymbolStore::open(Where, O);
      if (!Opened) {
        consumeError(Opened.takeError());
        return {};
      }
      Store = std::move(*Opened);
    }
    Expected<SmallVector<uint8_t, 20>> BuildID = Store->findBuildID(ID);
    if (BuildID)
      return std::move(*BuildID);
    consumeError(BuildID.takeError());
    return {};
  };
}

void readStoreOfModules(CommandLine &Line, ModuleArchivesOptions &O) {
  const opt::Arg *A = Line.args().getLastArg(OPT_store_EQ);
  if (!A)
    return;
  O.StoreName = urlForMessages(A->getValue());
  if (Error E = openArchiveSource(A->getValue(), readOpenOptions(Line))
                    .moveInto(O.Store))
    Line.fail(A->getSpelling() + ": " + toString(std::move(E)));
}

//===----------------------------------------------------------------------===//

static Error remove(CommandLine &Line, StringRef Where,
                    std::vector<std::string> IDs) {
  if (IDs.empty())
    Line.fail("expected build IDs after the store");
  checkBuildIDs(Line, IDs);
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Place);
  if (!Store)
    return Store.takeError();
  size_t Failed = 0;
  for (StringRef ID : IDs)
    if (Error E = removeArchive(**Store, parseBuildIDText(ID))) {
      ++Failed;
      std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
      if (Why->file().empty())
        Why->addPrefix(ID);
      reportError(Error(std::move(Why)));
    }
  if (!Failed)
    return Error::success();
  return createStringError(Twine(Failed) + " of " + Twine(IDs.size()) +
                           " archives could not be removed");
}

Error runStore(CommandLine &Line) {
  std::vector<std::string> Operands = Line.operands();
  using Action = Error (*)(CommandLine &, StringRef, std::vector<std::string>);
  Action Run = nullptr;
  if (!Operands.empty()) {
    StringRef Name = Operands.front();
    Run = StringSwitch<Action>(Name)
              .Case("add", addToStore)
              .Case("check", tryStore)
              .Case("get", get)
              .Case("list", list)
              .Case("pin", pinInStore)
              .Case("pins", listPins)
              .Case("prune", pruneStoreByOptions)
              .Case("remove", remove)
              .Case("stats", printStoreStatistics)
              .Case("unpin", unpinInStore)
              .Case("used", noteUse)
              .Case("verify", verify)
              .Default(nullptr);
    if (!Run)
      Line.fail("expected add, check, get, list, pin, pins, prune, "
                "remove, stats, unpin, used or verify, but got '" +
                Name + "'");
  }
  if (Operands.size() < 2)
    Line.fail("no store given (see llvm-lidia store --help)");
  if (!Run || Operands.size() < 2)
    return Line.takeErrors();
  return Run(Line, Operands[1], {Operands.begin() + 2, Operands.end()});
}

} // namespace lidia
