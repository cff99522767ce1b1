//===- ThreadCopy.cpp - A thread of a live process, copied ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadCopy.h"
#include "KernelRegisters.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace lidia {

using Clock = std::chrono::steady_clock;

size_t ThreadCopy::read(uint64_t Address, MutableArrayRef<uint8_t> To) const {
  if (!has(Address))
    return 0;
  uint64_t At = Address - Begin;
  size_t Count = std::min<uint64_t>(To.size(), Stack.size() - At);
  std::memcpy(To.data(), Stack.data() + At, Count);
  return Count;
}

//===----------------------------------------------------------------------===//
// Why a thread cannot be stopped
//===----------------------------------------------------------------------===//

static std::string readProc(const Twine &Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text =
      MemoryBuffer::getFileAsStream(Path);
  return Text ? (*Text)->getBuffer().str() : "";
}

/// A line of /proc/PID/status, without its name.
static StringRef statusLine(StringRef Status, StringRef Name) {
  while (!Status.empty()) {
    auto [Line, Rest] = Status.split('\n');
    if (Line.consume_front(Name) && Line.consume_front(":"))
      return Line.trim();
    Status = Rest;
  }
  return "";
}

static std::string missingPrivilege() {
  std::string Why = "stopping its threads needs the process's user or the "
                    "privilege CAP_SYS_PTRACE";
  std::string Scope = readProc("/proc/sys/kernel/yama/ptrace_scope");
  if (!Scope.empty() && StringRef(Scope).trim() != "0")
    Why += " (kernel.yama.ptrace_scope is " + StringRef(Scope).trim().str() +
           ": a process's user needs the privilege, too)";
  return Why;
}

namespace {

//===----------------------------------------------------------------------===//
// Stopping
//===----------------------------------------------------------------------===//

/// Stops one thread. Everything runs in one thread of this process, because a
/// tracer is a thread; when the tracer ends, the kernel releases the traced
/// thread.
class Stopper {
public:
  Stopper(uint64_t Process, uint64_t Thread, const UnwindMachine &Machine,
          const MappingList &Mappings)
      : Process(Process), Thread(pid_t(Thread)), Machine(Machine),
        Mappings(Mappings) {
    Copy.State.ID = Thread;
    cantFail(std::move(Failure));
  }

  void run();
  ThreadCopy Copy;
  /// An error that affects all threads.
  Error Failure = Error::success();

private:
  Error seize();
  bool waitForStop();
  std::string readTask(StringRef Entry) const;
  bool isUninterruptible() const;
  bool readSystemCall(StringRef Text);
  void copyWaiting();
  void readRegisters();
  void readCodeMask();
  void copyStack();
  long trace(decltype(PTRACE_SEIZE) Request, uintptr_t Address,
             uintptr_t Data) const {
    return ::ptrace(Request, Thread, reinterpret_cast<void *>(Address),
                    reinterpret_cast<void *>(Data));
  }
  void giveUp(const Twine &Why) { Copy.State.WhyNoRegisters = Why.str(); }

  const uint64_t Process;
  const pid_t Thread;
  const UnwindMachine &Machine;
  const MappingList &Mappings;
  /// A signal that arrived when the thread was stopped. It is delivered
  /// afterwards.
  int Pending = 0;
  /// When the thread was last known to run.
  Clock::time_point RanAt;
};

} // namespace

std::string Stopper::readTask(StringRef Entry) const {
  return readProc("/proc/" + Twine(Process) + "/task/" + Twine(Thread) + "/" +
                  Entry);
}

bool Stopper::isUninterruptible() const {
  return statusLine(readTask("status"), "State").starts_with("D");
}

/// The error is fatal for all threads; without one and without being traced,
/// the thread has ended.
Error Stopper::seize() {
  if (trace(PTRACE_SEIZE, 0, 0) == 0)
    return Error::success();
  std::error_code EC = errnoAsErrorCode();
  std::string Status = readTask("status");
  StringRef State = statusLine(Status, "State");
  if (Status.empty() || State.starts_with("Z") || State.starts_with("X")) {
    giveUp("the thread has ended");
    return Error::success();
  }
  std::string Name = "process " + std::to_string(Process);
  StringRef Tracer = statusLine(Status, "TracerPid");
  if (Tracer != "0" && !Tracer.empty()) {
    std::string Command = readProc("/proc/" + Tracer + "/comm");
    return make_error<SystemError>(
        EC, "",
        Name + ": is traced by process " + Tracer + " (" +
            StringRef(Command).trim() +
            "), and a process has only one tracer at a time: end that first");
  }
  if (uint64_t(::getpid()) == Process)
    return make_error<SystemError>(EC, "",
                                   Name + ": is this one, which cannot stop "
                                          "its own threads");
  if (EC == std::errc::operation_not_permitted)
    return make_error<SystemError>(EC, "", Name + ": " + missingPrivilege());
  return make_error<SystemError>(EC, "", Name + ": " + EC.message());
}

/// Returns false if the thread does not stop in time, or ends.
bool Stopper::waitForStop() {
  auto Start = Clock::now(), End = Start + std::chrono::seconds(1);
  // A process may have thousands of threads that do not stop.
  const auto Soon = Start + std::chrono::milliseconds(100);
  std::chrono::microseconds Pause(10);
  while (true) {
    Clock::time_point Asked = Clock::now();
    int Status = 0;
    pid_t Got = ::waitpid(Thread, &Status, __WALL | WNOHANG);
    if (Got == Thread && WIFSTOPPED(Status)) {
      // If there is no event, the thread is about to receive a signal.
      int Signal = WSTOPSIG(Status);
      if (Status >> 16 == 0)
        Pending = Signal;
      else if (Signal != SIGTRAP)
        Copy.State.Stop.Other = "stopped by " + signalName(unsigned(Signal));
      Copy.WasStopped = true;
      return true;
    }
    if (Got == Thread || (Got < 0 && errno != EINTR)) {
      giveUp("the thread has ended");
      return false;
    }
    // The thread was still running at that time.
    RanAt = Asked;
    if (Asked > End || (Asked > Soon && isUninterruptible()))
      break;
    // Most stop at once. Yielding instead would wait for busy threads' turns.
    std::this_thread::sleep_for(Pause);
    Pause = std::min(Pause * 2, std::chrono::microseconds(500));
  }
  copyWaiting();
  return false;
}

/// The registers that pass the arguments of a system call.
static ArrayRef<uint8_t> argumentRegisters(const UnwindMachine &Machine) {
  static constexpr uint8_t X64[] = {5, 4, 1, 10, 8, 9},
                           X86[] = {3, 1, 2, 6, 7, 5};
  static constexpr uint8_t Arm[] = {0, 1, 2, 3, 4, 5};
  static constexpr uint8_t RISCV[] = {10, 11, 12, 13, 14, 15};
  static constexpr uint8_t S390[] = {2, 3, 4, 5, 6, 7};
  static constexpr uint8_t PPC[] = {3, 4, 5, 6, 7, 8};
  switch (Machine.ELFMachine) {
  case ELF::EM_X86_64:
    return X64;
  case ELF::EM_386:
    return X86;
  case ELF::EM_ARM:
  case ELF::EM_AARCH64:
    return Arm;
  case ELF::EM_RISCV:
    return RISCV;
  case ELF::EM_S390:
    return S390;
  case ELF::EM_PPC:
  case ELF::EM_PPC64:
    return PPC;
  default:
    return {};
  }
}

/// Reads the registers in the text of /proc/PID/syscall: "running", or the
/// number of the system call, its arguments unless the number is -1, the stack
/// pointer and the program counter.
bool Stopper::readSystemCall(StringRef Text) {
  SmallVector<StringRef, 9> Fields;
  Text.trim().split(Fields, ' ');
  SmallVector<uint64_t, 8> Values;
  for (StringRef Field : ArrayRef(Fields).drop_front()) {
    uint64_t Value;
    if (Field.getAsInteger(0, Value))
      return false;
    Values.push_back(Value);
  }
  if (Values.size() < 2 || Values.back() == 0)
    return false;
  RegisterSet &R = Copy.State.Registers;
  R.PC = Values.pop_back_val();
  R.set(Machine.SP, Values.pop_back_val());
  for (auto [Number, Value] : zip(argumentRegisters(Machine), Values))
    R.set(Number, Value);
  return true;
}

/// Copies a thread that does not stop because it waits in the kernel.
void Stopper::copyWaiting() {
  std::string Before = readTask("syscall");
  if (readSystemCall(Before)) {
    copyStack();
    if (readTask("syscall") == Before) {
      Copy.State.HasRegisters = true;
      Copy.State.Stop.Other = "not stopped, because it waits in the kernel";
      return;
    }
  }
  giveUp("the thread did not stop within a second: it waits in the kernel");
}

void Stopper::readRegisters() {
  uint8_t Bytes[1024];
  iovec Place = {Bytes, sizeof(Bytes)};
  constexpr uintptr_t NotePRSTATUS = 1;
  if (trace(PTRACE_GETREGSET, NotePRSTATUS, uintptr_t(&Place)) == 0)
    readRegisterSet(Machine, ArrayRef(Bytes, Place.iov_len), Copy.State);
  if (!Copy.State.HasRegisters)
    giveUp("its registers cannot be read");
}

void Stopper::readCodeMask() {
  constexpr uintptr_t NotePACMask = 0x406;
  uint64_t Masks[2] = {};
  iovec Place = {Masks, sizeof(Masks)};
  if (Machine.ELFMachine == ELF::EM_AARCH64 &&
      trace(PTRACE_GETREGSET, NotePACMask, uintptr_t(&Place)) == 0 &&
      Place.iov_len == sizeof(Masks))
    Copy.State.CodeMask = Masks[1];
}

/// How many bytes to copy from \p SP on.
static uint64_t sizeOfStack(const MappingList &List, uint64_t SP) {
  // If stacks are only a part of the memory, as in Go, copy enough for most
  // stacks.
  constexpr uint64_t Max = 16 << 20, Some = 128 << 10;
  ArrayRef<Mapping> All = List.mappings();
  // The stack may have grown down since the list was read.
  const auto *M =
      partition_point(All, [&](const Mapping &M) { return M.End <= SP; });
  if (M == All.end())
    return 0;
  bool IsFirst = List.file(*M).Path == "[stack]";
  bool HasGuard = M != All.begin() && std::prev(M)->End == M->Begin &&
                  !std::prev(M)->Readable;
  return std::min(M->End - SP, IsFirst || HasGuard ? Max : Some);
}

void Stopper::copyStack() {
  constexpr uint64_t RedZone = 512;
  uint64_t SP = Copy.State.Registers.get(Machine.SP).value_or(0);
  uint64_t Size = sizeOfStack(Mappings, SP);
  Copy.Begin = SP - std::min(SP, RedZone);
  // The red zone may be below the stack.
  for (uint64_t Begin : {Copy.Begin, SP}) {
    Copy.Begin = Begin;
    Copy.Stack.resize_for_overwrite(SP - Begin + Size);
    iovec To = {Copy.Stack.data(), Copy.Stack.size()};
    iovec From = {reinterpret_cast<void *>(Begin), Copy.Stack.size()};
    ssize_t Got = ::process_vm_readv(Thread, &To, 1, &From, 1, 0);
    Copy.Stack.resize(Got < 0 ? 0 : size_t(Got));
    if (!Copy.Stack.empty())
      return;
  }
}

void Stopper::run() {
  Failure = seize();
  if (Failure || !Copy.State.WhyNoRegisters.empty())
    return;
  RanAt = Clock::now();
  if (trace(PTRACE_INTERRUPT, 0, 0) != 0)
    return giveUp("the thread has ended");
  if (!waitForStop())
    return;
  readRegisters();
  readCodeMask();
  if (Copy.State.HasRegisters)
    copyStack();
  trace(PTRACE_DETACH, 0, uintptr_t(Pending));
  auto Stopped = Clock::now() - RanAt;
  Copy.StoppedMicroseconds = uint32_t(
      std::chrono::duration_cast<std::chrono::microseconds>(Stopped).count());
}

Expected<ThreadCopy> copyThread(uint64_t Process, uint64_t Thread,
                                const UnwindMachine &Machine,
                                const MappingList &Mappings) {
  Stopper S(Process, Thread, Machine, Mappings);
  // Use a new tracer thread: if the traced thread does not stop now, it would
  // stop later, and stay stopped until its tracer ends.
  auto Run = [](void *S) -> void * {
    static_cast<Stopper *>(S)->run();
    return nullptr;
  };
  pthread_t Tracer;
  if (int Code = ::pthread_create(&Tracer, nullptr, Run, &S))
    return make_error<SystemError>(
        std::error_code(Code, std::generic_category()), "",
        "cannot create a thread to stop the others");
  ::pthread_join(Tracer, nullptr);
  if (S.Failure)
    return std::move(S.Failure);
  S.Copy.State.Name = StringRef(readProc("/proc/" + Twine(Process) + "/task/" +
                                         Twine(Thread) + "/comm"))
                          .rtrim('\n')
                          .str();
  return std::move(S.Copy);
}

} // namespace lidia
