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

bool ServerOptions::mayAnyoneWrite(const std::vector<AccessToken> &Tokens) {
  return any_of(Tokens, [](const AccessToken &T) { return T.MayWrite; });
}

bool ServerOptions::needsTokenToRead(const std::vector<AccessToken> &Tokens) {
  return any_of(Tokens, [](const AccessToken &T) { return T.MayRead; });
}

/// Takes the same time wherever the strings differ.
static bool isSameSecret(StringRef A, StringRef B) {
  uint8_t Different = A.size() != B.size();
  for (size_t I = 0; I != B.size(); ++I)
    Different |= uint8_t(B[I]) ^ uint8_t(I < A.size() ? A[I] : 0);
  return !Different;
}

/// The secret that \p Request has; empty for none.
static std::string secretOf(const HTTPRequest &Request) {
  auto [Scheme, Value] = Request.header("authorization").split(' ');
  Value = Value.trim();
  if (Scheme.equals_insensitive("bearer"))
    return Value.str();
  if (!Scheme.equals_insensitive("basic"))
    return "";
  // Clients that cannot set headers send the token as the password in the URL.
  std::vector<char> Decoded;
  if (Error E = decodeBase64(Value, Decoded)) {
    consumeError(std::move(E));
    return "";
  }
  StringRef Pair(Decoded.data(), Decoded.size());
  return Pair.split(':').second.str();
}

void findToken(const AccessTokens &Tokens, HTTPRequest &Request) {
  std::string Secret = secretOf(Request);
  AccessToken &Found = Request.Token;
  Found = AccessToken();
  if (Secret.empty())
    return;
  for (const AccessToken &T : *Tokens.get()) {
    if (!isSameSecret(Secret, T.Secret))
      continue;
    if (Found.Name.empty())
      Found.Name = T.Name;
    Found.MayRead |= T.MayRead;
    Found.MayWrite |= T.MayWrite;
    Found.MayRemove |= T.MayRemove;
  }
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

/// Whether the page that sent \p Request, if one did, may do so.
static bool isAllowedPage(const ServerOptions &Options,
                          const HTTPRequest &Request) {
  // Browsers set this header, and pages cannot. Behind a proxy, Host may be the
  // name that the proxy has for this server.
  return Request.header("origin").empty() ||
         Request.header("sec-fetch-site") == "same-origin" ||
         isAllowedOrigin(Options, Request);
}

/// Whether the tokens that \p Request has, if any, are for \p Who.
static bool isFor(const AccessTokens::List &Tokens, const HTTPRequest &Request,
                  AccessKind Who) {
  const AccessToken &Its = Request.Token;
  bool IsReader = Its.MayRead || !ServerOptions::needsTokenToRead(Tokens);
  switch (Who) {
  case AccessKind::Everybody:
    return true;
  case AccessKind::Readers:
    return IsReader;
  case AccessKind::Writers:
    return Its.MayWrite;
  case AccessKind::HeadForWriters:
    return IsReader || (Request.Method == "HEAD" && Its.MayWrite);
  case AccessKind::Removers:
    return Its.MayRemove;
  }
  llvm_unreachable("all kinds are handled");
}

/// The answer to a request without the token for \p Who.
static HTTPResponse refuseToken(const AccessTokens::List &Tokens,
                                const HTTPRequest &Request, AccessKind Who) {
  if (Who == AccessKind::Writers && !ServerOptions::mayAnyoneWrite(Tokens))
    return HTTPResponse::error(403, "this server takes no uploads "
                                    "(--write-token)");
  if (Who == AccessKind::Removers &&
      none_of(Tokens, [](const AccessToken &T) { return T.MayRemove; }))
    return HTTPResponse::error(403, "this server removes nothing (--tokens)");
  // Asking for a password again would not help those who have a token.
  const AccessToken &Its = Request.Token;
  if (Who == AccessKind::Removers && (Its.MayWrite || Its.MayRead))
    return HTTPResponse::error(403, "this token may not remove (--tokens)");
  if (Its.MayWrite)
    return HTTPResponse::error(403, "this token is for uploads, and not for "
                                    "reading (--read-token)");
  if (Its.MayRead)
    return HTTPResponse::error(403, "this token is for reading, and not for "
                                    "uploads (--write-token)");
  HTTPResponse R = HTTPResponse::error(401, "a token is needed");
  R.add("WWW-Authenticate", "Bearer");
  R.add("WWW-Authenticate", "Basic realm=\"lidia\"");
  return R;
}

std::optional<HTTPResponse> refuse(const ServerOptions &Options,
                                   const AccessTokens &AllTokens,
                                   const HTTPRequest &Request, AccessKind Who) {
  std::shared_ptr<const AccessTokens::List> Tokens = AllTokens.get();
  if (!ServerOptions::needsTokenToRead(*Tokens) && !Options.IsPublic &&
      !isOurHost(Options, Request.header("host")))
    return HTTPResponse::error(403, "host name not allowed (--host)");
  if (!isAllowedPage(Options, Request))
    return HTTPResponse::error(403, "origin not allowed (--allow-origin)");
  // Browsers do not send the token with OPTIONS.
  if (Request.Method == "OPTIONS" || isFor(*Tokens, Request, Who))
    return std::nullopt;
  return refuseToken(*Tokens, Request, Who);
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
