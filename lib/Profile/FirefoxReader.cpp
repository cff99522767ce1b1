//===- FirefoxReader.cpp - Profiles of Firefox Profiler and samply --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the processed format that Firefox.cpp writes, in all versions that
// samply has written. Tables are in each thread or, in newer versions, in
// "shared". Addresses count from the image base of a library; those of callers
// are within the call instruction.
//
//===----------------------------------------------------------------------===//

#include "JSONTree.h"
#include "ProfileFormats.h"
#include "SamplySymbols.h"
#include "Support/StableSort.h"
#include "lidia/Error.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Null if \p Of is no object or lacks the member.
static const JSONNode *member(const JSONNode *Of, StringRef Name) {
  return Of ? Of->member(Name) : nullptr;
}

static std::optional<StringRef> textOf(const JSONNode *N) {
  return N ? N->text() : std::nullopt;
}

static std::optional<double> numberOf(const JSONNode *N) {
  return N ? N->number() : std::nullopt;
}

/// \p Number rounded, within the bounds of the type.
static int64_t rounded(double Number) {
  if (!(Number > -0x1p63))
    return INT64_MIN;
  return Number < 0x1p63 ? int64_t(std::llround(Number)) : INT64_MAX;
}

namespace {
/// A column of a table: an array, or nothing.
class Column {
public:
  explicit Column(const JSONNode *N = nullptr)
      : Rows(N ? N->elements() : ArrayRef<JSONNode>()),
        IsThere(N && N->isArray()) {}

  explicit operator bool() const { return IsThere; }
  size_t size() const { return Rows.size(); }
  const JSONNode *operator[](uint64_t Row) const {
    return Row < Rows.size() ? &Rows[Row] : nullptr;
  }
  std::optional<StringRef> text(uint64_t Row) const {
    return textOf((*this)[Row]);
  }
  std::optional<double> number(uint64_t Row) const {
    return numberOf((*this)[Row]);
  }
  std::optional<uint64_t> address(uint64_t Row) const {
    const JSONNode *N = (*this)[Row];
    return N ? N->unsignedNumber() : std::nullopt;
  }
  /// A number of a row, a line and so on; none if it is missing or too large.
  std::optional<uint32_t> index(uint64_t Row) const {
    std::optional<uint64_t> Number = address(Row);
    return Number && *Number < UINT32_MAX
               ? std::optional<uint32_t>(uint32_t(*Number))
               : std::nullopt;
  }

private:
  ArrayRef<JSONNode> Rows;
  bool IsThere;
};

/// The tables that a thread uses, its own or those of all threads.
struct ThreadTables {
  ThreadTables(const JSONNode &Thread, const JSONNode *Shared);

  Column Strings;
  Column FrameAddress, FrameDepth, FrameFunction, FrameLine, FrameColumn,
      FrameSymbol;
  Column FunctionName, FunctionResource, FunctionFile, FunctionLine;
  Column StackPrefix, StackFrame;
  Column ResourceLibrary;
  Column SymbolLibrary;
};

/// Fills a profile.
class FirefoxReader {
public:
  FirefoxReader(Profile &P, const JSONNode &Root, StringRef Name,
                bool KeepsEvents)
      : P(P), Root(Root), Name(Name), KeepsEvents(KeepsEvents),
        Libraries(member(&Root, "libs")), Shared(member(&Root, "shared")) {}

  Error read(WarningFunction Warn);
  /// The mappings, by the debug IDs of their libraries.
  std::vector<std::pair<DebugID, uint32_t>> modules() const;

private:
  /// What is known of a thread's rows.
  struct ThreadRows {
    DenseMap<uint32_t, uint32_t> SampleOfStack;
    uint32_t FirstLabel = 0;
    uint32_t LabelCount = 0;
    uint32_t TID = 0;
  };

  void readTypes();
  void readThread(const JSONNode &Thread);
  void addLabels(const JSONNode &Thread, ThreadRows &Rows);
  void addLabel(StringRef Key, const JSONNode *Value);
  std::optional<uint32_t> sampleOf(const ThreadTables &T, ThreadRows &Rows,
                                   std::optional<uint32_t> Stack);
  bool addStack(const ThreadTables &T, uint32_t Stack);
  uint32_t locationOf(const ThreadTables &T, ArrayRef<uint32_t> Frames);
  uint32_t mappingOf(const ThreadTables &T, uint32_t Frame);
  void addLine(const ThreadTables &T, uint32_t Frame, bool IsNative);
  void addEvent(double Time, int64_t Value, uint32_t Sample, uint32_t TID);
  /// In nanoseconds since 1970. \p Milliseconds count from the start.
  int64_t timeOf(double Milliseconds) const {
    int64_t Time;
    return AddOverflow(StartTime, rounded(Milliseconds * 1e6), Time) ? 0 : Time;
  }
  Profile::StringID string(const ThreadTables &T,
                           std::optional<uint32_t> Index) {
    return Index ? P.Strings.intern(T.Strings.text(*Index).value_or("")) : 0;
  }

  Profile &P;
  const JSONNode &Root;
  const StringRef Name;
  const bool KeepsEvents;
  const Column Libraries;
  const JSONNode *const Shared;
  /// In nanoseconds since 1970.
  int64_t StartTime = 0;
  /// Whether weights are milliseconds.
  bool WeightIsTime = false;
  std::vector<int64_t> Values;
  /// By the bytes of the thread's frames, for the thread that is read.
  StringMap<uint32_t> Locations;
  /// By name, file and line.
  DenseMap<std::pair<Profile::StringID, Profile::StringID>, uint32_t> Functions;
  /// Of the libraries.
  DenseMap<uint32_t, uint32_t> Mappings;
  double FirstTime = INFINITY, LastTime = -INFINITY;
  uint64_t LeftOut = 0;
};
} // namespace

ThreadTables::ThreadTables(const JSONNode &Thread, const JSONNode *Shared) {
  auto Table = [&](StringRef Name) {
    const JSONNode *Own = member(&Thread, Name);
    return Own ? Own : member(Shared, Name);
  };
  auto ColumnsOf = [&](StringRef Name,
                       ArrayRef<std::pair<StringRef, Column *>> Columns) {
    const JSONNode *Its = Table(Name);
    for (const auto &[Key, To] : Columns)
      *To = Column(member(Its, Key));
  };
  for (StringRef Key : {"stringArray", "stringTable"})
    if (!Strings)
      Strings = Column(Table(Key));
  ColumnsOf("frameTable", {{"address", &FrameAddress},
                           {"inlineDepth", &FrameDepth},
                           {"func", &FrameFunction},
                           {"line", &FrameLine},
                           {"column", &FrameColumn},
                           {"nativeSymbol", &FrameSymbol}});
  ColumnsOf("funcTable", {{"name", &FunctionName},
                          {"resource", &FunctionResource},
                          {"fileName", &FunctionFile},
                          {"lineNumber", &FunctionLine}});
  ColumnsOf("stackTable", {{"prefix", &StackPrefix}, {"frame", &StackFrame}});
  ColumnsOf("resourceTable", {{"lib", &ResourceLibrary}});
  ColumnsOf("nativeSymbols", {{"libIndex", &SymbolLibrary}});
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// The mapping of the library that has the code of \p Frame.
uint32_t FirefoxReader::mappingOf(const ThreadTables &T, uint32_t Frame) {
  std::optional<uint32_t> Library;
  if (std::optional<uint32_t> Symbol = T.FrameSymbol.index(Frame))
    Library = T.SymbolLibrary.index(*Symbol);
  if (std::optional<uint32_t> Function = T.FrameFunction.index(Frame);
      Function && !Library)
    if (auto Resource = T.FunctionResource.index(*Function))
      Library = T.ResourceLibrary.index(*Resource);
  if (!Library || !Libraries[*Library])
    return Profile::None;
  auto [It, New] = Mappings.try_emplace(*Library, uint32_t(P.Mappings.size()));
  if (!New)
    return It->second;
  const JSONNode *Its = Libraries[*Library];
  Profile::Mapping M;
  M.Limit = UINT64_MAX;
  M.IsRelative = true;
  for (StringRef Key : {"path", "debugPath", "name"})
    if (M.File == 0)
      M.File = P.Strings.intern(textOf(member(Its, Key)).value_or(""));
  // On Windows it is a time and a size, which are shorter.
  constexpr size_t LeastDigits = 16;
  if (StringRef ID = textOf(member(Its, "codeId")).value_or("");
      ID.size() >= LeastDigits && all_of(ID, isHexDigit))
    M.BuildID = P.Strings.intern(ID);
  P.Mappings.push_back(M);
  return It->second;
}

std::vector<std::pair<DebugID, uint32_t>> FirefoxReader::modules() const {
  std::vector<std::pair<DebugID, uint32_t>> Result;
  for (const auto &[Library, Mapping] : Mappings)
    if (auto ID = DebugID::parse(
            textOf(member(Libraries[Library], "breakpadId")).value_or("")))
      Result.push_back({*ID, Mapping});
  llvm::sort(Result,
             [](const auto &A, const auto &B) { return A.second < B.second; });
  return Result;
}

/// Whether \p Name is an address in place of a name.
static bool isAddress(StringRef Name) {
  return Name.consume_front("0x") && !Name.empty() && all_of(Name, isHexDigit);
}

/// Adds a line with the function of \p Frame, if it has one.
void FirefoxReader::addLine(const ThreadTables &T, uint32_t Frame,
                            bool IsNative) {
  std::optional<uint32_t> Index = T.FrameFunction.index(Frame);
  if (!Index)
    return;
  Profile::Function F;
  F.Name = F.SystemName = string(T, T.FunctionName.index(*Index));
  if (F.Name == 0 || (IsNative && isAddress(P.Strings[F.Name])))
    return;
  F.File = string(T, T.FunctionFile.index(*Index));
  F.StartLine = T.FunctionLine.index(*Index).value_or(0);
  auto [It, New] = Functions.try_emplace(std::pair(F.Name, F.File),
                                         uint32_t(P.Functions.size()));
  if (New)
    P.Functions.push_back(F);
  P.Lines.push_back({It->second, T.FrameLine.index(Frame).value_or(0),
                     T.FrameColumn.index(Frame).value_or(0)});
}

/// The location of \p Frames: one, and those that it is inlined into.
uint32_t FirefoxReader::locationOf(const ThreadTables &T,
                                   ArrayRef<uint32_t> Frames) {
  auto [It, New] = Locations.try_emplace(
      StringRef(reinterpret_cast<const char *>(Frames.data()),
                Frames.size() * sizeof(uint32_t)),
      uint32_t(P.Locations.size()));
  if (!New)
    return It->second;
  Profile::Location L;
  std::optional<uint64_t> Address = T.FrameAddress.address(Frames.front());
  if (Address)
    L.Mapping = mappingOf(T, Frames.front());
  L.Address = Address.value_or(0);
  L.FirstLine = uint32_t(P.Lines.size());
  for (uint32_t Frame : Frames)
    addLine(T, Frame, L.Mapping != Profile::None);
  L.LineCount = uint32_t(P.Lines.size()) - L.FirstLine;
  L.IsProvisional = L.LineCount != 0 && L.Mapping != Profile::None;
  P.Locations.push_back(L);
  return It->second;
}

/// Whether \p Frame is a call inlined into \p Outer: a frame of its own, with
/// the same address.
static bool isInlinedInto(const ThreadTables &T, uint32_t Frame,
                          uint32_t Outer) {
  uint64_t Address = T.FrameAddress.address(Frame).value_or(UINT64_MAX);
  uint64_t Depth = T.FrameDepth.index(Frame).value_or(0);
  return Depth != 0 && Address != UINT64_MAX &&
         Depth - 1 == T.FrameDepth.index(Outer).value_or(UINT32_MAX) &&
         Address == T.FrameAddress.address(Outer).value_or(UINT64_MAX);
}

/// Appends the locations of \p Stack. Returns false, and leaves the rest out,
/// if the stacks take much more than the file: each may share all of another.
bool FirefoxReader::addStack(const ThreadTables &T, uint32_t Stack) {
  const uint64_t MaxLocations = 1'000'000 + 16 * P.FileSize;
  SmallVector<uint32_t, 8> Inlined;
  std::optional<uint32_t> Row = Stack;
  while (Row) {
    std::optional<uint32_t> Frame = T.StackFrame.index(*Row);
    std::optional<uint32_t> Prefix = T.StackPrefix.index(*Row);
    // A caller is always before what it calls.
    Row = Prefix && *Prefix < *Row ? Prefix : std::nullopt;
    if (!Frame)
      continue;
    Inlined.push_back(*Frame);
    if (Row)
      if (auto Outer = T.StackFrame.index(*Row);
          Outer && isInlinedInto(T, *Frame, *Outer))
        continue;
    if (P.StackLocations.size() > MaxLocations)
      return false;
    P.StackLocations.push_back(locationOf(T, Inlined));
    Inlined.clear();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// The profile's sample with \p Stack in the thread of \p Rows; none if it is
/// left out.
std::optional<uint32_t> FirefoxReader::sampleOf(const ThreadTables &T,
                                                ThreadRows &Rows,
                                                std::optional<uint32_t> Stack) {
  // Numbers of rows that exist are no reserved keys.
  if (Stack && *Stack >= T.StackFrame.size())
    Stack = std::nullopt;
  auto [It, New] = Rows.SampleOfStack.try_emplace(
      Stack.value_or(UINT32_MAX - 2), uint32_t(P.Samples.size()));
  if (!New)
    return It->second == Profile::None ? std::nullopt
                                       : std::optional(It->second);
  Profile::Sample S;
  S.FirstLocation = uint32_t(P.StackLocations.size());
  if (Stack && !addStack(T, *Stack)) {
    P.StackLocations.resize(S.FirstLocation);
    It->second = Profile::None;
    return std::nullopt;
  }
  S.LocationCount = uint32_t(P.StackLocations.size()) - S.FirstLocation;
  S.FirstLabel = Rows.FirstLabel;
  S.LabelCount = Rows.LabelCount;
  P.Samples.push_back(S);
  Values.push_back(0);
  return It->second;
}

void FirefoxReader::addLabel(StringRef Key, const JSONNode *Value) {
  Profile::Label L;
  L.Key = P.Strings.intern(Key);
  StringRef Text = textOf(Value).value_or("");
  if (std::optional<double> Number = numberOf(Value))
    L.Number = rounded(*Number);
  else if (Text.empty())
    return;
  else if (Text.getAsInteger(10, L.Number))
    L.Text = P.Strings.intern(Text);
  P.Labels.push_back(L);
}

/// As perf's readers call them (SampleThread.cpp).
void FirefoxReader::addLabels(const JSONNode &Thread, ThreadRows &Rows) {
  Rows.FirstLabel = uint32_t(P.Labels.size());
  addLabel("comm", member(&Thread, "name"));
  addLabel("pid", member(&Thread, "pid"));
  addLabel("tid", member(&Thread, "tid"));
  addLabel("process.executable.name", member(&Thread, "processName"));
  Rows.LabelCount = uint32_t(P.Labels.size()) - Rows.FirstLabel;
}

void FirefoxReader::addEvent(double Time, int64_t Value, uint32_t Sample,
                             uint32_t TID) {
  FirstTime = std::min(FirstTime, Time);
  LastTime = std::max(LastTime, Time);
  if (!KeepsEvents)
    return;
  Profile::Event E;
  E.Time = uint64_t(std::max<int64_t>(timeOf(Time), 0));
  E.Value = Value;
  E.Sample = Sample;
  E.TID = TID;
  P.Events.push_back(E);
}

void FirefoxReader::readThread(const JSONNode &Thread) {
  const JSONNode *Samples = member(&Thread, "samples");
  Column Stacks(member(Samples, "stack")), Weights(member(Samples, "weight")),
      Times(member(Samples, "time")), Deltas(member(Samples, "timeDeltas"));
  const ThreadTables T(Thread, Shared);
  ThreadRows Rows;
  addLabels(Thread, Rows);
  Locations.clear();
  double Time = 0;
  for (size_t I = 0; I != Stacks.size(); ++I) {
    Time = Times ? Times.number(I).value_or(0)
                 : Time + Deltas.number(I).value_or(0);
    double Weight = Weights ? Weights.number(I).value_or(0) : 1;
    int64_t Value = rounded(WeightIsTime ? Weight * 1e6 : Weight);
    std::optional<uint32_t> Sample = sampleOf(T, Rows, Stacks.index(I));
    if (!Sample) {
      ++LeftOut;
      continue;
    }
    if (AddOverflow(Values[*Sample], Value, Values[*Sample]))
      Values[*Sample] = Value < 0 ? INT64_MIN : INT64_MAX;
    addEvent(Time, Value, *Sample, Rows.TID);
  }
}

/// Reads what the samples' weights are, which is the same in all threads.
void FirefoxReader::readTypes() {
  const JSONNode *Meta = member(&Root, "meta");
  StartTime = rounded(numberOf(member(Meta, "startTime")).value_or(0) * 1e6);
  StringRef Type;
  Column Threads(member(&Root, "threads"));
  for (size_t I = 0; I != Threads.size() && Type.empty(); ++I)
    Type = textOf(member(member(Threads[I], "samples"), "weightType"))
               .value_or("");
  WeightIsTime = Type == "tracing-ms";
  StringRef Name = WeightIsTime      ? "time"
                   : Type == "bytes" ? "space"
                                     : "samples";
  StringRef Unit = WeightIsTime      ? "nanoseconds"
                   : Type == "bytes" ? "bytes"
                                     : "count";
  P.SampleTypes.push_back({P.Strings.intern(Name), P.Strings.intern(Unit)});
}

Error FirefoxReader::read(WarningFunction Warn) {
  Column Threads(member(&Root, "threads"));
  if (!Threads)
    return make_error<DamagedError>(Name, "it has no threads");
  readTypes();
  for (size_t I = 0; I != Threads.size(); ++I)
    readThread(*Threads[I]);
  if (P.Samples.empty())
    return make_error<MissingInformationError>(Name, "it has no samples");
  if (LeftOut)
    Warn(Name + ": " + Twine(LeftOut) +
         " samples are left out: their stacks take too much memory");
  if (Error E = P.allotValues(Values.size(), Name))
    return E;
  P.Values = std::move(Values);
  stableSort(P.Events, [](const Profile::Event &E) { return E.Time; });
  if (FirstTime <= LastTime) {
    P.Time = timeOf(FirstTime);
    P.Duration = std::max<int64_t>(rounded((LastTime - FirstTime) * 1e6), 0);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

bool recogniseFirefox(StringRef Bytes) {
  return Bytes.ltrim(" \t\r\n").starts_with("{") &&
         Bytes.contains("\"preprocessedProfileVersion\"");
}

Error readFirefox(std::unique_ptr<MemoryBuffer> Bytes,
                  const ProfileReadOptions &Options, WarningFunction Warn,
                  ProfileFile &Into) {
  StringRef Name = Bytes->getBufferIdentifier(), Text = Bytes->getBuffer();
  if (Text.size() > INT32_MAX)
    return make_error<LimitError>(Name, "is larger than 2 GiB");
  Expected<JSONTree> Tree = JSONTree::parse(Text, Name);
  if (!Tree)
    return Tree.takeError();
  Into.Other.FileSize = Text.size();
  FirefoxReader Reader(Into.Other, Tree->root(), Name, Options.needsEvents());
  if (Error E = Reader.read(Warn))
    return E;
  std::unique_ptr<MemoryBuffer> Names;
  if (Options.NamesBeside)
    Names = Options.NamesBeside(Name);
  if (!Names)
    return Error::success();
  // Without them, the profile is as good as others.
  if (Error E = addSamplySymbols(*Names, Reader.modules(), Into.Other))
    Warn(toString(std::move(E)) + " (left out)");
  return Error::success();
}

uint64_t estimateFirefox(const Profile &P) { return estimateText(P); }

} // namespace lidia
