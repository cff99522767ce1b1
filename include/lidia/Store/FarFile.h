//===- FarFile.h - Files on other machines ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_FARFILE_H
#define LIDIA_STORE_FARFILE_H

#include "lidia/Archive/Archive.h"
#include "lidia/Error.h"
#include "lidia/Support/ForkLocal.h"
#include "lidia/Support/RandomAccessReader.h"
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lidia {

/// The requests that reading a file took.
struct FetchStatistics {
  /// Groups of requests that were sent together, each after the answers to the
  /// previous group had arrived.
  uint64_t Rounds = 0;
  /// Requests sent, including retries.
  uint64_t Requests = 0;
  uint64_t Retries = 0;
  /// Bytes of the file that arrived.
  uint64_t Bytes = 0;
};

/// Fetches ranges of one file from another machine.
class RangeFetcher {
public:
  /// A range and its bytes.
  struct Range {
    FileRange Place;
    std::vector<char> Bytes;
  };

  virtual ~RangeFetcher() = default;

  /// The file's name for messages, without passwords.
  virtual llvm::StringRef name() const = 0;

  /// Fetches the first bytes of the file into \p Head, at most Head.Place.Size,
  /// and returns the size of the file. Called once, before fetch().
  virtual llvm::Expected<uint64_t> open(Range &Head) = 0;

  /// Fetches \p Ranges, which lie inside the file and do not overlap, in one
  /// round. Never called by two threads at once. An error with the code ESTALE
  /// says that the file has been replaced since it was opened, so that no later
  /// fetch can succeed.
  virtual llvm::Error fetch(llvm::MutableArrayRef<Range> Ranges) = 0;

  /// Called when the whole file has been fetched, so that connections can be
  /// closed.
  virtual void finish() {}

  /// Requests sent so far, and how many of them were sent again.
  virtual uint64_t requests() const = 0;
  virtual uint64_t retries() const = 0;
};

/// A file that is read by a RangeFetcher. Ranges near each other are fetched
/// together, and what was fetched stays in memory for a while, up to 16 MiB.
///
/// After an error of the fetcher, which has retried several times, reads of
/// data that is not in memory fail with the same error for a while, so that not
/// each of many reads waits for a server that does not answer. After that time,
/// data is fetched again, unless the file was replaced.
class FarFile : public RandomAccessReader {
public:
  /// Opens the file of \p Fetcher.
  static llvm::Expected<std::shared_ptr<FarFile>>
  open(std::unique_ptr<RangeFetcher> Fetcher,
       std::chrono::milliseconds Pause = std::chrono::seconds(5));

  llvm::StringRef name() const override { return Fetcher->name(); }
  uint64_t size() const override { return Size; }
  llvm::Expected<llvm::StringRef>
  read(uint64_t Offset, size_t Size,
       llvm::SmallVectorImpl<char> &Storage) const override;
  bool isFar() const override { return true; }
  void prefetch(llvm::ArrayRef<FileRange> Ranges) const override;

  FetchStatistics counts() const;

private:
  FarFile(std::unique_ptr<RangeFetcher> TheFetcher,
          std::chrono::milliseconds ThePause)
      : Fetcher(std::move(TheFetcher)), Pause(ThePause) {}

  llvm::Error error(const llvm::Twine &Message) const;
  std::vector<FileRange> missing(FileRange R) const;
  llvm::Error fail(llvm::Error E) const;
  llvm::Error fetch(llvm::ArrayRef<FileRange> Wanted) const;
  void insert(RangeFetcher::Range Part) const;
  void makeRoom() const;
  void finishIfWhole() const;
  bool copy(FileRange R, llvm::SmallVectorImpl<char> &To) const;

  std::unique_ptr<RangeFetcher> Fetcher;
  const std::chrono::milliseconds Pause;
  uint64_t Size = 0;

  struct State {
    /// Guards the members below. Held during a round, so that no two threads
    /// fetch the same data.
    std::timed_mutex Mutex;
    /// The parts in memory, by offset, without overlaps.
    std::map<uint64_t, std::vector<char>> Parts;
    /// The keys of Parts, the oldest part first.
    std::vector<uint64_t> Ages;
    uint64_t Held = 0;
    FetchStatistics Counts;
    /// The last error, unless something was fetched since, and the time until
    /// which reads fail with it.
    RememberedError Failure;
    std::chrono::steady_clock::time_point FailsUntil;
  };
  /// A child of fork() fetches what it needs again.
  mutable ForkLocal<State> StateOfProcess;
  State &state() const { return StateOfProcess.get(); }
};

} // namespace lidia

#endif // LIDIA_STORE_FARFILE_H
