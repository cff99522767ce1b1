//===- Forwarding.h - Profiles for another server ------------- -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_FORWARDING_H
#define LIDIA_LIB_SERVER_FORWARDING_H

#include "HTTPMessage.h"
#include "Metrics.h"
#include "Store/HTTPPost.h"
#include "lidia/Server/Server.h"
#include <atomic>

namespace lidia {

/// Sends profiles on to the server that keeps them (ServerOptions::Forward).
/// Thread-safe.
class Forwarding {
public:
  /// The members of \p Log are called when the server fails, and when it is
  /// back.
  Forwarding(const ServerOptions &Options, ServerStatistics &Statistics,
             const Server::Log &Log)
      : Options(Options), Statistics(Statistics), Log(Log),
        Post(Options.Forward) {}

  /// Sends the body of \p Request, or \p Changed instead of it, with the
  /// headers of \p Request that are for the other server. Returns its answer:
  /// 503 or 429 if it takes nothing now. If it refuses the changed body, it
  /// gets the original one.
  HTTPResponse send(const HTTPRequest &Request,
                    const std::optional<std::string> &Changed);

private:
  std::vector<std::string> headers(const HTTPRequest &Request) const;
  HTTPResponse answer(HTTPPostAnswer A);
  void noteState(const std::string &Failure);

  const ServerOptions &Options;
  ServerStatistics &Statistics;
  const Server::Log &Log;
  HTTPPost Post;
  std::atomic<bool> IsFailing{false};
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_FORWARDING_H
