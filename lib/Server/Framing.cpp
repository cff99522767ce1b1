//===- Framing.cpp - Where a request ends ---------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Framing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

/// A "token" of RFC 9110, 5.6.2. A name with a blank before the colon is none.
static bool isToken(StringRef Name) {
  return !Name.empty() && all_of(Name, [](char C) {
    return isAlnum(C) || StringRef("!#$%&'*+-.^_`|~").contains(C);
  });
}

void RequestFraming::add(StringRef Name, StringRef Value) {
  std::string Lower = Name.lower();
  HasBadName |= !isToken(Name);
  Hosts += Lower == "host";
  Lengths += Lower == "content-length";
  Codings += Lower == "transfer-encoding";
  Request.Headers[Lower] = Value.str();
}

/// RFC 9112, 3.2 (Host), 5.1 (names), 6.1 and 6.3 (the length of the body).
const char *RequestFraming::whyMalformed(StringRef Version) const {
  if (HasBadName)
    return "the name of a header is malformed";
  if (Hosts > 1 || (!Hosts && Version != "HTTP/1.0"))
    return "a request has one header Host";
  StringRef Length = Request.header("content-length");
  if (Lengths > 1 || (Lengths && (Length.empty() || !all_of(Length, isDigit))))
    return "a request has one Content-Length, a number";
  if (Lengths && Codings)
    return "a request has either Content-Length or Transfer-Encoding";
  if (Codings > 1 || (Codings && Version == "HTTP/1.0"))
    return "a request of HTTP/1.1 has at most one Transfer-Encoding";
  if (StringRef(Request.Path).contains(' '))
    return "a path has no blanks";
  return nullptr;
}

std::optional<HTTPResponse> RequestFraming::refuse(StringRef Version) const {
  const char *Why = whyMalformed(Version);
  bool IsUnknown =
      !Why && Codings &&
      !Request.header("transfer-encoding").equals_insensitive("chunked");
  if (!Why && !IsUnknown)
    return std::nullopt;
  HTTPResponse R =
      IsUnknown
          ? HTTPResponse::error(501, "unknown Transfer-Encoding: use chunked")
          : HTTPResponse::error(400, Why);
  R.add("Connection", "close");
  return R;
}

} // namespace lidia
