//===- Threads.h - Work on several threads ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_THREADS_H
#define LIDIA_LIB_SUPPORT_THREADS_H

#include "Support/ThreadTeam.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <pthread.h>
#include <vector>

namespace lidia {

/// Calls \p Work on \p Threads threads at once, one of which is the calling
/// thread, and returns when all calls have returned. Each call takes work
/// items, for example from an atomic counter, until none are left.
///
/// If a thread cannot be created (ulimit -u, ulimit -v), the others do its
/// work. A single call can do everything. LLVM's thread pool, in contrast, ends
/// the process in that case.
///
/// Creates no threads if the calling thread is a member of a ThreadTeam: other
/// members join when they are idle.
inline void runOnThreads(unsigned Threads, llvm::function_ref<void()> Work) {
  if (ThreadTeam *Team = ThreadTeam::current())
    return Team->share(Threads, Work);
  auto Call = [](void *Work) -> void * {
    (*static_cast<llvm::function_ref<void()> *>(Work))();
    return nullptr;
  };
  // std::thread reports a failure with an exception.
  std::vector<pthread_t> Others;
  pthread_t Other;
  while (Others.size() + 1 < Threads &&
         !::pthread_create(&Other, nullptr, Call, &Work))
    Others.push_back(Other);
  Work();
  for (pthread_t Thread : Others)
    ::pthread_join(Thread, nullptr);
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_THREADS_H
