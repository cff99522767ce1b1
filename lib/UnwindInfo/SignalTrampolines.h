//===- SignalTrampolines.h - Code that returns from signals -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A signal handler returns to a trampoline, which makes the system call
/// sigreturn. The kernel's structure on the stack has the registers of the
/// interrupted code. Most C libraries describe their trampoline in call frame
/// information; musl, Go, Zig and programs that write their own do not, and
/// AArch64's vdso describes only the frame pointer. Nothing else makes this
/// system call, so its instructions identify a trampoline, as in gdb.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_SIGNALTRAMPOLINES_H
#define LIDIA_LIB_UNWINDINFO_SIGNALTRAMPOLINES_H

#include "lidia/Archive/UnwindTable.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace lidia {
namespace unwindinfo {

/// Receives rows of trampolines. Unless \p IsCertain, the bytes are so few that
/// they may be part of other code.
using VisitTrampoline = llvm::function_ref<void(
    const UnwindRow &Row, const UnwindRules &Rules, bool IsCertain)>;

/// Visits the rows of the trampolines in \p Code, which is loaded at
/// \p Address, of Linux programs for \p ELFMachine. The rows of each trampoline
/// are in order of address. UnwindRow::Rules is not set. The offsets of
/// registers are those of the kernel's structures (arch/*/kernel/signal.c).
void visitSignalTrampolines(uint16_t ELFMachine, uint8_t WordSize,
                            uint64_t Address, llvm::StringRef Code,
                            VisitTrampoline Visit);

} // namespace unwindinfo
} // namespace lidia

#endif // LIDIA_LIB_UNWINDINFO_SIGNALTRAMPOLINES_H
