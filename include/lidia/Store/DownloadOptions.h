//===- DownloadOptions.h - How files of servers are fetched -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_DOWNLOADOPTIONS_H
#define LIDIA_STORE_DOWNLOADOPTIONS_H

#include "lidia/Support/OutputFile.h"
#include <atomic>
#include <string>

namespace lidia {

/// What debuginfod servers and symbol servers have in common.
struct DownloadOptions {
  /// Seconds for which a server may stay idle or almost idle. Connecting
  /// may take half of this time, and at most MaxConnectSeconds.
  long StallSeconds = 10;
  static constexpr long MaxConnectSeconds = 5;
  /// Seconds to the first byte, if they are more: a server may have to unpack
  /// the file first.
  long FirstByteSeconds = 0;
  /// For how many files in a row a server that can be reached may fail before
  /// it is avoided.
  unsigned MaxFailures = 1;
  /// The maximum seconds for a file; 0 means no limit.
  long MaxSeconds = 0;
  /// The maximum size of a file in bytes; 0 means no limit, except that a
  /// reserve of the disk stays free (1 GiB, or a twentieth of a smaller disk).
  uint64_t MaxSize = uint64_t(4) << 30;
  /// The option that sets it, for messages.
  const char *MaxSizeOption = "--debuginfod-max-size";
  /// Whether to follow redirects.
  bool FollowRedirects = true;
  /// Requests end when this is set to true; may be null.
  const std::atomic<bool> *Cancel = nullptr;
  /// How files are written.
  OutputFileOptions Output;
};

/// The result of asking servers for a file.
struct DownloadedFile {
  /// Empty if none has sent the file.
  std::string Path;
  /// Whether a server could not be reached or failed, so that the file may
  /// exist although it was not found.
  bool MayExist = false;
  /// The number of servers that were asked, and of bytes that were received.
  unsigned Requests = 0;
  uint64_t Bytes = 0;
};

} // namespace lidia

#endif // LIDIA_STORE_DOWNLOADOPTIONS_H
