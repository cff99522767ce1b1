//===- Service.cpp - A server without sockets -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Service.h"
#include "Access.h"
#include "Support/NilBuildID.h"
#include "Support/PercentEncoding.h"
#include "lidia/Error.h"
#include "lidia/Store/OpenArchive.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

Service::Service(const ServerOptions &Options,
                 std::unique_ptr<SymbolStore> Opened)
    : Options(Options), Store(std::move(Opened)), Files(Options.CacheFolder),
      Statistics(endpoints().size()), Tokens(Options.Tokens),
      Memory(Options.Limits.MaxBodies),
      Watch(*Store, this->Options.fillsStore()),
      Modules(*Store, this->Options, Statistics),
      Converter(this->Options, *Store, Statistics),
      UpstreamServers(this->Options, *Store, Modules, Converter, Statistics),
      Forward(this->Options, Statistics, Log) {
  Watch.addDisk("folder=\"cache\"", Files.folder());
  if (!isURL(this->Options.Store))
    Watch.addDisk("folder=\"store\"", this->Options.Store);
}

Error Service::openUpstream(Conversions::Warning Warn) {
  if (Error E = Converter.open(Warn))
    return E;
  UpstreamServers.open(Warn);
  return Error::success();
}

void Service::stop() {
  Converter.stop();
  UpstreamServers.stop();
}

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

Error Service::missingArchive(const HTTPRequest &Request,
                              ArrayRef<uint8_t> BuildID, Error E) {
  std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
  if (Why->convertToErrorCode() != std::errc::no_such_file_or_directory ||
      isNilBuildID(BuildID))
    return Error(std::move(Why));
  return UpstreamServers.missing(
      Request, {UpstreamKind::Archive, BuildIDBytes(BuildID), ""},
      Error(std::move(Why)));
}

Expected<std::shared_ptr<ServedModule>>
Service::find(const HTTPRequest &Request, ArrayRef<uint8_t> BuildID) {
  Expected<std::shared_ptr<ServedModule>> M = Modules.find(BuildID);
  if (!M)
    return missingArchive(Request, BuildID, M.takeError());
  // A stripped binary may have come before its debug file.
  if ((*M)->archive().rowCount() == 0) {
    Error E = UpstreamServers.missing(
        Request, {UpstreamKind::Archive, BuildIDBytes(BuildID), ""},
        Error::success());
    if (E.isA<MissingFilesError>())
      return E;
    consumeError(std::move(E));
  }
  return M;
}

Expected<std::shared_ptr<ServedModule>>
Service::find(const HTTPRequest &Request, const DebugID &ID) {
  Expected<BuildIDBytes> BuildID = Store->findBuildID(ID);
  if (!BuildID)
    return BuildID.takeError();
  return find(Request, *BuildID);
}

Expected<std::string> Service::findArchive(const HTTPRequest &Request,
                                           ArrayRef<uint8_t> BuildID) {
  Expected<std::string> Where = Store->find(BuildID);
  if (!Where)
    return missingArchive(Request, BuildID, Where.takeError());
  Modules.noteUse(BuildID);
  return Where;
}

//===----------------------------------------------------------------------===//
// Endpoints
//===----------------------------------------------------------------------===//

static Answer answerNothing(Service &, const HTTPRequest &, PathParts) {
  return HTTPResponse::error(404, "not found");
}

static Answer answerHealth(Service &, const HTTPRequest &, PathParts) {
  return HTTPResponse::text("ok\n");
}

/// What the server does now, and what is left of its limits.
static void printState(raw_ostream &OS, const Service &S) {
  constexpr const char *Waiting = "lidia_requests_waiting",
                       *Help = "Requests that wait for a thread";
  const HTTPGauges G = S.Gauges();
  auto Count = [&](WorkKind Kind) { return double(G.Waiting[size_t(Kind)]); };
  printGauges(
      OS, {{"lidia_connections", "Open connections", double(G.Connections)},
           {"lidia_connections_limit", "Maximum number of open connections",
            double(S.Options.Limits.MaxConnections)},
           {"lidia_requests_in_progress",
            "Requests that are read, answered or sent", double(G.Requests)},
           {Waiting, Help, Count(WorkKind::Probe), "queue=\"probe\""},
           {Waiting, Help, Count(WorkKind::LookUp), "queue=\"lookup\""},
           {Waiting, Help, Count(WorkKind::Export), "queue=\"export\""},
           {Waiting, Help, Count(WorkKind::Symbolize), "queue=\"symbolize\""},
           {Waiting, Help, Count(WorkKind::Forward), "queue=\"forward\""},
           {Waiting, Help, Count(WorkKind::Upload), "queue=\"upload\""},
           {"lidia_body_memory_bytes", "Memory of requests and answers",
            double(S.Memory.used())},
           {"lidia_body_memory_limit_bytes",
            "Maximum memory of requests and answers", double(S.Memory.max())},
           {"lidia_store_readable", "Whether the store could be read",
            double(S.Watch.isFine())}});
  std::vector<Gauge> Rooms;
  std::vector<DiskRoom> Disks = S.Watch.disks();
  for (const DiskRoom &D : Disks)
    Rooms.push_back({"lidia_disk_free_bytes", "Free bytes of the disk",
                     double(D.Free), D.Name});
  for (const DiskRoom &D : Disks)
    Rooms.push_back(
        {"lidia_disk_size_bytes", "Bytes of the disk", double(D.Size), D.Name});
  printGauges(OS, Rooms);
}

static Answer answerMetrics(Service &S, const HTTPRequest &, PathParts) {
  std::vector<const char *> Names;
  for (const Endpoint &E : endpoints())
    Names.push_back(E.Name);
  std::string Text = S.Statistics.text(Names);
  raw_string_ostream OS(Text);
  printMetrics(OS, S.Store->statistics());
  printState(OS, S);
  printProcess(OS, S.Statistics.Start);
  HTTPResponse R = HTTPResponse::text(std::move(OS.str()));
  R.ContentType = "text/plain; version=0.0.4; charset=utf-8";
  return R;
}

/// Whether the store can be read.
static Answer answerReadiness(Service &S, const HTTPRequest &, PathParts) {
  std::string Why = S.Watch.problem();
  if (!Why.empty())
    return HTTPResponse::error(503, Why);
  return HTTPResponse::text("ready\n");
}

ArrayRef<Endpoint> endpoints() {
  constexpr WorkKind Now = WorkKind::Now, Probe = WorkKind::Probe,
                     LookUp = WorkKind::LookUp, Symbolize = WorkKind::Symbolize,
                     Forward = WorkKind::Forward, Upload = WorkKind::Upload;
  constexpr AccessKind Read = AccessKind::Readers, Write = AccessKind::Writers,
                       Remove = AccessKind::Removers,
                       Check = AccessKind::HeadForWriters,
                       Everybody = AccessKind::Everybody;
  static constexpr Endpoint Endpoints[] = {
      {"debuginfo", "GET HEAD", "/buildid/*/debuginfo", LookUp, Read,
       answerDebugFile},
      {"executable", "GET HEAD", "/buildid/*/executable", LookUp, Read,
       answerExecutable},
      {"section", "GET HEAD", "/buildid/*/section/*", LookUp, Read,
       answerSection},
      {"source", "GET HEAD", "/buildid/*/source/**", LookUp, Read,
       answerSource},
      {"upload", "PUT", "/buildid/*", Upload, Write, answerUpload},
      {"package", "POST", "/v1/packages", Upload, Write, answerPackage},
      {"should_upload", "POST",
       "/debuginfo.v1alpha1.DebuginfoService/ShouldInitiateUpload", LookUp,
       Write, answerShouldUpload},
      {"pyroscope_upload", "POST",
       "/debuginfo.v1alpha1.DebuginfoService/Upload/*", Upload, Write,
       answerPyroscopeUpload},
      {"upload_finished", "POST",
       "/debuginfo.v1alpha1.DebuginfoService/UploadFinished", LookUp, Write,
       answerUploadFinished},
      {"archive", "GET HEAD", "/.build-id/*/*", LookUp, Check, answerArchive},
      {"debug_id", "GET HEAD", "/debugid/*/buildid", LookUp, Read,
       answerDebugID},
      {"htlhash", "GET HEAD", "/htlhash/*/buildid", LookUp, Read,
       answerFileHash},
      {"frames", "GET HEAD POST", "/v1/frames", LookUp, Read, answerFrames},
      {"explain", "GET HEAD", "/v1/explain", Symbolize, Read, answerExplain},
      {"symbolicate", "POST", "/symbolicate/v5", LookUp, Read,
       answerSymbolication},
      {"source_of_module", "POST", "/source/v1", LookUp, Read,
       answerSourceOfModule},
      {"symbolize", "POST", "/v1/symbolize", Symbolize, Read, answerSymbolize},
      {"report", "GET HEAD", "/v1/reports/*", LookUp, Read, answerReport},
      {"profiles", "POST", "/v1development/profiles", Forward, Read,
       answerProfiles},
      {"archives", "GET HEAD", "/v1/archives", Symbolize, Read, answerArchives},
      {"quality", "GET HEAD", "/v1/archives/*/quality", Symbolize, Read,
       answerQuality},
      {"functions", "GET HEAD", "/v1/archives/*/functions", Symbolize, Read,
       answerFunctions},
      {"function", "GET HEAD", "/v1/archives/*/functions/*", Symbolize, Read,
       answerFunction},
      {"files", "GET HEAD", "/v1/archives/*/files", Symbolize, Read,
       answerFiles},
      {"remove", "DELETE", "/v1/archives/*", Symbolize, Remove, answerRemoval},
      {"name", "PUT", "/v1/archives/*/names/*", Upload, Write, answerName},
      {"new_htlhash", "PUT", "/v1/archives/*/htlhash/*", Upload, Write,
       answerNewHash},
      {"page", "GET HEAD", "/", LookUp, Read, answerPage},
      {"metrics", "GET HEAD", "/metrics", Now, Read, answerMetrics},
      {"healthz", "GET HEAD", "/healthz", Now, Everybody, answerHealth},
      {"readyz", "GET HEAD", "/readyz", Probe, Everybody, answerReadiness},
      {"other", "GET HEAD POST", "/**", LookUp, Read, answerNothing}};
  return Endpoints;
}

/// Whether \p Path matches \p Pattern; \p Parts receives the wildcards' parts.
static bool matches(StringRef Pattern, StringRef Path,
                    std::vector<std::string> &Parts) {
  while (Pattern.consume_front("/")) {
    if (!Path.consume_front("/"))
      return false;
    StringRef Want = Pattern.take_until([](char C) { return C == '/'; });
    StringRef Have =
        Want == "**" ? Path : Path.take_until([](char C) { return C == '/'; });
    Pattern = Pattern.drop_front(Want.size());
    Path = Path.drop_front(Have.size());
    if (!Want.starts_with("*")) {
      if (Have != Want)
        return false;
      continue;
    }
    std::optional<std::string> Decoded = percentDecode(Have);
    if (Have.empty() || !Decoded)
      return false;
    Parts.push_back(std::move(*Decoded));
  }
  return Path.empty();
}

const Endpoint &route(HTTPRequest &Request) {
  for (const Endpoint &E : endpoints()) {
    Request.Route = &E;
    Request.Parts.clear();
    if (matches(E.Pattern, Request.Path, Request.Parts))
      return E;
  }
  Request.Parts.clear();
  return *Request.Route;
}

/// Whether the body of \p Request is compressed and its endpoint leaves the
/// refusal to us.
static bool isRefusedCoding(const HTTPRequest &Request) {
  StringRef Coding = Request.header("content-encoding");
  return !Coding.empty() && !Coding.equals_insensitive("identity") &&
         !StringRef(Request.Route->Pattern)
              .starts_with("/debuginfo.v1alpha1.") &&
         Request.Route->Handler != answerProfiles;
}

static Answer answerNow(Service &S, const HTTPRequest &Request) {
  const Endpoint &E = *Request.Route;
  if (Request.Method == "OPTIONS") {
    HTTPResponse R;
    R.Status = 204;
    R.add("Allow", join(split(E.Methods, ' '), ", ") + ", OPTIONS");
    return R;
  }
  SmallVector<StringRef, 4> Methods;
  StringRef(E.Methods).split(Methods, ' ');
  if (!is_contained(Methods, Request.Method)) {
    HTTPResponse R = HTTPResponse::error(405, "method not allowed");
    R.add("Allow", join(Methods, ", "));
    return R;
  }
  if (isRefusedCoding(Request)) {
    HTTPResponse R = HTTPResponse::error(
        415, "compressed requests are not supported: send the body as it is");
    R.add("Accept-Encoding", "identity");
    return R;
  }
  return E.Handler(S, Request, Request.Parts);
}

Outcome answer(Service &S, const HTTPRequest &Request) {
  Answer A = answerNow(S, Request);
  if (A)
    return std::move(*A);
  std::vector<UpstreamWish> Wishes;
  Error E = noteWishes(A.takeError(), Wishes);
  if (E.isA<TakesLongError>()) {
    consumeError(std::move(E));
    return WorkKind::Export;
  }
  if (E.isA<UpstreamFailedError>()) {
    consumeError(std::move(E));
    return HTTPResponse::unavailable("an upstream server failed");
  }
  HTTPResponse Failed = HTTPResponse::of(std::move(E));
  if (Wishes.empty())
    return Failed;
  // A part at a time, so that one request does not fill the queue for long.
  size_t Max = size_t(S.Options.Conversion.MaxWaiting) * 4;
  Wishes.resize(std::min(Wishes.size(), Max));
  return [&S, Wishes = std::move(Wishes)](std::function<void()> Done) {
    return S.UpstreamServers.fetch(Wishes, std::move(Done));
  };
}

} // namespace lidia
