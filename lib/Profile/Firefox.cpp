//===- Firefox.cpp - Profiles for Firefox Profiler ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The processed format of Firefox Profiler, which upgrades older versions when
// it loads them: one thread for each pair of the labels "pid" and "tid" (or a
// single one), each with its own tables. A table is an object of columns. A
// frame is a function at a line; inlined calls are separate frames with the
// same address and a depth (docs-developer/ of
// github.com/firefox-devtools/profiler).
//
// Samples have their times, if the profile has them. Otherwise they follow each
// other, a millisecond apart, in the order of the file.
//
//===----------------------------------------------------------------------===//

#include "ProfileFormats.h"
#include "SampleThread.h"
#include "lidia/Archive/DebugID.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace llvm;

namespace lidia {

namespace {

/// The strings of a thread, numbered by first use.
class ThreadStrings {
public:
  uint32_t operator()(StringRef Text) {
    auto [It, New] = Numbers.try_emplace(Text, uint32_t(Texts.size()));
    if (New)
      Texts.push_back(It->first());
    return It->second;
  }
  ArrayRef<StringRef> texts() const { return Texts; }

private:
  StringMap<uint32_t> Numbers;
  std::vector<StringRef> Texts;
};

/// The samples and tables of a thread.
struct FirefoxThread {
  struct Function {
    uint32_t Name;
    /// Index in Libraries, or -1.
    int32_t Resource;
    /// Index in Strings, or -1.
    int32_t File;
    uint32_t Line;
  };
  struct FrameRow {
    int64_t Address;
    uint32_t InlineDepth;
    uint32_t Function;
    uint32_t Line;
    uint32_t Column;
  };
  struct StackRow {
    int32_t Prefix;
    uint32_t Frame;
  };

  std::string Name;
  std::string Process;
  int64_t PID = 0;
  int64_t TID = 0;
  ThreadStrings Strings;
  std::vector<Function> Functions;
  std::vector<FrameRow> Frames;
  std::vector<StackRow> Stacks;
  /// The profile's libraries that contain the thread's code, and their names.
  std::vector<std::pair<uint32_t, uint32_t>> Libraries;
  struct SampleRow {
    /// In Stacks, or -1.
    int32_t Stack;
    /// In milliseconds.
    double Time;
    int64_t Weight;
  };
  std::vector<SampleRow> Samples;

  /// Of each sample of the profile.
  DenseMap<uint32_t, int32_t> StackOfSample;
  std::map<std::tuple<uint32_t, int32_t, int32_t, uint32_t>, uint32_t>
      FunctionIDs;
  std::map<std::tuple<int64_t, uint32_t, uint32_t, uint32_t, uint32_t>,
           uint32_t>
      FrameIDs;
  std::map<std::pair<int32_t, uint32_t>, int32_t> StackIDs;
  std::map<uint32_t, int32_t> ResourceIDs;
};

class FirefoxWriter {
public:
  FirefoxWriter(const Profile &P, raw_ostream &OS) : P(P), J(OS) {}

  void write(StringRef Title);

private:
  std::string text(Profile::StringID ID) const {
    return json::fixUTF8(P.Strings[ID]);
  }
  void addSamples();
  void addEvents();
  int32_t stackOf(FirefoxThread &T, uint32_t SampleIndex);
  FirefoxThread &rowsOf(const SampleThread &Of);
  uint32_t library(uint32_t Mapping);
  int64_t addressOf(const Profile::Location &L) const;
  int32_t addFrame(FirefoxThread &T, int32_t Prefix, const Profile::Location &L,
                   const Profile::Line *Line, uint32_t InlineDepth);
  uint32_t addFunction(FirefoxThread &T, const Profile::Location &L,
                       const Profile::Line *Line);

  template <typename RangeT, typename FunctionT>
  void column(StringRef Name, const RangeT &Rows, FunctionT Value) {
    J.attributeArray(Name, [&] {
      for (const auto &Row : Rows)
        J.value(Value(Row));
    });
  }
  template <typename RangeT>
  void constant(StringRef Name, const RangeT &Rows, json::Value Value) {
    J.attributeArray(Name, [&] {
      for (size_t I = 0; I != Rows.size(); ++I)
        J.value(Value);
    });
  }
  static json::Value optional(int64_t Value, bool IsThere) {
    return IsThere ? json::Value(Value) : json::Value(nullptr);
  }

  void writeMeta(StringRef Title);
  void writeLibraries();
  void writeThread(const FirefoxThread &T, bool IsFirst);
  void writeSamples(const FirefoxThread &T);
  void writeFrames(const FirefoxThread &T);
  void writeFunctions(const FirefoxThread &T);
  void writeOtherTables(const FirefoxThread &T);

  const Profile &P;
  json::OStream J;
  MapVector<std::pair<int64_t, int64_t>, FirefoxThread> Threads;
  /// Whether a symbol server might know names that the profile lacks.
  bool LacksNames = false;
  /// The mappings that represent the files of the profile, and the index of the
  /// one that represents each file.
  std::vector<uint32_t> Libraries;
  std::map<std::pair<Profile::StringID, Profile::StringID>, uint32_t>
      LibraryIDs;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

FirefoxThread &FirefoxWriter::rowsOf(const SampleThread &Of) {
  auto [It, New] = Threads.insert({{Of.PID, Of.TID}, FirefoxThread()});
  FirefoxThread &T = It->second;
  if (New) {
    T.PID = Of.PID;
    T.TID = Of.TID;
    T.Name = json::fixUTF8(Of.Name);
    T.Process = json::fixUTF8(Of.Process.empty() ? Of.Name : Of.Process);
  }
  return T;
}

/// The index in Libraries of the file of \p Mapping.
uint32_t FirefoxWriter::library(uint32_t Mapping) {
  const Profile::Mapping &M = P.Mappings[Mapping];
  auto [It, New] =
      LibraryIDs.try_emplace({M.File, M.BuildID}, uint32_t(Libraries.size()));
  if (New)
    Libraries.push_back(Mapping);
  return It->second;
}

/// The address of \p L relative to its library, or -1: what symbol servers are
/// asked for.
int64_t FirefoxWriter::addressOf(const Profile::Location &L) const {
  if (L.Mapping == Profile::None)
    return -1;
  const Profile::Mapping &M = P.Mappings[L.Mapping];
  bool IsInside = L.Address >= M.Start && L.Address < M.Limit;
  return int64_t(IsInside ? L.Address - M.Start + M.Offset : L.Address);
}

/// The debug ID of the ELF file with the build ID \p Digits; empty if that is
/// none.
static std::string debugIDText(StringRef Digits) {
  std::string Bytes;
  if (Digits.empty() || Digits.size() % 2 || !tryGetFromHex(Digits, Bytes))
    return "";
  return debugID(ELFIdentity(), arrayRefFromStringRef(Bytes)).text();
}

uint32_t FirefoxWriter::addFunction(FirefoxThread &T,
                                    const Profile::Location &L,
                                    const Profile::Line *Line) {
  const Profile::Function *F = nullptr;
  if (Line && Line->Function != Profile::None)
    F = &P.Functions[Line->Function];
  bool HasName = F && F->Name != 0;
  std::string Name =
      json::fixUTF8(HasName ? P.Strings[F->Name] : StringRef(placeOf(P, L)));
  FirefoxThread::Function Row = {T.Strings(Name), -1, -1, 0};
  if (L.Mapping != Profile::None) {
    LacksNames |=
        !HasName && !debugIDText(text(P.Mappings[L.Mapping].BuildID)).empty();
    uint32_t Library = library(L.Mapping);
    auto [It, New] =
        T.ResourceIDs.try_emplace(Library, int32_t(T.Libraries.size()));
    if (New)
      T.Libraries.push_back(
          {Library, T.Strings(text(P.Mappings[L.Mapping].File))});
    Row.Resource = It->second;
  }
  if (F && F->File != 0)
    Row.File = int32_t(T.Strings(text(F->File)));
  if (F)
    Row.Line = F->StartLine;
  auto [It, New] =
      T.FunctionIDs.try_emplace({Row.Name, Row.Resource, Row.File, Row.Line},
                                uint32_t(T.Functions.size()));
  if (New)
    T.Functions.push_back(Row);
  return It->second;
}

/// Adds a frame called by \p Prefix, and returns the stack that ends with it.
int32_t FirefoxWriter::addFrame(FirefoxThread &T, int32_t Prefix,
                                const Profile::Location &L,
                                const Profile::Line *Line,
                                uint32_t InlineDepth) {
  FirefoxThread::FrameRow Row = {
      addressOf(L), InlineDepth, addFunction(T, L, Line),
      Line ? Line->Number : 0, Line ? Line->Column : 0};
  auto [Frame, IsNewFrame] = T.FrameIDs.try_emplace(
      {Row.Address, Row.InlineDepth, Row.Function, Row.Line, Row.Column},
      uint32_t(T.Frames.size()));
  if (IsNewFrame)
    T.Frames.push_back(Row);
  auto [Stack, IsNewStack] =
      T.StackIDs.try_emplace({Prefix, Frame->second}, int32_t(T.Stacks.size()));
  if (IsNewStack)
    T.Stacks.push_back({Prefix, Frame->second});
  return Stack->second;
}

/// The stack of a sample of the profile among those of \p T.
int32_t FirefoxWriter::stackOf(FirefoxThread &T, uint32_t SampleIndex) {
  auto [Known, IsNew] = T.StackOfSample.try_emplace(SampleIndex, -1);
  if (!IsNew)
    return Known->second;
  int32_t Stack = -1;
  for (uint32_t LocationIndex : reverse(P.stack(P.Samples[SampleIndex]))) {
    const Profile::Location &L = P.Locations[LocationIndex];
    if (L.LineCount == 0)
      Stack = addFrame(T, Stack, L, nullptr, 0);
    uint32_t Depth = 0;
    for (const Profile::Line &Line : reverse(P.lines(L)))
      Stack = addFrame(T, Stack, L, &Line, Depth++);
  }
  return T.StackOfSample[SampleIndex] = Stack;
}

void FirefoxWriter::addSamples() {
  for (uint32_t I = 0; I != P.Samples.size(); ++I) {
    FirefoxThread &T = rowsOf(threadOf(P, P.Samples[I]));
    T.Samples.push_back(
        {stackOf(T, I), double(I),
         std::max<int64_t>(P.values(I)[P.DefaultSampleType], 0)});
  }
}

/// Adds the events of the type to show.
void FirefoxWriter::addEvents() {
  const uint64_t Start = P.Events.front().Time;
  for (const Profile::Event &E : P.Events) {
    bool IsCounted = P.CountsEvents && P.DefaultSampleType == 0;
    if (!IsCounted && E.Type != P.DefaultSampleType)
      continue;
    FirefoxThread &T = rowsOf(threadOf(P, E));
    T.Samples.push_back({stackOf(T, E.Sample), double(E.Time - Start) / 1e6,
                         IsCounted ? 1 : std::max<int64_t>(E.Value, 0)});
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// The versions of 2024. Firefox Profiler upgrades older ones, too.
static constexpr int ProcessedVersion = 47;
static constexpr int GeckoVersion = 24;

void FirefoxWriter::writeMeta(StringRef Title) {
  J.attributeObject("meta", [&] {
    J.attributeArray("categories", [&] {
      J.object([&] {
        J.attribute("name", "Other");
        J.attribute("color", "grey");
        J.attributeArray("subcategories", [&] { J.value("Other"); });
      });
    });
    J.attribute("interval", 1);
    J.attribute("startTime", 0);
    J.attribute("processType", 0);
    J.attribute("product", json::fixUTF8(Title));
    J.attribute("stackwalk", 1);
    J.attribute("debug", false);
    J.attribute("version", GeckoVersion);
    J.attribute("preprocessedProfileVersion", ProcessedVersion);
    // Otherwise the browser asks its symbol server.
    J.attribute("symbolicated", !LacksNames);
    J.attribute("usesOnlyOneStackType", true);
    J.attribute("doesNotUseFrameImplementation", true);
    J.attribute("sourceCodeIsNotOnSearchfox", true);
    J.attributeArray("markerSchema", [] {});
    J.attributeObject("sampleUnits", [&] {
      J.attribute("time", "ms");
      J.attribute("eventDelay", "ms");
      J.attribute("threadCPUDelta", "µs");
    });
  });
}

void FirefoxWriter::writeLibraries() {
  J.attributeArray("libs", [&] {
    for (uint32_t Mapping : Libraries) {
      const Profile::Mapping &M = P.Mappings[Mapping];
      std::string Path = text(M.File);
      std::string Name = sys::path::filename(Path).str();
      J.object([&] {
        J.attribute("name", Name);
        J.attribute("path", Path);
        J.attribute("debugName", Name);
        J.attribute("debugPath", Path);
        J.attribute("breakpadId", debugIDText(text(M.BuildID)));
        J.attribute("codeId", text(M.BuildID));
        J.attribute("arch", nullptr);
      });
    }
  });
}

void FirefoxWriter::writeSamples(const FirefoxThread &T) {
  using Row = FirefoxThread::SampleRow;
  J.attributeObject("samples", [&] {
    J.attribute("length", int64_t(T.Samples.size()));
    column("stack", T.Samples,
           [](const Row &R) { return optional(R.Stack, R.Stack >= 0); });
    column("time", T.Samples, [](const Row &R) { return R.Time; });
    column("weight", T.Samples, [](const Row &R) { return R.Weight; });
    const Profile::ValueType &Type = P.SampleTypes[P.DefaultSampleType];
    StringRef Unit = P.Strings[Type.Unit];
    J.attribute("weightType", Unit == "bytes" ? "bytes" : "samples");
  });
}

void FirefoxWriter::writeFrames(const FirefoxThread &T) {
  using Row = FirefoxThread::FrameRow;
  J.attributeObject("frameTable", [&] {
    J.attribute("length", int64_t(T.Frames.size()));
    column("address", T.Frames, [](const Row &R) { return R.Address; });
    column("inlineDepth", T.Frames,
           [](const Row &R) { return int64_t(R.InlineDepth); });
    constant("category", T.Frames, 0);
    constant("subcategory", T.Frames, 0);
    column("func", T.Frames, [](const Row &R) { return int64_t(R.Function); });
    constant("nativeSymbol", T.Frames, nullptr);
    constant("innerWindowID", T.Frames, 0);
    constant("implementation", T.Frames, nullptr);
    column("line", T.Frames,
           [](const Row &R) { return optional(R.Line, R.Line != 0); });
    column("column", T.Frames,
           [](const Row &R) { return optional(R.Column, R.Column != 0); });
  });
  J.attributeObject("stackTable", [&] {
    J.attribute("length", int64_t(T.Stacks.size()));
    using Stack = FirefoxThread::StackRow;
    column("prefix", T.Stacks,
           [](const Stack &S) { return optional(S.Prefix, S.Prefix >= 0); });
    column("frame", T.Stacks, [](const Stack &S) { return int64_t(S.Frame); });
    constant("category", T.Stacks, 0);
    constant("subcategory", T.Stacks, 0);
  });
}

void FirefoxWriter::writeFunctions(const FirefoxThread &T) {
  using Row = FirefoxThread::Function;
  J.attributeObject("funcTable", [&] {
    J.attribute("length", int64_t(T.Functions.size()));
    column("name", T.Functions, [](const Row &R) { return int64_t(R.Name); });
    constant("isJS", T.Functions, false);
    constant("relevantForJS", T.Functions, false);
    column("resource", T.Functions,
           [](const Row &R) { return int64_t(R.Resource); });
    column("fileName", T.Functions,
           [](const Row &R) { return optional(R.File, R.File >= 0); });
    column("lineNumber", T.Functions,
           [](const Row &R) { return optional(R.Line, R.Line != 0); });
    constant("columnNumber", T.Functions, nullptr);
  });
}

void FirefoxWriter::writeOtherTables(const FirefoxThread &T) {
  constexpr int LibraryResource = 1;
  using Row = std::pair<uint32_t, uint32_t>;
  J.attributeObject("resourceTable", [&] {
    J.attribute("length", int64_t(T.Libraries.size()));
    column("lib", T.Libraries, [](const Row &R) { return int64_t(R.first); });
    column("name", T.Libraries, [](const Row &R) { return int64_t(R.second); });
    constant("host", T.Libraries, nullptr);
    constant("type", T.Libraries, LibraryResource);
  });
  J.attributeObject("nativeSymbols", [&] {
    J.attribute("length", 0);
    for (StringRef Name : {"address", "functionSize", "libIndex", "name"})
      J.attributeArray(Name, [] {});
  });
  J.attributeObject("markers", [&] {
    J.attribute("length", 0);
    for (StringRef Name :
         {"category", "data", "endTime", "name", "phase", "startTime"})
      J.attributeArray(Name, [] {});
  });
}

void FirefoxWriter::writeThread(const FirefoxThread &T, bool IsFirst) {
  J.object([&] {
    J.attribute("name", T.Name.empty() ? "thread" : T.Name);
    J.attribute("processName", T.Process.empty() ? "process" : T.Process);
    J.attribute("processType", "default");
    J.attribute("isMainThread", IsFirst || T.PID == T.TID);
    J.attribute("pid", std::to_string(T.PID));
    J.attribute("tid", T.TID);
    J.attribute("processStartupTime", 0);
    J.attribute("processShutdownTime", nullptr);
    J.attribute("registerTime", 0);
    J.attribute("unregisterTime", nullptr);
    J.attributeArray("pausedRanges", [] {});
    writeSamples(T);
    writeFrames(T);
    writeFunctions(T);
    writeOtherTables(T);
    J.attributeArray("stringArray", [&] {
      for (StringRef Text : T.Strings.texts())
        J.value(Text);
    });
  });
}

void FirefoxWriter::write(StringRef Title) {
  if (P.Events.empty())
    addSamples();
  else
    addEvents();
  J.object([&] {
    writeMeta(Title);
    writeLibraries();
    J.attributeArray("pages", [] {});
    J.attributeArray("threads", [&] {
      bool IsFirst = true;
      for (auto &[Key, T] : Threads)
        writeThread(T, std::exchange(IsFirst, false));
    });
  });
}

void writeFirefox(const ProfileFile &File, raw_ostream &OS,
                  WarningFunction Warn) {
  if (File.profile().SampleTypes.empty())
    return Warn(File.Name + ": has no values");
  JSONEscaper Escaped(OS);
  FirefoxWriter(File.profile(), Escaped).write(File.Title);
  Escaped << '\n';
}

} // namespace lidia
