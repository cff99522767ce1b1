//===- Threads.h - Runs work on several threads -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_THREADS_H
#define LIDIA_LIB_OBJECT_THREADS_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lidia {

/// Calls \p Work on \p Threads threads at once, the calling one among them, and
/// returns when all calls have returned. Each call takes work items, for
/// example from an atomic counter, until none is left.
///
/// If a thread cannot be created (ulimit -u, ulimit -v), the others do its
/// work; a single call can do everything. LLVM's thread pool ends the process
/// in that case.
void runOnThreads(unsigned Threads, llvm::function_ref<void()> Work);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_THREADS_H
