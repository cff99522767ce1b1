//===- GoroutineStacks.cpp - The stacks of goroutines ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A goroutine that a thread runs has the thread's registers, unless the thread
/// is on its own stack, for the scheduler or for C: then the goroutine's saved
/// registers are those of the caller.
///
//===----------------------------------------------------------------------===//

#include "lidia/Error.h"
#include "lidia/Process/Goroutines.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

static bool isOnStackOf(const Goroutine &G, const UnwoundStack &Stack) {
  return any_of(Stack.Frames,
                [&](const UnwoundFrame &F) { return G.hasOnStack(F.SP); });
}

/// Appends \p Outer, unless \p Stack has it or ended for another reason.
static void append(UnwoundStack &Stack, UnwoundStack Outer) {
  Stack.Frames.insert(Stack.Frames.end(), Outer.Frames.begin(),
                      Outer.Frames.end());
  Stack.End = Outer.End;
  Stack.FailedAddress = Outer.FailedAddress;
}

const GoroutineReader *GoroutineStacks::reader() {
  if (Reader || WhyNone)
    return Reader ? &*Reader : nullptr;
  Expected<GoroutineReader> Opened = GoroutineReader::open(Space);
  if (!Opened) {
    WhyNone = toString(Opened.takeError());
    return nullptr;
  }
  Reader.emplace(std::move(*Opened));
  for (const Goroutine &G : Reader->list().Goroutines)
    if (G.Thread)
      Known.try_emplace(*G.Thread, G);
  return &*Reader;
}

void GoroutineStacks::complete(const ThreadState &Thread, UnwoundStack &Stack) {
  const GoroutineReader *R = reader();
  auto Found = Known.find(Thread.ID);
  if (!R || Found == Known.end() || Stack.End != StackEnd::Complete ||
      isOnStackOf(Found->second, Stack))
    return;
  std::optional<Goroutine> G = R->read(Found->second.Address);
  if (G && G->Thread == Thread.ID && G->hasOnStack(G->SavedSP))
    append(Stack, OfSaved(*G, *R));
}

//===----------------------------------------------------------------------===//
// All goroutines
//===----------------------------------------------------------------------===//

Expected<ThreadVisitStatistics>
GoroutineStacks::readThreads(std::optional<uint64_t> Only) {
  auto Visit = [&](const ThreadState &T, Unwinder::ReadMemory Read) {
    UnwoundStack Stack;
    if (T.HasRegisters)
      Stack = OfThread(T, Read);
    Threads[T.ID] = {T, std::move(Stack)};
  };
  return Space.visitThreads(Visit, Only);
}

const GoroutineStacks::Stopped *
GoroutineStacks::threadOf(const Goroutine &G) const {
  auto Found = G.Thread ? Threads.find(*G.Thread) : Threads.end();
  return Found == Threads.end() ? nullptr : &Found->second;
}

/// Reads \p G and its thread again. Returns false if the goroutine has ended.
bool GoroutineStacks::readAgain(Goroutine &G) {
  if (G.Thread)
    consumeError(readThreads(G.Thread).takeError());
  std::optional<Goroutine> Now = Reader->read(G.Address);
  if (!Now || Now->ID != G.ID)
    return false;
  G = std::move(*Now);
  return true;
}

UnwoundStack GoroutineStacks::stackOf(Goroutine &G) {
  for (unsigned Attempt = 0; Attempt != 3; ++Attempt) {
    const Stopped *Thread = threadOf(G);
    if (Thread && isOnStackOf(G, Thread->Stack))
      return Thread->Stack;
    const Goroutine Before = G;
    bool HasLeft = G.hasOnStack(G.SavedSP);
    UnwoundStack Saved;
    if (HasLeft)
      Saved = OfSaved(G, *Reader);
    if (Space.isLive() && !readAgain(G))
      return Saved;
    if (!HasLeft || !G.isWhere(Before))
      continue;
    Thread = threadOf(G);
    if (!Thread || Thread->Stack.End != StackEnd::Complete ||
        isOnStackOf(G, Thread->Stack))
      return Saved;
    UnwoundStack Whole = Thread->Stack;
    append(Whole, std::move(Saved));
    return Whole;
  }
  return {};
}

Expected<GoroutineStacks::Statistics> GoroutineStacks::visitAll(Visitor Visit) {
  Statistics Result;
  if (!reader())
    return make_error<MissingInformationError>("", *WhyNone);
  if (Error E = readThreads(std::nullopt).moveInto(Result.Threads))
    return E;
  GoroutineList List = Reader->list();
  Result.Damaged = List.Damaged;
  auto HasEndedProcess = [&](const Goroutine &G) {
    const Stopped *Thread = threadOf(G);
    return Thread && Thread->Thread.Stop.isKnown();
  };
  std::vector<Goroutine> &All = List.Goroutines;
  llvm::sort(All, [&](const Goroutine &A, const Goroutine &B) {
    return std::make_tuple(!HasEndedProcess(A), A.ID, A.Address) <
           std::make_tuple(!HasEndedProcess(B), B.ID, B.Address);
  });
  for (Goroutine &G : All) {
    UnwoundStack Stack = stackOf(G);
    const Stopped *Thread = threadOf(G);
    Visit(G, Thread ? &Thread->Thread : nullptr, std::move(Stack));
  }
  return Result;
}

} // namespace lidia
