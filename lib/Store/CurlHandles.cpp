//===- CurlHandles.cpp - libcurl handles that threads share ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CurlHandles.h"
#include "lidia/Support/Interrupt.h"
#include <optional>

using namespace lidia;
using namespace llvm;

/// The code of \p Multi's only request; none if it has not ended.
static std::optional<CURLcode> takeCode(const Curl &C, CURLM *Multi) {
  int Left;
  while (CURLMsg *Message = C.multi_info_read(Multi, &Left))
    if (Message->msg == CURLMSG_DONE)
      return Message->data.result;
  return std::nullopt;
}

CURLcode lidia::perform(const Curl &C, CURL *Easy) {
  if (!isInterruptible())
    return C.easy_perform(Easy);
  CURLM *Multi = C.multi_init();
  if (!Multi)
    return CURLE_OUT_OF_MEMORY;
  std::optional<CURLcode> Code;
  int Running;
  if (C.multi_add_handle(Multi, Easy))
    Code = CURLE_OUT_OF_MEMORY;
  while (!Code) {
    if (C.multi_perform(Multi, &Running))
      Code = CURLE_OUT_OF_MEMORY;
    else if (!(Code = takeCode(C, Multi)) && isInterrupted())
      Code = CURLE_ABORTED_BY_CALLBACK;
    if (!Code)
      C.multi_poll(Multi, nullptr, 0, int(InterruptPause.count()), nullptr);
  }
  C.multi_remove_handle(Multi, Easy);
  C.multi_cleanup(Multi);
  return *Code;
}

CurlHandles::State::~State() {
  if (Free.empty())
    return;
  const Curl &C = cantFail(Curl::get());
  for (CURL *Easy : Free)
    C.easy_cleanup(Easy);
}

CURL *CurlHandles::take(const Curl &C) {
  State &S = StateOfProcess.get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  if (S.Free.empty())
    return C.easy_init();
  CURL *Easy = S.Free.back();
  S.Free.pop_back();
  return Easy;
}

void CurlHandles::giveBack(CURL *Easy) {
  State &S = StateOfProcess.get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  S.Free.push_back(Easy);
}
