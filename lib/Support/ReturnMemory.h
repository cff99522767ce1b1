//===- ReturnMemory.h - Freed memory back to the system ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_RETURNMEMORY_H
#define LIDIA_LIB_SUPPORT_RETURNMEMORY_H

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace lidia {

/// Gives memory that was freed back to the system. For programs that go on
/// after a conversion: glibc would keep hundreds of megabytes, in small pieces
/// and in arenas of threads that have ended.
inline void returnFreedMemory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_RETURNMEMORY_H
