//===- Conversions.h - Converts files of clients and of servers -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_CONVERSIONS_H
#define LIDIA_LIB_SERVER_CONVERSIONS_H

#include "Metrics.h"
#include "lidia/Cache/PrivateFiles.h"
#include "lidia/Server/ServerOptions.h"
#include "lidia/Store/SymbolStore.h"
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

namespace lidia {

/// The result of adding a file.
struct StoredFile {
  llvm::SmallVector<uint8_t, 20> BuildID;
  /// "added", "replaced" or "present".
  std::string Result;
};

/// What happens to an archive that the store has already.
enum class UploadMode : uint8_t {
  /// It stays if it has as much information.
  Improve,
  Replace,
  Keep
};

/// Adds files that clients have sent to a store, by running `llvm-lidia store
/// add` in processes of its own, so that a file that crashes its reader does
/// not harm the server. These processes read only the files, and their memory
/// and time are limited. Thread-safe.
class Conversions {
public:
  using Warning = std::function<void(const std::string &)>;

  Conversions(const ServerOptions &Options, SymbolStore &Store,
              ServerStatistics &Statistics);
  /// Removes the folder.
  ~Conversions();

  /// Creates the work folder in the cache's folder. Must be called first.
  llvm::Error open(Warning Warn);

  /// The server's own folder, for files that it has not added yet.
  const std::string &folder() const { return Folder; }

  /// Adds \p Files, which belong to one binary or package, to the store when
  /// fewer than the maximum of conversions run. If \p OnlyBuildID is not empty,
  /// files with another build ID are refused.
  ///
  /// Errors have texts for clients: an ArgumentError is about a file, a
  /// LimitError reports that the conversion took too much memory or time, and a
  /// SystemError is an error of the server, which the log describes.
  llvm::Expected<std::vector<StoredFile>>
  add(llvm::ArrayRef<std::string> Files, llvm::ArrayRef<uint8_t> OnlyBuildID,
      UploadMode Mode = UploadMode::Improve);

  /// Cancels running and waiting conversions, and starts no more.
  void stop();

private:
  bool waitForTurn();
  llvm::Expected<std::string> makeFolder();
  std::vector<std::string> argumentsFor(llvm::ArrayRef<std::string> Files,
                                        llvm::ArrayRef<uint8_t> OnlyBuildID,
                                        UploadMode Mode);
  llvm::Expected<std::vector<StoredFile>>
  run(llvm::ArrayRef<std::string> Files, llvm::ArrayRef<uint8_t> OnlyBuildID,
      UploadMode Mode);

  const ServerOptions &Options;
  SymbolStore &Store;
  ServerStatistics &Statistics;
  Warning Warn;
  std::string Folder;
  std::optional<FileInUse> InUse;
  std::atomic<bool> IsStopping{false};
  std::mutex Mutex;
  std::condition_variable HasRoom;
  unsigned Running = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_CONVERSIONS_H
