//===- ThreadStacks.cpp - The stacks of an address space ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Stack/ThreadStacks.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Unwinding
//===----------------------------------------------------------------------===//

ThreadUnwinder::ThreadUnwinder(const UnwindOptions &Options,
                               const AddressSpace &Space,
                               ModuleResolver &Resolver)
    : Options(Options), Modules(Space, Resolver) {
  if (const UnwindMachine *Machine = Space.machine())
    U.emplace(*Machine, Modules);
}

UnwindOptions ThreadUnwinder::options() const {
  UnwindOptions O = Options;
  O.MaxFrames =
      std::min<uint64_t>(O.MaxFrames, std::max<uint64_t>(FramesLeft, 1));
  return O;
}

UnwoundStack ThreadUnwinder::counted(UnwoundStack Stack) {
  FramesLeft -= std::min<uint64_t>(FramesLeft, Stack.Frames.size());
  return Stack;
}

UnwoundStack ThreadUnwinder::unwind(const RegisterSet &Registers,
                                    uint64_t CodeMask,
                                    Unwinder::ReadMemory Read) {
  if (!U)
    return {};
  UnwindOptions O = options();
  O.CodeMask = CodeMask;
  return counted(U->unwind(Registers, Read, O));
}

UnwoundStack ThreadUnwinder::unwind(const Goroutine &G,
                                    const GoroutineReader &Reader) {
  return counted(Reader.unwind(*U, G, options()));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// The outermost function if it belongs to Go's runtime, which may have
/// switched stacks there; otherwise empty.
static std::string outermostOfGoRuntime(const UnwoundStack &Stack,
                                        ProcessSymbolizer &S) {
  if (Stack.Frames.empty() || Stack.End != StackEnd::Complete)
    return "";
  const UnwoundFrame &Last = Stack.Frames.back();
  std::shared_ptr<const ProcessAnswer> A =
      S.answer(Last.Address, Last.IsReturnAddress);
  std::string Name = A->Frames.empty() ? "" : A->Frames.back().Function;
  return StringRef(Name).starts_with("runtime.") ? Name : "";
}

/// Whether the function \p Name of Go's runtime was called on another stack.
static bool switchesStacks(StringRef Name) {
  constexpr StringRef Names[] = {"systemstack", "morestack", "sigtramp",
                                 "asmcgocall", "cgocallback"};
  Name.consume_front("runtime.");
  return any_of(Names, [&](StringRef N) { return Name.starts_with(N); });
}

static Expected<ThreadVisitStatistics>
printGoroutines(GoroutineStacks &Goroutines, StackPrinter &Printer,
                WarningFunction Warn) {
  auto Print = [&](const Goroutine &G, const ThreadState *T,
                   UnwoundStack Stack) {
    Printer.print(G, T, std::move(Stack));
  };
  Expected<GoroutineStacks::Statistics> Statistics = Goroutines.visitAll(Print);
  if (!Statistics)
    return Statistics.takeError();
  if (Statistics->Damaged != 0)
    Warn("the runtime's list has " + Twine(Statistics->Damaged) +
         " entries that are not goroutines");
  return std::move(Statistics->Threads);
}

Expected<ThreadVisitStatistics>
printThreadStacks(StackPrinter &Printer, ProcessSymbolizer &S,
                  ThreadUnwinder &Threads, const ThreadStacksOptions &Options,
                  WarningFunction Warn) {
  const AddressSpace &Space = S.space();
  GoroutineStacks Goroutines(
      Space,
      [&](const ThreadState &T, Unwinder::ReadMemory Read) {
        return Threads.unwind(T.Registers, T.CodeMask, Read);
      },
      [&](const Goroutine &G, const GoroutineReader &Reader) {
        return Threads.unwind(G, Reader);
      });
  auto Visit = [&](const ThreadState &T, Unwinder::ReadMemory Read) {
    UnwoundStack Stack;
    if (T.HasRegisters)
      Stack = Threads.unwind(T.Registers, T.CodeMask, Read);
    if (std::string Name = outermostOfGoRuntime(Stack, S); !Name.empty()) {
      size_t Frames = Stack.Frames.size();
      Goroutines.complete(T, Stack);
      if (Stack.Frames.size() == Frames && switchesStacks(Name))
        Stack.End = StackEnd::OtherStack;
    }
    Printer.print(T, std::move(Stack));
  };
  Expected<ThreadVisitStatistics> Statistics =
      Options.Goroutines ? printGoroutines(Goroutines, Printer, Warn)
                         : Space.visitThreads(Visit, Options.Thread);
  Printer.finish();
  return Statistics;
}

} // namespace lidia
