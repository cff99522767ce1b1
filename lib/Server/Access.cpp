//===- Access.cpp - Access control ----------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include <arpa/inet.h>

using namespace llvm;

namespace lidia {

/// Takes the same time wherever the strings differ.
static bool isSameSecret(StringRef A, StringRef B) {
  uint8_t Different = A.size() != B.size();
  for (size_t I = 0; I != B.size(); ++I)
    Different |= uint8_t(B[I]) ^ uint8_t(I < A.size() ? A[I] : 0);
  return !Different;
}

static bool hasToken(const HTTPRequest &Request, StringRef Token) {
  auto [Scheme, Value] = Request.header("authorization").split(' ');
  Value = Value.trim();
  if (Scheme.equals_insensitive("bearer"))
    return isSameSecret(Value, Token);
  if (!Scheme.equals_insensitive("basic"))
    return false;
  // Clients that cannot set headers send the token as the password in the URL.
  std::vector<char> Decoded;
  if (Error E = decodeBase64(Value, Decoded)) {
    consumeError(std::move(E));
    return false;
  }
  StringRef Pair(Decoded.data(), Decoded.size());
  return isSameSecret(Pair.split(':').second, Token);
}

/// The host in "NAME:PORT" or "[IPv6]:PORT".
static StringRef withoutPort(StringRef Host) {
  if (Host.consume_front("["))
    return Host.split(']').first;
  return Host.split(':').first;
}

static bool isNumericAddress(StringRef Host) {
  in6_addr Address;
  std::string Text = Host.str();
  return ::inet_pton(AF_INET, Text.c_str(), &Address) == 1 ||
         ::inet_pton(AF_INET6, Text.c_str(), &Address) == 1;
}

static bool isOurHost(const ServerOptions &Options, StringRef Host) {
  StringRef Name = withoutPort(Host);
  auto IsName = [&](StringRef Ours) { return Name.equals_insensitive(Ours); };
  return Name.empty() || IsName("localhost") || isNumericAddress(Name) ||
         any_of(Options.Hosts, IsName);
}

static bool isAllowedOrigin(const ServerOptions &Options,
                            const HTTPRequest &Request) {
  StringRef Origin = Request.header("origin");
  return is_contained(Options.Origins, Origin) ||
         is_contained(Options.Origins, "*") ||
         // A page of this server.
         Origin.split("://").second == Request.header("host");
}

static bool isWriter(const ServerOptions &Options, const HTTPRequest &Request) {
  return !Options.Upload.Token.empty() &&
         hasToken(Request, Options.Upload.Token);
}

std::optional<HTTPResponse> refuse(const ServerOptions &Options,
                                   const HTTPRequest &Request, AccessKind Who) {
  if (Options.ReadToken.empty() && !Options.IsPublic &&
      !isOurHost(Options, Request.header("host")))
    return HTTPResponse::error(
        403, "this server does not answer by that name (--host)");
  if (!Request.header("origin").empty() && !isAllowedOrigin(Options, Request))
    return HTTPResponse::error(
        403, "pages of that origin may not ask (--allow-origin)");
  // Browsers do not send the token with OPTIONS.
  if (Who == AccessKind::Everybody || Request.Method == "OPTIONS" ||
      isWriter(Options, Request))
    return std::nullopt;
  if (Who == AccessKind::Writers && Options.Upload.Token.empty())
    return HTTPResponse::error(403, "this server takes no uploads "
                                    "(--write-token)");
  if (Who == AccessKind::Readers &&
      (Options.ReadToken.empty() || hasToken(Request, Options.ReadToken)))
    return std::nullopt;
  HTTPResponse R = HTTPResponse::error(401, "a token is needed");
  R.add("WWW-Authenticate", "Bearer");
  R.add("WWW-Authenticate", "Basic realm=\"lidia\"");
  return R;
}

void addCrossOriginHeaders(const ServerOptions &Options,
                           const HTTPRequest &Request, HTTPResponse &R) {
  StringRef Origin = Request.header("origin");
  if (!Options.Origins.empty())
    R.add("Vary", "Origin");
  if (Origin.empty() || !isAllowedOrigin(Options, Request) ||
      !all_of(Origin, isPrint))
    return;
  R.add("Access-Control-Allow-Origin", Origin);
  R.add("Access-Control-Expose-Headers",
        "ETag, X-DEBUGINFOD-SIZE, X-DEBUGINFOD-FILE");
  if (Request.Method != "OPTIONS")
    return;
  R.add("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS");
  R.add("Access-Control-Allow-Headers", "Authorization, Content-Type, Range");
  R.add("Access-Control-Max-Age", "3600");
}

} // namespace lidia
