//===- UseRecorder.h - Records the use of archives in the store -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_USERECORDER_H
#define LIDIA_LIB_SERVER_USERECORDER_H

#include "ServedModules.h"
#include <condition_variable>
#include <functional>
#include <thread>

namespace lidia {

/// Periodically, and at the end, notes in the store which archives of
/// \p Modules were used, so that pruning keeps them.
class UseRecorder {
public:
  /// \p Warn is called for the first of consecutive errors.
  UseRecorder(ServedModules &Modules, unsigned Seconds,
              std::function<void(const std::string &)> Warn);
  ~UseRecorder();

private:
  void run(unsigned Seconds);
  void record();

  ServedModules &Modules;
  const std::function<void(const std::string &)> Warn;
  bool HasFailed = false;
  std::mutex Mutex;
  std::condition_variable Ends;
  bool IsEnding = false;
  std::thread Thread;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_USERECORDER_H
