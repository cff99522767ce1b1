//===- LiveProcess.cpp - The address space of a live process --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRegisters.h"
#include "MemoryWindows.h"
#include "Modules/ELFHeaders.h"
#include "ThreadCopy.h"
#include "lidia/Error.h"
#include "lidia/Process/AddressSpace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

namespace {

/// The folder /proc/PID, open: its entries stay those of this process, even
/// when another one gets the number.
class ProcFolder {
public:
  static Expected<ProcFolder> open(uint64_t PID);

  int descriptor() const { return FD.get(); }
  /// "/proc/PID".
  StringRef name() const { return Name; }
  /// The process's user, or root if its memory is protected.
  uint32_t owner() const { return Owner; }
  uint64_t number() const { return Number; }

  /// The numbers of its threads, ascending.
  std::vector<uint64_t> threads() const;
  Expected<std::string> readText(const char *Entry) const;

private:
  ProcFolder(FileDescriptor FD, uint64_t Number, std::string Name,
             uint32_t Owner)
      : FD(std::move(FD)), Number(Number), Name(std::move(Name)), Owner(Owner) {
  }

  FileDescriptor FD;
  uint64_t Number;
  std::string Name;
  uint32_t Owner;
};

class LiveProcess final : public AddressSpace {
public:
  LiveProcess(MappingList List, ProcFolder Proc, std::optional<RootFolder> Root,
              FileDescriptor Memory)
      : AddressSpace(std::move(List)), Proc(std::move(Proc)),
        Root(std::move(Root)), Memory(std::move(Memory)) {
    findMachine();
  }

  bool isLive() const override { return true; }

  size_t readMemory(uint64_t Address,
                    MutableArrayRef<uint8_t> To) const override {
    return Memory.read(Address, To);
  }
  std::unique_ptr<PerfMap> findPerfMap(WarningFunction Warn) const override;
  const UnwindMachine *machine() const override { return Machine; }
  Expected<ThreadVisitStatistics>
  visitThreads(ThreadVisitor Visit,
               std::optional<uint64_t> Only) const override;

private:
  void findMachine();
  void visitCopy(const ThreadCopy &Copy, ThreadVisitor Visit) const;
  Expected<std::unique_ptr<OpenedFile>>
  openFile(const Mapping &M) const override;
  Expected<std::unique_ptr<OpenedFile>> openByMapping(const Mapping &M) const;
  std::string pathOfPerfMap() const;

  const ProcFolder Proc;
  const std::optional<RootFolder> Root;
  const FileDescriptor Memory;
  const UnwindMachine *Machine = nullptr;
};

} // namespace

Expected<ProcFolder> ProcFolder::open(uint64_t PID) {
  std::string Name = ("/proc/" + Twine(PID)).str();
  FileDescriptor FD(::open(Name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat Status;
  if (!FD.isOpen() || ::fstat(FD.get(), &Status) != 0) {
    if (errno == ENOENT)
      return make_error<SystemError>(errnoAsErrorCode(), "",
                                     "there is no process " + Twine(PID));
    return make_error<SystemError>(errnoAsErrorCode(), Name);
  }
  return ProcFolder(std::move(FD), PID, std::move(Name), Status.st_uid);
}

Expected<std::string> ProcFolder::readText(const char *Entry) const {
  FileDescriptor File(::openat(FD.get(), Entry, O_RDONLY | O_CLOEXEC));
  std::string Text;
  ssize_t Got = -1;
  if (File.isOpen()) {
    char Piece[64 * 1024];
    while ((Got = sys::RetryAfterSignal(-1, ::read, File.get(),
                                        static_cast<void *>(Piece),
                                        sizeof(Piece))) > 0)
      Text.append(Piece, size_t(Got));
  }
  std::error_code EC = errnoAsErrorCode();
  if (Got == 0)
    return Text;
  std::string Why = Name + "/" + Entry + ": " + EC.message();
  if (EC == std::errc::permission_denied ||
      EC == std::errc::operation_not_permitted)
    Why += ": reading it needs the process's user or the privilege "
           "CAP_SYS_PTRACE";
  return make_error<SystemError>(EC, "", Why);
}

std::vector<uint64_t> ProcFolder::threads() const {
  std::vector<uint64_t> Result;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Name + "/task", EC), End; I != End && !EC;
       I.increment(EC)) {
    uint64_t Thread;
    if (!sys::path::filename(I->path()).getAsInteger(10, Thread))
      Result.push_back(Thread);
  }
  llvm::sort(Result);
  return Result;
}

/// Opens the file that is actually mapped, even if its path names another file
/// by now.
Expected<std::unique_ptr<OpenedFile>>
LiveProcess::openByMapping(const Mapping &M) const {
  std::string Entry = formatv("map_files/{0:x-}-{1:x-}", M.Begin, M.End).str();
  Expected<std::unique_ptr<OpenedFile>> File =
      openRegularFile(Proc.descriptor(), Entry);
  if (File)
    return File;
  std::error_code EC;
  std::string Why;
  handleAllErrors(File.takeError(), [&](const ErrorInfoBase &Info) {
    EC = Info.convertToErrorCode();
    Why = Info.message();
  });
  Why = Proc.name().str() + "/" + Why;
  if (EC == std::errc::operation_not_permitted ||
      EC == std::errc::permission_denied)
    Why += ": files that are deleted or replaced need the privilege "
           "CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE";
  // The program itself has another link, which needs fewer privileges.
  const MappedFile &Source = List.file(M);
  std::string ProgramPath = readLink(Proc.descriptor(), "exe");
  StringRef Program = ProgramPath;
  Program.consume_back(" (deleted)");
  if (!Program.empty() && Program == Source.wholePath()) {
    Expected<std::unique_ptr<OpenedFile>> Exe =
        openRegularFile(Proc.descriptor(), "exe");
    if (Exe && (*Exe)->inode() == Source.Inode)
      return Exe;
    consumeError(Exe.takeError());
  }
  return make_error<SystemError>(EC, "", Why);
}

Expected<std::unique_ptr<OpenedFile>>
LiveProcess::openFile(const Mapping &M) const {
  const MappedFile &Source = List.file(M);
  if (Source.Deleted || !Root)
    return openByMapping(M);
  Expected<std::unique_ptr<OpenedFile>> File =
      Root->openFile(Source.wholePath());
  bool IsSame =
      File && (*File)->inode() == Source.Inode &&
      (*File)->device() == makedev(Source.DeviceMajor, Source.DeviceMinor);
  if (IsSame)
    return File;
  // Some file systems (Btrfs, overlayfs) show other numbers in the list of
  // mappings. So without the privilege to follow the link, the path is used,
  // and a replaced file is recognised by its build ID.
  Expected<std::unique_ptr<OpenedFile>> Mapped = openByMapping(M);
  if (Mapped || !File) {
    consumeError(File.takeError());
    return Mapped;
  }
  consumeError(Mapped.takeError());
  return File;
}

/// The process's number in its own namespace is the last in the line NSpid.
std::string LiveProcess::pathOfPerfMap() const {
  StringRef PID = Proc.name().rsplit('/').second;
  Expected<std::string> Status = Proc.readText("status");
  if (!Status) {
    consumeError(Status.takeError());
    return ("/tmp/perf-" + PID + ".map").str();
  }
  StringRef Line = StringRef(*Status).split("\nNSpid:").second;
  StringRef Last = Line.split('\n').first.rtrim().rsplit('\t').second;
  return ("/tmp/perf-" + (Last.empty() ? PID : Last) + ".map").str();
}

std::unique_ptr<PerfMap> LiveProcess::findPerfMap(WarningFunction Warn) const {
  if (!Root)
    return nullptr;
  std::string Path = pathOfPerfMap();
  Expected<std::unique_ptr<OpenedFile>> File = Root->openFile(Path);
  if (!File) {
    consumeError(File.takeError());
    return nullptr;
  }
  uint32_t Owner = (*File)->owner();
  if (Owner != Proc.owner() && Owner != 0 && Owner != ::geteuid()) {
    Warn(Path + " belongs to another user and is ignored");
    return nullptr;
  }
  return PerfMap::ofFile(**File, Path, Warn);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Finds the program's machine, which may have 32 bits on a 64-bit system.
void LiveProcess::findMachine() {
  Expected<std::unique_ptr<OpenedFile>> Program =
      openRegularFile(Proc.descriptor(), "exe");
  if (!Program)
    return consumeError(Program.takeError());
  Expected<ELFHeaders> Headers = readELFHeaders(**Program, Proc.name());
  if (!Headers)
    return consumeError(Headers.takeError());
  Machine = unwindMachineOf(*Headers);
}

void LiveProcess::visitCopy(const ThreadCopy &Copy, ThreadVisitor Visit) const {
  MemoryWindows Rest([&](uint64_t Address, MutableArrayRef<uint8_t> To) {
    return readMemory(Address, To);
  });
  Visit(Copy.State, [&](uint64_t Address, MutableArrayRef<uint8_t> To) {
    return Copy.has(Address) ? Copy.read(Address, To) : Rest.read(Address, To);
  });
}

Expected<ThreadVisitStatistics>
LiveProcess::visitThreads(ThreadVisitor Visit,
                          std::optional<uint64_t> Only) const {
  ThreadVisitStatistics Statistics;
  if (!Machine)
    return make_error<UnsupportedError>(
        Proc.name(), "the machine of its program is not known");
  // All threads are copied first, so that their stacks are from nearly the same
  // time.
  constexpr uint64_t MaxPending = 256 << 20;
  std::vector<ThreadCopy> Copies;
  uint64_t Pending = 0;
  auto VisitCopies = [&] {
    for (const ThreadCopy &Copy : Copies)
      visitCopy(Copy, Visit);
    Copies.clear();
    Pending = 0;
  };
  for (uint64_t Thread : Proc.threads()) {
    if (Only && Thread != *Only)
      continue;
    Expected<ThreadCopy> Copy =
        copyThread(Proc.number(), Thread, *Machine, List);
    if (!Copy)
      return Copy.takeError();
    ++Statistics.Threads;
    if (Copy->WasStopped && Copy->State.HasRegisters)
      Statistics.Stopped.push_back(Copy->StoppedMicroseconds);
    Pending += Copy->Stack.size();
    Copies.push_back(std::move(*Copy));
    if (Pending > MaxPending)
      VisitCopies();
  }
  VisitCopies();
  return Statistics;
}

/// Opens the process's folder and reads its mappings. If the first thread has
/// ended, the mappings are in the folders of the other threads.
static Expected<ProcFolder> openMappings(uint64_t PID, std::string &Maps) {
  Expected<ProcFolder> First = ProcFolder::open(PID);
  if (!First)
    return First;
  if (Error E = First->readText("maps").moveInto(Maps))
    return E;
  if (!Maps.empty())
    return First;
  for (uint64_t Thread : First->threads()) {
    Expected<ProcFolder> Other = ProcFolder::open(Thread);
    Error Failure =
        Other ? Other->readText("maps").moveInto(Maps) : Other.takeError();
    consumeError(std::move(Failure));
    if (!Maps.empty())
      return Other;
  }
  return First;
}

Expected<std::unique_ptr<AddressSpace>>
AddressSpace::ofProcess(uint64_t PID, WarningFunction Warn) {
  std::string Maps;
  Expected<ProcFolder> Proc = openMappings(PID, Maps);
  if (!Proc)
    return Proc.takeError();
  std::string Name = Proc->name().str() + "/maps";
  if (Maps.empty())
    return make_error<MissingInformationError>(
        Name, "empty: the process " + Twine(PID) +
                  " has no memory (it has exited or is a kernel thread)");
  Expected<MappingList> List = MappingList::parse(Maps, Name, Warn);
  if (!List)
    return List.takeError();
  std::optional<RootFolder> Root;
  if (Expected<RootFolder> Folder =
          RootFolder::open(Proc->name() + "/root", /*IsLive=*/true))
    Root.emplace(std::move(*Folder));
  else
    Warn(toString(Folder.takeError()));
  FileDescriptor Memory(
      ::openat(Proc->descriptor(), "mem", O_RDONLY | O_CLOEXEC));
  auto Process = std::make_unique<LiveProcess>(
      std::move(*List), std::move(*Proc), std::move(Root), std::move(Memory));
  Process->complete(/*ReadBuildIDs=*/false);
  return Process;
}

} // namespace lidia
