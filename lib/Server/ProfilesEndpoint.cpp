//===- ProfilesEndpoint.cpp - /v1development/profiles ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OTLP's profiles, by HTTP: names native frames from the store, and passes the
// request on to the server of --forward=. What cannot be named is passed on as
// it came, byte for byte, because a collector drops what is refused.
//
//===----------------------------------------------------------------------===//

#include "AskedArchives.h"
#include "Profile/Gzip.h"
#include "lidia/Profile/OTLP.h"
#include "lidia/Profile/ProfileSymbolizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lidia {

namespace {
/// A request with names.
struct NamedProfile {
  /// What its body and its tables use of the memory for all.
  MemoryShare Memory;
  /// The body with names; none if the request is to be passed on as it came.
  std::optional<std::string> Body;
  ProfileStatistics Statistics;
  /// Why the body was not read; None if it was.
  MissCode Unread = MissCode::None;
};
} // namespace

static bool isGzip(const HTTPRequest &Request) {
  return Request.header("content-encoding").equals_insensitive("gzip");
}

/// The size of a body when it is unpacked, which its end may deny.
static uint64_t unpackedSize(const HTTPRequest &Request) {
  StringRef Body = Request.Body;
  if (!isGzip(Request))
    return Body.size();
  constexpr size_t SizeField = 4;
  return Body.size() < SizeField
             ? 0
             : support::endian::read32le(Body.end() - SizeField);
}

/// The body, unpacked, if it can be read at all.
static std::unique_ptr<MemoryBuffer> readBody(const HTTPRequest &Request,
                                              NamedProfile &P) {
  MemoryBufferRef Body(Request.Body, "the body");
  StringRef Coding = Request.header("content-encoding");
  if (Coding.empty() || Coding.equals_insensitive("identity"))
    return MemoryBuffer::getMemBuffer(Body, /*RequiresNullTerminator=*/false);
  if (!isGzip(Request)) {
    P.Unread = MissCode::Unsupported;
    return nullptr;
  }
  Expected<std::unique_ptr<MemoryBuffer>> Unpacked =
      unpackGzip(Body, unpackedSize(Request));
  if (Unpacked)
    return std::move(*Unpacked);
  consumeError(Unpacked.takeError());
  P.Unread = MissCode::Damaged;
  return nullptr;
}

/// Writes \p File as \p Request was written.
static std::string writeBody(const HTTPRequest &Request, const OTLPFile &File) {
  std::string Text;
  raw_string_ostream OS(Text);
  File.write(OS);
  OS.flush();
  if (File.isJSON()) {
    std::string JSON;
    raw_string_ostream To(JSON);
    writeOTLPJSON(Text, To, [](const Twine &) {});
    To.flush();
    Text = std::move(JSON);
  }
  if (!isGzip(Request))
    return Text;
  std::string Packed;
  raw_string_ostream To(Packed);
  GzipStream Gzip(To);
  Gzip << Text;
  Gzip.finish();
  To.flush();
  return Packed;
}

/// Fetches \p Wishes for later requests. This one does not wait, because its
/// sender would send it again.
static void fetchForLater(Service &S, std::vector<UpstreamWish> Wishes) {
  if (!Wishes.empty())
    (void)S.UpstreamServers.fetch(std::move(Wishes), [] {});
}

static void addNames(Service &S, const HTTPRequest &Request, OTLPFile &File,
                     NamedProfile &To) {
  AskedArchives Asked(S, Request);
  Expected<std::unique_ptr<ModuleResolver>> Modules = Asked.resolver();
  if (!Modules) {
    consumeError(Modules.takeError());
    To.Unread = MissCode::Other;
    return;
  }
  ProfileSymbolizerOptions Options;
  Options.Symbolizer.Rust = OlderRust::Plain;
  Options.Symbolizer.Text = TextForm::UTF8;
  // The server behind may know more.
  Options.GroupsUnnamed = false;
  To.Statistics = symbolizeProfile(File.profile(), **Modules, Options);
  fetchForLater(S, std::move(Asked.Wishes));
  if (any_of(File.profile().Locations,
             [](const Profile::Location &L) { return L.Changed; }))
    To.Body = writeBody(Request, File);
}

/// Names what the store has. Fails only if memory is short.
static Expected<NamedProfile> nameProfile(Service &S,
                                          const HTTPRequest &Request) {
  // Tables, the message with names, and the packed one.
  constexpr uint64_t MemoryFactor = 4, UnpackedFactor = 8;
  NamedProfile P;
  P.Memory = MemoryShare(S.Memory);
  uint64_t Size = unpackedSize(Request);
  if (Size > S.Options.Limits.MaxBody * UnpackedFactor) {
    P.Unread = MissCode::Limit;
    return P;
  }
  if (!P.Memory.grow(Size * MemoryFactor))
    return make_error<BusyError>("", "", "");
  std::unique_ptr<MemoryBuffer> Body = readBody(Request, P);
  if (!Body)
    return P;
  Expected<OTLPFile> File =
      OTLPFile::read(std::move(Body), OTLPParts::Tables, [](const Twine &) {});
  if (!File) {
    consumeError(File.takeError());
    P.Unread = MissCode::Damaged;
  } else if (!File->isWhole()) {
    P.Unread = MissCode::Unsupported;
  } else {
    addNames(S, Request, *File, P);
  }
  return P;
}

static void count(ServerStatistics &To, const NamedProfile &P) {
  if (P.Unread != MissCode::None) {
    ++To.ProfilesUnread[size_t(P.Unread)];
    return;
  }
  ++(P.Body ? To.ProfilesNamed : To.ProfilesUnchanged);
  const ProfileStatistics &S = P.Statistics;
  uint64_t Named = S.Locations - S.LeftAlone - S.WithLines;
  for (auto [Counter, Count] : zip_equal(To.LocationsMissed, S.Missed)) {
    Counter += Count;
    Named -= Count;
  }
  To.LocationsKnown += S.LeftAlone;
  To.LocationsWithLines += S.WithLines;
  To.LocationsWithNames += Named;
}

static bool isProfile(const HTTPRequest &Request) {
  StringRef Type = Request.header("content-type").split(';').first.trim();
  return Type.equals_insensitive("application/x-protobuf") ||
         Type.equals_insensitive("application/json");
}

Answer answerProfiles(Service &S, const HTTPRequest &Request, PathParts) {
  if (S.Options.Forward.empty())
    return HTTPResponse::error(404,
                               "this server passes no profiles on (--forward)");
  if (S.Options.IsPublic && !Request.Token.MayWrite)
    return HTTPResponse::error(
        403, "this server takes profiles only with a token for writing "
             "(--write-token)");
  // A page of another server cannot send these types unasked.
  if (!isProfile(Request))
    return HTTPResponse::error(
        415, "expected application/x-protobuf or application/json");
  Expected<NamedProfile> P = nameProfile(S, Request);
  if (!P)
    return P.takeError();
  HTTPResponse R = S.Forward.send(Request, P->Body);
  // What is not taken comes again, and counts then.
  if (R.Status < 300)
    count(S.Statistics, *P);
  return R;
}

} // namespace lidia
