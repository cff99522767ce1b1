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
//      "next": "...", "more": false, "uploads": false}
//   GET /v1/archives/ID/quality
//     {"build_id", "names", "size", "added", "used", "quality": {...}}
//   PUT /v1/archives/ID/names/NAME
//   GET /v1/archives/ID/functions?match=TEXT, and the same for files
//     {"build_id", "ranges", "functions": [...], "more": false}
//   GET /v1/archives/ID/functions/ADDRESS
//     {"build_id", "function", "lines", "inlined", ...}
//
//===----------------------------------------------------------------------===//

#include "JSONBody.h"
#include "Service.h"
#include "lidia/Archive/Quality.h"
#include "lidia/Store/BinaryNames.h"
#include "lidia/Symbolize/ArchiveSearch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <tuple>

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

/// A page of a list.
struct ArchiveList {
  std::vector<StoredArchive> Archives;
  NamesByID Names;
  /// The cursor of the next page; empty if this is the last one.
  std::string Next;
};

/// The part of the list that a request asks for.
struct ListRequest {
  std::string Digits;
  std::string Match;
  /// ArchiveList::Next of the page before; empty for the first one.
  std::string Cursor;
  size_t Max = MaxEntries;
};

/// A binary with a part of a name.
struct FoundName {
  NamedBinary Binary;
  unsigned Rank = 0;
};
} // namespace

static void addName(NamesByID &To, NamedBinary &&Named) {
  std::vector<std::string> &Its = To[Named.BuildID];
  if (Its.size() < MaxNames)
    Its.push_back(std::move(Named.Name));
}

/// The archives whose build IDs begin with R.Digits, after that of the cursor.
static Expected<ArchiveList> listByID(SymbolStore &Store,
                                      const ListRequest &R) {
  ArchiveList List;
  BuildIDBytes After;
  if (!R.Cursor.empty())
    if (Error E = parseBuildID(R.Cursor).moveInto(After))
      return E;
  if (Error E = Store.list(R.Digits, R.Max + 1, After).moveInto(List.Archives))
    return E;
  bool HasMore = List.Archives.size() > R.Max;
  if (HasMore)
    List.Archives.pop_back();
  if (List.Archives.empty())
    return List;
  const auto Last = List.Archives.back().BuildID;
  if (HasMore)
    List.Next = toHex(Last, /*LowerCase=*/true);
  auto Add = [&](NamedBinary Named) {
    if (Named.BuildID > Last)
      return false;
    addName(List.Names, std::move(Named));
    return true;
  };
  if (Error E = visitBinaryNames(Store, R.Digits, Add, After))
    return E;
  return List;
}

/// How well \p Name matches \p Text, ignoring case: 0 for the whole name, 1 and
/// 2 for a library without its version ("libc" is libc.so.6 or libc-2.31.so,
/// and not libcurl.so.4), 3 for the beginning, 4 for another part. None if it
/// does not match.
static std::optional<unsigned> rankOf(StringRef Name, StringRef Text) {
  if (Name.equals_insensitive(Text))
    return 0;
  if (!Name.starts_with_insensitive(Text))
    return Name.contains_insensitive(Text) ? std::optional(4u) : std::nullopt;
  StringRef Rest = Name.drop_front(Text.size());
  if (Rest.starts_with("."))
    return 1;
  bool HasVersion =
      Rest.consume_front("-") && !Rest.empty() && isDigit(Rest.front());
  return HasVersion ? 2 : 3;
}

/// The names that \p Match is a part of: the best first, of equal ones the
/// newest.
static Expected<std::vector<FoundName>> findNames(SymbolStore &Store,
                                                  StringRef Match) {
  std::vector<FoundName> Found;
  size_t Searched = 0;
  if (Error E = visitBinaryNames(Store, "", [&](NamedBinary Named) {
        if (std::optional<unsigned> Rank = rankOf(Named.Name, Match))
          Found.push_back({std::move(Named), *Rank});
        return ++Searched < MaxSearched;
      }))
    return E;
  llvm::sort(Found, [](const FoundName &A, const FoundName &B) {
    return std::tie(A.Rank, B.Binary.Written, A.Binary.Name, A.Binary.BuildID) <
           std::tie(B.Rank, A.Binary.Written, B.Binary.Name, B.Binary.BuildID);
  });
  return Found;
}

/// The archives of binaries with R.Match in their names. The cursor is the
/// number of archives before.
static Expected<ArchiveList> listByName(SymbolStore &Store,
                                        const ListRequest &R) {
  size_t Skipped = 0;
  if (!R.Cursor.empty() && StringRef(R.Cursor).getAsInteger(10, Skipped))
    return wrongRequest("not a cursor of this list");
  Expected<std::vector<FoundName>> Found = findNames(Store, R.Match);
  if (!Found)
    return Found.takeError();
  ArchiveList List;
  std::vector<BuildIDBytes> Order;
  for (FoundName &F : *Found) {
    BuildIDBytes ID(F.Binary.BuildID);
    if (List.Names.count(ID) == 0)
      Order.push_back(ID);
    addName(List.Names, std::move(F.Binary));
  }
  Skipped = std::min(Skipped, Order.size());
  size_t End = std::min(Order.size(), Skipped + std::min(R.Max, MaxNamed));
  if (End < Order.size())
    List.Next = utostr(End);
  for (size_t I = Skipped; I < End; ++I) {
    Expected<std::vector<StoredArchive>> At =
        Store.list(toHex(Order[I], /*LowerCase=*/true), 1);
    if (!At)
      return At.takeError();
    if (!At->empty())
      List.Archives.push_back(std::move(At->front()));
  }
  return List;
}

static Expected<ListRequest> readListRequest(const HTTPRequest &Request) {
  ListRequest R;
  for (StringRef Prefix : Request.parameters("prefix"))
    R.Digits = Prefix.trim().lower();
  for (StringRef Text : Request.parameters("match"))
    R.Match = Text.trim().str();
  for (std::string &Cursor : Request.parameters("cursor"))
    R.Cursor = std::move(Cursor);
  for (StringRef Limit : Request.parameters("limit"))
    if (Limit.getAsInteger(10, R.Max) || R.Max == 0)
      return wrongRequest("limit is a number from 1");
  R.Max = std::min(R.Max, MaxEntries);
  if (R.Digits.size() > 128 || !all_of(R.Digits, isHexDigit))
    return wrongRequest("a build ID has hexadecimal digits");
  if (!R.Digits.empty() && !R.Match.empty())
    return wrongRequest("give prefix or match, not both");
  return R;
}

/// Writes the fields of \p A.
static void writeArchive(const StoredArchive &A, const NamesByID &AllNames,
                         json::OStream &J) {
  auto Names = AllNames.find(A.BuildID);
  J.attribute("build_id", toHex(A.BuildID, /*LowerCase=*/true));
  J.attributeArray("names", [&] {
    if (Names != AllNames.end())
      for (StringRef Name : Names->second)
        J.value(json::fixUTF8(Name));
  });
  J.attribute("size", int64_t(A.Object.Size));
  J.attribute("added", timeText(A.Object.Written));
  J.attribute("used", timeText(A.Object.LastUsed));
}

Answer answerArchives(Service &S, const HTTPRequest &Request, PathParts) {
  Expected<ListRequest> R = readListRequest(Request);
  if (!R)
    return R.takeError();
  Expected<ArchiveList> List =
      R->Match.empty() ? listByID(*S.Store, *R) : listByName(*S.Store, *R);
  if (!List)
    return List.takeError();
  return object([&](json::OStream &J) {
    J.attributeArray("archives", [&] {
      for (const StoredArchive &A : List->Archives)
        J.object([&] { writeArchive(A, List->Names, J); });
    });
    if (!List->Next.empty())
      J.attribute("next", List->Next);
    J.attribute("more", !List->Next.empty());
    J.attribute("uploads", ServerOptions::mayAnyoneWrite(*S.Tokens.get()));
  });
}

/// Records something of the archive of the build ID in \p Text.
static Answer
recordOfArchive(Service &S, StringRef Text,
                function_ref<Error(ArrayRef<uint8_t> BuildID)> Record) {
  Expected<BuildIDBytes> BuildID = parseBuildID(Text);
  if (!BuildID)
    return BuildID.takeError();
  Expected<bool> IsThere = S.Store->contains(*BuildID);
  if (!IsThere)
    return IsThere.takeError();
  if (!*IsThere)
    return HTTPResponse::error(404, "the store has no such archive");
  if (Error E = Record(*BuildID))
    return E;
  return HTTPResponse::json("{}\n");
}

Answer answerName(Service &S, const HTTPRequest &, PathParts Parts) {
  return recordOfArchive(S, Parts[0], [&](ArrayRef<uint8_t> BuildID) {
    return addBinaryName(*S.Store, BuildID, Parts[1]);
  });
}

Answer answerNewHash(Service &S, const HTTPRequest &Request, PathParts Parts) {
  Expected<BuildIDBytes> Hash = parseFileHash(Parts[1]);
  if (!Hash)
    return Hash.takeError();
  return recordOfArchive(S, Parts[0], [&](ArrayRef<uint8_t> BuildID) {
    Error E = addFileHash(*S.Store, BuildID, *Hash);
    if (!E)
      logChange(S, Request, BuildID, "has htlhash " + Parts[1]);
    // That the hash is unknown may be remembered.
    S.Store->forget(BuildID);
    return E;
  });
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

Error withoutPlace(Error E) {
  std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
  const ErrorInfoBase &Base = *Why;
  if (Why->convertToErrorCode() != std::errc::no_such_file_or_directory ||
      Base.isA<MissingFilesError>())
    return Error(std::move(Why));
  return make_error<MissingInformationError>("",
                                             "the store has no such archive");
}

Answer answerQuality(Service &S, const HTTPRequest &Request, PathParts Parts) {
  Expected<std::shared_ptr<ServedModule>> M = findModule(S, Request, Parts[0]);
  if (!M)
    return withoutPlace(M.takeError());
  std::string Digits = toHex((*M)->buildID(), /*LowerCase=*/true);
  ListRequest Its;
  Its.Digits = Digits;
  Its.Max = 1;
  Expected<ArchiveList> List = listByID(*S.Store, Its);
  if (!List)
    return List.takeError();
  if (List->Archives.empty())
    return HTTPResponse::error(404, "the store has no such archive");
  ArchiveQuality Quality = qualityOf((*M)->archive());
  return object([&](json::OStream &J) {
    writeArchive(List->Archives.front(), List->Names, J);
    J.attributeObject("quality", [&] { writeQuality(Quality, J); });
  });
}

using ListWriter = void (*)(const Archive &A, StringRef Match, size_t Max,
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
