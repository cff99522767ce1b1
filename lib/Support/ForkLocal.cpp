//===- ForkLocal.cpp - What a child process must not share ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Support/ForkLocal.h"
#include <pthread.h>

std::atomic<uint32_t> lidia::detail::ForkCount{0};

/// Registered before any thread can fork.
[[maybe_unused]] static const int IsRegistered =
    ::pthread_atfork(nullptr, nullptr, [] {
      lidia::detail::ForkCount.fetch_add(1, std::memory_order_relaxed);
    });
