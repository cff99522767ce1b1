//===- ThreadCopy.h - A thread of a live process, copied --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROCESS_THREADCOPY_H
#define LIDIA_LIB_PROCESS_THREADCOPY_H

#include "lidia/Process/Mappings.h"
#include "lidia/Process/Threads.h"
#include "llvm/ADT/SmallVector.h"

namespace lidia {

/// The registers and the stack of a thread at one time.
struct ThreadCopy {
  ThreadState State;
  /// The memory from the stack pointer on, or a bit below it, for functions
  /// that use what is there.
  uint64_t Begin = 0;
  llvm::SmallVector<uint8_t, 0> Stack;
  /// For how long the thread stood still, at most.
  uint32_t StoppedMicroseconds = 0;

  bool has(uint64_t Address) const { return Address - Begin < Stack.size(); }
  /// Reads what it has from \p Address on.
  size_t read(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) const;
};

/// Stops the thread \p Thread of the process \p Process, copies it, and lets it
/// go on, by PTRACE_SEIZE and PTRACE_INTERRUPT: it goes on, too, if this
/// process ends at any time in between. Its stack ends where one of \p Mappings
/// does; at most 16 MiB of it are copied, and less of memory that does not look
/// like the stack of a thread of C (but like that of a goroutine).
///
/// A thread that cannot be stopped is returned without registers and with the
/// reason. The error is one that no thread of the process can be stopped for:
/// another process traces it, or a privilege is missing.
llvm::Expected<ThreadCopy> copyThread(uint64_t Process, uint64_t Thread,
                                      const UnwindMachine &Machine,
                                      const MappingList &Mappings);

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_THREADCOPY_H
