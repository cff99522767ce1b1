//===- AddState.h - The state of a call of addToStore() ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_ADDSTATE_H
#define LIDIA_LIB_STORE_ADDSTATE_H

#include "lidia/Store/AddToStore.h"
#include "llvm/ADT/StringSet.h"
#include <atomic>
#include <mutex>

namespace lidia {

/// Counts what was added and what failed, and tells the observer. Thread-safe.
class AddState {
public:
  AddState(SymbolStore &Store, const AddOptions &Options, AddObserver &Observer)
      : Store(Store), Options(Options), Observer(Observer) {}

  /// Whether to stop, because the caller cancelled or the store has failed.
  bool isStopped() const { return HasEnded || Observer.isCancelled(); }
  bool isCancelled() const { return Observer.isCancelled(); }

  /// Whether the store has \p BuildID. Counts it once if so. An input that may
  /// have lines (\p HasLines) is still wanted if the store's archive has none.
  bool isPresent(llvm::ArrayRef<uint8_t> BuildID, bool HasLines = false);
  /// Adds the archive in the file \p Archive to the store. An error that would
  /// occur for other archives, too, stops the whole call. The error names
  /// \p Input.
  /// \p Path is where the binary is, and \p FileHashes has the htlhashes of
  /// the programs with this build ID.
  void add(llvm::ArrayRef<uint8_t> BuildID, llvm::StringRef Archive,
           llvm::StringRef Input, llvm::StringRef Path,
           llvm::ArrayRef<llvm::SmallVector<uint8_t, 16>> FileHashes = {});

  void fail(llvm::Error E);
  void warn(llvm::StringRef Input, const llvm::Twine &Message);
  void progress(llvm::StringRef Phase, uint64_t Done, uint64_t Total);
  /// Counts binaries that are of no use.
  void skip(uint64_t Count = 1);
  /// Counts an archive that was not made because isStopped().
  void leave();
  AddStatistics counts() const;

private:
  llvm::Expected<AddResult> put(llvm::ArrayRef<uint8_t> BuildID,
                                llvm::StringRef Archive, PutMode Mode);
  llvm::Expected<AddResult> putBetter(llvm::ArrayRef<uint8_t> BuildID,
                                      llvm::StringRef Archive);

  llvm::Expected<AddResult> putAnyway(llvm::ArrayRef<uint8_t> BuildID,
                                      llvm::StringRef Archive);

  SymbolStore &Store;
  const AddOptions &Options;
  AddObserver &Observer;
  std::atomic<bool> HasEnded{false};

  /// Protects the members below, and the observer.
  mutable std::mutex Mutex;
  AddStatistics Counts;
  llvm::StringSet<> PresentIDs, AbsentIDs;
  /// Those whose archives in the store have no lines.
  llvm::StringSet<> PoorIDs;
  /// The store does not answer what it has. It is not asked again, as each
  /// request may take long.
  bool IsSilent = false;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_ADDSTATE_H
