//===- MinidumpSpace.cpp - The address space of a minidump ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Minidump/MinidumpSpace.h"
#include "Modules/CodeIdentity.h"
#include "Modules/ForeignFile.h"
#include "Support/WindowsNames.h"
#include "lidia/Error.h"
#include "lidia/MissError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include <fcntl.h>

using namespace llvm;

namespace lidia {

MinidumpSpace::MinidumpSpace(std::unique_ptr<OpenedFile> File, Minidump Dump,
                             ModuleResolver &Modules, KeptWarningFunction Warn)
    : AddressSpace(MappingList()), File(std::move(File)), Dump(std::move(Dump)),
      Modules(Modules), Warn(std::move(Warn)) {}

MinidumpSpace::~MinidumpSpace() = default;

Expected<std::unique_ptr<MinidumpSpace>>
MinidumpSpace::open(StringRef Path, ModuleResolver &Modules,
                    KeptWarningFunction Warn) {
  Expected<std::unique_ptr<OpenedFile>> File = openRegularFile(AT_FDCWD, Path);
  if (!File)
    return File.takeError();
  return read(std::move(*File), Path, Modules, std::move(Warn));
}

Expected<std::unique_ptr<MinidumpSpace>>
MinidumpSpace::read(std::unique_ptr<OpenedFile> File, StringRef Name,
                    ModuleResolver &Modules, KeptWarningFunction Warn) {
  Expected<Minidump> Dump = Minidump::read(*File, Name, Warn);
  if (!Dump)
    return Dump.takeError();
  std::unique_ptr<MinidumpSpace> Space(new MinidumpSpace(
      std::move(File), std::move(*Dump), Modules, std::move(Warn)));
  if (const BuildIDSource &Find = Modules.buildIDSource())
    Space->findBuildIDs(Find);
  Space->addModules();
  Space->addAnonymous();
  return Space;
}

/// The number of requests is limited, because each may be sent to another
/// machine, and processes have no more than some hundred modules.
void MinidumpSpace::findBuildIDs(const BuildIDSource &Find) {
  constexpr size_t Max = 1024;
  StringMap<SmallVector<uint8_t, 20>> Known;
  for (MinidumpModule &M : Dump.Modules) {
    if (!M.BuildID.empty() || !M.ID)
      continue;
    auto [Asked, IsNew] = Known.try_emplace(M.ID->text());
    if (IsNew)
      Asked->second = Find(*M.ID);
    M.BuildID.assign(Asked->second.begin(), Asked->second.end());
    if (Known.size() == Max)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

bool MinidumpSpace::isPE(const MinidumpModule &M) const {
  const MinidumpSystem &System = Dump.System;
  return System.OS == MinidumpOS::Windows ||
         (M.HasPDBRecord && !System.isApple() && !System.isLinux());
}

void MinidumpSpace::addModules() {
  for (auto [I, Module] : enumerate(Dump.Modules)) {
    if (Module.Begin == Module.End)
      continue;
    MappedFile F;
    F.Type = MappedFile::Kind::File;
    F.Path = Module.Path;
    F.BuildID = Module.BuildID;
    // Modules with the same path and different build IDs are different files.
    F.Inode = I + 1;
    Mapping M;
    M.Begin = Module.Begin;
    M.End = Module.End;
    M.IsImage = true;
    // It is unknown which parts are executable.
    M.Readable = M.Executable = true;
    List.add(M, F);
    ModuleOfFile.resize(List.files().size(), I);
  }
  List.finish();
}

/// Adds the regions, or else the dumped memory, that no module covers.
void MinidumpSpace::addAnonymous() {
  std::vector<Mapping> Others;
  Mapping M;
  for (const MinidumpRegion &R : Dump.Regions) {
    M.Begin = R.Begin;
    M.End = R.End;
    M.Readable = R.Readable;
    M.Writable = R.Writable;
    M.Executable = R.Executable;
    Others.push_back(M);
  }
  if (Others.empty())
    for (const DumpedMemory &D : Dump.Memory) {
      M.Begin = D.Begin;
      M.End = D.End;
      Others.push_back(M);
    }
  for (const Mapping &Part : List.uncovered(Others))
    List.add(Part, MappedFile());
  List.finish();
}

const MinidumpModule *MinidumpSpace::moduleAt(uint64_t Address) const {
  const Mapping *M = List.find(Address);
  if (!M || List.file(*M).Type != MappedFile::Kind::File)
    return nullptr;
  return &Dump.Modules[ModuleOfFile[M->File]];
}

/// Opens \p Path if it has the identity of \p M.
std::unique_ptr<OpenedFile> MinidumpSpace::openIfRight(const MinidumpModule &M,
                                                       StringRef Path) const {
  Expected<std::unique_ptr<OpenedFile>> File = openRegularFile(AT_FDCWD, Path);
  if (!File) {
    consumeError(File.takeError());
    return nullptr;
  }
  LoadedModule Loaded;
  Loaded.BuildID = M.BuildID;
  Foreign->setFile(Loaded, std::move(*File), Path, M.CodeID);
  return std::move(Loaded.File);
}

/// Opens the file of the PE module \p M, or else its PDB file, from a symbol
/// server; null if there is none.
std::unique_ptr<OpenedFile>
MinidumpSpace::openSymbolFile(const MinidumpModule &M) const {
  const SymbolFileSource &FindFile = Modules.symbolFileSource();
  std::unique_ptr<OpenedFile> Right;
  auto IsRight = [&](StringRef Path) {
    Right = openIfRight(M, Path);
    return Right != nullptr;
  };
  auto Find = [&](StringRef Path, StringRef ID) {
    StringRef Name = baseNameOfWindows(Path);
    bool IsName = !Name.empty() && Name != "." && Name != ".." &&
                  !Name.contains('\0') && !ID.empty();
    return IsName && !FindFile(Name, ID, IsRight).empty() && Right;
  };
  if (!FindFile || M.CodeID.empty())
    return nullptr;
  // Servers have the digits of the time in upper case.
  constexpr size_t DigitsOfTime = 8;
  std::string CodeID = StringRef(M.CodeID).take_front(DigitsOfTime).upper() +
                       M.CodeID.substr(DigitsOfTime);
  if (Find(M.Path, CodeID) || (M.ID && Find(M.DebugFile, M.ID->text())))
    return Right;
  return nullptr;
}

static Expected<std::unique_ptr<OpenedFile>> open(ModuleFinder &Files,
                                                  const ModuleIdentity &W) {
  LoadedModule Found = Files.open(W);
  if (Found.File)
    return std::move(Found.File);
  return make_error<MissError>(std::move(Found.WhyNoFile));
}

/// Opens the file of a PE or Mach-O module.
Expected<std::unique_ptr<OpenedFile>>
MinidumpSpace::openForeignFile(const MinidumpModule &M) const {
  ModuleIdentity W{M.Path, M.BuildID};
  W.IsForeign = true;
  W.IsWindows = isPE(M);
  if (W.IsWindows) {
    W.CodeID = M.CodeID;
    W.DebugFile = M.DebugFile;
  }
  Expected<std::unique_ptr<OpenedFile>> Found = lidia::open(Modules.files(), W);
  if (Found || !W.IsWindows)
    return Found;
  if (std::unique_ptr<OpenedFile> File = openSymbolFile(M)) {
    consumeError(Found.takeError());
    return File;
  }
  return Found;
}

/// Opens the file of an ELF module. If its build ID is unknown, the file must
/// have its debug ID.
Expected<std::unique_ptr<OpenedFile>>
MinidumpSpace::openELFFile(const MappedFile &Source,
                           const MinidumpModule &M) const {
  Expected<std::unique_ptr<OpenedFile>> Found =
      lidia::open(Modules.files(), {Source.Path, Source.BuildID});
  if (!Found)
    return Found.takeError();
  if (isForeignFile(**Found))
    return make_error<MissingInformationError>(Source.Path,
                                               "the file is not ELF");
  if (Source.BuildID.empty() && M.ID && !hasDebugID(**Found, *M.ID))
    return make_error<MissingInformationError>(
        "", "the file is another build: its debug ID is not " + M.ID->text());
  return std::move(*Found);
}

/// What would tell the file of \p M from another build and is not in the dump;
/// empty if something is.
StringRef MinidumpSpace::missingIdentity(const MappedFile &Source,
                                         const MinidumpModule &M) const {
  if (!Source.BuildID.empty())
    return "";
  // Linkers write a time of zero for builds that can be repeated.
  if (isPE(M))
    return StringRef(M.CodeID).starts_with("00000000")
               ? "neither a GUID nor a time"
               : "";
  if (Dump.System.isApple())
    return "no UUID";
  return M.ID ? "" : "no build ID";
}

Expected<std::unique_ptr<OpenedFile>>
MinidumpSpace::openFile(const Mapping &M) const {
  const MappedFile &Source = List.file(M);
  const MinidumpModule &Module = Dump.Modules[ModuleOfFile[M.File]];
  Expected<std::unique_ptr<OpenedFile>> Found =
      Dump.System.isApple() || isPE(Module) ? openForeignFile(Module)
                                            : openELFFile(Source, Module);
  StringRef Lacks = missingIdentity(Source, Module);
  if (Found && !Lacks.empty())
    warnOnce(Source.Path + ": " + (*Found)->path() +
             " is used by its name: the minidump has " + Lacks +
             " that would say whether it is the same build");
  return Found;
}

/// Modules are opened several times, by several threads.
void MinidumpSpace::warnOnce(const Twine &Message) const {
  std::lock_guard<std::mutex> Lock(WarnMutex);
  if (Warned.insert(Message.str()).second)
    Warn(Message);
}

//===----------------------------------------------------------------------===//
// Threads and memory
//===----------------------------------------------------------------------===//

size_t MinidumpSpace::readMemory(uint64_t Address,
                                 MutableArrayRef<uint8_t> To) const {
  size_t Done = 0;
  while (Done != To.size()) {
    uint64_t At = Address + Done;
    auto After = partition_point(
        Dump.Memory, [&](const DumpedMemory &D) { return D.Begin <= At; });
    if (After == Dump.Memory.begin() || At >= std::prev(After)->End)
      break;
    const DumpedMemory &D = *std::prev(After);
    size_t Want = std::min<uint64_t>(To.size() - Done, D.End - At);
    size_t Got = File->read(D.Offset + (At - D.Begin), To.slice(Done, Want));
    Done += Got;
    if (Got != Want)
      break;
  }
  return Done;
}

const UnwindMachine *MinidumpSpace::machine() const {
  switch (Dump.System.CPU) {
  case MinidumpCPU::X86_64:
    return UnwindMachine::find(ELF::EM_X86_64, 8, /*IsLittleEndian=*/true);
  case MinidumpCPU::X86:
    return UnwindMachine::find(ELF::EM_386, 4, /*IsLittleEndian=*/true);
  case MinidumpCPU::AArch64:
    return UnwindMachine::find(ELF::EM_AARCH64, 8, /*IsLittleEndian=*/true);
  case MinidumpCPU::Arm:
    return UnwindMachine::find(ELF::EM_ARM, 4, /*IsLittleEndian=*/true);
  default:
    return nullptr;
  }
}

ThreadState MinidumpSpace::thread(size_t Index) const {
  const MinidumpThread &T = Dump.Threads[Index];
  bool HasCrashed = Dump.Exception && Dump.crashingThread() == Index;
  // The thread's own registers may be those of the handler.
  const std::optional<RegisterSet> &Registers =
      HasCrashed && Dump.Exception->Registers ? Dump.Exception->Registers
                                              : T.Registers;
  ThreadState State;
  State.ID = T.ID;
  State.Name = T.Name.value_or("");
  State.HasRegisters = Registers.has_value();
  if (Registers)
    State.Registers = *Registers;
  else
    State.WhyNoRegisters = "the minidump has no registers of it";
  if (HasCrashed) {
    State.Stop.Other = Dump.Exception->Reason;
    State.Stop.FaultAddress = Dump.Exception->Address;
  }
  // Bits above those of an address, 47 in user space, may hold a signature.
  if (Dump.System.CPU == MinidumpCPU::AArch64)
    State.CodeMask = UINT64_MAX << 47;
  return State;
}

Expected<ThreadVisitStatistics>
MinidumpSpace::visitThreads(ThreadVisitor Visit,
                            std::optional<uint64_t> Only) const {
  ThreadVisitStatistics Statistics;
  auto Read = [&](uint64_t Address, MutableArrayRef<uint8_t> To) {
    return readMemory(Address, To);
  };
  auto VisitOne = [&](size_t Index) {
    const MinidumpThread &T = Dump.Threads[Index];
    if ((Only && T.ID != *Only) || T.ID == Dump.DumpingThread)
      return;
    ++Statistics.Threads;
    Visit(thread(Index), Read);
  };
  std::optional<size_t> First = Dump.crashingThread();
  if (First)
    VisitOne(*First);
  for (size_t I = 0; I != Dump.Threads.size(); ++I)
    if (First != I)
      VisitOne(I);
  return Statistics;
}

} // namespace lidia
