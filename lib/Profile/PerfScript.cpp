//===- PerfScript.cpp - The text of perf script ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Profile/PerfScript.h"
#include "ProfileFormats.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

/// Each has a value in each sample.
static constexpr size_t MostEvents = 16;
/// The kernel's names of programs have 15 bytes; perf makes up longer ones.
static constexpr size_t MostComm = 64;
static constexpr StringLiteral Blank = " \t";

PerfScriptReader::PerfScriptReader() = default;

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

uint32_t PerfScriptReader::addMapping(uint64_t Start, uint64_t Limit,
                                      uint64_t Offset, StringRef File,
                                      StringRef BuildID) {
  Profile::Mapping M;
  M.Start = Start;
  M.Limit = Limit;
  M.Offset = Offset;
  M.File = P.Strings.intern(File);
  M.BuildID = P.Strings.intern(BuildID);
  auto [It, New] = MappingIndices.try_emplace(
      MappingKey(Start, Limit, Offset, M.File, M.BuildID),
      uint32_t(P.Mappings.size()));
  if (New)
    P.Mappings.push_back(M);
  return It->second;
}

/// A new mapping takes the place of those that it overlaps.
void PerfScriptReader::addToSpace(Space &To, uint64_t Begin, uint64_t End,
                                  uint32_t Mapping) {
  auto First = To.upper_bound(Begin);
  if (First != To.begin() && std::prev(First)->second.End > Begin) {
    Mapped Before = std::prev(First)->second;
    std::prev(First)->second.End = Begin;
    if (Before.End > End)
      First = To.insert({End, Before}).first;
  }
  while (First != To.end() && First->first < End) {
    Mapped Rest = First->second;
    First = To.erase(First);
    if (Rest.End > End) {
      To.insert({End, Rest});
      break;
    }
  }
  To[Begin] = {End, Mapping};
}

/// The mappings of \p PID, which it may share with the process that it was
/// forked from; null if copying them would go too far.
PerfScriptReader::Space *PerfScriptReader::spaceForChange(uint32_t PID) {
  std::shared_ptr<Space> &Its = Spaces[PID];
  if (!Its)
    Its = std::make_shared<Space>();
  if (Its.use_count() > 1) {
    // Real processes map some hundred files after a fork.
    if (Copied + Its->size() > 1000000 + 16 * Lines)
      return nullptr;
    Copied += Its->size();
    Its = std::make_shared<Space>(*Its);
  }
  return Its.get();
}

static bool consumeHex(StringRef &Text, uint64_t &Value) {
  Text.consume_front("0x");
  return !Text.consumeInteger(16, Value);
}

/// " 12/12: [0x7f00(0x1000) @ 0x10 fe:00 2 3]: r-xp /lib/x.so"; a build ID in
/// angle brackets may stand for the device and inode.
bool PerfScriptReader::readMap(StringRef Fields) {
  Fields = Fields.ltrim();
  int64_t PID = 0;
  uint64_t Begin = 0;
  uint64_t Size = 0;
  uint64_t Offset = 0;
  if (Fields.consumeInteger(10, PID) || !Fields.consume_front("/"))
    return false;
  Fields = Fields.drop_until([](char C) { return C == '['; });
  if (!Fields.consume_front("[") || !consumeHex(Fields, Begin) ||
      !Fields.consume_front("(") || !consumeHex(Fields, Size) ||
      !Fields.consume_front(") @ ") || !consumeHex(Fields, Offset))
    return false;
  auto [Rest, Named] = Fields.split("]: ");
  auto [Rights, File] = Named.split(' ');
  if (File.empty() || Size == 0 || Begin + Size < Begin)
    return false;
  // Data has no code.
  if (!Rights.contains('x'))
    return true;
  StringRef BuildID;
  if (Rest.consume_front(" <") && Rest.consume_back(">"))
    BuildID = Rest;
  bool IsKernel = PID < 0;
  Space *To = IsKernel ? &Kernel : spaceForChange(uint32_t(PID));
  if (!To) {
    ++SkippedMappings;
    return true;
  }
  addToSpace(*To, Begin, Begin + Size,
             addMapping(Begin, Begin + Size, Offset, File, BuildID));
  return true;
}

/// "(12:13):(10:10)", the child and its parent.
bool PerfScriptReader::readFork(StringRef Fields) {
  uint32_t Child = 0;
  uint32_t Parent = 0;
  if (!Fields.consume_front("(") || Fields.consumeInteger(10, Child))
    return false;
  Fields = Fields.split("):(").second;
  if (Fields.consumeInteger(10, Parent))
    return false;
  // Else it is a thread.
  auto Its = Spaces.find(Parent);
  if (Child != Parent && Its != Spaces.end())
    Spaces[Child] = Its->second;
  return true;
}

/// " exec: name:12/12"; without "exec" only the name changed.
bool PerfScriptReader::readExec(StringRef Fields) {
  if (!Fields.consume_front(" exec:"))
    return true;
  uint32_t PID = 0;
  if (Fields.rsplit(':').second.consumeInteger(10, PID))
    return false;
  Spaces.erase(PID);
  return true;
}

/// What follows "PERF_RECORD_" in the line of a record; empty if it is none. A
/// program may be called "PERF_RECORD_", but not by the whole name of a record:
/// the kernel's names of programs have 15 bytes.
static StringRef recordIn(StringRef Line) {
  constexpr StringLiteral Prefix = "PERF_RECORD_";
  for (size_t At = Line.find(Prefix); At != StringRef::npos;
       At = Line.find(Prefix, At + 1)) {
    StringRef Record = Line.substr(At + Prefix.size());
    if (Record.take_while(isUpper).size() >= 4)
      return Record;
  }
  return "";
}

/// Whether the line is a record of perf's, not a sample.
bool PerfScriptReader::readRecord(StringRef Line) {
  StringRef Record = recordIn(Line);
  if (Record.empty())
    return false;
  bool IsWhole = true;
  if (Record.consume_front("MMAP2") || Record.consume_front("MMAP"))
    IsWhole = readMap(Record);
  else if (Record.consume_front("FORK"))
    IsWhole = readFork(Record);
  else if (Record.consume_front("COMM"))
    IsWhole = readExec(Record);
  if (!IsWhole && MalformedLines++ == 0)
    FirstMalformed = Lines;
  return true;
}

bool PerfScriptReader::readBuildID(StringRef Line) {
  auto [ID, Path] = Line.split(' ');
  if (ID.size() < 16 || ID.size() > 128 || Path.empty() ||
      !all_of(ID, [](char C) { return isHexDigit(C); }))
    return false;
  auto [It, New] = BuildIDs.try_emplace(Path, ID.str());
  // Two files have had this path.
  if (!New && It->second != ID)
    It->second.clear();
  return true;
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

uint32_t PerfScriptReader::addLocation(const Readings &At, StringRef Symbol) {
  Profile::StringID Name = P.Strings.intern(Symbol);
  auto [It, New] = LocationIndices.try_emplace(
      std::make_tuple(At.AsOffset, At.AsAddress, Name),
      uint32_t(P.Locations.size()));
  if (!New)
    return It->second;
  PlacesAsAddress.push_back(At.AsAddress);
  Profile::Location L;
  std::tie(L.Mapping, L.Address) = At.AsOffset;
  if (!Symbol.empty()) {
    Profile::Function F;
    F.Name = F.SystemName = Name;
    auto [Its, IsNew] =
        FunctionIndices.try_emplace(F.Name, uint32_t(P.Functions.size()));
    if (IsNew)
      P.Functions.push_back(F);
    L.FirstLine = uint32_t(P.Lines.size());
    L.LineCount = 1;
    L.IsProvisional = true;
    P.Lines.push_back({Its->second, 0, 0});
  }
  P.Locations.push_back(L);
  return It->second;
}

/// "7f12 symbol+0x1 (file)"; perf writes "[unknown]" for what it does not know.
bool PerfScriptReader::readFrame(StringRef Line, bool IsInStack) {
  Line = Line.trim();
  uint64_t Address = 0;
  if (Line.consumeInteger(16, Address) || (!Line.empty() && Line[0] != ' '))
    return false;
  Line = Line.trim();
  StringRef File;
  StringRef Symbol = Line;
  if (Line.ends_with(")")) {
    StringRef Text = Line.drop_back();
    StringRef Path = Text;
    Path.consume_back(" (deleted)");
    size_t Open = Path.rfind(" (");
    if (Open != StringRef::npos) {
      File = Text.substr(Open + 2);
      Symbol = Text.take_front(Open);
    } else if (Text.consume_front("(")) {
      File = Text;
      Symbol = "";
    }
  }
  // The location has it, too; what is inlined there is found again.
  if (File == "inlined")
    return true;
  // The field dsoff, which newer versions know.
  auto [Path, OffsetText] = File.rsplit("+0x");
  uint64_t FileOffset = 0;
  bool HasOffset = !OffsetText.getAsInteger(16, FileOffset);
  if (HasOffset)
    File = Path;
  if (File == "[unknown]")
    File = "";
  auto [Name, Offset] = Symbol.trim().rsplit("+0x");
  if (all_of(Offset, [](char C) { return isHexDigit(C); }))
    Symbol = Name;
  Symbol = Symbol.trim();
  if (Symbol == "[unknown]")
    Symbol = "";

  // The innermost frame of the kernel and that of the program are where they
  // were interrupted; the others will go on after a call.
  bool IsKernel = Address >> 63;
  bool IsCaller = !Sample.Stack.empty() && IsKernel == Sample.LastWasKernel;
  Sample.LastWasKernel = IsKernel;
  if (IsCaller && Address != 0)
    --Address;
  if (IsCaller && FileOffset != 0)
    --FileOffset;
  Sample.Stack.push_back(addLocation(HasOffset && !IsKernel
                                         ? resolveOffset(FileOffset, File)
                                         : resolve(Address, File, IsInStack),
                                     Symbol));
  return true;
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

uint32_t PerfScriptReader::eventIndex(StringRef Name) {
  auto Known = find(Events, Name);
  if (Known == Events.end() && Events.size() < MostEvents) {
    Events.push_back(Name.str());
    Known = std::prev(Events.end());
  }
  return uint32_t(Known - Events.begin());
}

/// Takes the first word of \p Line.
static StringRef takeWord(StringRef &Line) {
  Line = Line.ltrim(Blank);
  StringRef Word =
      Line.take_until([](char C) { return C == ' ' || C == '\t'; });
  Line = Line.drop_front(Word.size());
  return Word;
}

/// "12" or "12/13".
static bool readProcess(StringRef Word, uint32_t &PID) {
  if (Word.consumeInteger(10, PID))
    return false;
  uint32_t TID = 0;
  return Word.empty() || (Word.consume_front("/") &&
                          !Word.consumeInteger(10, TID) && Word.empty());
}

/// "12.345678:".
static bool isTime(StringRef Word) {
  return Word.consume_back(":") && Word.contains('.') &&
         all_of(Word, [](char C) { return isDigit(C) || C == '.'; });
}

/// Takes "[cpu] time: period event:" from \p Line, of which only the event must
/// be there. Empty if it is not.
static StringRef readEvent(StringRef &Line, uint64_t &Period) {
  for (unsigned Words = 0; Words != 5; ++Words) {
    StringRef Word = takeWord(Line);
    uint64_t Number = 0;
    if (!Word.getAsInteger(10, Number))
      Period = Number;
    else if (Word.size() > 1 && Word.ends_with(":") && !isTime(Word))
      return Word.drop_back();
    else if (!isTime(Word) && !Word.starts_with("["))
      break;
  }
  return "";
}

/// Whether the header \p Line begins with the process: a program may have set
/// an empty name. Before the process a number is the program's name.
static bool hasNoComm(StringRef Line) {
  uint32_t PID = 0;
  bool IsIndented = Line.starts_with(" ");
  return IsIndented && readProcess(takeWord(Line), PID) &&
         !readProcess(takeWord(Line), PID);
}

/// Names of programs may contain blanks and numbers, so the process is the
/// first number after which there is an event.
bool PerfScriptReader::readHeader(StringRef Line) {
  StringRef Trimmed = Line.ltrim(Blank);
  StringRef Rest = Trimmed;
  if (!hasNoComm(Line))
    takeWord(Rest);
  while (!Rest.empty()) {
    StringRef Comm =
        Trimmed.take_front(Trimmed.size() - Rest.size()).rtrim(Blank);
    if (Comm.size() > MostComm)
      return false;
    uint32_t PID = 0;
    if (!readProcess(takeWord(Rest), PID))
      continue;
    StringRef Behind = Rest;
    uint64_t Period = 1;
    StringRef Event = readEvent(Behind, Period);
    if (Event.empty())
      continue;
    Sample.IsOpen = true;
    // As perf names a process whose name it does not know.
    Sample.CommText = Comm.empty() ? ":" + utostr(PID) : Comm.str();
    Sample.PID = PID;
    Sample.Period = Period;
    Sample.Event = eventIndex(Event);
    Sample.Stack.clear();
    Sample.LastWasKernel = false;
    // Without stacks the address stands here; trace data may, too.
    if (!Behind.trim().empty())
      readFrame(Behind, /*IsInStack=*/false);
    return true;
  }
  return false;
}

void PerfScriptReader::endSample() {
  if (!Sample.IsOpen)
    return;
  Sample.IsOpen = false;
  if (Sample.Event == MostEvents) {
    ++SkippedEvents;
    return;
  }
  std::vector<uint32_t> Key = Sample.Stack;
  Profile::StringID Comm = P.Strings.intern(Sample.CommText);
  append_values(Key, Comm, Sample.PID, Sample.Event);
  auto [It, New] = SampleIndices.try_emplace(
      StringRef(reinterpret_cast<const char *>(Key.data()),
                Key.size() * sizeof(uint32_t)),
      uint32_t(P.Samples.size()));
  if (New) {
    Profile::Sample S;
    S.FirstLocation = uint32_t(P.StackLocations.size());
    S.LocationCount = uint32_t(Sample.Stack.size());
    S.FirstLabel = uint32_t(P.Labels.size());
    S.LabelCount = 2;
    append_range(P.StackLocations, Sample.Stack);
    Profile::Label Label;
    Label.Key = P.Strings.intern("comm");
    Label.Text = Comm;
    P.Labels.push_back(Label);
    Label = {};
    Label.Key = P.Strings.intern("pid");
    Label.Number = Sample.PID;
    P.Labels.push_back(Label);
    P.Samples.push_back(S);
    Counts.push_back({Sample.Event, 0, 0});
  }
  ++Counts[It->second].Samples;
  // A profile's values have a sign.
  uint64_t &Sum = Counts[It->second].Periods;
  Sum = std::min(SaturatingAdd(Sum, Sample.Period), uint64_t(INT64_MAX));
}

void PerfScriptReader::readLine(StringRef Line) {
  ++Lines;
  P.FileSize += Line.size() + 1;
  Line = Line.rtrim("\r\n");
  if (Line.empty())
    return endSample();
  if (Line[0] == '#') {
    if (Line.consume_front("# perf version : "))
      readVersion(Line);
    return;
  }
  // A name may look like anything, but only frames begin with a tab.
  bool IsKnown =
      Sample.IsOpen && Line[0] == '\t' && readFrame(Line, /*IsInStack=*/true);
  if (!IsKnown && Line[0] != '\t') {
    endSample();
    IsKnown = readRecord(Line) || readBuildID(Line) || readHeader(Line);
  }
  if (!IsKnown && MalformedLines++ == 0)
    FirstMalformed = Lines;
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

/// cpu-clock and task-clock count nanoseconds.
static StringRef unitOf(StringRef Event) {
  StringRef Name = Event.split(':').first;
  return Name == "cpu-clock" || Name == "task-clock" ? "nanoseconds" : "count";
}

/// Keeps the mappings that locations are in, and puts that of the program
/// first, where readers of pprof's format expect it: of those that are named as
/// a process was, the one with the most locations.
void PerfScriptReader::dropUnusedMappings() {
  std::vector<uint32_t> Used(P.Mappings.size());
  for (const Profile::Location &L : P.Locations)
    if (L.Mapping != Profile::None)
      ++Used[L.Mapping];
  StringSet<> Comms;
  for (const Profile::Label &L : P.Labels)
    Comms.insert(P.Strings[L.Text]);
  auto Rank = [&](uint32_t I) {
    // The kernel's names of programs have 15 bytes.
    StringRef Name = sys::path::filename(P.Strings[P.Mappings[I].File]);
    return std::make_pair(Comms.contains(Name.take_front(15)), Used[I]);
  };
  std::vector<uint32_t> Order;
  for (uint32_t I = 0; I != Used.size(); ++I)
    if (Used[I] != 0)
      Order.push_back(I);
  auto First =
      std::max_element(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
        return Rank(A) < Rank(B);
      });
  if (First != Order.end())
    std::rotate(Order.begin(), First, std::next(First));
  std::vector<Profile::Mapping> Kept;
  for (uint32_t I : Order) {
    Kept.push_back(P.Mappings[I]);
    Used[I] = uint32_t(Kept.size() - 1);
  }
  P.Mappings = std::move(Kept);
  for (Profile::Location &L : P.Locations)
    if (L.Mapping != Profile::None)
      L.Mapping = Used[L.Mapping];
}

Expected<Profile> PerfScriptReader::finish(StringRef Name,
                                           WarningFunction Warn) {
  endSample();
  if (MalformedLines)
    Warn(Name + ": line " + Twine(FirstMalformed) +
         " is not understood and left out" +
         (MalformedLines == 1
              ? ""
              : ", and " + Twine(MalformedLines - 1) + " others"));
  if (SkippedEvents)
    Warn(Name + ": " + Twine(SkippedEvents) +
         " samples of more than 16 events are left out");
  if (SkippedMappings)
    Warn(Name + ": " + Twine(SkippedMappings) +
         " mappings of too many processes are left out");
  if (P.Samples.empty())
    return make_error<MissingInformationError>(
        Name, "there is no sample of perf in it");
  P.SampleTypes.push_back(
      {P.Strings.intern("samples"), P.Strings.intern("count")});
  for (StringRef Event : Events)
    P.SampleTypes.push_back(
        {P.Strings.intern(Event), P.Strings.intern(unitOf(Event))});
  // As perf report, which weighs samples by their periods.
  P.DefaultSampleType = 1;
  if (Error E = P.allotValues(P.Samples.size(), Name))
    return E;
  for (size_t I = 0; I != Counts.size(); ++I) {
    int64_t *Values = &P.Values[I * P.SampleTypes.size()];
    Values[0] = int64_t(Counts[I].Samples);
    Values[1 + Counts[I].Event] = int64_t(Counts[I].Periods);
  }
  settleLocations(frameForm(Name, Warn));
  dropUnusedMappings();
  for (Profile::Mapping &M : P.Mappings) {
    // A symbol follows the name of the kernel.
    constexpr StringLiteral KernelName = "[kernel.kallsyms]";
    StringRef File = P.Strings[M.File];
    bool IsKernel = File.starts_with(KernelName);
    auto Known = BuildIDs.find(IsKernel ? StringRef(KernelName) : File);
    if (M.BuildID == 0 && Known != BuildIDs.end())
      M.BuildID = P.Strings.intern(Known->second);
  }
  return std::move(P);
}

bool recognisePerfScript(StringRef Bytes) {
  constexpr size_t Start = 4096;
  return !Bytes.take_front(Start).contains('\0');
}

Error readPerfScript(std::unique_ptr<MemoryBuffer> Bytes,
                     const ProfileReadOptions &, WarningFunction Warn,
                     ProfileFile &Into) {
  PerfScriptReader Reader;
  for (StringRef Left = Bytes->getBuffer(); !Left.empty();) {
    auto [Line, Rest] = Left.split('\n');
    Reader.readLine(Line);
    Left = Rest;
  }
  return Reader.finish(Bytes->getBufferIdentifier(), Warn).moveInto(Into.Other);
}

} // namespace lidia
