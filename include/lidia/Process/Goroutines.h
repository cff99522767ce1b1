//===- Goroutines.h - The goroutines of a Go program ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_GOROUTINES_H
#define LIDIA_PROCESS_GOROUTINES_H

#include "lidia/Process/AddressSpace.h"
#include "lidia/Unwind/Unwinder.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// The state of a goroutine in Go's runtime (struct g in runtime/runtime2.go).
struct Goroutine {
  uint64_t ID = 0;
  /// Whether a thread runs the goroutine or is in a system call for it.
  bool IsRunning = false;
  /// The status as Go prints it: "running", "chan receive". Untrusted text.
  std::string Status;
  /// Approximately how long the goroutine has waited, in nanoseconds, counted
  /// from when the garbage collector first saw it waiting. None if it did not,
  /// and for a core, which does not record the time.
  std::optional<uint64_t> Waited;
  /// The ID of its thread, if the goroutine is running.
  std::optional<uint64_t> Thread;
  /// The address after the go statement that created it; zero if it is not
  /// known.
  uint64_t CreatedAt = 0;
  /// The goroutine that created it; zero if it is not known (before Go 1.21) or
  /// was the runtime.
  uint64_t Creator = 0;

  /// The addresses of its struct g and of its stack.
  uint64_t Address = 0;
  uint64_t StackBegin = 0;
  uint64_t StackEnd = 0;
  /// The registers with which the goroutine will resume. For a goroutine that
  /// is running or in a system call: the registers with which it left its own
  /// code or its stack, if it did.
  RegisterSet Saved;
  uint64_t SavedSP = 0;
  /// Whether Saved.PC is a return address. False only for a goroutine that has
  /// not run yet.
  bool SavedIsReturn = false;

  /// Whether it is suspended, or has left its stack, at the same place as
  /// \p Other.
  bool isWhere(const Goroutine &Other) const {
    return ID == Other.ID && IsRunning == Other.IsRunning &&
           Saved.PC == Other.Saved.PC && SavedSP == Other.SavedSP;
  }
  bool hasOnStack(uint64_t SP) const {
    return SP >= StackBegin && SP < StackEnd;
  }
};

struct GoroutineList {
  /// The goroutines in the order of their creation, without those that have
  /// ended.
  std::vector<Goroutine> Goroutines;
  /// The number of invalid entries in the runtime's list.
  uint64_t Damaged = 0;
};

/// Finds the goroutines of an address space, which may be a running process.
///
/// This needs only memory, and neither symbols nor debug information: the
/// runtime's list of all goroutines (runtime.allgs) is recognised among the
/// program's variables by its contents, because each struct g contains a
/// pointer to itself. The layout of struct g differs between versions of Go in
/// four places after the first fields; the layout that makes all goroutines
/// valid is used. Go 1.11 and later are supported.
///
/// \code
///   Expected<GoroutineReader> Reader = GoroutineReader::open(*Space);
///   if (!Reader)
///     return Reader.takeError();
///   for (const Goroutine &G : Reader->list().Goroutines)
///     print(G, Reader->unwind(U, G, UnwindOptions()));
/// \endcode
class GoroutineReader {
public:
  /// Searches the list. Fails if there is none. \p Space must outlive the
  /// reader.
  static llvm::Expected<GoroutineReader> open(const AddressSpace &Space);

  /// Reads the list. The result is limited by the size of memory, because each
  /// goroutine has a struct and a stack of its own.
  GoroutineList list() const;

  /// The current state of the goroutine at \p Address; none if it has ended or
  /// is invalid.
  std::optional<Goroutine> read(uint64_t Address) const;

  /// Unwinds the stack of \p G, starting from Goroutine::Saved. Reads memory
  /// only within the goroutine's own stack.
  UnwoundStack unwind(Unwinder &U, const Goroutine &G,
                      UnwindOptions Options) const;

private:
  /// A Go slice.
  struct Slice {
    uint64_t Address = 0;
    uint64_t Count = 0;
  };
  /// Offsets in struct g that differ between versions of Go.
  struct Layout {
    unsigned SyscallSP = 0;
    bool HasSyscallFP = false;
    /// Zero if they are not known.
    unsigned CreatedAt = 0;
    unsigned Creator = 0;
  };
  class Struct;

  explicit GoroutineReader(const AddressSpace &TheSpace,
                           const UnwindMachine &TheMachine)
      : Space(&TheSpace), Machine(&TheMachine), Word(TheMachine.WordSize) {}

  uint64_t number(llvm::ArrayRef<uint8_t> Bytes, size_t At,
                  unsigned Size) const;
  std::optional<uint64_t> wordAt(uint64_t Address) const;
  bool readConstant(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) const;
  std::string textAt(uint64_t Address, uint64_t Size) const;
  bool isCode(uint64_t Address) const;
  bool isGoroutine(uint64_t Address) const;
  bool isList(const Slice &S) const;
  void searchVariables();
  void searchIn(uint64_t Begin, uint64_t End);
  bool findLayout();
  void findCreator(llvm::ArrayRef<Struct> Sample);
  bool makesSense(const Struct &G) const;
  std::optional<Struct> readStruct(uint64_t Address) const;
  std::vector<uint64_t> addresses() const;
  std::string statusOf(const Struct &G) const;
  void setSaved(const Struct &From, Goroutine &G) const;

  const AddressSpace *Space;
  const UnwindMachine *Machine;
  unsigned Word;
  Slice All;
  /// The address of runtime.waitReasonStrings; zero if it was not found.
  uint64_t WaitReasons = 0;
  Layout TheLayout;
  /// The modules that constants are read from, by index of the file.
  mutable std::map<uint32_t, std::shared_ptr<const LoadedModule>> Modules;
};

/// Combines the stacks of goroutines with those of their threads.
class GoroutineStacks {
public:
  /// Unwinds a thread that has registers.
  using UnwindThread =
      std::function<UnwoundStack(const ThreadState &, Unwinder::ReadMemory)>;
  /// Unwinds a goroutine, starting from Goroutine::Saved.
  using UnwindSaved =
      std::function<UnwoundStack(const Goroutine &, const GoroutineReader &)>;
  /// Receives a goroutine, its thread if it is running (otherwise null), and
  /// its stack. The stack is empty if the goroutine is running and its thread
  /// could not be read.
  using Visitor = llvm::function_ref<void(const Goroutine &,
                                          const ThreadState *, UnwoundStack)>;

  struct Statistics {
    ThreadVisitStatistics Threads;
    /// The number of invalid entries in the runtime's list.
    uint64_t Damaged = 0;
  };

  /// \p TheSpace must outlive this object.
  GoroutineStacks(const AddressSpace &TheSpace, UnwindThread TheOfThread,
                  UnwindSaved TheOfSaved)
      : Space(TheSpace), OfThread(std::move(TheOfThread)),
        OfSaved(std::move(TheOfSaved)) {}

  /// If \p Stack ends where Go's runtime switched from a goroutine's stack to
  /// that of \p Thread, appends the goroutine's frames to it. Call this only
  /// for stacks that end in the runtime, because the first call searches the
  /// program's memory.
  void complete(const ThreadState &Thread, UnwoundStack &Stack);

  /// Reads all threads and visits all goroutines: first the one of the thread
  /// that ended the process, then the others in the order of their IDs. In a
  /// live process, a goroutine that changes while it is read is read again, at
  /// most three times.
  llvm::Expected<Statistics> visitAll(Visitor Visit);

private:
  struct Stopped {
    ThreadState Thread;
    UnwoundStack Stack;
  };

  const GoroutineReader *reader();
  llvm::Expected<ThreadVisitStatistics>
  readThreads(std::optional<uint64_t> Only);
  const Stopped *threadOf(const Goroutine &G) const;
  bool readAgain(Goroutine &G);
  UnwoundStack stackOf(Goroutine &G);

  const AddressSpace &Space;
  const UnwindThread OfThread;
  const UnwindSaved OfSaved;
  std::optional<GoroutineReader> Reader;
  /// The reason why no reader could be opened, if one was needed.
  std::optional<std::string> WhyNone;
  /// Goroutines that complete() has read, by thread.
  std::map<uint64_t, Goroutine> Known;
  std::map<uint64_t, Stopped> Threads;
};

} // namespace lidia

#endif // LIDIA_PROCESS_GOROUTINES_H
