//===- Observer.h - Warnings in the C interface --------------- -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_C_OBSERVER_H
#define LIDIA_LIB_C_OBSERVER_H

#include "Objects.h"
#include "lidia/Extract/Convert.h"
#include <atomic>
#include <mutex>

namespace lidia {

/// Passes warnings and progress to the caller's functions, one at a time.
class CallerObserver final : public ConvertObserver {
public:
  using Progress = int (*)(void *Context, const char *Phase, uint64_t Done,
                           uint64_t Total);

  CallerObserver(lidia_warning Function, void *Context,
                 Progress OnProgress = nullptr)
      : Function(Function), OnProgress(OnProgress), Context(Context) {}

  void warning(const llvm::Twine &Message) override {
    if (!Function)
      return;
    std::string Text = Message.str();
    std::lock_guard<std::mutex> Lock(Mutex);
    Function(Context, Text.c_str());
  }
  void progress(llvm::StringRef Phase, uint64_t Done, uint64_t Total) override {
    if (!OnProgress || isCancelled())
      return;
    std::string Text = Phase.str();
    std::lock_guard<std::mutex> Lock(Mutex);
    if (OnProgress(Context, Text.c_str(), Done, Total))
      IsCancelled.store(true, std::memory_order_relaxed);
  }
  bool isCancelled() override {
    return IsCancelled.load(std::memory_order_relaxed);
  }

private:
  std::mutex Mutex;
  lidia_warning Function;
  Progress OnProgress;
  void *Context;
  std::atomic<bool> IsCancelled{false};
};

} // namespace lidia

#endif // LIDIA_LIB_C_OBSERVER_H
