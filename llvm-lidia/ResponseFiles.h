//===- ResponseFiles.h - Options from files --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_RESPONSEFILES_H
#define LLVM_LIDIA_RESPONSEFILES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"

namespace lidia {

/// Replaces each "@file" in \p Argv with the arguments in that file, which may
/// name other files. Keeps "@file" if there is no such file. \p Allocator owns
/// the arguments.
///
/// If \p HaveComments, "#" begins a comment, except within a word or quotes.
///
/// Fails if a file includes itself, and for more than 1,000 files (counting
/// repetitions) or more than 16 MiB in total.
llvm::Error expandResponseFiles(llvm::BumpPtrAllocator &Allocator,
                                llvm::SmallVectorImpl<const char *> &Argv,
                                bool HaveComments = false);

} // namespace lidia

#endif // LLVM_LIDIA_RESPONSEFILES_H
