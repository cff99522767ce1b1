//===- Allocation.cpp - Ends the process if an allocation fails -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions replace malloc and related functions (the linker's --wrap,
/// ld(1)), in a statically linked program everywhere.
///
/// A handler for operator new is not enough. LLVM's demanglers call malloc and
/// abort if it fails, liblzma mistakes a failure for a damaged section, and
/// constructors of static objects run before main() can install a handler.
///
//===----------------------------------------------------------------------===//

#include "ProcessSetup.h"
#include <cerrno>
#include <cstddef>
#include <cstdlib>

using lidia::endOutOfMemory;

// The names are the linker's (--wrap).
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
void *__real_malloc(size_t Size);
void *__real_calloc(size_t Count, size_t Size);
void *__real_realloc(void *Old, size_t Size);
void *__real_aligned_alloc(size_t Alignment, size_t Size);
int __real_posix_memalign(void **Result, size_t Alignment, size_t Size);

void *__wrap_malloc(size_t Size) {
  void *P = __real_malloc(Size);
  if (!P && Size)
    endOutOfMemory();
  return P;
}

void *__wrap_calloc(size_t Count, size_t Size) {
  void *P = __real_calloc(Count, Size);
  if (!P && Count && Size)
    endOutOfMemory();
  return P;
}

void *__wrap_realloc(void *Old, size_t Size) {
  void *P = __real_realloc(Old, Size);
  if (!P && Size)
    endOutOfMemory();
  return P;
}

void *__wrap_aligned_alloc(size_t Alignment, size_t Size) {
  void *P = __real_aligned_alloc(Alignment, Size);
  if (!P && Size)
    endOutOfMemory();
  return P;
}

int __wrap_posix_memalign(void **Result, size_t Alignment, size_t Size) {
  int Error = __real_posix_memalign(Result, Alignment, Size);
  if (Error == ENOMEM)
    endOutOfMemory();
  return Error;
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
