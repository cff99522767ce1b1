//===- CurlHandles.cpp - libcurl handles that threads share ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CurlHandles.h"

using namespace lidia;
using namespace llvm;

CurlHandles::~CurlHandles() {
  if (Free.empty())
    return;
  const Curl &C = cantFail(Curl::get());
  for (CURL *Easy : Free)
    C.easy_cleanup(Easy);
}

CURL *CurlHandles::take(const Curl &C) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Free.empty())
    return C.easy_init();
  CURL *Easy = Free.back();
  Free.pop_back();
  return Easy;
}

void CurlHandles::giveBack(CURL *Easy) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Free.push_back(Easy);
}
