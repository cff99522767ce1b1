//===- Debuginfod.h - Debug files from debuginfod servers -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A client of debuginfod that waits no longer than a user would: servers that
/// are dead or silent cost seconds, once, and not for each file. Facts about
/// the protocol and the variables are from debuginfod(8), debuginfod-find(1)
/// and debuginfod-client-config(7) of elfutils.
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
  /// The folder of elfutils' client, which gdb and others share: a file is
  /// BUILDID/debuginfo in it.
  std::string CacheFolder;
  /// How long a server may send nothing, or next to nothing. Connecting may
  /// take half of it, and at most MostConnectSeconds.
  long StallSeconds = 10;
  static constexpr long MostConnectSeconds = 5;
  /// What a file may take in all; 0: as long as it comes.
  long MostSeconds = 0;
  /// Bytes of a file; 0: any number that leaves the disk its reserve (a GiB, or
  /// a twentieth of a smaller disk).
  uint64_t MaxSize = uint64_t(4) << 30;
  /// Whether an answer may send us to another address.
  bool FollowRedirects = true;
  /// Ends requests when it is set; may be null.
  const std::atomic<bool> *Cancel = nullptr;
  /// A file of header lines to send; empty for none.
  std::string HeadersFile;
  /// How files are written.
  OutputFileOptions Output;

  /// What DEBUGINFOD_URLS, _CACHE_PATH, _TIMEOUT, _MAXTIME, _MAXSIZE and
  /// _HEADERS_FILE say. Of a value that makes no sense the default.
  static DebuginfodOptions fromEnvironment();
};

/// What servers have for a build ID.
struct DebuginfodFile {
  /// Empty if none has sent the file.
  std::string Path;
  /// Whether a server could not be asked, or failed, so that there may be one
  /// all the same.
  bool MayExist = false;
  /// Servers that were asked, and bytes that came.
  unsigned Requests = 0;
  uint64_t Bytes = 0;
};

/// Asks servers. Safe for threads.
class DebuginfodClient {
public:
  explicit DebuginfodClient(DebuginfodOptions Options);
  ~DebuginfodClient();

  using Warning = llvm::function_ref<void(const llvm::Twine &)>;

  /// The path of the debug file of \p BuildID in the cache, or what the first
  /// server that has it sends; empty if none has it. \p IsRight says whether
  /// the file at a path is of the build ID: what is not does not stay in the
  /// cache.
  ///
  /// A server that cannot be reached, takes too long or has an error of its own
  /// (5xx) is not asked again for a minute, by this process or by another with
  /// the same cache. \p Warn is called once for that, with the server's URL
  /// without password and query.
  std::string debugFile(llvm::ArrayRef<uint8_t> BuildID,
                        llvm::function_ref<bool(llvm::StringRef)> IsRight,
                        Warning Warn);

  /// The same for the file \p Name of \p BuildID: "debuginfo" or "executable".
  DebuginfodFile file(llvm::ArrayRef<uint8_t> BuildID, llvm::StringRef Name,
                      llvm::function_ref<bool(llvm::StringRef)> IsRight,
                      Warning Warn);

private:
  class Impl;
  std::unique_ptr<Impl> P;
};

} // namespace lidia

#endif // LIDIA_STORE_DEBUGINFOD_H
