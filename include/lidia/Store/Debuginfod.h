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

#include "lidia/Store/DownloadOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include <memory>
#include <string>
#include <vector>

namespace lidia {

struct DebuginfodOptions : DownloadOptions {
  /// URLs, in the order in which they are asked.
  std::vector<std::string> Servers;
  /// The cache folder of elfutils' client, which gdb and others share. Its
  /// files are named BUILDID/debuginfo.
  std::string CacheFolder;
  /// A file of header lines to send; empty for none.
  std::string HeadersFile;

  /// The options that DEBUGINFOD_URLS and DEBUGINFOD_CACHE_PATH, _TIMEOUT,
  /// _MAXTIME, _MAXSIZE and _HEADERS_FILE select. An invalid value selects the
  /// default.
  static DebuginfodOptions fromEnvironment();
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
  DownloadedFile file(llvm::ArrayRef<uint8_t> BuildID, llvm::StringRef Name,
                      llvm::function_ref<bool(llvm::StringRef)> IsRight,
                      Warning Warn, llvm::StringRef ForwardedFor = "");

  /// The same for the source file \p Path, which is absolute and has neither
  /// "." nor "..". Nothing tells whether it is the right one.
  DownloadedFile source(llvm::ArrayRef<uint8_t> BuildID, llvm::StringRef Path,
                        Warning Warn, llvm::StringRef ForwardedFor = "");

  /// The name in the cache of the source file \p Path. elfutils' client, which
  /// may have the same cache, uses others, and may change its scheme.
  static std::string nameOfSource(llvm::StringRef Path);

private:
  class Impl;
  std::unique_ptr<Impl> P;
};

} // namespace lidia

#endif // LIDIA_STORE_DEBUGINFOD_H
