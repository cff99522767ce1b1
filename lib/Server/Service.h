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
#include "Flights.h"
#include "HTTPMessage.h"
#include "HTTPServer.h"
#include "Metrics.h"
#include "ServedModules.h"
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
  Cache Made;
  Metrics Counts;
  ServedModules Modules;
  Conversions Adding;
  Upstream Others;

  /// Prepares for files from clients and upstream servers. Must be called
  /// first, if either is enabled.
  llvm::Error openUpstream(Conversions::Warning Warn);
  /// Cancels conversions and downloads that requests wait for.
  void stop();

  /// The path or URL of the archive of \p BuildID in the store. Fails as
  /// SymbolStore::find() does.
  llvm::Expected<std::string> findArchive(llvm::ArrayRef<uint8_t> BuildID);

  /// Paths of debug files, by build ID.
  Flights<std::string> Exports;
};

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
  HTTPResponse (*Answer)(Service &, const HTTPRequest &, PathParts);
};

/// All endpoints. The last one, for all other paths, has the pattern "/**".
llvm::ArrayRef<Endpoint> endpoints();

/// Finds the endpoint of \p Request, once: sets Route and Parts.
const Endpoint &route(HTTPRequest &Request);

/// Answers \p Request, which was routed and which access control has allowed.
HTTPResponse answer(Service &S, const HTTPRequest &Request);

// DebuginfodEndpoints.cpp
HTTPResponse answerDebugFile(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerExecutable(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerSection(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerSource(Service &, const HTTPRequest &, PathParts);
// UploadEndpoints.cpp
/// Adds the body of an upload to the store, as Conversions::add() does.
llvm::Expected<std::vector<StoredFile>>
storeUpload(Service &, const HTTPRequest &Request,
            llvm::ArrayRef<uint8_t> OnlyBuildID);
HTTPResponse answerUpload(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerPackage(Service &, const HTTPRequest &, PathParts);
// PyroscopeEndpoints.cpp
HTTPResponse answerShouldUpload(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerPyroscopeUpload(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerUploadFinished(Service &, const HTTPRequest &, PathParts);
// ArchiveEndpoint.cpp
HTTPResponse answerDebugID(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerArchive(Service &, const HTTPRequest &, PathParts);
// FramesEndpoint.cpp
HTTPResponse answerFrames(Service &, const HTTPRequest &, PathParts);
// SymbolizeEndpoint.cpp
HTTPResponse answerPage(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerSymbolize(Service &, const HTTPRequest &, PathParts);
// StoreEndpoints.cpp
HTTPResponse answerArchives(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerFunctions(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerFunction(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerFiles(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerName(Service &, const HTTPRequest &, PathParts);
// MozillaEndpoints.cpp
HTTPResponse answerSymbolication(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerSourceOfModule(Service &, const HTTPRequest &, PathParts);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_SERVICE_H
