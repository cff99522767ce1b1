//===- HTTPServer.h - HTTP by libmicrohttpd ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_HTTPSERVER_H
#define LIDIA_LIB_SERVER_HTTPSERVER_H

#include "HTTPMessage.h"
#include "lidia/Server/ServerOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace lidia {

/// Which threads answer a request.
enum class WorkKind : uint8_t {
  /// The one that has read it, outside of all queues, because the handler waits
  /// for nothing.
  Now,
  /// For requests of orchestrators, which wait for no other request.
  Probe,
  LookUp,
  /// For what takes seconds (HTTPRequest::MayTakeLong).
  Export,
  Symbolize,
  /// For requests that wait for another server (ServerOptions::Forward).
  Forward,
  /// The body is written to a file.
  Upload
};

/// Instead of an answer: fetches what it lacks. Any thread calls \p Done when
/// the request can be answered again. Returns false if \p Done will not be
/// called, because the server is busy.
using FetchFirst = std::function<bool(std::function<void()> Done)>;

/// An answer; or what must be fetched for it first; or the kind of thread that
/// must make it, if this one may not.
using Outcome = std::variant<HTTPResponse, FetchFirst, WorkKind>;

/// Callbacks of an HTTPServer. Several threads may call each at the same time.
struct HTTPHandlers {
  /// Called once, with the request line and the headers of a request. Sets
  /// which threads answer it. A returned response is sent, and the body is not
  /// read.
  std::function<std::optional<HTTPResponse>(HTTPRequest &, WorkKind &)> Begin;
  /// Answers a complete request. For WorkKind::Now, the outcome must be an
  /// answer.
  std::function<Outcome(const HTTPRequest &)> Answer;
  /// Called for each answer, including those of the HTTPServer itself,
  /// \p Seconds after the request began.
  std::function<void(const HTTPRequest &, const HTTPResponse &, double Seconds)>
      Note;
  /// Where the bodies of uploads are written.
  std::string UploadFolder;
  /// The bodies of requests and answers use it.
  MemoryBudget *Memory = nullptr;
};

/// What an HTTPServer does now.
struct HTTPGauges {
  uint64_t Connections = 0;
  /// Requests that are read, answered or sent.
  uint64_t Requests = 0;
  /// Requests that wait for a thread, by WorkKind.
  std::array<uint64_t, size_t(WorkKind::Upload) + 1> Waiting = {};
};

struct TLSFiles {
  /// In PEM; both empty for HTTP.
  std::string Certificate;
  std::string Key;
};

/// Reads requests and sends answers with a few threads that never block; other
/// threads answer the requests. A slow client costs its connection and the
/// bytes that it has sent, up to the limits.
class HTTPServer {
public:
  /// Listens on \p Sockets, and takes ownership of them.
  static llvm::Expected<std::unique_ptr<HTTPServer>>
  start(llvm::ArrayRef<int> Sockets, const ServerOptions &Options,
        const TLSFiles &TLS, HTTPHandlers Handlers);

  /// Ends connections. Requests that wait for a thread are answered before.
  ~HTTPServer();

  /// Accepts no more connections, ends those that are idle, and each other one
  /// after its answer.
  void drain();

  /// Uses \p TLS for connections from now on. Those that are open keep theirs.
  llvm::Error setCertificate(const TLSFiles &TLS);

  HTTPGauges gauges() const;

private:
  class Impl;

  explicit HTTPServer(std::unique_ptr<Impl> P);

  std::unique_ptr<Impl> P;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_HTTPSERVER_H
