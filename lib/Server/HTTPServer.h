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
#include <functional>
#include <memory>
#include <string>

namespace lidia {

/// Which threads answer a request. The body of an Upload goes to a file.
enum class WorkKind : uint8_t { LookUp, Export, Symbolize, Upload };

/// What an HTTPServer asks of its owner. All are called by several threads at
/// once.
struct HTTPHandlers {
  /// Called with the first line and the headers of a request. What it returns
  /// is the answer, and the body is not read.
  std::function<std::optional<HTTPResponse>(const HTTPRequest &)> Begin;
  /// Which threads answer a request that has begun.
  std::function<WorkKind(const HTTPRequest &)> Kind;
  /// Answers a request, which is complete.
  std::function<HTTPResponse(const HTTPRequest &)> Answer;
  /// Called for each answer, whoever gave it, after \p Seconds.
  std::function<void(const HTTPRequest &, const HTTPResponse &, double Seconds)>
      Note;
  /// Where the bodies of uploads are written.
  std::string UploadFolder;
};

struct TLSFiles {
  /// In PEM; both empty for HTTP.
  std::string Certificate;
  std::string Key;
};

/// Reads requests and sends answers by a few threads that never wait, and has
/// them answered by others. A slow client costs its connection and the bytes
/// that it has sent, within the limits.
class HTTPServer {
public:
  /// Listens on \p Sockets, which it takes over.
  static llvm::Expected<std::unique_ptr<HTTPServer>>
  start(llvm::ArrayRef<int> Sockets, const ServerOptions &Options,
        const TLSFiles &TLS, HTTPHandlers Handlers);

  /// Takes no new requests, and ends those that were begun.
  ~HTTPServer();

private:
  class Impl;

  explicit HTTPServer(std::unique_ptr<Impl> P);

  std::unique_ptr<Impl> P;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_HTTPSERVER_H
