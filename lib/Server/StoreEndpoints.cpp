//===- StoreEndpoints.cpp - /v1/archives ----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   GET /v1/archives?prefix=DIGITS, or ?match=TEXT for a part of a name
//     {"archives": [{"build_id", "names", "size", "added", "used"}],
//      "more": false, "uploads": false}
//   PUT /v1/archives/ID/names/NAME
//   GET /v1/archives/ID/functions?match=TEXT, and the same for files
//     {"build_id", "ranges", "functions": [...], "more": false}
//   GET /v1/archives/ID/functions/ADDRESS
//     {"build_id", "function", "lines", "inlined", ...}
//
//===----------------------------------------------------------------------===//

#include "Service.h"
#include "lidia/Store/BinaryNames.h"
#include "lidia/Symbolize/ArchiveSearch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <map>

using namespace llvm;

namespace lidia {

/// The maximum number of entries of a list in an answer.
static constexpr size_t MaxEntries = 200;
/// Archives that are found by name: each may cost the store a request.
static constexpr size_t MaxNamed = 50;
/// Names of a binary in an answer.
static constexpr size_t MaxNames = 8;
/// Names that a search looks at: a store in a bucket lists a thousand with a
/// request.
static constexpr size_t MaxSearched = 200000;
/// The maximum number of lines, and of inlined calls, of a function in an
/// answer.
static constexpr size_t MaxLines = 20000;

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

namespace {
using NamesByID = std::map<SmallVector<uint8_t, 20>, std::vector<std::string>>;

struct ArchiveList {
  std::vector<StoredArchive> Archives;
  NamesByID Names;
  bool HasMore = false;
};
} // namespace

static void addName(NamesByID &To, NamedBinary &&Named) {
  std::vector<std::string> &Its = To[Named.BuildID];
  if (Its.size() < MaxNames)
    Its.push_back(std::move(Named.Name));
}

/// The archives whose build IDs begin with \p Digits.
static Expected<ArchiveList> listByID(SymbolStore &Store, StringRef Digits) {
  ArchiveList List;
  if (Error E = Store.list(Digits, MaxEntries + 1).moveInto(List.Archives))
    return E;
  List.HasMore = List.Archives.size() > MaxEntries;
  if (List.HasMore)
    List.Archives.pop_back();
  if (List.Archives.empty())
    return List;
  const auto Last = List.Archives.back().BuildID;
  if (Error E = visitBinaryNames(Store, Digits, [&](NamedBinary Named) {
        if (Named.BuildID > Last)
          return false;
        addName(List.Names, std::move(Named));
        return true;
      }))
    return E;
  return List;
}

/// The archives of binaries with \p Match in their names, ignoring case.
static Expected<ArchiveList> listByName(SymbolStore &Store, StringRef Match) {
  ArchiveList List;
  size_t Searched = 0;
  if (Error E = visitBinaryNames(Store, "", [&](NamedBinary Named) {
        List.HasMore = ++Searched > MaxSearched ||
                       (List.Names.size() == MaxNamed &&
                        StringRef(Named.Name).contains_insensitive(Match));
        if (!List.HasMore && StringRef(Named.Name).contains_insensitive(Match))
          addName(List.Names, std::move(Named));
        return !List.HasMore;
      }))
    return E;
  for (const auto &[ID, Names] : List.Names) {
    Expected<std::vector<StoredArchive>> Found =
        Store.list(toHex(ID, /*LowerCase=*/true), 1);
    if (!Found)
      return Found.takeError();
    if (!Found->empty())
      List.Archives.push_back(std::move(Found->front()));
  }
  return List;
}

static void writeArchive(const StoredArchive &A, const ArchiveList &List,
                         json::OStream &J) {
  auto Names = List.Names.find(A.BuildID);
  J.object([&] {
    J.attribute("build_id", toHex(A.BuildID, /*LowerCase=*/true));
    J.attributeArray("names", [&] {
      if (Names != List.Names.end())
        for (StringRef Name : Names->second)
          J.value(json::fixUTF8(Name));
    });
    J.attribute("size", int64_t(A.Object.Size));
    J.attribute("added", timeText(A.Object.Written));
    J.attribute("used", timeText(A.Object.LastUsed));
  });
}

Answer answerArchives(Service &S, const HTTPRequest &Request, PathParts) {
  std::string Digits, Match;
  for (StringRef Prefix : Request.parameters("prefix"))
    Digits = Prefix.trim().lower();
  for (StringRef Text : Request.parameters("match"))
    Match = Text.trim().str();
  if (Digits.size() > 128 || !all_of(Digits, isHexDigit))
    return HTTPResponse::error(400, "a build ID has hexadecimal digits");
  if (!Digits.empty() && !Match.empty())
    return HTTPResponse::error(400, "give prefix or match, not both");
  Expected<ArchiveList> List =
      Match.empty() ? listByID(*S.Store, Digits) : listByName(*S.Store, Match);
  if (!List)
    return List.takeError();
  return object([&](json::OStream &J) {
    J.attributeArray("archives", [&] {
      for (const StoredArchive &A : List->Archives)
        writeArchive(A, *List, J);
    });
    J.attribute("more", List->HasMore);
    J.attribute("uploads", ServerOptions::mayAnyoneWrite(*S.Tokens.get()));
  });
}

Answer answerName(Service &S, const HTTPRequest &, PathParts Parts) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0]);
  if (!BuildID)
    return BuildID.takeError();
  Expected<bool> IsThere = S.Store->contains(*BuildID);
  if (!IsThere)
    return IsThere.takeError();
  if (!*IsThere)
    return HTTPResponse::error(404, "the store has no such archive");
  if (Error E = addBinaryName(*S.Store, *BuildID, Parts[1]))
    return E;
  return HTTPResponse::json("{}\n");
}

//===----------------------------------------------------------------------===//
// An archive
//===----------------------------------------------------------------------===//

static Expected<std::shared_ptr<ServedModule>>
findModule(Service &S, const HTTPRequest &Request, StringRef ID) {
  Expected<BuildIDBytes> BuildID = parseBuildID(ID);
  if (!BuildID)
    return BuildID.takeError();
  return S.find(Request, *BuildID);
}

/// Replaces the store's own message, which names the store's location.
static Error withoutPlace(Error E) {
  std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
  const ErrorInfoBase &Base = *Why;
  if (Why->convertToErrorCode() != std::errc::no_such_file_or_directory ||
      Base.isA<MissingFilesError>())
    return Error(std::move(Why));
  return make_error<MissingInformationError>("",
                                             "the store has no such archive");
}

using ListWriter = void (*)(const Archive &A, StringRef Match, size_t Most,
                            json::OStream &J);

static Answer answerList(Service &S, const HTTPRequest &Request, StringRef ID,
                         ListWriter Write) {
  Expected<std::shared_ptr<ServedModule>> M = findModule(S, Request, ID);
  if (!M)
    return withoutPlace(M.takeError());
  std::string Match;
  for (std::string &Text : Request.parameters("match"))
    Match = std::move(Text);
  const Archive &A = (*M)->archive();
  return object([&](json::OStream &J) {
    J.attribute("build_id", toHex((*M)->buildID(), /*LowerCase=*/true));
    J.attribute("ranges", int64_t(A.rangeCount()));
    Write(A, Match, MaxEntries, J);
  });
}

Answer answerFunctions(Service &S, const HTTPRequest &Request,
                       PathParts Parts) {
  return answerList(S, Request, Parts[0], writeFunctions);
}

Answer answerFiles(Service &S, const HTTPRequest &Request, PathParts Parts) {
  return answerList(S, Request, Parts[0], writeFiles);
}

Answer answerFunction(Service &S, const HTTPRequest &Request, PathParts Parts) {
  Expected<std::shared_ptr<ServedModule>> M = findModule(S, Request, Parts[0]);
  if (!M)
    return withoutPlace(M.takeError());
  StringRef Digits = Parts[1];
  uint64_t Address;
  if (!Digits.consume_front_insensitive("0x") ||
      Digits.getAsInteger(16, Address))
    return HTTPResponse::error(400, "an address is 0x and hexadecimal digits");
  bool IsFound = false;
  HTTPResponse R = object([&](json::OStream &J) {
    J.attribute("build_id", toHex((*M)->buildID(), /*LowerCase=*/true));
    IsFound = writeFunctionAt((*M)->archive(), Address, MaxLines, J);
  });
  if (IsFound)
    return R;
  return HTTPResponse::error(404, "no function has this address");
}

} // namespace lidia
