//===- ServerFuzzer.cpp - Fuzzes clients' requests ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The input is a request: a line "METHOD TARGET", lines "name: value", an
/// empty line, and the body. The server answers it from a store with one
/// archive. The limits bound the answer, which names no file of the store. JSON
/// must be well-formed, and a table no larger than the question justifies.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "Server/Access.h"
#include "Server/FramesRequest.h"
#include "Server/Service.h"
#include "TemporaryFolder.h"
#include "lidia/Archive/ArchiveWriter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/JSON.h"

using namespace lidia;
using namespace llvm;

static constexpr uint8_t BuildID[] = {0x16, 0x6a, 0xcf, 0x82};

/// A function and a call inlined into it.
static std::string archive() {
  ArchiveWriter W{ArchiveWriterOptions()};
  ArchiveInfo Info;
  Info.Machine = ELF::EM_X86_64;
  Info.Type = ELF::ET_EXEC;
  Info.Class = ELF::ELFCLASS64;
  Info.Data = ELF::ELFDATA2LSB;
  Info.BuildID = BuildID;
  W.setInfo(Info);
  ArchiveRange Outer;
  Outer.Start = 0x1000;
  Outer.Length = 64;
  Outer.Function = W.addString("outer\n\"\\");
  Outer.File = W.addString("/src/a.c");
  cantFail(W.addRange(Outer));
  ArchiveRange Inner = Outer;
  Inner.Length = 16;
  Inner.Depth = 1;
  Inner.Function = W.addString("inner\xff");
  cantFail(W.addRange(Inner));
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  cantFail(W.write(OS));
  return Bytes;
}

static Service &service() {
  static TemporaryFolder Folder;
  static std::unique_ptr<Service> S = [] {
    std::string Store = Folder.file("store");
    cantFail(
        errorCodeToError(sys::fs::create_directories(Store + "/.build-id/16")));
    Folder.write("store/.build-id/16/6acf82.lidia", archive());
    ServerOptions O;
    O.Store = Store;
    O.CacheFolder = Folder.file("cache");
    O.Limits.MaxAnswer = 1 << 16;
    return std::make_unique<Service>(
        O, cantFail(SymbolStore::open(Store, SymbolStoreOptions())));
  }();
  return *S;
}

static HTTPRequest readRequest(StringRef Text) {
  HTTPRequest R;
  auto [Head, Body] = Text.split("\n\n");
  auto [First, Headers] = Head.split('\n');
  auto [Method, Target] = First.split(' ');
  R.Method = Method.str();
  auto [Path, Query] = Target.split('?');
  R.Path = Path.str();
  R.Query = Query.str();
  while (!Headers.empty()) {
    StringRef Line;
    std::tie(Line, Headers) = Headers.split('\n');
    auto [Name, Value] = Line.split(": ");
    R.Headers[Name.lower()] = Value.str();
  }
  R.Body = Body.str();
  return R;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  HTTPRequest Request =
      readRequest(StringRef(reinterpret_cast<const char *>(Data), Size));
  Service &S = service();
  findToken(S.Tokens, Request);
  (void)refuse(S.Options, S.Tokens, Request, AccessKind::Readers);
  route(Request);
  Outcome Made = answer(S, Request);
  if (std::holds_alternative<WorkKind>(Made)) {
    Request.MayTakeLong = true;
    Made = answer(S, Request);
  }
  HTTPResponse R = std::get<HTTPResponse>(std::move(Made));
  check(R.Status >= 200 && R.Status < 600, "no status of HTTP");
  // The fuzzer learns the name of the folder, and puts it into requests.
  bool NamesFile = StringRef(R.Body).contains("lidia-fuzz") &&
                   !StringRef(reinterpret_cast<const char *>(Data), Size)
                        .contains("lidia-fuzz");
  bool IsJSON = R.ContentType == "application/json",
       IsTable = R.ContentType == ArrowMediaType;
  // A bit that says that a row is null becomes two offsets.
  check(!IsTable || R.Body.size() <= (1 << 17) + 128 * Size,
        "the table is too large");
  check(!IsTable || !NamesFile, "the table names a file of the server");
  if (IsJSON) {
    check(R.Body.size() <= (1 << 17) + 4 * Size, "the answer is too large");
    check(!NamesFile, "the answer names a file of the server");
    if (Expected<json::Value> Parsed = json::parse(R.Body); !Parsed)
      check(false, "not JSON: " + toString(Parsed.takeError()));
  }
  applyConditions(Request, R);
  compressBody(Request, R);
  addCrossOriginHeaders(S.Options, Request, R);
  check(!R.File || R.FileOffset + R.FileSize <= R.File->Size,
        "a range outside the file");
  for (const auto &[Name, Value] : R.Headers)
    check(StringRef(Value).find_first_of("\r\n") == StringRef::npos,
          "a header of two lines");
  return 0;
}
