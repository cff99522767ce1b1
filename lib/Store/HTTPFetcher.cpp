//===- HTTPFetcher.cpp - Ranges of a file over HTTP -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sends the requests of a round concurrently, and retries those that fail. All
/// answers must be of the same version of the file (ETag).
///
//===----------------------------------------------------------------------===//

#include "HTTPFetcher.h"
#include "HTTPFailure.h"
#include "HTTPHandles.h"
#include "lidia/Error.h"
#include "lidia/Support/ForkLocal.h"
#include "lidia/Support/Interrupt.h"
#include "llvm/ADT/STLExtras.h"
#include <cerrno>

using namespace lidia;
using namespace llvm;

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {
class HTTPFetcher : public RangeFetcher {
public:
  HTTPFetcher(const Curl &C, Location Where,
              std::shared_ptr<RequestTotals> Totals)
      : C(C), Where(std::move(Where)), Totals(std::move(Totals)) {}

  StringRef name() const override { return Where.Name; }
  Expected<uint64_t> open(Range &Head) override;
  Error fetch(MutableArrayRef<Range> Ranges) override;
  void finish() override { handles().close(); }
  uint64_t requests() const override { return Requests; }
  uint64_t retries() const override { return Retries; }

private:
  Error error(const Twine &Message, int Code = EIO) const;
  Error run(MutableArrayRef<HTTPTransfer> Round);
  Error takeAndRun(MutableArrayRef<HTTPTransfer> Round);
  Error step(MutableArrayRef<HTTPTransfer> Round, Clock::time_point Deadline);
  Error start(HTTPTransfer &T);
  void stop(HTTPTransfer &T);
  /// Handles finished transfers, and sets \p Any if there were any. Retries
  /// until \p Deadline.
  Error takeFinished(Clock::time_point Deadline, bool &Any);
  Error finishTransfer(HTTPTransfer &T, CURLcode Code,
                       Clock::time_point Deadline);
  /// Compares the version of the file with that of earlier answers.
  Error checkVersion(const HTTPTransfer &T);

  const Curl &C;
  Location Where;
  /// A child of fork() must not use connections of its parent.
  ForkLocal<HTTPHandles> HandlesOfProcess;
  HTTPHandles &handles() { return HandlesOfProcess.get(C, Where); }
  const std::shared_ptr<RequestTotals> Totals;

  /// From the first answer. Size is 0 before it.
  uint64_t Size = 0;
  std::string ETag;
  std::string LastModified;
  uint64_t Requests = 0;
  uint64_t Retries = 0;
};
} // namespace

Error HTTPFetcher::error(const Twine &Message, int Code) const {
  return make_error<SystemError>(std::error_code(Code, std::generic_category()),
                                 Where.Name, Message);
}

Error HTTPFetcher::start(HTTPTransfer &T) {
  T.restart();
  ++Requests;
  ++Totals->Requests;
  if (T.Attempts > 1) {
    ++Retries;
    ++Totals->Retries;
  }
  if (CURLMcode Code = C.multi_add_handle(handles().multi(), T.Easy))
    return error(C.multi_strerror(Code));
  T.IsActive = true;
  return Error::success();
}

void HTTPFetcher::stop(HTTPTransfer &T) {
  if (T.IsActive)
    C.multi_remove_handle(handles().multi(), T.Easy);
  T.IsActive = false;
}

/// Runs all transfers of \p Round until they finish or one fails.
Error HTTPFetcher::run(MutableArrayRef<HTTPTransfer> Round) {
  if (!handles().multi())
    return error("libcurl is out of memory");
  if (Error E = Where.renewKeys())
    return keysError(std::move(E));
  handles().setHeaders(ETag);
  Error E = takeAndRun(Round);
  for (HTTPTransfer &T : Round) {
    stop(T);
    handles().giveBack(T);
  }
  return E;
}

/// The caller gives the handles back.
Error HTTPFetcher::takeAndRun(MutableArrayRef<HTTPTransfer> Round) {
  for (HTTPTransfer &T : Round)
    if (!handles().take(T))
      return error("libcurl is out of memory");
  const Clock::time_point Deadline = Clock::now() + HTTPLimits::Retrying;
  while (!all_of(Round, [](const HTTPTransfer &T) { return T.IsDone; }))
    if (Error E = step(Round, Deadline))
      return E;
  return Error::success();
}

/// Starts the transfers that are due, and waits until something happens.
Error HTTPFetcher::step(MutableArrayRef<HTTPTransfer> Round,
                        Clock::time_point Deadline) {
  Clock::time_point Now = Clock::now(), Next = Now + seconds(1);
  for (HTTPTransfer &T : Round) {
    if (T.IsDone || T.IsActive)
      continue;
    if (T.NotBefore > Now)
      Next = std::min(Next, T.NotBefore);
    else if (Error E = start(T))
      return E;
  }
  int Running;
  if (CURLMcode Code = C.multi_perform(handles().multi(), &Running))
    return error(C.multi_strerror(Code));
  bool AnyFinished = false;
  if (Error E = takeFinished(Deadline, AnyFinished))
    return E;
  if (AnyFinished)
    return Error::success();
  auto Wait = std::chrono::duration_cast<milliseconds>(Next - Now);
  if (isInterruptible())
    Wait = std::min(Wait, InterruptPause);
  C.multi_poll(handles().multi(), nullptr, 0, int(Wait.count()) + 1, nullptr);
  if (isInterrupted())
    return error("interrupted", ECANCELED);
  return Error::success();
}

Error HTTPFetcher::takeFinished(Clock::time_point Deadline, bool &Any) {
  int Left;
  while (CURLMsg *Message = C.multi_info_read(handles().multi(), &Left)) {
    if (Message->msg != CURLMSG_DONE)
      continue;
    HTTPTransfer *T = nullptr;
    CURLcode Code = Message->data.result;
    C.easy_getinfo(Message->easy_handle, CURLINFO_PRIVATE, &T);
    stop(*T);
    Any = true;
    if (Error E = finishTransfer(*T, Code, Deadline))
      return E;
  }
  return Error::success();
}

Error HTTPFetcher::checkVersion(const HTTPTransfer &T) {
  if (Size == 0) {
    Size = T.Place->Total;
    ETag = T.ETag;
    LastModified = T.LastModified;
    return Error::success();
  }
  // Without an ETag, compare size and modification time.
  if (T.Place->Total == Size && T.ETag == ETag &&
      (!ETag.empty() || T.LastModified == LastModified))
    return Error::success();
  return error("the file was replaced while it was being read: try again",
               ESTALE);
}

Error HTTPFetcher::finishTransfer(HTTPTransfer &T, CURLcode Code,
                                  Clock::time_point Deadline) {
  Totals->BytesRead += T.Body.size();
  if (T.IsCutOff)
    Code = CURLE_OK;
  if (!Code && T.isComplete()) {
    if (Error E = checkVersion(T))
      return E;
    T.Wanted->Place = {T.Place->First, T.Body.size()};
    T.Wanted->Bytes = std::move(T.Body);
    T.IsDone = true;
    return Error::success();
  }
  Clock::time_point Now = Clock::now();
  milliseconds Delay = HTTPLimits::FirstDelay * (1 << (T.Attempts - 1));
  Delay = std::max<milliseconds>(Delay, seconds(std::min(T.RetryAfter, 10L)));
  if (T.Attempts < HTTPLimits::Attempts && Now + Delay < Deadline &&
      maySucceedLater(T, Code, /*IsFirst=*/Size == 0)) {
    T.NotBefore = Now + Delay;
    return Error::success();
  }
  return requestError(T, Code, C, Where.Keys.has_value(), Where.Name);
}

Expected<uint64_t> HTTPFetcher::open(Range &Head) {
  HTTPTransfer Only;
  Only.Wanted = &Head;
  if (Error E = run(Only))
    return E;
  return Size;
}

Error HTTPFetcher::fetch(MutableArrayRef<Range> Ranges) {
  std::vector<HTTPTransfer> Round(Ranges.size());
  for (auto [T, R] : zip(Round, Ranges))
    T.Wanted = &R;
  return run(Round);
}

std::unique_ptr<RangeFetcher>
lidia::createHTTPFetcher(const Curl &C, Location Where,
                         std::shared_ptr<RequestTotals> Totals) {
  return std::make_unique<HTTPFetcher>(C, std::move(Where), std::move(Totals));
}
