//===- Conversions.h - Archives of files from elsewhere ---------*- C++ -*-===//
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

/// What became of a file.
struct StoredFile {
  llvm::SmallVector<uint8_t, 20> BuildID;
  /// "added", "replaced" or "present".
  std::string Result;
};

/// Adds files that others have sent to a store, by `llvm-lidia store add` in
/// processes of their own: what a file does to its reader does not harm the
/// server. They read nothing but the files, and may take only so much memory
/// and time. Safe for threads.
class Conversions {
public:
  using Warning = std::function<void(const std::string &)>;

  Conversions(const ServerOptions &Options, SymbolStore &Store,
              Metrics &Counts);
  /// Removes the folder.
  ~Conversions();

  /// Makes the work folder, in that of the cache. To be called first.
  llvm::Error open(Warning Warn);

  /// A folder that is the server's own, for files on their way.
  const std::string &folder() const { return Folder; }

  /// Adds \p Files, of one binary or package, to the store, when it is this
  /// call's turn; archives there that have as much in them stay. If
  /// \p OnlyBuildID is not empty, files of another one are refused.
  ///
  /// Errors have texts for clients: an ArgumentError if it is about a file, a
  /// LimitError if it took too much memory or time, and a SystemError for
  /// troubles of the server, which the log describes.
  llvm::Expected<std::vector<StoredFile>>
  add(llvm::ArrayRef<std::string> Files, llvm::ArrayRef<uint8_t> OnlyBuildID);

  /// Ends all that is under way, and begins nothing more.
  void stop();

private:
  bool waitForTurn();
  llvm::Expected<std::string> makeFolder();
  std::vector<std::string> argumentsFor(llvm::ArrayRef<std::string> Files,
                                        llvm::ArrayRef<uint8_t> OnlyBuildID);
  llvm::Expected<std::vector<StoredFile>>
  run(llvm::ArrayRef<std::string> Files, llvm::ArrayRef<uint8_t> OnlyBuildID);

  const ServerOptions &Options;
  SymbolStore &Store;
  Metrics &Counts;
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
