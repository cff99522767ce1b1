//===- Service.h - A server without sockets ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_SERVICE_H
#define LIDIA_LIB_SERVER_SERVICE_H

#include "Access.h"
#include "Conversions.h"
#include "Forwarding.h"
#include "HTTPMessage.h"
#include "HTTPServer.h"
#include "KeptReports.h"
#include "MemoryBudget.h"
#include "Metrics.h"
#include "ServedModules.h"
#include "SharedWork.h"
#include "StoreWatch.h"
#include "Upstream.h"
#include "lidia/Cache/Cache.h"
#include "lidia/Server/Server.h"

namespace lidia {

/// A server without sockets.
struct Service {
  Service(const ServerOptions &Options, std::unique_ptr<SymbolStore> Store);

  const ServerOptions Options;
  const std::unique_ptr<SymbolStore> Store;
  /// Files that are made from archives.
  Cache Files;
  KeptReports Reports{Files};
  /// Set before the first request.
  Server::Log Log;
  ServerStatistics Statistics;
  AccessTokens Tokens;
  /// For the bodies of requests and answers.
  MemoryBudget Memory;
  StoreWatch Watch;
  /// What the server of HTTP does now.
  std::function<HTTPGauges()> Gauges;
  ServedModules Modules;
  Conversions Converter;
  Upstream UpstreamServers;
  Forwarding Forward;

  /// Prepares for files from clients and upstream servers. Must be called
  /// first, if either is enabled.
  llvm::Error openUpstream(Conversions::Warning Warn);
  /// Cancels conversions and downloads that requests wait for.
  void stop();

  /// The archive of \p BuildID for \p Request. Fails as SymbolStore::archive()
  /// does, or with a MissingFilesError if upstream servers may have it, or
  /// lines that it lacks.
  llvm::Expected<std::shared_ptr<ServedModule>>
  find(const HTTPRequest &Request, llvm::ArrayRef<uint8_t> BuildID);
  /// The same for the binary with the debug ID \p ID.
  llvm::Expected<std::shared_ptr<ServedModule>> find(const HTTPRequest &Request,
                                                     const DebugID &ID);
  /// The path or URL of the archive of \p BuildID in the store.
  llvm::Expected<std::string> findArchive(const HTTPRequest &Request,
                                          llvm::ArrayRef<uint8_t> BuildID);

  /// Paths of debug files, by build ID.
  SharedWork<std::string> Exports;

private:
  /// \p E, or what Upstream::missing() says about the archive of \p BuildID if
  /// the store lacks it.
  llvm::Error missingArchive(const HTTPRequest &Request,
                             llvm::ArrayRef<uint8_t> BuildID, llvm::Error E);
};

/// What a handler returns: an answer, or why there is none. answer() fetches
/// the files of a MissingFilesError and calls the handler again; it turns other
/// errors into answers as HTTPResponse::of() says.
using Answer = llvm::Expected<HTTPResponse>;

/// The parts of a path that match "*" in an endpoint's pattern, decoded.
using PathParts = llvm::ArrayRef<std::string>;

struct Endpoint {
  /// The name in metrics.
  const char *Name;
  /// Some of "GET HEAD POST PUT".
  const char *Methods;
  /// Parts, each after a "/". "*" matches any part that is not empty, "**" the
  /// rest of the path.
  const char *Pattern;
  WorkKind Kind;
  AccessKind Who;
  Answer (*Handler)(Service &, const HTTPRequest &, PathParts);
};

/// All endpoints. The last one, for all other paths, has the pattern "/**".
llvm::ArrayRef<Endpoint> endpoints();

/// Finds the endpoint of \p Request, once: sets Route and Parts.
const Endpoint &route(HTTPRequest &Request);

/// Answers \p Request, which was routed and which access control has allowed.
Outcome answer(Service &S, const HTTPRequest &Request);

/// The error of a handler that would take seconds on a thread for what is fast:
/// it is called again, with HTTPRequest::MayTakeLong.
class TakesLongError
    : public ErrorOfCode<TakesLongError, std::errc::operation_would_block> {
  using ErrorOfCode::ErrorOfCode;
};

// DebuginfodEndpoints.cpp
Answer answerDebugFile(Service &, const HTTPRequest &, PathParts);
Answer answerExecutable(Service &, const HTTPRequest &, PathParts);
Answer answerSection(Service &, const HTTPRequest &, PathParts);
Answer answerSource(Service &, const HTTPRequest &, PathParts);
// UploadEndpoints.cpp
/// Notes what \p Request has done with \p BuildID.
void logChange(Service &, const HTTPRequest &Request,
               llvm::ArrayRef<uint8_t> BuildID, const llvm::Twine &Result);
/// Adds the body of an upload to the store, as Conversions::add() does.
llvm::Expected<std::vector<StoredFile>>
storeUpload(Service &, const HTTPRequest &Request,
            llvm::ArrayRef<uint8_t> OnlyBuildID);
Answer answerUpload(Service &, const HTTPRequest &, PathParts);
Answer answerRemoval(Service &, const HTTPRequest &, PathParts);
Answer answerPackage(Service &, const HTTPRequest &, PathParts);
// PyroscopeEndpoints.cpp
Answer answerShouldUpload(Service &, const HTTPRequest &, PathParts);
Answer answerPyroscopeUpload(Service &, const HTTPRequest &, PathParts);
Answer answerUploadFinished(Service &, const HTTPRequest &, PathParts);
// ArchiveEndpoint.cpp
Answer answerDebugID(Service &, const HTTPRequest &, PathParts);
Answer answerFileHash(Service &, const HTTPRequest &, PathParts);
Answer answerArchive(Service &, const HTTPRequest &, PathParts);
// FramesEndpoint.cpp
Answer answerFrames(Service &, const HTTPRequest &, PathParts);
// StoreEndpoints.cpp
/// Replaces the store's own message, which names the store's location.
llvm::Error withoutPlace(llvm::Error E);
// ExplainEndpoint.cpp
Answer answerExplain(Service &, const HTTPRequest &, PathParts);
// SymbolizeEndpoint.cpp
Answer answerPage(Service &, const HTTPRequest &, PathParts);
Answer answerSymbolize(Service &, const HTTPRequest &, PathParts);
Answer answerReport(Service &, const HTTPRequest &, PathParts);
// ProfilesEndpoint.cpp
Answer answerProfiles(Service &, const HTTPRequest &, PathParts);
// StoreEndpoints.cpp
Answer answerArchives(Service &, const HTTPRequest &, PathParts);
Answer answerQuality(Service &, const HTTPRequest &, PathParts);
Answer answerFunctions(Service &, const HTTPRequest &, PathParts);
Answer answerFunction(Service &, const HTTPRequest &, PathParts);
Answer answerFiles(Service &, const HTTPRequest &, PathParts);
Answer answerName(Service &, const HTTPRequest &, PathParts);
Answer answerNewHash(Service &, const HTTPRequest &, PathParts);
// MozillaEndpoints.cpp
Answer answerSymbolication(Service &, const HTTPRequest &, PathParts);
Answer answerSourceOfModule(Service &, const HTTPRequest &, PathParts);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_SERVICE_H
