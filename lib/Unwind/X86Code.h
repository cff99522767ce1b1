//===- X86Code.h - The instructions of x86 that lead out of a function ----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Follows code to the returns that it leads to, and so finds the caller of a
/// function without unwind rows, such as those of musl.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWIND_X86CODE_H
#define LIDIA_LIB_UNWIND_X86CODE_H

#include "CallInstructions.h"

namespace lidia {

/// The code that is followed.
class CodeToFollow {
public:
  virtual ~CodeToFollow() = default;
  /// Returns how many bytes at \p Address it has put into \p To.
  virtual size_t read(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) = 0;
  /// The end of the function at \p Address; the largest number if that is not
  /// known.
  virtual uint64_t functionEnd(uint64_t Address) = 0;
};

/// What the code from \p PC on does to the stack until it returns, over
/// branches and calls, the nearest return first. All ways out of a function
/// undo the same; there are others if a call does not return, and nothing says
/// that the code after it belongs to another function. Supports x86-64 and
/// i386.
llvm::SmallVector<Epilogue, 1> waysOut(const UnwindMachine &Machine,
                                       uint64_t PC, CodeToFollow &Code);

} // namespace lidia

#endif // LIDIA_LIB_UNWIND_X86CODE_H
