//===- ServerOptions.h - What a symbol server does and allows ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SERVER_SERVEROPTIONS_H
#define LIDIA_SERVER_SERVEROPTIONS_H

#include "lidia/Symbolize/SourceURLs.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// How each request is logged, in a line.
enum class AccessLogFormat : uint8_t {
  None,
  /// As web servers do, with the seconds that it took at the end.
  Combined,
  JSON
};

/// Limits on what a client may use. A request that exceeds one is refused with
/// the HTTP status given in parentheses, and does not affect other clients.
struct ServerLimits {
  /// Bytes of a request's body (413).
  uint64_t MaxBody = uint64_t(8) << 20;
  /// Bytes of all bodies of requests and answers that are in memory at one time
  /// (503).
  uint64_t MaxBodies = uint64_t(256) << 20;
  /// Bytes of a connection's buffer: the first line and the headers (431).
  uint64_t MaxHeaders = uint64_t(32) << 10;
  /// Addresses of a request (413).
  uint64_t MaxAddresses = 100000;
  /// Bytes of an answer in JSON, or of the frames and names of one as an Arrow
  /// table (413).
  uint64_t MaxAnswer = uint64_t(64) << 20;
  /// Connections at one time; further ones are closed. 0 means 4096, or fewer
  /// without a warning if the limit of open files (RLIMIT_NOFILE) is low.
  unsigned MaxConnections = 0;
  /// Connections of one address at one time; 0 means three quarters of all.
  unsigned MaxOfAddress = 0;
  /// Requests that wait for a thread (503).
  unsigned MaxWaiting = 1024;
  /// Seconds without a byte before a connection is closed.
  unsigned IdleSeconds = 60;
  /// Seconds that a client may take to send a request's headers, and to begin
  /// the first request of a connection.
  unsigned HeaderSeconds = 20;
  /// Seconds that a client may take to send a request's body (408).
  unsigned BodySeconds = 60;
};

/// How files from clients and upstream servers are converted to archives.
struct ConversionOptions {
  /// The path of the program llvm-lidia, which converts the files.
  std::string Program;
  /// Conversions at one time, each in a process.
  unsigned Processes = 1;
  /// The limits of each process: bytes of memory, and seconds (422).
  uint64_t MaxMemory = uint64_t(8) << 30;
  unsigned MaxSeconds = 900;
  /// Uploads and files from upstream servers that wait for conversion (503).
  unsigned MaxWaiting = 64;
};

/// The debuginfod servers that are asked for what the store lacks.
struct UpstreamOptions {
  /// URLs, in the order in which they are asked.
  std::vector<std::string> Servers;
  /// Whether to answer requests for a debug file with the file of an upstream
  /// server, which has types and variables, if there is one.
  bool PassThrough = false;
  /// Files that are fetched at one time.
  unsigned Threads = 16;
  /// The seconds to the first byte, for which a server may have to unpack a
  /// large package, those for which it may stay idle then, and those that a
  /// file may take.
  unsigned FirstByteSeconds = 90;
  unsigned StallSeconds = 10;
  unsigned MaxSeconds = 900;
  /// The maximum size in bytes of one file, and of all files that are kept in
  /// the cache's folder.
  uint64_t MaxSize = uint64_t(4) << 30;
  uint64_t MaxKept = uint64_t(4) << 30;
  /// The seconds for which a file that no server has is not requested again.
  unsigned MissingSeconds = 600;
};

/// What those may do who send a secret in `Authorization: Bearer`, or as the
/// password of `Authorization: Basic`. If a secret is in several tokens, it has
/// the rights of all.
struct AccessToken {
  std::string Secret;
  /// For the log.
  std::string Name;
  bool MayRead = false;
  /// Add archives, and replace poorer ones. Who may not read, too, learns only
  /// which archives exist.
  bool MayWrite = false;
  /// Remove archives, and replace any.
  bool MayRemove = false;
};

/// What clients may send to be stored.
struct UploadOptions {
  /// Whether an archive stays as it is if the store has it already.
  bool KeepsOld = false;
  /// The maximum size in bytes of one upload (413), and of all uploads at one
  /// time (503). Uploads are kept on the disk.
  uint64_t MaxSize = uint64_t(2) << 30;
  uint64_t MaxSizes = uint64_t(8) << 30;
  /// The seconds that a client may take for an upload.
  unsigned MaxSeconds = 3600;
};

struct ServerOptions {
  /// A folder or `s3://bucket/prefix`.
  std::string Store;
  /// Addresses to listen on: HOST:PORT, [IPv6]:PORT or unix:PATH; port 0 means
  /// any free port. Empty: the sockets that systemd has opened (LISTEN_FDS), or
  /// else 127.0.0.1:8002.
  std::vector<std::string> Listen;
  /// The files of a certificate and of its key, in PEM; empty for HTTP.
  std::string CertificateFile;
  std::string KeyFile;

  /// If one may read, reading needs a token. If none may write, uploads are
  /// refused.
  std::vector<AccessToken> Tokens;
  /// Whether everybody may read at addresses other than loopback. Otherwise,
  /// such an address requires a token that may read.
  bool IsPublic = false;
  /// Names of the server that are accepted in the header Host, in addition to
  /// names of loopback and numeric addresses. Checked if there is neither a
  /// token nor IsPublic, because a foreign page in a browser on this machine
  /// could make its own name resolve to the server (DNS rebinding).
  std::vector<std::string> Hosts;
  /// Origins whose pages may send requests, such as
  /// https://profiler.firefox.com; "*" means all.
  std::vector<std::string> Origins;

  /// Threads for lookups; 0 means one for each processor.
  unsigned Threads = 0;
  /// Threads that export archives as debug files; 0 means one for each
  /// processor.
  unsigned ExportThreads = 0;
  /// Threads that symbolize whole files, and search archives for the page.
  unsigned SymbolizeThreads = 1;
  /// The number of archives that stay open.
  unsigned MaxModules = 256;
  /// Seconds for which an open archive is used before it is compared with the
  /// store's, which others may have replaced.
  unsigned RecheckSeconds = 30;
  /// Bytes of demangled names and paths that are kept in memory, for all
  /// archives together.
  uint64_t MaxText = uint64_t(256) << 20;
  /// The folder for files made from archives; empty means the user's cache.
  std::string CacheFolder;
  /// Whether answers for the page are kept there for a day, so that a link can
  /// show them again.
  bool KeepReports = false;
  /// Seconds in which requests are completed when the server ends.
  unsigned ShutdownSeconds = 30;
  /// How requests are logged.
  AccessLogFormat AccessLog = AccessLogFormat::None;
  /// Seconds between calls of recordUse(), which records in the store which
  /// archives were used; 0 means never. None means an hour if
  /// isRecordable(), else never.
  std::optional<unsigned> RecordUseSeconds;

  /// Where the sources are on the web, for reports and flame graphs.
  SourceURLs Sources;

  ServerLimits Limits;
  ConversionOptions Conversion;
  UploadOptions Upload;
  UpstreamOptions Upstream;

  /// The URL to which profiles are passed on, with names; empty: none are
  /// taken.
  std::string Forward;
  /// Threads that name and pass on profiles, and wait for that server.
  unsigned ForwardThreads = 8;

  /// Whether files from clients or upstream servers are added to the store.
  bool fillsStore() const {
    return mayAnyoneWrite(Tokens) || !Upstream.Servers.empty();
  }
  static bool mayAnyoneWrite(const std::vector<AccessToken> &Tokens);
  static bool needsTokenToRead(const std::vector<AccessToken> &Tokens);
};

} // namespace lidia

#endif // LIDIA_SERVER_SERVEROPTIONS_H
