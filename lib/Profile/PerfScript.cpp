//===- PerfScript.cpp - The text of perf script ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfScript.h"
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

/// The kernel limits names of programs to 15 bytes; perf makes up longer ones.
static constexpr size_t MaxComm = 64;
static constexpr StringLiteral Blank = " \t";

PerfScriptReader::PerfScriptReader(bool KeepsEvents) {
  Samples.KeepsEvents = KeepsEvents;
}

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

static bool consumeHex(StringRef &Text, uint64_t &Value) {
  Text.consume_front("0x");
  return !Text.consumeInteger(16, Value);
}

/// Reads " 12/12: [0x7f00(0x1000) @ 0x10 fe:00 2 3]: r-xp /lib/x.so". A build
/// ID in angle brackets may replace device and inode.
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
  // Ignore mappings without code.
  if (!Rights.contains('x'))
    return true;
  StringRef BuildID;
  if (Rest.consume_front(" <") && Rest.consume_back(">"))
    BuildID = Rest;
  bool IsKernel = PID < 0;
  PerfSpace *To = IsKernel ? &Kernel : Spaces.forChange(uint32_t(PID));
  if (!To)
    return true;
  Profile::Mapping M;
  M.Start = Begin;
  M.Limit = Begin + Size;
  M.Offset = Offset;
  M.File = P.Strings.intern(File);
  M.BuildID = P.Strings.intern(BuildID);
  Samples.map(*To, M);
  return true;
}

/// Reads "(12:13):(10:10)", the child and its parent.
bool PerfScriptReader::readFork(StringRef Fields) {
  uint32_t Child = 0;
  uint32_t Parent = 0;
  if (!Fields.consume_front("(") || Fields.consumeInteger(10, Child))
    return false;
  Fields = Fields.split("):(").second;
  if (Fields.consumeInteger(10, Parent))
    return false;
  Spaces.fork(Child, Parent);
  return true;
}

/// Reads " exec: name:12/12"; without "exec", only the name changed.
bool PerfScriptReader::readExec(StringRef Fields) {
  if (!Fields.consume_front(" exec:"))
    return true;
  uint32_t PID = 0;
  if (Fields.rsplit(':').second.consumeInteger(10, PID))
    return false;
  Spaces.exec(PID);
  return true;
}

/// The text after "PERF_RECORD_" in the line of a record; empty if it is not a
/// record. A program may be named "PERF_RECORD_", but not like a whole record,
/// because the kernel limits names of programs to 15 bytes.
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

/// Reads the line if it is a record of perf, and not a sample.
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
  Samples.addBuildID(Path, ID);
  return true;
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

uint32_t PerfScriptReader::addLocation(const Readings &At,
                                       ArrayRef<Profile::StringID> Names) {
  auto [It, New] = LocationIndices.try_emplace(
      std::make_tuple(At.AsOffset, At.AsAddress, Names.back()),
      uint32_t(P.Locations.size()));
  if (New) {
    PlacesAsAddress.push_back(At.AsAddress);
    return Samples.appendLocation(At.AsOffset.first, At.AsOffset.second, Names);
  }
  // perf names no inlined functions in a sample without a stack.
  if (P.Locations[It->second].LineCount < Names.size())
    Samples.setNames(P.Locations[It->second], Names);
  return It->second;
}

/// Adds a frame of the sample, with the functions \p Names, innermost first.
void PerfScriptReader::addFrame(const FrameNumbers &At, StringRef File,
                                bool IsInStack,
                                ArrayRef<Profile::StringID> Names) {
  // The innermost frames of the kernel and of the program are where execution
  // was interrupted; the others are return addresses.
  bool IsKernel = At.Address >> 63;
  bool IsCaller = !Sample.Stack.empty() && IsKernel == Sample.LastWasKernel;
  Sample.LastWasKernel = IsKernel;
  uint64_t Address = At.Address - (IsCaller && At.Address != 0);
  Readings Place;
  if (At.FileOffset && !IsKernel)
    Place =
        resolveOffset(*At.FileOffset - (IsCaller && *At.FileOffset != 0), File);
  else
    Place = resolve(Address, File, IsInStack);
  Sample.Stack.push_back(addLocation(Place, Names));
}

/// Adds the functions that perf printed as inlined, if no line named the
/// function that contains them: perf prints all as inlined if the debug
/// information and the symbol disagree about its name.
void PerfScriptReader::endInlined() {
  if (Sample.Inlined.empty())
    return;
  std::vector<Profile::StringID> Names = std::move(Sample.Inlined);
  Sample.Inlined.clear();
  addFrame({Sample.InlinedAt, std::nullopt}, "", /*IsInStack=*/true, Names);
}

/// Reads "7f12 symbol+0x1 (file)", where perf prints "[unknown]" for unknown
/// parts.
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
  // The field dsoff of newer versions.
  auto [Path, OffsetText] = File.rsplit("+0x");
  uint64_t FileOffset = 0;
  bool HasOffset = !OffsetText.getAsInteger(16, FileOffset);
  if (HasOffset)
    File = Path;
  if (File == "[unknown]")
    File = "";
  auto [Function, Offset] = Symbol.trim().rsplit("+0x");
  if (all_of(Offset, [](char C) { return isHexDigit(C); }))
    Symbol = Function;
  Symbol = Symbol.trim();
  if (Symbol == "[unknown]")
    Symbol = "";

  Profile::StringID Name = P.Strings.intern(Symbol);
  bool IsSamePlace = !Sample.Inlined.empty() && Address == Sample.InlinedAt;
  if (!IsSamePlace)
    endInlined();
  if (File == "inlined") {
    Sample.InlinedAt = Address;
    Sample.Inlined.push_back(Name);
    return true;
  }
  std::vector<Profile::StringID> Names = std::move(Sample.Inlined);
  Sample.Inlined.clear();
  Names.push_back(Name);
  FrameNumbers At = {Address, std::nullopt};
  if (HasOffset)
    At.FileOffset = FileOffset;
  addFrame(At, File, IsInStack, Names);
  return true;
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// Takes the first word of \p Line.
static StringRef takeWord(StringRef &Line) {
  Line = Line.ltrim(Blank);
  StringRef Word =
      Line.take_until([](char C) { return C == ' ' || C == '\t'; });
  Line = Line.drop_front(Word.size());
  return Word;
}

/// Reads "12" or "12/13".
static bool readProcess(StringRef Word, uint32_t &PID, uint32_t &TID) {
  if (Word.consumeInteger(10, PID))
    return false;
  TID = PID;
  return Word.empty() || (Word.consume_front("/") &&
                          !Word.consumeInteger(10, TID) && Word.empty());
}

/// Whether the word looks like "12.345678:", seconds.
static bool isTime(StringRef Word) {
  return Word.consume_back(":") && Word.contains('.') &&
         all_of(Word, [](char C) { return isDigit(C) || C == '.'; });
}

/// The nanoseconds of what isTime(); zero if they are too many.
static uint64_t readTime(StringRef Word) {
  auto [Seconds, Fraction] = Word.drop_back().split('.');
  uint64_t Whole = 0;
  uint64_t Nanoseconds = 0;
  std::string Digits = Fraction.take_front(9).str();
  Digits.resize(9, '0');
  if (Seconds.getAsInteger(10, Whole) || Whole > UINT64_MAX / 2000000000 ||
      StringRef(Digits).getAsInteger(10, Nanoseconds))
    return 0;
  return Whole * 1000000000 + Nanoseconds;
}

/// Takes "[cpu] time: period event:" from \p Line. All parts but the event are
/// optional. Empty if there is no event.
static StringRef readEvent(StringRef &Line, uint64_t &Period, uint64_t &Time,
                           uint32_t &CPU) {
  for (unsigned Words = 0; Words != 5; ++Words) {
    StringRef Word = takeWord(Line);
    uint64_t Number = 0;
    if (!Word.getAsInteger(10, Number))
      Period = Number;
    else if (isTime(Word))
      Time = readTime(Word);
    else if (Word.size() > 1 && Word.ends_with(":"))
      return Word.drop_back();
    else if (!Word.consume_front("[") || !Word.consume_back("]"))
      break;
    else if (!Word.getAsInteger(10, Number) && Number < UINT32_MAX)
      CPU = uint32_t(Number);
  }
  return "";
}

/// Whether the header \p Line begins with the process, because the program has
/// an empty name. A number before the process is the program's name.
static bool hasNoComm(StringRef Line) {
  uint32_t PID = 0;
  uint32_t TID = 0;
  bool IsIndented = Line.starts_with(" ");
  return IsIndented && readProcess(takeWord(Line), PID, TID) &&
         !readProcess(takeWord(Line), PID, TID);
}

/// Names of programs may contain blanks and numbers, so the process is the
/// first number that is followed by an event.
bool PerfScriptReader::readHeader(StringRef Line) {
  StringRef Trimmed = Line.ltrim(Blank);
  StringRef Rest = Trimmed;
  if (!hasNoComm(Line))
    takeWord(Rest);
  while (!Rest.empty()) {
    StringRef Comm =
        Trimmed.take_front(Trimmed.size() - Rest.size()).rtrim(Blank);
    if (Comm.size() > MaxComm)
      return false;
    uint32_t PID = 0;
    uint32_t TID = 0;
    if (!readProcess(takeWord(Rest), PID, TID))
      continue;
    StringRef Behind = Rest;
    uint64_t Period = 1;
    uint64_t Time = 0;
    uint32_t CPU = Profile::None;
    StringRef Event = readEvent(Behind, Period, Time, CPU);
    if (Event.empty())
      continue;
    Sample.IsOpen = true;
    // The name that perf prints for a process without a known name.
    Sample.CommText = Comm.empty() ? ":" + utostr(PID) : Comm.str();
    Sample.PID = PID;
    Sample.TID = TID;
    Sample.Time = Time;
    Sample.CPU = CPU;
    Sample.Period = Period;
    Sample.Event = Samples.eventIndex(Event);
    Sample.Stack.clear();
    Sample.Inlined.clear();
    Sample.LastWasKernel = false;
    // Without stacks, the address follows on this line. Trace data may follow,
    // too.
    if (!Behind.trim().empty())
      readFrame(Behind, /*IsInStack=*/false);
    return true;
  }
  return false;
}

void PerfScriptReader::endSample() {
  if (!Sample.IsOpen)
    return;
  endInlined();
  Sample.IsOpen = false;
  PerfProfile::Sample S;
  S.Comm = P.Strings.intern(Sample.CommText);
  S.PID = Sample.PID;
  S.TID = Sample.TID;
  S.Time = Sample.Time;
  S.CPU = Sample.CPU;
  S.Event = Sample.Event;
  S.Period = Sample.Period;
  std::swap(S.Stack, Sample.Stack);
  Samples.add(S);
}

void PerfScriptReader::readLine(StringRef Line) {
  ++Lines;
  Spaces.countInput();
  P.FileSize += Line.size() + 1;
  Line = Line.rtrim("\r\n");
  if (Line.empty())
    return endSample();
  if (Line[0] == '#') {
    if (Line.consume_front("# perf version : "))
      readVersion(Line);
    else if (Line.consume_front("# event : name = "))
      EventNames.push_back(
          Line.take_until([](char C) { return C == ','; }).str());
    return;
  }
  // A program's name may look like anything, but only frames begin with a tab.
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

Expected<Profile> PerfScriptReader::finish(StringRef Name,
                                           WarningFunction Warn) {
  endSample();
  if (MalformedLines)
    Warn(Name + ": line " + Twine(FirstMalformed) +
         " is not understood and left out" +
         (MalformedLines == 1
              ? ""
              : ", and " + Twine(MalformedLines - 1) + " others"));
  if (Spaces.skipped())
    Warn(Name + ": " + Twine(Spaces.skipped()) +
         " mappings of too many processes are left out");
  Samples.orderEvents(EventNames);
  if (Error E = Samples.finishSamples(Name, Warn))
    return E;
  settleLocations(frameForm(Name, Warn));
  Samples.finishMappings();
  return std::move(P);
}

bool recognisePerfScript(StringRef Bytes) {
  constexpr size_t Start = 4096;
  return !Bytes.take_front(Start).contains('\0');
}

bool hasPerfScriptSample(StringRef Text) {
  constexpr size_t Start = 64 * 1024;
  PerfScriptReader Reader;
  StringRef Left = Text.take_front(Start);
  // The last line may be truncated.
  if (Left.size() != Text.size())
    Left = Left.take_front(Left.rfind('\n') + 1);
  while (!Left.empty()) {
    auto [Line, Rest] = Left.split('\n');
    Reader.readLine(Line);
    Left = Rest;
  }
  Expected<Profile> P = Reader.finish("", [](const Twine &) {});
  if (P)
    return !P->Locations.empty();
  consumeError(P.takeError());
  return false;
}

Error readPerfScript(std::unique_ptr<MemoryBuffer> Bytes,
                     const ProfileReadOptions &Options, WarningFunction Warn,
                     ProfileFile &Into) {
  PerfScriptReader Reader(Options.needsEvents());
  for (StringRef Left = Bytes->getBuffer(); !Left.empty();) {
    auto [Line, Rest] = Left.split('\n');
    Reader.readLine(Line);
    Left = Rest;
  }
  return Reader.finish(Bytes->getBufferIdentifier(), Warn).moveInto(Into.Other);
}

} // namespace lidia
