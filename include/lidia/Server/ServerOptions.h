//===- ServerOptions.h - What a symbol server does and allows ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SERVER_SERVEROPTIONS_H
#define LIDIA_SERVER_SERVEROPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace lidia {

/// What a client may cost. What exceeds a limit is refused with the status of
/// HTTP that says so, and costs nobody else anything.
struct ServerLimits {
  /// Bytes of a request's body (413).
  uint64_t MaxBody = uint64_t(8) << 20;
  /// Bytes of all bodies that are in memory at one time (503).
  uint64_t MaxBodies = uint64_t(256) << 20;
  /// Bytes of a connection's buffer: the first line and the headers (431).
  uint64_t MaxHeaders = uint64_t(32) << 10;
  /// Addresses of a request (413).
  uint64_t MaxAddresses = 100000;
  /// Bytes of an answer in JSON (413).
  uint64_t MaxAnswer = uint64_t(64) << 20;
  /// Connections at one time; the next ones are closed. 0: 4096, or what the
  /// limit of open files leaves (RLIMIT_NOFILE), without a warning.
  unsigned MaxConnections = 0;
  /// Requests that wait for a thread (503).
  unsigned MaxWaiting = 1024;
  /// Seconds without a byte before a connection is closed.
  unsigned IdleSeconds = 60;
  /// Seconds that a client may take to send a request's body (408).
  unsigned BodySeconds = 60;
};

/// How files that others have sent become archives.
struct ConversionOptions {
  /// The program llvm-lidia, which does it.
  std::string Program;
  /// Processes at one time.
  unsigned Processes = 1;
  /// What each may take: bytes of memory, and seconds (422).
  uint64_t MaxMemory = uint64_t(8) << 30;
  unsigned MaxSeconds = 900;
  /// Uploads, and files from upstream servers, that wait for their turn (503).
  unsigned MaxWaiting = 64;
};

/// The debuginfod servers that are asked for what the store lacks.
struct UpstreamOptions {
  /// URLs, in the order in which they are asked.
  std::vector<std::string> Servers;
  /// Whether those who ask for a debug file get that of the servers, which has
  /// types and variables, if there is one.
  bool PassThrough = false;
  /// Files that are fetched at one time.
  unsigned Threads = 4;
  /// Seconds that a server may send nothing, and that a file may take.
  unsigned StallSeconds = 10;
  unsigned MaxSeconds = 900;
  /// Bytes of one file, and of all that are kept in the cache's folder.
  uint64_t MaxSize = uint64_t(4) << 30;
  uint64_t MaxKept = uint64_t(4) << 30;
  /// Seconds that something is not asked for again which no server has.
  unsigned MissingSeconds = 600;
};

/// What clients may send to be stored.
struct UploadOptions {
  /// What a request must have in `Authorization: Bearer`, or as the password of
  /// `Authorization: Basic`; it also opens what ReadToken does. Empty: nobody
  /// may write.
  std::string Token;
  /// Bytes of one upload (413), and of all at one time (503). They are on the
  /// disk.
  uint64_t MaxSize = uint64_t(2) << 30;
  uint64_t MaxSizes = uint64_t(8) << 30;
  /// Seconds that a client may take to send one.
  unsigned MaxSeconds = 3600;
};

struct ServerOptions {
  /// A folder or `s3://bucket/prefix`.
  std::string Store;
  /// HOST:PORT, [IPv6]:PORT or unix:PATH; port 0 is any free one. Empty: the
  /// sockets that systemd has opened (LISTEN_FDS), or else 127.0.0.1:8002.
  std::vector<std::string> Listen;
  /// The files of a certificate and of its key, in PEM; empty for HTTP.
  std::string CertificateFile;
  std::string KeyFile;

  /// What a request must have in `Authorization: Bearer`, or as the password of
  /// `Authorization: Basic`; empty: nobody is asked for it.
  std::string ReadToken;
  /// Whether everybody who reaches an address other than loopback may read.
  /// Without it, such an address needs ReadToken.
  bool IsPublic = false;
  /// Names in the header Host that are the server's, besides those of loopback
  /// and numeric addresses. Checked if there is neither a token nor IsPublic:
  /// pages of strangers in a browser of this machine may resolve their own
  /// name to it.
  std::vector<std::string> Hosts;
  /// Origins, such as https://profiler.firefox.com, whose pages may ask;
  /// "*": all.
  std::vector<std::string> Origins;

  /// Threads that look up; 0: one for each processor.
  unsigned Threads = 0;
  /// Threads that make debug files of archives.
  unsigned ExportThreads = 1;
  /// Archives that stay open.
  unsigned MaxModules = 256;
  /// Bytes of names and paths that are kept readable, of all archives.
  uint64_t MaxText = uint64_t(256) << 20;
  /// The folder of what is made of archives; empty: the user's cache.
  std::string CacheFolder;
  /// Seconds between two notes, in the store, of what was used (recordUse());
  /// 0: none.
  unsigned RecordUseSeconds = 0;

  ServerLimits Limits;
  ConversionOptions Conversion;
  UploadOptions Upload;
  UpstreamOptions Upstream;

  /// Whether files of others come into the store.
  bool fillsStore() const {
    return !Upload.Token.empty() || !Upstream.Servers.empty();
  }
};

} // namespace lidia

#endif // LIDIA_SERVER_SERVEROPTIONS_H
