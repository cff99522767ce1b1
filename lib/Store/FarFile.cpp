//===- FarFile.cpp - Files on other machines ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/FarFile.h"
#include "lidia/Archive/Compression.h"
#include "lidia/Error.h"
#include "lidia/Support/Interrupt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cerrno>

using namespace lidia;
using namespace llvm;

/// The number of bytes read from the end of a compressed archive whose
/// beginning does not have its seek table: that of 4,000 frames, which contain
/// 260 MB.
static constexpr uint64_t TailSize = 48 * 1024;
/// The maximum gap between two ranges that one request fetches: the bytes in
/// the gap take less time than another request.
static constexpr uint64_t MergedGap = 4 * 1024;
/// Several connections fetch a large range faster than one connection.
static constexpr uint64_t LargestRequest = 1 << 20;
static constexpr uint64_t MaxHeld = 16 << 20;
/// The maximum size of one read; the largest is the seek table of a large file.
/// The size of the file is not used as a limit, because the server chooses it.
static constexpr uint64_t LargestRead = 64 << 20;
static constexpr uint64_t LargestFile = uint64_t(64) << 30;

Error FarFile::error(const Twine &Message) const {
  return make_error<SystemError>(std::make_error_code(std::errc::io_error),
                                 name(), Message);
}

Expected<std::shared_ptr<FarFile>>
FarFile::open(std::unique_ptr<RangeFetcher> Fetcher,
              std::chrono::milliseconds Pause) {
  std::shared_ptr<FarFile> File(new FarFile(std::move(Fetcher), Pause));
  RangeFetcher::Range Head;
  Head.Place.Size = FirstFetch;
  if (Error E = File->Fetcher->open(Head).moveInto(File->Size))
    return E;
  if (File->Size > LargestFile)
    return File->error(
        formatv("{0} bytes are too many for an archive", File->Size));
  ++File->state().Counts.Rounds;
  StringRef Bytes(Head.Bytes.data(), Head.Bytes.size());
  bool NeedsTail = isZstd(Bytes) && !hasOpeningFrame(Bytes, File->Size);
  File->insert(std::move(Head));
  File->finishIfWhole();
  if (!NeedsTail)
    return File;
  uint64_t Count = std::min(File->Size, TailSize);
  if (Error E = File->fetch(FileRange{File->Size - Count, Count}))
    return E;
  return File;
}

/// The parts of \p R that are not in memory, in order.
std::vector<FileRange> FarFile::missing(FileRange R) const {
  State &S = state();
  std::vector<FileRange> Missing;
  uint64_t Next = R.Offset, End = R.Offset + R.Size;
  auto It = S.Parts.upper_bound(Next);
  if (It != S.Parts.begin())
    --It;
  for (; It != S.Parts.end() && It->first < End; ++It) {
    if (It->first > Next)
      Missing.push_back({Next, It->first - Next});
    Next = std::max(Next, It->first + It->second.size());
  }
  if (Next < End)
    Missing.push_back({Next, End - Next});
  return Missing;
}

/// Merges \p Ranges that overlap or are close to each other, and splits large
/// ones.
static std::vector<RangeFetcher::Range>
requests(std::vector<FileRange> Ranges) {
  llvm::sort(Ranges, [](const FileRange &A, const FileRange &B) {
    return std::pair(A.Offset, A.Size) < std::pair(B.Offset, B.Size);
  });
  std::vector<FileRange> Merged;
  for (const FileRange &R : Ranges) {
    uint64_t End = R.Offset + R.Size;
    if (!Merged.empty()) {
      FileRange &Last = Merged.back();
      uint64_t LastEnd = Last.Offset + Last.Size;
      if (R.Offset <= LastEnd + MergedGap) {
        Last.Size = std::max(LastEnd, End) - Last.Offset;
        continue;
      }
    }
    Merged.push_back(R);
  }
  std::vector<RangeFetcher::Range> Requests;
  for (FileRange R : Merged)
    for (uint64_t Done = 0; Done < R.Size; Done += LargestRequest)
      Requests.push_back(
          {{R.Offset + Done, std::min(LargestRequest, R.Size - Done)}, {}});
  return Requests;
}

/// Remembers \p E for later reads.
Error FarFile::fail(Error E) const {
  State &S = state();
  using Clock = std::chrono::steady_clock;
  RememberedError Now(std::move(E));
  std::error_code Code = errorToErrorCode(Now.get());
  // The next reader may have more time.
  if (Code == std::errc::operation_canceled)
    return Now.get();
  S.Failure = std::move(Now);
  bool IsReplaced = Code == std::error_code(ESTALE, std::generic_category());
  S.FailsUntil = IsReplaced ? Clock::time_point::max() : Clock::now() + Pause;
  return S.Failure.get();
}

Error FarFile::fetch(ArrayRef<FileRange> Wanted) const {
  State &S = state();
  if (S.Failure && std::chrono::steady_clock::now() < S.FailsUntil)
    return S.Failure.get();
  makeRoom();
  std::vector<FileRange> Missing;
  for (const FileRange &R : Wanted)
    llvm::append_range(Missing, missing(R));
  if (Missing.empty())
    return Error::success();
  std::vector<RangeFetcher::Range> Requests = requests(std::move(Missing));
  ++S.Counts.Rounds;
  if (Error E = Fetcher->fetch(Requests))
    return fail(std::move(E));
  S.Failure = RememberedError();
  for (RangeFetcher::Range &R : Requests)
    insert(std::move(R));
  finishIfWhole();
  return Error::success();
}

/// Closes connections when the whole file is in memory. Many archives of a
/// store are open at the same time, most are small, and each connection takes a
/// file descriptor.
void FarFile::finishIfWhole() const {
  if (state().Held == Size)
    Fetcher->finish();
}

/// Stores \p Part, except bytes that are already in memory: merged ranges may
/// contain some.
void FarFile::insert(RangeFetcher::Range Part) const {
  State &S = state();
  S.Counts.Bytes += Part.Bytes.size();
  for (const FileRange &New : missing({Part.Place.Offset, Part.Bytes.size()})) {
    const char *From = Part.Bytes.data() + (New.Offset - Part.Place.Offset);
    S.Parts.emplace(New.Offset, std::vector<char>(From, From + New.Size));
    S.Ages.push_back(New.Offset);
    S.Held += New.Size;
  }
}

/// Evicts the oldest parts. Called before a round, so that everything that it
/// fetches stays for the reads.
void FarFile::makeRoom() const {
  State &S = state();
  size_t Count = 0;
  for (; Count != S.Ages.size() && S.Held > MaxHeld; ++Count) {
    auto It = S.Parts.find(S.Ages[Count]);
    S.Held -= It->second.size();
    S.Parts.erase(It);
  }
  S.Ages.erase(S.Ages.begin(), S.Ages.begin() + Count);
}

/// Copies \p R to \p To if all of its bytes are in memory.
bool FarFile::copy(FileRange R, SmallVectorImpl<char> &To) const {
  State &S = state();
  if (!missing(R).empty())
    return false;
  To.clear();
  To.reserve(R.Size);
  auto It = std::prev(S.Parts.upper_bound(R.Offset));
  for (uint64_t Next = R.Offset, End = R.Offset + R.Size; Next < End; ++It) {
    StringRef Part(It->second.data(), It->second.size());
    Part = Part.drop_front(Next - It->first).take_front(End - Next);
    To.append(Part.begin(), Part.end());
    Next += Part.size();
  }
  return true;
}

Expected<StringRef> FarFile::read(uint64_t Offset, size_t Count,
                                  SmallVectorImpl<char> &Storage) const {
  State &S = state();
  if (Count > LargestRead)
    return error(formatv("a part of {0} bytes is too large to be fetched: "
                         "download the file",
                         Count));
  std::unique_lock<std::timed_mutex> Lock = lockUnlessInterrupted(S.Mutex);
  if (!Lock)
    return cancelledError(name());
  FileRange R = {Offset, Count};
  if (Count != 0 && !copy(R, Storage)) {
    if (Error E = fetch(R))
      return E;
    copy(R, Storage);
  }
  return StringRef(Storage.data(), Count);
}

void FarFile::prefetch(ArrayRef<FileRange> Ranges) const {
  State &S = state();
  std::unique_lock<std::timed_mutex> Lock = lockUnlessInterrupted(S.Mutex);
  if (!Lock)
    return;
  // More than this would be evicted before it is read.
  uint64_t Sum = 0;
  size_t Count = 0;
  while (Count != Ranges.size() && Ranges[Count].Size <= MaxHeld - Sum)
    Sum += Ranges[Count++].Size;
  consumeError(fetch(Ranges.take_front(Count)));
}

FetchStatistics FarFile::counts() const {
  State &S = state();
  std::lock_guard<std::timed_mutex> Lock(S.Mutex);
  FetchStatistics All = S.Counts;
  All.Requests = Fetcher->requests();
  All.Retries = Fetcher->retries();
  return All;
}
