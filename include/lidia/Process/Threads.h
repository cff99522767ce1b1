//===- Threads.h - The threads of an address space --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_THREADS_H
#define LIDIA_PROCESS_THREADS_H

#include "lidia/Unwind/Unwinder.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <optional>
#include <string>

namespace lidia {

/// Why a thread stopped.
struct ThreadStop {
  /// Zero if no signal stopped it.
  unsigned Signal = 0;
  /// The details from the signal's sender or the processor (si_code); none if
  /// they are not known.
  std::optional<int32_t> Code;
  /// The address that could not be accessed or executed, for the signals that
  /// have one.
  std::optional<uint64_t> FaultAddress;
  /// The process that sent the signal, if one did.
  std::optional<uint32_t> Sender;
  /// Another reason, such as that of a minidump (EXCEPTION_STACK_OVERFLOW), or
  /// that the thread of a live process could not be stopped; untrusted text.
  std::string Other;

  bool isKnown() const { return Signal != 0 || !Other.empty(); }
};

/// Returns a text such as "SIGSEGV (address 0x10)", "SIGABRT (sent by process
/// 123)" or "signal 77", or an empty one if nothing stopped the thread. Text of
/// \p S is not escaped.
std::string toString(const ThreadStop &S);

/// The name of a signal on Linux, such as "SIGSEGV"; empty if it has none.
std::string signalName(unsigned Number);

/// A thread and what is known about it.
struct ThreadState {
  uint64_t ID = 0;
  /// Empty if it is not known; untrusted text.
  std::string Name;
  ThreadStop Stop;
  /// Whether Registers has at least the program counter and the stack pointer.
  bool HasRegisters = false;
  RegisterSet Registers;
  /// Why there are no registers: the thread has ended, another process traces
  /// it, ...; empty if they are there or no reason is known.
  std::string WhyNoRegisters;
  /// The bits of a return address that hold no address (AArch64's pointer
  /// authentication).
  uint64_t CodeMask = 0;
};

/// Receives a thread, and the memory as it was when the thread's registers were
/// read. Both are valid only during the call.
using ThreadVisitor =
    llvm::function_ref<void(const ThreadState &, Unwinder::ReadMemory)>;

} // namespace lidia

#endif // LIDIA_PROCESS_THREADS_H
