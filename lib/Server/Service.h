//===- Service.h - What the endpoints share ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_SERVICE_H
#define LIDIA_LIB_SERVER_SERVICE_H

#include "Flights.h"
#include "HTTPMessage.h"
#include "HTTPServer.h"
#include "Metrics.h"
#include "ServedModules.h"
#include "lidia/Cache/Cache.h"
#include "lidia/Server/Server.h"

namespace lidia {

/// A server without its sockets.
struct Service {
  Service(const ServerOptions &Options, std::unique_ptr<SymbolStore> Store);

  const ServerOptions Options;
  const std::unique_ptr<SymbolStore> Store;
  /// What is made of archives.
  Cache Made;
  Metrics Counts;
  ServedModules Modules;
  /// Paths of debug files, by build ID.
  Flights<std::string> Exports;
};

/// The parts of a path that stand for "*" in an endpoint's pattern, decoded.
using PathParts = llvm::ArrayRef<std::string>;

struct Endpoint {
  /// For metrics.
  const char *Name;
  /// Words of "GET HEAD POST".
  const char *Methods;
  /// Parts with "/" before each: "*" is any part that is not empty, "**" all
  /// that is left.
  const char *Pattern;
  WorkKind Kind;
  /// Whether it is answered without the token.
  bool IsOpen;
  HTTPResponse (*Answer)(Service &, const HTTPRequest &, PathParts);
};

/// All endpoints. The last one, for paths that are none, has the pattern "/**".
llvm::ArrayRef<Endpoint> endpoints();

/// The endpoint of \p Path, by its index; \p Parts receives what its pattern
/// leaves open.
size_t findEndpoint(llvm::StringRef Path, std::vector<std::string> &Parts);

/// Answers \p Request, which is allowed.
HTTPResponse answer(Service &S, const HTTPRequest &Request);

// DebuginfodEndpoints.cpp
HTTPResponse answerDebugFile(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerSection(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerSource(Service &, const HTTPRequest &, PathParts);
// ArchiveEndpoint.cpp
HTTPResponse answerArchive(Service &, const HTTPRequest &, PathParts);
// FramesEndpoint.cpp
HTTPResponse answerFrames(Service &, const HTTPRequest &, PathParts);
// MozillaEndpoints.cpp
HTTPResponse answerSymbolication(Service &, const HTTPRequest &, PathParts);
HTTPResponse answerSourceOfModule(Service &, const HTTPRequest &, PathParts);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_SERVICE_H
