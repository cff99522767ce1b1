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

/// What Go's runtime knows of a goroutine (struct g in runtime/runtime2.go).
struct Goroutine {
  uint64_t ID = 0;
  /// Whether a thread runs it or makes a system call for it.
  bool IsRunning = false;
  /// As Go prints it: "running", "chan receive"; untrusted text.
  std::string Status;
  /// For how long it has waited, about, in nanoseconds: from when the garbage
  /// collector first saw it. None if it did not, and in a core, which does not
  /// have the time.
  std::optional<uint64_t> Waited;
  /// The thread of one that is running.
  std::optional<uint64_t> Thread;
  /// The address after the go statement that created it; zero if it is not
  /// known.
  uint64_t CreatedAt = 0;
  /// The goroutine that did; zero if it is not known (before Go 1.21) or was
  /// the runtime.
  uint64_t Creator = 0;

  /// The address of its struct g, and that of its stack.
  uint64_t Address = 0;
  uint64_t StackBegin = 0;
  uint64_t StackEnd = 0;
  /// Where it goes on when it runs again; of one that runs or is in a system
  /// call, where it left its own code or its stack, if it did.
  RegisterSet Saved;
  uint64_t SavedSP = 0;
  /// Whether Saved.PC is the address after a call: it is, but for a goroutine
  /// that has not run yet.
  bool SavedIsReturn = false;

  /// Whether it waits, or has left its stack, where \p Other did.
  bool isWhere(const Goroutine &Other) const {
    return ID == Other.ID && IsRunning == Other.IsRunning &&
           Saved.PC == Other.Saved.PC && SavedSP == Other.SavedSP;
  }
  bool hasOnStack(uint64_t SP) const {
    return SP >= StackBegin && SP < StackEnd;
  }
};

struct GoroutineList {
  /// In the order of their creation, without those that have ended.
  std::vector<Goroutine> Goroutines;
  /// Entries of the runtime's list that make no sense.
  uint64_t Damaged = 0;
};

/// Finds the goroutines of an address space, which stays as it is or runs.
///
/// Nothing but memory is needed, no symbol and no debug information: the
/// runtime's list of all goroutines (runtime.allgs) is found by its contents
/// among the program's variables, since each struct g has a pointer to itself.
/// So is the layout of struct g, of which versions of Go differ in four places
/// after its first fields: the one is used in which the goroutines make sense.
/// Known are Go 1.11 and later.
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
  /// Fails if no list is found. \p Space must outlive the reader.
  static llvm::Expected<GoroutineReader> open(const AddressSpace &Space);

  /// No more is produced than memory has: each goroutine has a struct and a
  /// stack of its own.
  GoroutineList list() const;

  /// The goroutine at \p Address as it is now; none if it has ended or makes
  /// no sense.
  std::optional<Goroutine> read(uint64_t Address) const;

  /// The stack of \p G from where it left it (Goroutine::Saved). Memory is
  /// read within the goroutine's own stack only.
  UnwoundStack unwind(Unwinder &U, const Goroutine &G,
                      UnwindOptions Options) const;

private:
  /// A slice of Go.
  struct Slice {
    uint64_t Address = 0;
    uint64_t Count = 0;
  };
  /// Offsets in struct g that versions of Go differ in.
  struct Layout {
    unsigned SyscallSP = 0;
    bool HasSyscallFP = false;
    /// Zero if they are not known.
    unsigned CreatedAt = 0;
    unsigned Creator = 0;
  };
  class Struct;

  explicit GoroutineReader(const AddressSpace &Space,
                           const UnwindMachine &Machine)
      : Space(&Space), Machine(&Machine), Word(Machine.WordSize) {}

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
  /// What constants are read from, by index of the file.
  mutable std::map<uint32_t, std::shared_ptr<const LoadedModule>> Modules;
};

/// The stacks of goroutines, and those of threads with them.
class GoroutineStacks {
public:
  /// Unwinds a thread that has registers.
  using UnwindThread =
      std::function<UnwoundStack(const ThreadState &, Unwinder::ReadMemory)>;
  /// Unwinds a goroutine from where it left its stack.
  using UnwindSaved =
      std::function<UnwoundStack(const Goroutine &, const GoroutineReader &)>;
  /// Receives a goroutine, the thread of one that is running, or null, and its
  /// stack, which is empty if it runs and its thread could not be read while it
  /// did.
  using Visitor = llvm::function_ref<void(const Goroutine &,
                                          const ThreadState *, UnwoundStack)>;

  struct Figures {
    ThreadVisitFigures Threads;
    /// Entries of the runtime's list that make no sense.
    uint64_t Damaged = 0;
  };

  /// \p Space must outlive it.
  GoroutineStacks(const AddressSpace &Space, UnwindThread OfThread,
                  UnwindSaved OfSaved)
      : Space(Space), OfThread(std::move(OfThread)),
        OfSaved(std::move(OfSaved)) {}

  /// Where the runtime has switched from the stack of a goroutine to that of
  /// the thread \p Thread, so that \p Stack ends there, appends the
  /// goroutine's. To be asked only for stacks that end in the runtime: the
  /// first call searches the program's memory.
  void complete(const ThreadState &Thread, UnwoundStack &Stack);

  /// Reads all threads, and visits all goroutines: first that of the thread
  /// that ended the process, then in the order of their IDs. One of a live
  /// process that moves on while it is read is read again, three times at most.
  llvm::Expected<Figures> visitAll(Visitor Visit);

private:
  struct Stopped {
    ThreadState Thread;
    UnwoundStack Stack;
  };

  const GoroutineReader *reader();
  llvm::Expected<ThreadVisitFigures> readThreads(std::optional<uint64_t> Only);
  const Stopped *threadOf(const Goroutine &G) const;
  bool readAgain(Goroutine &G);
  UnwoundStack stackOf(Goroutine &G);

  const AddressSpace &Space;
  const UnwindThread OfThread;
  const UnwindSaved OfSaved;
  std::optional<GoroutineReader> Reader;
  /// Why there is none, when one was asked for.
  std::optional<std::string> WhyNone;
  /// What complete() has read, by thread.
  std::map<uint64_t, Goroutine> Known;
  std::map<uint64_t, Stopped> Threads;
};

} // namespace lidia

#endif // LIDIA_PROCESS_GOROUTINES_H
