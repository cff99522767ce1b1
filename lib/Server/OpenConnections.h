//===- OpenConnections.h - Who is connected, and how long -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// libmicrohttpd closes a connection that is idle. A client that sends a byte
/// of a header from time to time is never idle, so what it has for a whole
/// request's headers is limited here.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_OPENCONNECTIONS_H
#define LIDIA_LIB_SERVER_OPENCONNECTIONS_H

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <sys/socket.h>
#include <thread>

namespace lidia {

/// The connections of a server, and a thread that ends those without a request
/// in time. Thread-safe.
class OpenConnections {
public:
  using Clock = std::chrono::steady_clock;

  struct Client {
    int Socket = -1;
    /// Without the port; empty for a Unix socket.
    std::string Address;

  private:
    friend class OpenConnections;
    /// When a request's headers must be there.
    Clock::time_point Deadline = Clock::time_point::max();
    /// Between two requests.
    bool IsIdle = true;
    std::list<Client>::iterator Place;
  };

  /// \p ForHeaders is the time for a request's headers, and for the first line
  /// of a new connection; \p ForNext is that from an answer to the next
  /// request.
  OpenConnections(std::chrono::seconds ForHeaders,
                  std::chrono::seconds ForNext);
  ~OpenConnections();

  Client *add(int Socket, const sockaddr *Address);
  void remove(Client *C);
  size_t count() const;

  /// The first line of a request has come.
  void expectHeaders(Client &C);
  /// All headers have come.
  void expectNothing(Client &C);
  /// The answer was sent.
  void expectRequest(Client &C);

  /// Ends idle connections, now and later.
  void drain();

private:
  void run();

  const std::chrono::seconds ForHeaders, ForNext;
  mutable std::mutex Mutex;
  std::list<Client> All;
  bool IsDraining = false;
  bool IsEnding = false;
  std::condition_variable Ends;
  /// The last member, because it uses the others.
  std::thread Watch;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_OPENCONNECTIONS_H
