//===- Blame.h - Which frame a reader wants to see first --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_REPORT_BLAME_H
#define LIDIA_LIB_REPORT_BLAME_H

#include "llvm/ADT/StringRef.h"

namespace lidia {

/// Whether the function \p Name of \p Module (a path; may be empty) belongs to
/// a language's runtime: it ends a program, allocates, waits, or starts
/// threads, and the reader wants to know who called it. Goes by names, so that
/// it also knows what is linked statically.
bool isMachinery(llvm::StringRef Name, llvm::StringRef Module);

} // namespace lidia

#endif // LIDIA_LIB_REPORT_BLAME_H
