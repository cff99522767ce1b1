//===- PerfDataReader.cpp - From records to a profile ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfDataReader.h"
#include "PerfFormat.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

static constexpr StringLiteral KernelName = "[kernel.kallsyms]";

PerfDataReader::PerfDataReader(PerfFile TheFile, StringRef Name,
                               const ProfileReadOptions &Options,
                               WarningFunction Warn)
    : File(std::move(TheFile)), Name(Name.str()), Warn(Warn),
      Names(Options.Modules ? Options.Modules->files().rootPath() : "", Warn),
      Stacks(Samples, Names, Options) {
  Comms[0] = P.Strings.intern("swapper");
  Samples.KeepsEvents = Options.needsEvents();
  Written = Options.Written;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// In the piped form, records replace the header's sections, some at the end.
void PerfDataReader::readPipedHeader() {
  PerfRecordReader Records(File.records(), File.order(), /*Unpack=*/false);
  while (std::optional<HeldRecord> R = Records.next())
    Lost.Malformed +=
        R->Record.Type >= perf::RecordUserStart && !File.readRecord(R->Record);
}

Expected<Profile> PerfDataReader::read() {
  if (File.isPiped())
    readPipedHeader();
  if (File.events().empty())
    return make_error<DamagedError>(Name,
                                    "it does not describe the recorded events");
  EventIndices.resize(File.events().size(), Profile::None);
  for (const PerfFile::BuildID &ID : File.buildIDs())
    Samples.addBuildID(ID.Path, ID.Text);
  PerfRecordReader Records(File.records(), File.order());
  auto Handle = [&](const PerfRecord &R, uint64_t) { handle(R); };
  while (std::optional<HeldRecord> R = Records.next()) {
    Spaces.countInput();
    // Real rounds have a few megabytes.
    constexpr uint64_t MaxHeld = uint64_t(256) << 20;
    if (R->Record.Type == perf::RecordFinishedRound ||
        Queue.heldBytes() > MaxHeld)
      Queue.finishRound(Handle);
    if (R->Record.Type != perf::RecordFinishedRound)
      dispatch(std::move(*R));
  }
  Queue.finish(Handle);
  for (auto &[TID, Waiting] : Deferred)
    for (DeferredSample &D : Waiting) {
      ++Lost.UnfinishedStacks;
      Stack = std::move(D.Stack);
      deliver(D.Who, D.EventIndex, D.Period);
    }
  report(Records);
  P.FileSize = Records.bytesRead();
  // The first event is the one that the user named first.
  std::vector<std::string> EventNames;
  for (const PerfEvent &E : File.events())
    EventNames.push_back(E.Name);
  Samples.orderEvents(EventNames);
  if (Error E = Samples.finishSamples(Name, Warn))
    return E;
  // perf writes the file when the recording ends.
  if (File.clockOffset() != 0 && Samples.firstTime() != 0)
    P.Time = int64_t(Samples.firstTime() + File.clockOffset());
  else if (Written > uint64_t(P.Duration))
    P.Time = int64_t(Written - uint64_t(P.Duration));
  Samples.finishMappings();
  return std::move(P);
}

/// The index of the record's event; the number of events if it is unknown.
size_t PerfDataReader::eventOf(const PerfRecord &R) const {
  const PerfEvent &Any = File.events().front();
  if (R.Type == perf::RecordSample)
    return File.eventOf(idOfSample(Any, R.Body, File.order()));
  // Not all events have an ID, but all have the same fields at the same
  // positions.
  size_t Found = File.eventOf(idOfRecord(Any, R.Body, File.order()));
  return Found == File.events().size() ? 0 : Found;
}

uint64_t PerfDataReader::timeOf(const PerfRecord &R) const {
  size_t Index = eventOf(R);
  if (Index == File.events().size())
    return 0;
  const PerfEvent &E = File.events()[Index];
  if (R.Type != perf::RecordSample) {
    StringRef Body = R.Body;
    return takeSampleID(E, Body, File.order()).Time;
  }
  if (!E.has(perf::Time))
    return 0;
  PerfFields Fields(R.Body, File.order());
  for (uint64_t Before : {perf::Identifier, perf::IP, perf::TID})
    if (E.has(Before))
      Fields.skip(8);
  return Fields.u64();
}

/// Handles the record, immediately or after all earlier records were read.
void PerfDataReader::dispatch(HeldRecord R) {
  if (R.Record.Type >= perf::RecordUserStart) {
    Lost.Traces |= R.Record.Type == perf::RecordAuxTrace;
    return;
  }
  // Records that perf record itself wrote at startup have no time.
  uint64_t Time = timeOf(R.Record);
  if (Time == 0 || Time == UINT64_MAX)
    handle(R.Record);
  else
    Queue.add(std::move(R), Time);
}

void PerfDataReader::handle(const PerfRecord &R) {
  bool IsWhole =
      R.Type == perf::RecordSample ? readSample(R) : handleKernelEvent(R);
  Lost.Malformed += !IsWhole;
}

bool PerfDataReader::handleKernelEvent(const PerfRecord &R) {
  StringRef Body = R.Body;
  PerfSampleID Who =
      takeSampleID(File.events()[eventOf(R)], Body, File.order());
  PerfFields Fields(Body, File.order());
  switch (R.Type) {
  case perf::RecordMmap:
    return readMmap(R, Fields, /*IsSecondForm=*/false);
  case perf::RecordMmap2:
    return readMmap(R, Fields, /*IsSecondForm=*/true);
  case perf::RecordComm:
    return readComm(R, Fields);
  case perf::RecordFork:
    return readFork(Fields);
  case perf::RecordKSymbol:
    return readKSymbol(Fields);
  case perf::RecordCGroup:
    return readCGroup(Fields);
  case perf::RecordCallChainDeferred:
    return readDeferredChain(Who, Fields);
  case perf::RecordLost:
    Fields.skip(8);
    [[fallthrough]];
  case perf::RecordLostSamples:
    Lost.LostRecords = SaturatingAdd(Lost.LostRecords, Fields.u64());
    return !Fields.isBroken();
  default:
    return true;
  }
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

/// The mappings to which a mapping is added; null if it is ignored.
PerfSpace *PerfDataReader::spaceOf(uint32_t PID, uint16_t Misc) {
  switch (realmOf(Misc)) {
  case Realm::GuestKernel:
    return &GuestKernel;
  case Realm::GuestUser:
    return nullptr;
  default:
    return PID == UINT32_MAX ? &Kernel : Spaces.forChange(PID);
  }
}

bool PerfDataReader::readMmap(const PerfRecord &R, PerfFields Fields,
                              bool IsSecondForm) {
  constexpr uint32_t Executable = 4;
  constexpr size_t MaxBuildID = 20;
  uint32_t PID = Fields.u32();
  Fields.skip(4);
  Profile::Mapping M;
  M.Start = Fields.u64();
  uint64_t Size = Fields.u64();
  M.Offset = Fields.u64();
  bool IsCode = (R.Misc & perf::MmapData) == 0;
  StringRef BuildID;
  if (IsSecondForm) {
    StringRef Identity = Fields.bytes(24);
    if ((R.Misc & perf::MmapBuildID) && !Identity.empty())
      BuildID = Identity.substr(
          4, std::min<size_t>(uint8_t(Identity[0]), MaxBuildID));
    IsCode = (Fields.u32() & Executable) != 0;
    Fields.skip(4);
  }
  if (Fields.isBroken() || Size == 0 || Size > UINT64_MAX - M.Start)
    return false;
  M.Limit = M.Start + Size;
  PerfSpace *To = spaceOf(PID, R.Misc);
  if (!To)
    return true;
  // Those of the kernel are made by perf record, and have other flags.
  if (!IsCode && To != &Kernel && To != &GuestKernel) {
    To->remove(M.Start, M.Limit);
    return true;
  }
  StringRef Path = Fields.text();
  if (To != &Kernel && To != &GuestKernel)
    Names.noteMapped(PID, Path);
  M.File = P.Strings.intern(Path);
  M.BuildID = P.Strings.intern(toHex(BuildID, /*LowerCase=*/true));
  Samples.map(*To, M);
  if (To == &Kernel && P.Strings[M.File].starts_with(KernelName))
    setKernel(M);
  return true;
}

void PerfDataReader::setKernel(const Profile::Mapping &M) {
  StringRef BuildID = P.Strings[M.BuildID];
  for (const PerfFile::BuildID &ID : File.buildIDs())
    if (BuildID.empty() && ID.Path == KernelName)
      BuildID = ID.Text;
  Names.setKernel(BuildID, M.Start);
}

bool PerfDataReader::readComm(const PerfRecord &R, PerfFields Fields) {
  uint32_t PID = Fields.u32();
  uint32_t TID = Fields.u32();
  if (Fields.isBroken())
    return false;
  if (R.Misc & perf::CommExec)
    Spaces.exec(PID);
  Comms[TID] = P.Strings.intern(Fields.text());
  return true;
}

/// Reads the start of a process or thread, which inherits its creator's name.
bool PerfDataReader::readFork(PerfFields Fields) {
  uint32_t PID = Fields.u32();
  uint32_t ParentPID = Fields.u32();
  uint32_t TID = Fields.u32();
  uint32_t ParentTID = Fields.u32();
  if (Fields.isBroken())
    return false;
  Spaces.fork(PID, ParentPID);
  auto Its = Comms.find(ParentTID);
  if (Its != Comms.end()) {
    Profile::StringID Comm = Its->second;
    Comms[TID] = Comm;
  } else {
    Comms.erase(TID);
  }
  return true;
}

/// Reads code that the kernel compiled or generated, such as BPF programs.
bool PerfDataReader::readKSymbol(PerfFields Fields) {
  constexpr uint16_t Removed = 1;
  Profile::Mapping M;
  M.Start = Fields.u64();
  uint64_t Size = Fields.u32();
  Fields.skip(2);
  uint16_t Flags = Fields.u16();
  StringRef Symbol = Fields.text();
  if (Fields.isBroken() || Size > UINT64_MAX - M.Start)
    return false;
  M.Limit = M.Start + Size;
  if ((Flags & Removed) || Size == 0) {
    Kernel.remove(M.Start, M.Limit);
    return true;
  }
  M.File = P.Strings.intern(("[" + Symbol + "]").str());
  uint32_t Mapping = Samples.addMapping(M);
  KernelSymbolNames[Mapping] = P.Strings.intern(Symbol);
  Kernel.add(M.Start, M.Limit, Mapping);
  return true;
}

bool PerfDataReader::readCGroup(PerfFields Fields) {
  uint64_t ID = Fields.u64();
  StringRef Path = Fields.text();
  if (Fields.isBroken())
    return false;
  CGroups[ID] = P.Strings.intern(Path);
  return true;
}

/// The name of a thread; if it is unknown, that which perf prints.
std::string PerfDataReader::commOf(uint32_t TID) const {
  auto Found = Comms.find(TID);
  return Found != Comms.end() ? P.Strings[Found->second].str()
                              : ":" + itostr(int32_t(TID));
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

PerfDataReader::Realm PerfDataReader::realmOf(uint16_t Misc) {
  switch (Misc & perf::CPUModeMask) {
  case perf::Kernel:
    return Realm::Kernel;
  case perf::User:
    return Realm::User;
  case perf::Hypervisor:
    return Realm::Hypervisor;
  case perf::GuestKernel:
    return Realm::GuestKernel;
  case perf::GuestUser:
    return Realm::GuestUser;
  default:
    return Realm::None;
  }
}

static PerfDataReader::Realm realmOfContext(uint64_t Context) {
  using Realm = PerfDataReader::Realm;
  switch (Context) {
  case perf::ContextKernel:
    return Realm::Kernel;
  case perf::ContextUser:
    return Realm::User;
  case perf::ContextHypervisor:
    return Realm::Hypervisor;
  case perf::ContextGuestKernel:
    return Realm::GuestKernel;
  case perf::ContextGuest:
  case perf::ContextGuestUser:
    return Realm::GuestUser;
  default:
    return Realm::None;
  }
}

/// Adds the frames of \p Chain, which begins in \p Of. In each part, the first
/// address is where execution was interrupted, and the others are return
/// addresses. Returns the cookie of the deferred part, if there is one.
std::optional<uint64_t> PerfDataReader::addChain(ArrayRef<uint64_t> Chain,
                                                 Realm Of) {
  bool IsFirst = true;
  for (size_t I = 0; I != Chain.size(); ++I) {
    uint64_t Address = Chain[I];
    if (Address == perf::ContextUserDeferred)
      return I + 1 != Chain.size() ? Chain[I + 1] : 0;
    if (Address < perf::ContextFirst) {
      addFrame(Of, Address, !IsFirst);
      IsFirst = false;
      continue;
    }
    Of = realmOfContext(Address);
    // Without frame pointers, the stack may contain arbitrary numbers.
    if (Of == Realm::None) {
      ++Lost.BrokenStacks;
      return std::nullopt;
    }
    IsFirst = true;
    if (Of == Realm::User && !Sample.Branches.empty() && CallStacksByBranches) {
      addCallStack();
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Adds the frames that the processor recorded (--call-graph lbr): the target
/// of the last call, and then the calls.
void PerfDataReader::addCallStack() {
  addFrame(Realm::User, Sample.Branches.front().To, false);
  for (const PerfSample::Branch &B : Sample.Branches)
    addFrame(Realm::User, B.From, false);
}

/// Unwinds the user stack of the sample, and adds the frames to those of the
/// kernel.
void PerfDataReader::addUnwound(const PerfEvent &E) {
  bool HasUserCode =
      any_of(Stack, [](const Frame &F) { return F.Of == Realm::User; });
  if (HasUserCode || !E.has(perf::StackUser) || Sample.Stack.empty())
    return;
  std::optional<PerfRegisters> Registers = PerfRegisters::of(File, E, Sample);
  if (!Registers) {
    ++Lost.UnknownMachines;
    return;
  }
  for (const UnwoundFrame &F :
       Stacks.unwind(*Registers, Sample, Spaces.find(Sample.Who.PID)))
    addFrame(Realm::User, F.Address, F.IsReturnAddress);
}

void PerfDataReader::addFrame(Realm Of, uint64_t Address,
                              bool IsReturnAddress) {
  Stack.push_back({Of, Address, IsReturnAddress, Profile::None});
}

uint32_t PerfDataReader::locationOf(const Frame &F, uint32_t PID) {
  uint32_t Mapping = Profile::None;
  if (F.Of == Realm::Kernel) {
    Mapping = Kernel.find(F.Address);
  } else if (F.Of == Realm::GuestKernel) {
    Mapping = GuestKernel.find(F.Address);
  } else if (F.Of == Realm::User) {
    if (const PerfSpace *Its = Spaces.find(PID))
      Mapping = Its->find(F.Address);
    const PerfSpace *Before = Spaces.findBeforeExec(PID);
    if (Mapping == Profile::None && Before)
      Mapping = Before->find(F.Address);
  }
  Lost.GuestFrames += F.Of == Realm::GuestUser;
  uint64_t Address = F.Address;
  // Use the address of the call, unless that is in another mapping.
  if (F.IsReturnAddress && Address != 0 &&
      (Mapping == Profile::None || Address != P.Mappings[Mapping].Start))
    --Address;
  bool IsKernel = F.Of == Realm::Kernel;
  bool IsCompiled =
      F.Of == Realm::User && Mapping != Profile::None &&
      PerfNames::isMadeAtRunTime(P.Strings[P.Mappings[Mapping].File]);
  CompiledCode Compiled;
  if (IsCompiled)
    Compiled = Names.inProcess(PID, Address);
  Profile::StringID CompiledName = P.Strings.intern(Compiled.Name);
  auto [It, New] =
      Locations.try_emplace(std::make_tuple(Mapping, Address, CompiledName), 0);
  if (!New)
    return It->second;
  Profile::StringID Symbol = CompiledName;
  if (IsKernel) {
    auto Known = KernelSymbolNames.find(Mapping);
    Symbol = Known != KernelSymbolNames.end()
                 ? Known->second
                 : P.Strings.intern(Names.inKernel(Address));
  }
  return It->second = Samples.appendLocation(Mapping, Address, Symbol,
                                             P.Strings.intern(Compiled.File),
                                             Compiled.Line);
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

bool PerfDataReader::readSample(const PerfRecord &R) {
  size_t Index = eventOf(R);
  if (Index == File.events().size()) {
    ++Lost.UnknownEvents;
    return true;
  }
  const PerfEvent &E = File.events()[Index];
  if (!Sample.parse(E, R.Body, File.order()))
    return false;
  Stack.clear();
  if (E.IsMonotonic)
    Names.setTime(Sample.Who.Time);
  Realm Of = realmOf(R.Misc);
  if (Of == Realm::User)
    Spaces.runs(Sample.Who.PID);
  CallStacksByBranches = (E.BranchType & perf::BranchCallStack) != 0;
  std::optional<uint64_t> Cookie = addChain(Sample.Chain, Of);
  if (!Cookie)
    addUnwound(E);
  if (Stack.empty() && !Cookie && E.has(perf::IP))
    addFrame(Of, Sample.IP, /*IsReturnAddress=*/false);
  locate(Sample.Who.PID);
  if (Cookie)
    Deferred[Sample.Who.TID].push_back({*Cookie, Sample.Who, uint32_t(Index),
                                        Sample.Period, std::move(Stack)});
  else if ((E.ReadFormat & perf::Group) && !Sample.Counters.empty())
    deliverCounters();
  else
    deliver(Sample.Who, uint32_t(Index), Sample.Period);
  return true;
}

/// The same stack may belong to many samples, but not to all of a large file.
uint64_t PerfDataReader::maxDeferredFrames() const {
  return 1000000 + 8 * uint64_t(File.records().size());
}

/// Completes the thread's last samples with their frames of user code.
bool PerfDataReader::readDeferredChain(const PerfSampleID &Who,
                                       PerfFields Fields) {
  uint64_t Cookie = Fields.u64();
  uint64_t Count = Fields.u64();
  if (Count > Fields.left().size() / 8)
    return false;
  std::vector<uint64_t> Chain;
  for (uint64_t I = 0; I != Count; ++I)
    Chain.push_back(Fields.u64());
  auto Found = Deferred.find(Who.TID);
  if (Found == Deferred.end())
    return true;
  std::vector<DeferredSample> Waiting = std::move(Found->second);
  Deferred.erase(Found);
  CallStacksByBranches = false;
  for (DeferredSample &D : Waiting) {
    Stack = std::move(D.Stack);
    if (D.Cookie == Cookie && DeferredFrames < maxDeferredFrames()) {
      DeferredFrames += Chain.size();
      addChain(Chain, Realm::User);
    } else {
      ++Lost.UnfinishedStacks;
    }
    locate(D.Who.PID);
    deliver(D.Who, D.EventIndex, D.Period);
  }
  return true;
}

/// Sets the locations of the frames in Stack that have none.
void PerfDataReader::locate(uint32_t PID) {
  for (Frame &F : Stack)
    if (F.Location == Profile::None)
      F.Location = locationOf(F, PID);
}

/// Delivers the counters of a group of events ("{a,b}:S"), each with its
/// increase since the last sample.
void PerfDataReader::deliverCounters() {
  for (const PerfSample::Counter &C : Sample.Counters) {
    size_t Index = File.eventOf(C.ID);
    uint64_t Period = C.Value - std::exchange(LastValues[C.ID], C.Value);
    if (Index == File.events().size())
      ++Lost.UnknownEvents;
    else if (Period != 0)
      deliver(Sample.Who, uint32_t(Index), Period);
  }
}

void PerfDataReader::deliver(const PerfSampleID &Who, uint32_t EventIndex,
                             uint64_t Period) {
  const PerfEvent &E = File.events()[EventIndex];
  uint32_t &Index = EventIndices[EventIndex];
  if (Index == Profile::None)
    Index = Samples.eventIndex(E.Name);
  std::string Comm = commOf(Who.TID);
  if (Visit)
    Visit({Who, E.Name, Comm, Period, Stack});
  PerfProfile::Sample S;
  S.Comm = P.Strings.intern(Comm);
  // A process is called as its first thread.
  if (auto Its = Comms.find(Who.PID);
      Its != Comms.end() && Its->second != S.Comm)
    S.Process = Its->second;
  S.PID = Who.PID;
  S.TID = Who.TID;
  S.Time = Who.Time;
  S.CPU = Who.CPU;
  if (auto Its = CGroups.find(Who.CGroup); Its != CGroups.end())
    S.CGroup = Its->second;
  S.Event = Index;
  S.Period = Period;
  for (const Frame &F : Stack)
    S.Stack.push_back(F.Location);
  Samples.add(S);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// The parts of the recording that a profile cannot contain, for a message.
std::string PerfDataReader::unusedParts() const {
  std::vector<StringRef> Parts;
  auto AddIf = [&](StringRef Part, auto Has) {
    if (any_of(File.events(), Has))
      Parts.push_back(Part);
  };
  AddIf("the data of tracepoints",
        [](const PerfEvent &E) { return E.has(perf::Raw); });
  AddIf("the branches taken", [](const PerfEvent &E) {
    return E.has(perf::BranchStack) && !(E.BranchType & perf::BranchCallStack);
  });
  AddIf("the registers at interrupts",
        [](const PerfEvent &E) { return E.has(perf::RegistersInterrupt); });
  if (Lost.Traces)
    Parts.push_back("the traces of processors");
  return join(Parts, ", ");
}

void PerfDataReader::report(const PerfRecordReader &Records) {
  auto WarnIf = [&](uint64_t Count, const Twine &Text) {
    if (Count != 0)
      Warn(Name + ": " + Twine(Count) + " " + Text);
  };
  if (!Records.problem().empty())
    Warn(Name + ": " + Records.problem() + ", and left out with all after it");
  WarnIf(Lost.Malformed, "malformed records are left out");
  WarnIf(Lost.LostRecords, "records were lost while perf recorded");
  WarnIf(Lost.UnknownEvents,
         "samples belong to events that it does not describe");
  WarnIf(Lost.UnfinishedStacks,
         "stacks end in the kernel: their part in user space is missing");
  WarnIf(Lost.BrokenStacks, "stacks end at a number that cannot be an address");
  WarnIf(Lost.GuestFrames, "addresses in programs of guests are not "
                           "symbolized: recordings do not have their mappings");
  WarnIf(Lost.UnknownMachines,
         "stacks are not unwound: their registers are not known");
  Stacks.report(Name, Warn);
  WarnIf(Spaces.skipped(), "mappings of too many processes are left out");
  if (std::string Unused = unusedParts(); !Unused.empty())
    Warn(Name + ": not used: " + Unused);
}

} // namespace lidia
