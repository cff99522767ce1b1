//===- ThreadStacks.h - The stacks of an address space ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STACK_THREADSTACKS_H
#define LIDIA_STACK_THREADSTACKS_H

#include "lidia/Process/Goroutines.h"
#include "lidia/Process/Stacks.h"
#include "lidia/Stack/StackPrinter.h"

namespace lidia {

/// Unwinds the threads of one address space.
class ThreadUnwinder {
public:
  /// All arguments must outlive this object.
  ThreadUnwinder(const UnwindOptions &Options, const AddressSpace &Space,
                 ModuleResolver &Resolver);

  /// From now on, all stacks together have at most \p Count frames, except that
  /// each stack has at least one.
  void limit(uint64_t Count) { FramesLeft = Count; }

  UnwoundStack unwind(const RegisterSet &Registers, uint64_t CodeMask,
                      Unwinder::ReadMemory Read);

  /// The stack of \p G, starting where the goroutine was suspended.
  UnwoundStack unwind(const Goroutine &G, const GoroutineReader &Reader);

private:
  UnwindOptions options() const;
  UnwoundStack counted(UnwoundStack Stack);

  const UnwindOptions &Options;
  SpaceUnwindModules Modules;
  std::optional<Unwinder> U;
  uint64_t FramesLeft = UINT64_MAX;
};

/// Which stacks are printed.
struct ThreadStacksOptions {
  /// Print only the stack of this thread.
  std::optional<uint64_t> Thread;
  /// Print the stacks of goroutines instead of threads.
  bool Goroutines = false;
};

/// Prints the stacks of the threads of \p S with \p Printer, and calls its
/// finish(). \p Warn receives problems with Go's list of goroutines.
llvm::Expected<ThreadVisitStatistics>
printThreadStacks(StackPrinter &Printer, ProcessSymbolizer &S,
                  ThreadUnwinder &Threads, const ThreadStacksOptions &Options,
                  WarningFunction Warn);

} // namespace lidia

#endif // LIDIA_STACK_THREADSTACKS_H
