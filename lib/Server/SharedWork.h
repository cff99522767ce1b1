//===- SharedWork.h - Concurrent requests for the same result ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_SHAREDWORK_H
#define LIDIA_LIB_SERVER_SHAREDWORK_H

#include "lidia/Error.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include <condition_variable>
#include <memory>
#include <mutex>

namespace lidia {

/// Computes results by name. If several threads want the same result at the
/// same time, one computes it for all. Results are not kept.
template <typename T> class SharedWork {
public:
  /// The result of \p Make, which this thread calls now, or another thread is
  /// already running.
  llvm::Expected<T> get(llvm::StringRef Name,
                        llvm::function_ref<llvm::Expected<T>()> Make) {
    std::unique_lock<std::mutex> Lock(Mutex);
    std::shared_ptr<Work> &Known = UnderWay[Name];
    if (std::shared_ptr<Work> Other = Known) {
      HasEnded.wait(Lock, [&] { return Other->HasEnded; });
      if (Other->Failure)
        return Other->Failure.get();
      return Other->Result;
    }
    auto Mine = std::make_shared<Work>();
    Known = Mine;
    Lock.unlock();
    llvm::Expected<T> Result = Make();
    Lock.lock();
    if (Result)
      Mine->Result = *Result;
    else
      Mine->Failure = RememberedError(Result.takeError());
    Mine->HasEnded = true;
    UnderWay.erase(Name);
    HasEnded.notify_all();
    if (Mine->Failure)
      return Mine->Failure.get();
    return Mine->Result;
  }

private:
  struct Work {
    bool HasEnded = false;
    T Result;
    RememberedError Failure;
  };

  std::mutex Mutex;
  std::condition_variable HasEnded;
  llvm::StringMap<std::shared_ptr<Work>> UnderWay;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_SHAREDWORK_H
