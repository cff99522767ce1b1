//===- Threads.cpp - Runs work on several threads -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include <pthread.h>
#include <vector>

using namespace llvm;

namespace lidia {

static void *callWork(void *Work) {
  (*static_cast<function_ref<void()> *>(Work))();
  return nullptr;
}

void runOnThreads(unsigned Threads, function_ref<void()> Work) {
  // std::thread reports a failure by an exception.
  std::vector<pthread_t> Others;
  pthread_t Other;
  while (Others.size() + 1 < Threads &&
         !::pthread_create(&Other, nullptr, callWork, &Work))
    Others.push_back(Other);
  Work();
  for (pthread_t Thread : Others)
    ::pthread_join(Thread, nullptr);
}

} // namespace lidia
