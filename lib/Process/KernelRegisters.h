//===- KernelRegisters.h - Registers as Linux writes them -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROCESS_KERNELREGISTERS_H
#define LIDIA_LIB_PROCESS_KERNELREGISTERS_H

#include "lidia/Process/Threads.h"
#include "llvm/ADT/ArrayRef.h"

namespace lidia {

struct ELFHeaders;

/// The machine of an ELF file; null if its stacks cannot be unwound.
const UnwindMachine *unwindMachineOf(const ELFHeaders &H);

/// Reads Linux's elf_gregset_t of \p Machine (in NT_PRSTATUS and as
/// PTRACE_GETREGSET gives it) into \p T. If \p Bytes is too short or the
/// machine is not supported, \p T has no registers.
void readRegisterSet(const UnwindMachine &Machine,
                     llvm::ArrayRef<uint8_t> Bytes, ThreadState &T);

/// The offset of elf_gregset_t in struct elf_prstatus.
unsigned offsetInStatus(unsigned WordSize);

/// Reads a siginfo_t of NT_SIGINFO.
ThreadStop readSignalInfo(llvm::ArrayRef<uint8_t> Bytes, unsigned WordSize,
                          bool IsLittleEndian);

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_KERNELREGISTERS_H
