//===- Store.cpp - llvm-lidia store: archives by build ID -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreOptions.h"
#include "lidia/Archive/OutputFile.h"
#include "lidia/Store/OpenArchive.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

SymbolStoreOptions readStoreOptions(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  SymbolStoreOptions O;
  StringRef Layout = Args.getLastArgValue(OPT_layout_EQ, "build-id");
  if (Layout == "pyroscope")
    O.Layout = StoreLayout::Pyroscope;
  else if (Layout != "build-id")
    Line.fail("--layout=: expected build-id or pyroscope, but got '" + Layout +
              "'");
  if (const opt::Arg *A = Args.getLastArg(OPT_tenant_EQ)) {
    O.Tenant = A->getValue();
    if (O.Layout != StoreLayout::Pyroscope)
      Line.fail(A->getSpelling() + " needs --layout=pyroscope");
  }
  O.Open = readOpenOptions(Line);
  O.Output.RemoveOnSignals = true;
  O.Output.Sync = true;
  return O;
}

SmallVector<uint8_t, 20> parseBuildIDText(StringRef Text) {
  Text.consume_front("BUILDID:");
  object::BuildID ID = object::parseBuildID(Text);
  return SmallVector<uint8_t, 20>(ID.begin(), ID.end());
}

/// The store of an action without options of its own.
static Expected<std::unique_ptr<SymbolStore>> openStore(CommandLine &Line,
                                                        StringRef Where) {
  SymbolStoreOptions O = readStoreOptions(Line);
  if (Error E = Line.takeErrors())
    return E;
  return SymbolStore::open(Where, O);
}

//===----------------------------------------------------------------------===//
// get
//===----------------------------------------------------------------------===//

/// Writes the plain archive or the compressed one, as the store has it.
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
  else if (parseBuildIDText(IDs.front()).empty())
    Line.fail("expected a build ID, but got '" + IDs.front() + "'");
  Expected<std::unique_ptr<SymbolStore>> Store = openStore(Line, Where);
  if (!Store)
    return Store.takeError();
  SmallVector<uint8_t, 20> BuildID = parseBuildIDText(IDs.front());
  // An object that lies is not given out.
  if (auto A = (*Store)->archive(BuildID); !A)
    return A.takeError();
  Expected<std::string> From = (*Store)->find(BuildID);
  if (!From)
    return From.takeError();
  return copyOut(*From, Output);
}

//===----------------------------------------------------------------------===//
// list
//===----------------------------------------------------------------------===//

static Error list(CommandLine &Line, StringRef Where,
                  const std::vector<std::string> &More) {
  if (!More.empty())
    Line.fail("expected nothing after the store, but got '" + More.front() +
              "'");
  StringRef Style = Line.args().getLastArgValue(OPT_output_style_EQ, "LLVM");
  if (Style != "LLVM" && Style != "JSON")
    Line.fail("--output-style=: list prints LLVM or JSON, but got '" + Style +
              "'");
  Expected<std::unique_ptr<SymbolStore>> Store = openStore(Line, Where);
  if (!Store)
    return Store.takeError();
  uint64_t Bytes = 0, Count = 0;
  Error E = (*Store)->forEach([&](const StoredArchive &A) {
    std::string ID = toHex(A.BuildID, /*LowerCase=*/true);
    Bytes += A.Object.Size;
    ++Count;
    if (Style == "JSON")
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
  if (Style == "LLVM")
    outs() << Count << (Count == 1 ? " archive, " : " archives, ") << Bytes
           << " bytes in " << escapeText((*Store)->name()) << '\n';
  return Error::success();
}

//===----------------------------------------------------------------------===//

Error runStore(CommandLine &Line) {
  std::vector<std::string> Operands = Line.operands();
  using Action = Error (*)(CommandLine &, StringRef, std::vector<std::string>);
  Action Run = nullptr;
  if (!Operands.empty()) {
    StringRef Name = Operands.front();
    Run = StringSwitch<Action>(Name)
              .Case("add", addToStore)
              .Case("get", get)
              .Case("lookup", lookUpInStore)
              .Case("list",
                    [](CommandLine &L, StringRef W,
                       std::vector<std::string> M) { return list(L, W, M); })
              .Default(nullptr);
    if (!Run)
      Line.fail("expected add, get, lookup or list, but got '" + Name + "'");
  }
  if (Operands.size() < 2)
    Line.fail("no store given (see llvm-lidia store --help)");
  if (!Run || Operands.size() < 2)
    return Line.takeErrors();
  return Run(Line, Operands[1], {Operands.begin() + 2, Operands.end()});
}

} // namespace lidia
