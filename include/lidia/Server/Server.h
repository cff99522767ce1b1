//===- Server.h - A store over HTTP -----------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SERVER_SERVER_H
#define LIDIA_SERVER_SERVER_H

#include "lidia/Server/ServerOptions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lidia {

/// Answers requests for the archives of a store: those of debuginfod's clients,
/// of Mozilla's symbolication and of stores at URLs, and its own (docs/
/// Server.md has the endpoints). The server has no state of its own, so any
/// number of servers may serve one store.
class Server {
public:
  /// Messages for the operator of the server. Any thread may call each.
  struct Log {
    using Writer = std::function<void(const std::string &)>;

    /// Something is wrong.
    Writer Warn;
    /// What has happened: an upload, or that something is right again.
    Writer Note;
    /// A line for each request (ServerOptions::AccessLog).
    Writer Request;
  };

  /// Opens the store and the sockets, and starts threads that answer requests.
  static llvm::Expected<std::unique_ptr<Server>>
  start(const ServerOptions &Options, Log Log);

  /// Ends pending requests and closes the sockets.
  ~Server();

  /// Accepts no more connections, and ends those that are idle.
  void drain();
  /// Requests that are read, answered or sent.
  uint64_t requests() const;

  /// Uses the tokens of \p Options, and reads the certificate again. Changes
  /// nothing if it fails.
  llvm::Error reload(const ServerOptions &Options);

  /// The URLs of the sockets, such as http://127.0.0.1:8002.
  const std::vector<std::string> &urls() const;

private:
  class Impl;

  explicit Server(std::unique_ptr<Impl> P);

  std::unique_ptr<Impl> P;
};

/// Sends \p State, such as "READY=1", to systemd (NOTIFY_SOCKET, sd_notify(3)).
/// Does nothing without systemd.
void notifySystemd(llvm::StringRef State);

} // namespace lidia

#endif // LIDIA_SERVER_SERVER_H
