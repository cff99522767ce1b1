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
#include <mutex>

namespace lidia {

/// Passes warnings to the caller's function, one at a time.
class CallerObserver final : public ConvertObserver {
public:
  CallerObserver(lidia_warning Function, void *Context)
      : Function(Function), Context(Context) {}

  void warning(const llvm::Twine &Message) override {
    if (!Function)
      return;
    std::string Text = Message.str();
    std::lock_guard<std::mutex> Lock(Mutex);
    Function(Context, Text.c_str());
  }
  void progress(llvm::StringRef, uint64_t, uint64_t) override {}

private:
  std::mutex Mutex;
  lidia_warning Function;
  void *Context;
};

} // namespace lidia

#endif // LIDIA_LIB_C_OBSERVER_H
