//===- ArchiveEndpoint.cpp - /debugid/ID and /.build-id/AB/... ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For other programs' --store=http://..., which reads parts of an archive:
// /.build-id/ab/cdef.lidia.zst, regardless of the layout of the served store,
// and the build ID of a debug ID: /debugid/ID/buildid, or of the file with an
// htlhash: /htlhash/HASH/buildid.
//
//===----------------------------------------------------------------------===//

#include "Service.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Error.h"
#include "lidia/Store/OpenArchive.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

/// A copy in the cache of the object at the URL \p Where; copied again if its
/// size has changed. Only a thread for such work may copy (\p MayTakeLong).
static Expected<std::string> copyOfObject(Service &S, StringRef Where,
                                          StringRef Extension,
                                          bool MayTakeLong) {
  Expected<std::shared_ptr<FarFile>> File = openURL(Where);
  if (!File)
    return File.takeError();
  CacheKey Key("object");
  Key.add(Where).add((*File)->size());
  if (std::optional<std::string> Found = S.Files.find(Key, Extension))
    return std::move(*Found);
  if (!MayTakeLong)
    return make_error<TakesLongError>("", "the object is not copied yet");
  return S.Files.get(Key, Extension, [&](raw_ostream &OS) {
    return readWhole(Where, [&](StringRef Piece) { OS << Piece; });
  });
}

/// The answer to HEAD for the object at \p Where, which is not copied.
static Answer answerSize(StringRef Where) {
  Expected<std::shared_ptr<FarFile>> File = openURL(Where);
  if (!File)
    return File.takeError();
  HTTPResponse R;
  R.ContentType = "application/octet-stream";
  R.SizeOnly = (*File)->size();
  return R;
}

/// Checks that \p File is the archive of \p BuildID. Others than this program
/// may have written to the store.
static Error checkArchive(const SentFile &File, ArrayRef<uint8_t> BuildID) {
  Expected<Archive> A = openArchiveAt(File.path());
  if (!A)
    return A.takeError();
  if (A->info() && A->info()->BuildID == BuildID)
    return Error::success();
  return make_error<DamagedError>(toHex(BuildID, /*LowerCase=*/true),
                                  "the archive has another build ID");
}

Answer answerArchive(Service &S, const HTTPRequest &Request, PathParts Parts) {
  StringRef Name = Parts[1];
  bool IsPacked = Name.consume_back(CompressedArchiveExtension);
  if (Parts[0].size() != 2 ||
      (!IsPacked && !Name.consume_back(ArchiveExtension)))
    return HTTPResponse::error(404, "not found");
  Expected<BuildIDBytes> BuildID = parseBuildID(Parts[0] + Name.str());
  if (!BuildID)
    return BuildID.takeError();
  Expected<std::string> Where = S.findArchive(Request, *BuildID);
  if (!Where)
    return Where.takeError();
  if (StringRef(*Where).ends_with(CompressedArchiveExtension) != IsPacked)
    return HTTPResponse::error(404, "not found");
  if (S.Store->isFar() && Request.Method == "HEAD")
    return answerSize(*Where);
  Expected<std::string> Path = *Where;
  if (S.Store->isFar())
    Path = S.Exports.get(*Where, [&] {
      return copyOfObject(
          S, *Where, IsPacked ? CompressedArchiveExtension : ArchiveExtension,
          Request.MayTakeLong);
    });
  if (!Path)
    return Path.takeError();
  Expected<std::shared_ptr<SentFile>> File = SentFile::open(*Path);
  if (!File)
    return File.takeError();
  if (Error E = checkArchive(**File, *BuildID))
    return E;
  return HTTPResponse::file(std::move(*File));
}

static Answer answerBuildID(Expected<BuildIDBytes> BuildID) {
  if (!BuildID)
    return BuildID.takeError();
  std::string Digits = toHex(*BuildID, /*LowerCase=*/true);
  HTTPResponse R = HTTPResponse::text(Digits + "\n");
  // Clients' stores read files in ranges.
  R.ETag = std::move(Digits);
  return R;
}

Answer answerDebugID(Service &S, const HTTPRequest &, PathParts Parts) {
  std::optional<DebugID> ID = DebugID::parse(Parts[0]);
  if (!ID)
    return HTTPResponse::error(400, "not a debug ID");
  return answerBuildID(S.Store->findBuildID(*ID));
}

Answer answerFileHash(Service &S, const HTTPRequest &, PathParts Parts) {
  Expected<BuildIDBytes> Hash = parseFileHash(Parts[0]);
  if (!Hash)
    return Hash.takeError();
  return answerBuildID(S.Store->buildIDOfFile(*Hash));
}

} // namespace lidia
