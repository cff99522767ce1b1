//===- Service.cpp - Endpoints by path ------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Service.h"
#include "Access.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

Service::Service(const ServerOptions &Options,
                 std::unique_ptr<SymbolStore> Opened)
    : Options(Options), Store(std::move(Opened)), Made(Options.CacheFolder),
      Modules(*Store, this->Options, Counts) {}

static HTTPResponse answerNothing(Service &, const HTTPRequest &, PathParts) {
  return HTTPResponse::error(404, "not found");
}

static HTTPResponse answerHealth(Service &, const HTTPRequest &, PathParts) {
  return HTTPResponse::text("ok\n");
}

/// Whether the store can be read.
static HTTPResponse answerReadiness(Service &S, const HTTPRequest &,
                                    PathParts) {
  if (Error E = S.Store->checkFilled()) {
    consumeError(std::move(E));
    return HTTPResponse::error(503, "the store cannot be read, or is empty");
  }
  return HTTPResponse::text("ready\n");
}

ArrayRef<Endpoint> endpoints() {
  constexpr WorkKind LookUp = WorkKind::LookUp, Export = WorkKind::Export;
  static constexpr Endpoint All[] = {
      {"debuginfo", "GET HEAD", "/buildid/*/debuginfo", Export, false,
       answerDebugFile},
      {"section", "GET HEAD", "/buildid/*/section/*", Export, false,
       answerSection},
      {"source", "GET HEAD", "/buildid/*/source/**", LookUp, false,
       answerSource},
      {"archive", "GET HEAD", "/.build-id/*/*", Export, false, answerArchive},
      {"frames", "GET HEAD POST", "/v1/frames", LookUp, false, answerFrames},
      {"symbolicate", "POST", "/symbolicate/v5", LookUp, false,
       answerSymbolication},
      {"source_of_module", "POST", "/source/v1", LookUp, false,
       answerSourceOfModule},
      // Their answer is the server's own (Server.cpp).
      {"metrics", "GET HEAD", "/metrics", LookUp, false, answerNothing},
      {"healthz", "GET HEAD", "/healthz", LookUp, true, answerHealth},
      {"readyz", "GET HEAD", "/readyz", Export, true, answerReadiness},
      {"other", "GET HEAD POST", "/**", LookUp, false, answerNothing}};
  return All;
}

/// Whether \p Path is of \p Pattern.
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

size_t findEndpoint(StringRef Path, std::vector<std::string> &Parts) {
  for (auto [I, E] : enumerate(endpoints())) {
    Parts.clear();
    if (matches(E.Pattern, Path, Parts))
      return I;
  }
  Parts.clear();
  return endpoints().size() - 1;
}

HTTPResponse answer(Service &S, const HTTPRequest &Request) {
  std::vector<std::string> Parts;
  const Endpoint &E = endpoints()[findEndpoint(Request.Path, Parts)];
  if (Request.Method == "OPTIONS") {
    HTTPResponse R;
    R.Status = 204;
    R.add("Allow", (Twine(E.Methods) + " OPTIONS").str());
    return R;
  }
  SmallVector<StringRef, 4> Methods;
  StringRef(E.Methods).split(Methods, ' ');
  if (!is_contained(Methods, Request.Method)) {
    HTTPResponse R = HTTPResponse::error(405, "this endpoint is not for that "
                                              "method");
    R.add("Allow", join(Methods, ", "));
    return R;
  }
  return E.Answer(S, Request, Parts);
}

} // namespace lidia
