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
  /// The memory from the stack pointer on, or from a little below it, for
  /// functions that use the red zone.
  uint64_t Begin = 0;
  llvm::SmallVector<uint8_t, 0> Stack;
  /// Whether the thread was stopped, and the maximum time for which it was.
  bool WasStopped = false;
  uint32_t StoppedMicroseconds = 0;

  bool has(uint64_t Address) const { return Address - Begin < Stack.size(); }
  /// Reads the copied memory from \p Address on.
  size_t read(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) const;
};

/// Stops the thread \p Thread of the process \p Process, copies it, and resumes
/// it. Uses PTRACE_SEIZE and PTRACE_INTERRUPT, so that the thread resumes even
/// if this process ends in between. The stack is assumed to end at the end of a
/// mapping in \p Mappings; at most 16 MiB of it are copied, and less if the
/// memory does not look like the stack of a C thread (but like that of a
/// goroutine).
///
/// A thread that waits in the kernel and does not stop (for its child after
/// vfork, for a disk, or in a frozen control group) is copied as it is: of its
/// registers, /proc/PID/syscall shows the program counter, the stack pointer
/// and the system call's arguments. State.Stop says so.
///
/// If only this thread cannot be copied, the result has no registers, but a
/// reason. An error means that no thread of the process can be stopped: another
/// process traces it, or a privilege is missing.
llvm::Expected<ThreadCopy> copyThread(uint64_t Process, uint64_t Thread,
                                      const UnwindMachine &Machine,
                                      const MappingList &Mappings);

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_THREADCOPY_H
