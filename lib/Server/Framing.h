//===- Framing.h - Where a request ends -------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Two servers that find different ends of one request take the rest of it for
/// another request, which a client can write as it likes (request smuggling).
/// So requests whose end RFC 9112 leaves open are refused, and the connection
/// ends. libmicrohttpd 0.9.75 accepts most of them.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_FRAMING_H
#define LIDIA_LIB_SERVER_FRAMING_H

#include "HTTPMessage.h"

namespace lidia {

/// Takes the headers of a request, in their order, and checks those that say
/// where it ends and which server it is for.
class RequestFraming {
public:
  /// Adds the headers to \p Request.
  explicit RequestFraming(HTTPRequest &Request) : Request(Request) {}

  void add(llvm::StringRef Name, llvm::StringRef Value);

  /// The answer to a request in \p Version, such as "HTTP/1.1", that is refused
  /// because of its headers.
  std::optional<HTTPResponse> refuse(llvm::StringRef Version) const;

private:
  const char *whyMalformed(llvm::StringRef Version) const;

  HTTPRequest &Request;
  unsigned Hosts = 0, Lengths = 0, Codings = 0;
  bool HasBadName = false;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_FRAMING_H
