//===- Debuginfod.h - Debug files from debuginfod servers -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A client of debuginfod that waits only briefly for servers that do not
/// answer: a few seconds once, and not for each file. The protocol and the
/// variables are described in debuginfod(8), debuginfod-find(1) and
/// debuginfod-client-config(7) of elfutils.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_DEBUGINFOD_H
#define LIDIA_STORE_DEBUGINFOD_H

#include "lidia/Archive/OutputFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace lidia {

struct DebuginfodOptions {
  /// URLs, in the order in which they are asked.
  std::vector<std::string> Servers;
  /// The cache folder of elfutils' client, which gdb and others share. Its
  /// files are named BUILDID/debuginfo.
  std::string CacheFolder;
  /// Seconds for which a server may send nothing or almost nothing. Connecting
  /// may take half of this time, and at most MostConnectSeconds.
  long StallSeconds = 10;
  static constexpr long MostConnectSeconds = 5;
  /// The maximum seconds for a file; 0 means no limit.
  long MostSeconds = 0;
  /// The maximum size of a file in bytes; 0 means no limit, except that a
  /// reserve of the disk stays free (1 GiB, or a twentieth of a smaller disk).
  uint64_t MaxSize = uint64_t(4) << 30;
  /// Whether to follow redirects.
  bool FollowRedirects = true;
  /// Requests end when this is set to true; may be null.
  const std::atomic<bool> *Cancel = nullptr;
  /// A file of header lines to send; empty for none.
  std::string HeadersFile;
  /// How files are written.
  OutputFileOptions Output;

  /// The options that DEBUGINFOD_URLS and DEBUGINFOD_CACHE_PATH, _TIMEOUT,
  /// _MAXTIME, _MAXSIZE and _HEADERS_FILE select. An invalid value selects the
  /// default.
  static DebuginfodOptions fromEnvironment();
};

/// The result of asking servers for a file of a build ID.
struct DebuginfodFile {
  /// Empty if none has sent the file.
  std::string Path;
  /// Whether a server could not be reached or failed, so that the file may
  /// exist although it was not found.
  bool MayExist = false;
  /// The number of servers that were asked, and of bytes that were received.
  unsigned Requests = 0;
  uint64_t Bytes = 0;
};

/// Requests files from debuginfod servers. Thread-safe.
class DebuginfodClient {
public:
  explicit DebuginfodClient(DebuginfodOptions Options);
  ~DebuginfodClient();

  using Warning = llvm::function_ref<void(const llvm::Twine &)>;

  /// Returns the path of the debug file of \p BuildID in the cache. If it is
  /// not there, requests it from the servers in order. Empty if no server has
  /// it. \p IsRight says whether the file at a path has the build ID; files
  /// that do not are removed from the cache.
  ///
  /// A server that cannot be reached, takes too long or reports an internal
  /// error (5xx) is not asked again for a minute, by this process or any other
  /// with the same cache. \p Warn is called once for this, with the server's
  /// URL without password and query.
  std::string debugFile(llvm::ArrayRef<uint8_t> BuildID,
                        llvm::function_ref<bool(llvm::StringRef)> IsRight,
                        Warning Warn);

  /// Like debugFile(), for the file \p Name of \p BuildID: "debuginfo" or
  /// "executable". \p ForwardedFor, unless it is empty, is sent as
  /// X-Forwarded-For, which servers have that ask others.
  DebuginfodFile file(llvm::ArrayRef<uint8_t> BuildID, llvm::StringRef Name,
                      llvm::function_ref<bool(llvm::StringRef)> IsRight,
                      Warning Warn, llvm::StringRef ForwardedFor = "");

  /// The same for the source file \p Path, which is absolute and has neither
  /// "." nor "..". Nothing tells whether it is the right one. It is \p
  /// CacheName in the cache.
  DebuginfodFile source(llvm::ArrayRef<uint8_t> BuildID, llvm::StringRef Path,
                        llvm::StringRef CacheName, Warning Warn,
                        llvm::StringRef ForwardedFor = "");

private:
  class Impl;
  std::unique_ptr<Impl> P;
};

} // namespace lidia

#endif // LIDIA_STORE_DEBUGINFOD_H
