//===- SampleThread.h - The threads of a profile ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_SAMPLETHREAD_H
#define LIDIA_LIB_PROFILE_SAMPLETHREAD_H

#include "lidia/Profile/Profile.h"

namespace lidia {

/// A thread. What is not known is zero or empty.
struct SampleThread {
  int64_t PID = 0;
  int64_t TID = 0;
  llvm::StringRef Name;
  llvm::StringRef Process;
  /// The path of the control group.
  llvm::StringRef CGroup;
};

/// The thread that the labels of \p S name.
SampleThread threadOf(const Profile &P, const Profile::Sample &S);

/// The thread of \p E.
SampleThread threadOf(const Profile &P, const Profile::Event &E);

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_SAMPLETHREAD_H
