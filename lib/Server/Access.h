//===- Access.h - Access control --------------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_ACCESS_H
#define LIDIA_LIB_SERVER_ACCESS_H

#include "HTTPMessage.h"
#include "lidia/Server/ServerOptions.h"
#include <memory>
#include <mutex>
#include <optional>

namespace lidia {

/// Who may use an endpoint. HeadForWriters: readers, and by HEAD also writers,
/// who learn whether there is something.
enum class AccessKind : uint8_t {
  Everybody,
  Readers,
  Writers,
  HeadForWriters,
  Removers
};

/// The tokens, which may be replaced while the server runs. Thread-safe.
class AccessTokens {
public:
  using List = std::vector<AccessToken>;

  explicit AccessTokens(List Tokens) { set(std::move(Tokens)); }

  void set(List Tokens) {
    auto New = std::make_shared<const List>(std::move(Tokens));
    std::lock_guard<std::mutex> Lock(Mutex);
    Now.swap(New);
  }
  std::shared_ptr<const List> get() const {
    std::lock_guard<std::mutex> Lock(Mutex);
    return Now;
  }

private:
  mutable std::mutex Mutex;
  std::shared_ptr<const List> Now;
};

/// Sets what the token of \p Request, if it has one, allows
/// (HTTPRequest::Token).
void findToken(const AccessTokens &Tokens, HTTPRequest &Request);

/// Why \p Request, to an endpoint for \p Who, is refused; none if it is
/// allowed.
std::optional<HTTPResponse> refuse(const ServerOptions &Options,
                                   const AccessTokens &Tokens,
                                   const HTTPRequest &Request, AccessKind Who);

/// Adds the headers that let the page that sent the request read the answer
/// (Cross-Origin Resource Sharing, in WHATWG's Fetch standard).
void addCrossOriginHeaders(const ServerOptions &Options,
                           const HTTPRequest &Request, HTTPResponse &R);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_ACCESS_H
