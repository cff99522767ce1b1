//===- StoreEndpoints.cpp - /v1/archives ----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   GET /v1/archives?prefix=DIGITS
//     {"archives": [{"build_id", "size", "used"}], "more": false}
//   GET /v1/archives/ID/functions?match=TEXT, and the same for files
//     {"build_id", "ranges", "functions": [...], "more": false}
//   GET /v1/archives/ID/functions/ADDRESS
//     {"build_id", "function", "lines", "inlined", ...}
//
//===----------------------------------------------------------------------===//

#include "Service.h"
#include "lidia/Symbolize/ArchiveSearch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lidia {

/// The maximum number of entries of a list in an answer.
static constexpr size_t MostEntries = 200;
/// The maximum number of lines, and of inlined calls, of a function in an
/// answer.
static constexpr size_t MostLines = 20000;

static HTTPResponse object(function_ref<void(json::OStream &)> Fill) {
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS);
  J.object([&] { Fill(J); });
  OS << '\n';
  return HTTPResponse::json(std::move(OS.str()));
}

static std::string timeText(sys::TimePoint<> Time) {
  return formatv("{0:%Y-%m-%dT%H:%M:%SZ}", sys::toUtcTime(sys::toTimeT(Time)));
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

HTTPResponse answerArchives(Service &S, const HTTPRequest &Request, PathParts) {
  std::string Digits;
  for (StringRef Prefix : Request.parameters("prefix"))
    Digits = Prefix.trim().lower();
  if (Digits.size() > 128 || !all_of(Digits, isHexDigit))
    return HTTPResponse::error(400, "a build ID has hexadecimal digits");
  Expected<std::vector<StoredArchive>> Found =
      S.Store->list(Digits, MostEntries + 1);
  if (!Found)
    return HTTPResponse::of(Found.takeError());
  return object([&](json::OStream &J) {
    J.attributeArray("archives", [&] {
      for (const StoredArchive &A : ArrayRef(*Found).take_front(MostEntries))
        J.object([&] {
          J.attribute("build_id", toHex(A.BuildID, /*LowerCase=*/true));
          J.attribute("size", int64_t(A.Object.Size));
          J.attribute("used", timeText(A.Object.LastUsed));
        });
    });
    J.attribute("more", Found->size() > MostEntries);
  });
}

//===----------------------------------------------------------------------===//
// An archive
//===----------------------------------------------------------------------===//

static Expected<std::shared_ptr<ServedModule>> findModule(Service &S,
                                                          StringRef ID) {
  Expected<BuildIDBytes> BuildID = parseBuildID(ID);
  if (!BuildID)
    return BuildID.takeError();
  return S.Modules.find(*BuildID);
}

/// Replaces the store's own message, which names the store's location.
static HTTPResponse failure(Error E) {
  HTTPResponse R = HTTPResponse::of(std::move(E));
  return R.Status == 404
             ? HTTPResponse::error(404, "the store has no such archive")
             : R;
}

using ListWriter = void (*)(const Archive &A, StringRef Match, size_t Most,
                            json::OStream &J);

static HTTPResponse answerList(Service &S, const HTTPRequest &Request,
                               StringRef ID, ListWriter Write) {
  Expected<std::shared_ptr<ServedModule>> M = findModule(S, ID);
  if (!M)
    return failure(M.takeError());
  std::string Match;
  for (std::string &Text : Request.parameters("match"))
    Match = std::move(Text);
  const Archive &A = (*M)->archive();
  return object([&](json::OStream &J) {
    J.attribute("build_id", toHex((*M)->buildID(), /*LowerCase=*/true));
    J.attribute("ranges", int64_t(A.rangeCount()));
    Write(A, Match, MostEntries, J);
  });
}

HTTPResponse answerFunctions(Service &S, const HTTPRequest &Request,
                             PathParts Parts) {
  return answerList(S, Request, Parts[0], writeFunctions);
}

HTTPResponse answerFiles(Service &S, const HTTPRequest &Request,
                         PathParts Parts) {
  return answerList(S, Request, Parts[0], writeFiles);
}

HTTPResponse answerFunction(Service &S, const HTTPRequest &, PathParts Parts) {
  Expected<std::shared_ptr<ServedModule>> M = findModule(S, Parts[0]);
  if (!M)
    return failure(M.takeError());
  StringRef Digits = Parts[1];
  uint64_t Address;
  if (!Digits.consume_front_insensitive("0x") ||
      Digits.getAsInteger(16, Address))
    return HTTPResponse::error(400, "an address is 0x and hexadecimal digits");
  bool IsFound = false;
  HTTPResponse R = object([&](json::OStream &J) {
    J.attribute("build_id", toHex((*M)->buildID(), /*LowerCase=*/true));
    IsFound = writeFunctionAt((*M)->archive(), Address, MostLines, J);
  });
  if (IsFound)
    return R;
  return HTTPResponse::error(404, "no function has this address");
}

} // namespace lidia
