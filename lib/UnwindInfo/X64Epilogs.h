//===- X64Epilogs.h - Epilogues of Windows functions on x86-64 --*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_X64EPILOGS_H
#define LIDIA_LIB_UNWINDINFO_X64EPILOGS_H

#include "UnwindInfo.h"
#include <vector>

namespace lidia::unwindinfo {

/// An instruction of an epilogue, at which the frame is partly freed.
struct X64EpilogStep {
  /// Offset in the function's code.
  uint64_t Begin = 0;
  uint64_t End = 0;
  /// The DWARF numbers of the registers that are popped from here on, in order.
  llvm::SmallVector<uint8_t, 8> Pops = {};
};

/// Finds in \p Code, of a function whose rules after the prologue are \p Body,
/// the instructions that pop registers and return, or jump out of the function,
/// in order of address. Tables do not list epilogues. Windows also recognizes
/// them by their instructions: an optional "add rsp" or "lea rsp", pops, and
/// "ret" or a jump.
std::vector<X64EpilogStep> findX64Epilogs(llvm::StringRef Code,
                                          const UnwindRules &Body);

/// The rules at \p Step.
UnwindRules rulesOf(const X64EpilogStep &Step);

} // namespace lidia::unwindinfo

#endif // LIDIA_LIB_UNWINDINFO_X64EPILOGS_H
