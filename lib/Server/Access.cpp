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

static bool isReader(const ServerOptions &Options, const HTTPRequest &Request) {
  return Options.ReadToken.empty() || hasToken(Request, Options.ReadToken);
}

/// Whether the tokens that \p Request has, if any, are for \p Who.
static bool isFor(const ServerOptions &Options, const HTTPRequest &Request,
                  AccessKind Who) {
  switch (Who) {
  case AccessKind::Everybody:
    return true;
  case AccessKind::Readers:
    return isReader(Options, Request);
  case AccessKind::Writers:
    return isWriter(Options, Request);
  case AccessKind::HeadForWriters:
    return isReader(Options, Request) ||
           (Request.Method == "HEAD" && isWriter(Options, Request));
  }
  llvm_unreachable("all kinds are handled");
}

/// The answer to a request without the token for \p Who.
static HTTPResponse refuseToken(const ServerOptions &Options,
                                const HTTPRequest &Request, AccessKind Who) {
  if (Who == AccessKind::Writers && Options.Upload.Token.empty())
    return HTTPResponse::error(403, "this server takes no uploads "
                                    "(--write-token)");
  // Asking for a password again would not help those who have a token.
  if (isWriter(Options, Request))
    return HTTPResponse::error(403, "this token is for uploads, and not for "
                                    "reading (--read-token)");
  if (!Options.ReadToken.empty() && isReader(Options, Request))
    return HTTPResponse::error(403, "this token is for reading, and not for "
                                    "uploads (--write-token)");
  HTTPResponse R = HTTPResponse::error(401, "a token is needed");
  R.add("WWW-Authenticate", "Bearer");
  R.add("WWW-Authenticate", "Basic realm=\"lidia\"");
  return R;
}

std::optional<HTTPResponse> refuse(const ServerOptions &Options,
                                   const HTTPRequest &Request, AccessKind Who) {
  if (Options.ReadToken.empty() && !Options.IsPublic &&
      !isOurHost(Options, Request.header("host")))
    return HTTPResponse::error(403, "host name not allowed (--host)");
  if (!Request.header("origin").empty() && !isAllowedOrigin(Options, Request))
    return HTTPResponse::error(403, "origin not allowed (--allow-origin)");
  // Browsers do not send the token with OPTIONS.
  if (Request.Method == "OPTIONS" || isFor(Options, Request, Who))
    return std::nullopt;
  return refuseToken(Options, Request, Who);
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
