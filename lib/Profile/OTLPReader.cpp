//===- OTLPReader.cpp - Reads OpenTelemetry profiles ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedSamples.h"
#include "OTLPSchema.h"
#include "ProfileFormats.h"
#include "Support/ProtoFields.h"
#include "Support/StableSort.h"
#include "lidia/Error.h"
#include "lidia/Profile/OTLP.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include <numeric>

using namespace llvm;

namespace lidia {

namespace {

/// Fills a profile from the bytes of a message ProfilesData.
///
/// Tables begin with an empty entry, which index 0 refers to. The profile's
/// arrays do not have it, so their indices are one less; the strings do have
/// it.
class OTLPReader {
public:
  OTLPReader(StringRef Bytes, StringRef Name, bool KeepsEvents, Profile &P)
      : Bytes(Bytes), Name(Name), KeepsEvents(KeepsEvents), P(P) {}

  Error readTables();
  Error readSamples();
  void report(WarningFunction Warn) const;
  bool hasDefects() const {
    return any_of(Defects, [](uint64_t Count) { return Count != 0; });
  }
  uint32_t stringCount() const { return Strings; }
  uint32_t functionCount() const { return Functions; }

private:
  enum Defect {
    BrokenMessages,
    UnknownIndices,
    NoValues,
    TooManyTypes,
    DefectKinds
  };

  /// The meaning of an attribute for a mapping.
  enum class Role : uint8_t { None, GNUBuildID, GoBuildID, FileHash, Flag };

  struct Attribute {
    Profile::Label Label;
    Role Its = Role::None;
    bool Profile::Mapping::*Flag = nullptr;
  };
  struct Stack {
    uint32_t First = 0;
    uint32_t Count = 0;
  };

  void check(bool IsWhole) { Defects[BrokenMessages] += !IsWhole; }
  Profile::StringID string(uint64_t Index);
  uint32_t index(uint64_t Index, size_t TableSize);
  uint32_t number32(uint64_t Number) {
    return uint32_t(std::min<uint64_t>(Number, Profile::None));
  }
  void forEachEntry(uint32_t Table, function_ref<void(StringRef)> Read);
  Error readStrings();
  Profile::ValueType readValueType(StringRef Message);
  void readAttribute(StringRef Message);
  void readValue(StringRef Message, Profile::Label &L);
  void readMapping(StringRef Message);
  void setAttribute(Profile::Mapping &M, uint64_t AttributeIndex);
  void readFunction(StringRef Message);
  void readLocation(StringRef Message);
  void addLine(StringRef Message);
  void readStack(StringRef Message);
  void readScope(StringRef Message);
  void setDefaultType();
  void readProfile(StringRef Message);
  void readTime(StringRef Message);
  uint32_t sampleType(const Profile::ValueType &T);
  void readSample(StringRef Message, uint32_t SampleType);
  uint32_t sampleOf(uint64_t StackIndex, ArrayRef<uint64_t> LabelIndices);
  void addEvents(uint32_t Sample, uint32_t SampleType);
  void finishEvents();

  const StringRef Bytes;
  const StringRef Name;
  const bool KeepsEvents;
  Profile &P;
  uint32_t Strings = 0;
  uint32_t Functions = 0;
  std::vector<Attribute> Attributes;
  std::vector<Stack> Stacks;
  struct SampleValue {
    uint32_t Sample = 0;
    uint32_t Type = 0;
    int64_t Value = 0;
  };
  /// Of the samples so far.
  std::vector<SampleValue> SampleValues;
  /// Index in the profile's samples by the bytes of the indices of the stack
  /// and the labels. The profiles of a file have the same samples, each with
  /// another type of value.
  StringMap<uint32_t> SampleIndices;
  /// The observations of the sample that is being read. Each value belongs to
  /// the time with the same index.
  std::vector<int64_t> Observed;
  std::vector<uint64_t> Times;
  /// The number of samples whose observations have no times.
  uint64_t Untimed = 0;
  bool LacksEvents = false;
  /// The name of the type to show first; may be empty.
  StringRef DefaultType;
  bool HasPeriod = false;
  uint64_t Defects[DefectKinds] = {};
};

} // namespace

Profile::StringID OTLPReader::string(uint64_t Index) {
  if (Index < Strings)
    return P.Strings[Profile::StringID(Index)].empty()
               ? 0
               : Profile::StringID(Index);
  ++Defects[UnknownIndices];
  return 0;
}

/// Converts an index in a table to one in an array without the empty entry.
uint32_t OTLPReader::index(uint64_t Index, size_t TableSize) {
  if (Index == 0)
    return Profile::None;
  if (Index <= TableSize)
    return uint32_t(Index - 1);
  ++Defects[UnknownIndices];
  return Profile::None;
}

//===----------------------------------------------------------------------===//
// The dictionary
//===----------------------------------------------------------------------===//

/// Calls \p Read for each entry of \p Table. Dictionaries are merged if there
/// are several, as is usual in protobuf.
void OTLPReader::forEachEntry(uint32_t Table,
                              function_ref<void(StringRef)> Read) {
  forEachField(Bytes, [&](const ProtoField &Part) {
    if (!Part.isMessage(otlp::Dictionary))
      return;
    forEachField(Part.Bytes, [&](const ProtoField &F) {
      if (F.isMessage(Table))
        Read(F.Bytes);
    });
  });
}

Error OTLPReader::readStrings() {
  bool HasDictionary = false;
  bool IsWhole = true;
  IsWhole &= forEachField(Bytes, [&](const ProtoField &F) {
    if (!F.isMessage(otlp::Dictionary))
      return;
    HasDictionary = true;
    IsWhole &= forEachField(F.Bytes, [](const ProtoField &) {});
  });
  if (!IsWhole || !HasDictionary)
    return make_error<DamagedError>(Name, "truncated, or not an OTLP profile");
  bool HasEmpty = true;
  forEachEntry(otlp::StringTable, [&](StringRef Text) {
    if (Strings++ == 0)
      HasEmpty = Text.empty();
    else
      P.Strings.append(Text);
  });
  if (!HasEmpty)
    return make_error<DamagedError>(Name,
                                    "not an OTLP profile: its string table "
                                    "does not begin with the empty string");
  return Error::success();
}

/// Lists of values have no meaning for a mapping, and cannot be labels.
void OTLPReader::readValue(StringRef Message, Profile::Label &L) {
  check(forEachField(Message, [&](const ProtoField &F) {
    L.Text = 0;
    L.Number = 0;
    if (F.isMessage(otlp::StringValue))
      L.Text = P.Strings.intern(F.Bytes);
    else if (F.Tag == otlp::StringIndexValue)
      L.Text = string(F.Number);
    else if (F.Tag == otlp::BoolValue || F.Tag == otlp::IntValue)
      L.Number = int64_t(F.Number);
  }));
}

void OTLPReader::readAttribute(StringRef Message) {
  Attribute A;
  check(forEachField(Message, [&](const ProtoField &F) {
    if (F.Tag == otlp::Key)
      A.Label.Key = string(F.Number);
    else if (F.isMessage(otlp::Value))
      readValue(F.Bytes, A.Label);
    else if (F.Tag == otlp::AttributeUnit)
      A.Label.Unit = string(F.Number);
  }));
  // "profiling" is the former name of htlhash.
  A.Its = StringSwitch<Role>(P.Strings[A.Label.Key])
              .Case("process.executable.build_id.gnu", Role::GNUBuildID)
              .Case("process.executable.build_id.go", Role::GoBuildID)
              .Case("process.executable.build_id.htlhash", Role::FileHash)
              .Case("process.executable.build_id.profiling", Role::FileHash)
              .Default(Role::None);
  for (const auto &[Key, Flag] : otlp::MappingFlags)
    if (P.Strings[A.Label.Key] == Key) {
      A.Its = Role::Flag;
      A.Flag = Flag;
    }
  Attributes.push_back(A);
}

void OTLPReader::setAttribute(Profile::Mapping &M, uint64_t AttributeIndex) {
  if (AttributeIndex >= Attributes.size()) {
    ++Defects[UnknownIndices];
    return;
  }
  const Attribute &A = Attributes[AttributeIndex];
  if (A.Its == Role::GNUBuildID || (A.Its == Role::GoBuildID && M.BuildID == 0))
    M.BuildID = A.Label.Text;
  else if (A.Its == Role::FileHash)
    M.FileHash = A.Label.Text;
  else if (A.Its == Role::Flag)
    M.*A.Flag = A.Label.Number != 0;
}

void OTLPReader::readMapping(StringRef Message) {
  Profile::Mapping M;
  check(forEachField(Message, [&](const ProtoField &F) {
    switch (F.Tag) {
    case otlp::MemoryStart:
      M.Start = F.Number;
      break;
    case otlp::MemoryLimit:
      M.Limit = F.Number;
      break;
    case otlp::FileOffset:
      M.Offset = F.Number;
      break;
    case otlp::MappingFilename:
      M.File = string(F.Number);
      break;
    case otlp::MappingAttributes:
      check(forEachNumber(F, [&](uint64_t I) { setAttribute(M, I); }));
      break;
    }
  }));
  P.Mappings.push_back(M);
}

void OTLPReader::readFunction(StringRef Message) {
  Profile::Function Fn;
  check(forEachField(Message, [&](const ProtoField &F) {
    switch (F.Tag) {
    case otlp::FunctionName:
      Fn.Name = string(F.Number);
      break;
    case otlp::SystemName:
      Fn.SystemName = string(F.Number);
      break;
    case otlp::FunctionFilename:
      Fn.File = string(F.Number);
      break;
    case otlp::StartLine:
      Fn.StartLine = number32(F.Number);
      break;
    }
  }));
  P.Functions.push_back(Fn);
}

void OTLPReader::addLine(StringRef Message) {
  Profile::Line L;
  check(forEachField(Message, [&](const ProtoField &F) {
    switch (F.Tag) {
    case otlp::FunctionIndex:
      L.Function = index(F.Number, P.Functions.size());
      break;
    case otlp::LineNumber:
      L.Number = number32(F.Number);
      break;
    case otlp::Column:
      L.Column = number32(F.Number);
      break;
    }
  }));
  P.Lines.push_back(L);
}

void OTLPReader::readLocation(StringRef Message) {
  Profile::Location L;
  L.FirstLine = uint32_t(P.Lines.size());
  bool IsWhole = forEachField(Message, [&](const ProtoField &F) {
    if (F.isMessage(otlp::Lines))
      addLine(F.Bytes);
    else if (F.Tag == otlp::MappingIndex)
      L.Mapping = index(F.Number, P.Mappings.size());
    else if (F.Tag == otlp::Address)
      L.Address = F.Number;
  });
  check(IsWhole);
  L.LineCount = uint32_t(P.Lines.size() - L.FirstLine);
  P.Locations.push_back(L);
}

void OTLPReader::readStack(StringRef Message) {
  Stack S;
  S.First = uint32_t(P.StackLocations.size());
  check(forEachField(Message, [&](const ProtoField &F) {
    if (F.Tag != otlp::LocationIndices)
      return;
    check(forEachNumber(F, [&](uint64_t I) {
      uint32_t Location = index(I, P.Locations.size());
      if (Location != Profile::None)
        P.StackLocations.push_back(Location);
    }));
  }));
  S.Count = uint32_t(P.StackLocations.size() - S.First);
  Stacks.push_back(S);
}

Error OTLPReader::readTables() {
  if (Error E = readStrings())
    return E;
  forEachEntry(otlp::AttributeTable, [&](StringRef M) { readAttribute(M); });
  // Skip the first entry of each table, which is empty.
  bool IsFirst = true;
  auto Behind = [&](void (OTLPReader::*Read)(StringRef)) {
    return [this, Read, &IsFirst](StringRef Message) {
      if (!IsFirst)
        (this->*Read)(Message);
      IsFirst = false;
    };
  };
  forEachEntry(otlp::MappingTable, Behind(&OTLPReader::readMapping));
  IsFirst = true;
  forEachEntry(otlp::FunctionTable, Behind(&OTLPReader::readFunction));
  Functions = uint32_t(P.Functions.size()) + !IsFirst;
  IsFirst = true;
  forEachEntry(otlp::LocationTable, Behind(&OTLPReader::readLocation));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

Profile::ValueType OTLPReader::readValueType(StringRef Message) {
  Profile::ValueType T;
  check(forEachField(Message, [&](const ProtoField &F) {
    if (F.Tag == otlp::Type)
      T.Type = string(F.Number);
    else if (F.Tag == otlp::Unit)
      T.Unit = string(F.Number);
  }));
  return T;
}

/// The index of \p T, or None if the profile already has too many types.
uint32_t OTLPReader::sampleType(const Profile::ValueType &T) {
  constexpr size_t Max = 64;
  for (size_t I = 0; I != P.SampleTypes.size(); ++I)
    if (P.SampleTypes[I].Type == T.Type && P.SampleTypes[I].Unit == T.Unit)
      return uint32_t(I);
  if (P.SampleTypes.size() == Max)
    return Profile::None;
  P.SampleTypes.push_back(T);
  return uint32_t(P.SampleTypes.size() - 1);
}

/// The sample with a stack and labels, which is added if it is new.
uint32_t OTLPReader::sampleOf(uint64_t StackIndex,
                              ArrayRef<uint64_t> LabelIndices) {
  SmallVector<uint64_t, 16> Key(LabelIndices);
  Key.push_back(StackIndex);
  auto [It, New] = SampleIndices.try_emplace(
      StringRef(reinterpret_cast<const char *>(Key.data()),
                Key.size() * sizeof(uint64_t)),
      uint32_t(P.Samples.size()));
  if (!New)
    return It->second;
  Profile::Sample S;
  S.FirstLabel = uint32_t(P.Labels.size());
  for (uint64_t I : LabelIndices)
    if (I < Attributes.size())
      P.Labels.push_back(Attributes[I].Label);
    else
      ++Defects[UnknownIndices];
  S.LabelCount = uint32_t(P.Labels.size() - S.FirstLabel);
  if (StackIndex < Stacks.size()) {
    S.FirstLocation = Stacks[StackIndex].First;
    S.LocationCount = Stacks[StackIndex].Count;
  } else if (StackIndex != 0) {
    ++Defects[UnknownIndices];
  }
  P.Samples.push_back(S);
  return It->second;
}

void OTLPReader::readSample(StringRef Message, uint32_t SampleType) {
  uint64_t StackIndex = 0;
  SmallVector<uint64_t, 8> LabelIndices;
  Observed.clear();
  Times.clear();
  check(forEachField(Message, [&](const ProtoField &F) {
    switch (F.Tag) {
    case otlp::StackIndex:
      StackIndex = F.Number;
      break;
    case otlp::SampleAttributes:
      check(forEachNumber(F, [&](uint64_t I) { LabelIndices.push_back(I); }));
      break;
    case otlp::Values:
      check(forEachNumber(
          F, [&](uint64_t Value) { Observed.push_back(int64_t(Value)); }));
      break;
    case otlp::Timestamps:
      check(forEachFixed(F, [&](uint64_t Time) { Times.push_back(Time); }));
      break;
    }
  }));
  Defects[NoValues] += Observed.empty() && Times.empty();
  uint32_t Sample = sampleOf(StackIndex, LabelIndices);
  // Without values, each time counts as one.
  if (Observed.empty())
    Observed.assign(Times.size(), 1);
  SampleValues.push_back({Sample, SampleType,
                          std::accumulate(Observed.begin(), Observed.end(),
                                          int64_t(0), addValues)});
  if (KeepsEvents)
    addEvents(Sample, SampleType);
}

/// Adds the last observations, which are of \p Sample.
void OTLPReader::addEvents(uint32_t Sample, uint32_t SampleType) {
  if (Observed.empty())
    return;
  if (Times.size() != Observed.size() || is_contained(Times, 0)) {
    ++Untimed;
    return;
  }
  for (size_t I = 0; I != Times.size(); ++I)
    P.Events.push_back({Times[I], Observed[I], Sample, /*TID=*/0, SampleType});
}

/// Events must be all observations, because they also say what a thread adds.
void OTLPReader::finishEvents() {
  LacksEvents = Untimed != 0 && !P.Events.empty();
  if (LacksEvents)
    P.Events = {};
  stableSort(P.Events, [](const Profile::Event &E) { return E.Time; });
}

/// Reads when a profile begins and ends. Those of a file are one profile.
void OTLPReader::readTime(StringRef Message) {
  uint64_t Time = 0;
  uint64_t Duration = 0;
  forEachField(Message, [&](const ProtoField &F) {
    if (F.Tag == otlp::TimeUnixNano)
      forEachFixed(F, [&](uint64_t Value) { Time = Value; });
    else if (F.Tag == otlp::DurationNano)
      Duration = F.Number;
  });
  auto Limit = [](uint64_t Value) {
    return int64_t(std::min(Value, uint64_t(INT64_MAX)));
  };
  int64_t Begin = Limit(Time);
  bool HadTime = P.Time != 0;
  int64_t Ends = std::max(HadTime ? Limit(uint64_t(P.Time) + P.Duration) : 0,
                          Limit(uint64_t(Begin) + Limit(Duration)));
  if (Begin == 0 && !HadTime) {
    P.Duration = std::max(P.Duration, Limit(Duration));
    return;
  }
  if (Begin == 0)
    return;
  P.Time = HadTime ? std::min(P.Time, Begin) : Begin;
  P.Duration = Ends - P.Time;
}

void OTLPReader::readProfile(StringRef Message) {
  Profile::ValueType T;
  Profile::ValueType PeriodType;
  int64_t Period = 0;
  check(forEachField(Message, [&](const ProtoField &F) {
    if (F.isMessage(otlp::SampleType))
      T = readValueType(F.Bytes);
    else if (F.isMessage(otlp::PeriodType))
      PeriodType = readValueType(F.Bytes);
    else if (F.Tag == otlp::Period)
      Period = int64_t(F.Number);
  }));
  readTime(Message);
  if (!HasPeriod) {
    P.PeriodType = PeriodType;
    P.Period = Period;
    HasPeriod = true;
  }
  uint32_t Type = sampleType(T);
  if (Type == Profile::None) {
    ++Defects[TooManyTypes];
    return;
  }
  forEachField(Message, [&](const ProtoField &F) {
    if (F.isMessage(otlp::Samples))
      readSample(F.Bytes, Type);
  });
}

/// Reads the attribute of the semantic conventions for profiles converted from
/// pprof.
void OTLPReader::readScope(StringRef Message) {
  auto ReadAttribute = [&](StringRef Bytes) {
    StringRef Key;
    Profile::Label L;
    check(forEachField(Bytes, [&](const ProtoField &F) {
      if (F.isMessage(otlp::KeyText))
        Key = F.Bytes;
      else if (F.Tag == otlp::KeyIndex)
        Key = P.Strings[string(F.Number)];
      else if (F.isMessage(otlp::KeyedValue))
        readValue(F.Bytes, L);
    }));
    if (Key == otlp::DefaultTypeKey && DefaultType.empty())
      DefaultType = P.Strings[L.Text];
  };
  check(forEachField(Message, [&](const ProtoField &F) {
    if (F.isMessage(otlp::ScopeAttributes))
      ReadAttribute(F.Bytes);
  }));
}

void OTLPReader::setDefaultType() {
  for (size_t I = P.SampleTypes.size(); !DefaultType.empty() && I != 0; --I)
    if (P.Strings[P.SampleTypes[I - 1].Type] == DefaultType)
      P.DefaultSampleType = uint32_t(I - 1);
}

Error OTLPReader::readSamples() {
  forEachEntry(otlp::StackTable, [&](StringRef M) { readStack(M); });
  forEachField(Bytes, [&](const ProtoField &Resource) {
    if (!Resource.isMessage(otlp::ResourceProfiles))
      return;
    check(forEachField(Resource.Bytes, [&](const ProtoField &Scope) {
      if (!Scope.isMessage(otlp::ScopeProfiles))
        return;
      check(forEachField(Scope.Bytes, [&](const ProtoField &F) {
        if (F.isMessage(otlp::Profiles))
          readProfile(F.Bytes);
        else if (F.isMessage(otlp::Scope))
          readScope(F.Bytes);
      }));
    }));
  });
  size_t Types = P.SampleTypes.size();
  if (Error E = P.allotValues(P.Samples.size(), Name))
    return E;
  for (const SampleValue &V : SampleValues) {
    int64_t &Its = P.Values[V.Sample * Types + V.Type];
    Its = addValues(Its, V.Value);
  }
  setDefaultType();
  finishEvents();
  return Error::success();
}

void OTLPReader::report(WarningFunction Warn) const {
  static constexpr StringLiteral Texts[DefectKinds] = {
      "malformed messages", "references to entries that do not exist",
      "samples without a value", "profiles with too many types of values"};
  uint64_t Unknown = otlp::countUnknownFields(Bytes);
  for (unsigned I = 0; I != DefectKinds; ++I)
    if (Defects[I])
      Warn(Name + ": " + Twine(Defects[I]) + " " + Texts[I]);
  if (LacksEvents)
    Warn(Name + ": the order in time is left out, because " + Twine(Untimed) +
         " samples do not have a time for each value");
  if (Unknown)
    Warn(Name + ": " + Twine(Unknown) + " fields that version " +
         OTLPSchemaVersion +
         " of OTLP's schema of profiles does not have, or has with another "
         "type");
  if (Unknown || Defects[UnknownIndices] || Defects[NoValues])
    Warn(Name + ": it may be of another version of that schema, which changes: "
                "check the result");
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// The binary form begins like JSON, too, if its first message has 123 bytes.
/// JSON cannot have the control character that is the tag of the dictionary.
static bool mayBeJSON(StringRef Bytes) {
  constexpr char DictionaryTag = char(otlp::Dictionary << 3 | 2);
  return Bytes.ltrim(" \t\r\n").starts_with("{") &&
         !Bytes.contains(DictionaryTag);
}

Expected<OTLPFile> OTLPFile::read(std::unique_ptr<MemoryBuffer> File,
                                  OTLPParts Parts, WarningFunction Warn) {
  OTLPFile Result;
  Result.Bytes = std::move(File);
  StringRef Name = Result.Bytes->getBufferIdentifier();
  // protobuf's own readers have this limit. Indices have 32 bits.
  if (Result.Bytes->getBufferSize() > INT32_MAX)
    return make_error<LimitError>(Name, "is larger than 2 GiB");
  Result.IsJSON = mayBeJSON(Result.Bytes->getBuffer());
  if (Result.IsJSON) {
    Expected<std::string> Binary = readOTLPJSON(Result.Bytes->getBuffer(), Name,
                                                [&](const Twine &LeftOut) {
                                                  Result.IsWhole = false;
                                                  Warn(LeftOut);
                                                });
    if (!Binary)
      return Binary.takeError();
    Result.Bytes = MemoryBuffer::getMemBufferCopy(*Binary, Name);
    Name = Result.Bytes->getBufferIdentifier();
  }
  Result.Contents.FileSize = Result.Bytes->getBufferSize();
  OTLPReader Reader(Result.Bytes->getBuffer(), Name, Parts == OTLPParts::Events,
                    Result.Contents);
  if (Error E = Reader.readTables())
    return E;
  if (Parts != OTLPParts::Tables)
    if (Error E = Reader.readSamples())
      return E;
  Reader.report(Warn);
  Result.IsWhole &= !Reader.hasDefects();
  Result.FileStrings = Reader.stringCount();
  Result.FileFunctions = Reader.functionCount();
  return Result;
}

/// The binary form only has two fields, and the second is required. pprof's
/// message always has another one, for strings.
bool OTLPFile::mayBe(StringRef Bytes) {
  if (mayBeJSON(Bytes))
    return true;
  bool HasDictionary = false;
  bool HasOthers = false;
  forEachField(Bytes, [&](const ProtoField &F) {
    HasDictionary |= F.isMessage(otlp::Dictionary);
    HasOthers |= F.Tag > otlp::Dictionary || !F.HasBytes;
  });
  return HasDictionary && !HasOthers;
}

bool recogniseOTLP(StringRef Bytes) {
  return !mayBeJSON(Bytes) && OTLPFile::mayBe(Bytes);
}

bool recogniseOTLPJSON(StringRef Bytes) { return mayBeJSON(Bytes); }

Error readOTLP(std::unique_ptr<MemoryBuffer> Bytes,
               const ProfileReadOptions &Options, WarningFunction Warn,
               ProfileFile &Into) {
  OTLPParts Parts = !Into.needsSamples(Options) ? OTLPParts::Tables
                    : !Options.needsEvents()    ? OTLPParts::Samples
                                                : OTLPParts::Events;
  Expected<OTLPFile> File = OTLPFile::read(std::move(Bytes), Parts, Warn);
  if (!File)
    return File.takeError();
  // The format may have been given as OTLP without the encoding.
  Into.Format = findProfileFormat(File->isJSON() ? "otlp-json" : "otlp");
  Into.OTLP.emplace(std::move(*File));
  return Error::success();
}

Error readOTLPJSON(std::unique_ptr<MemoryBuffer> Bytes,
                   const ProfileReadOptions &Options, WarningFunction Warn,
                   ProfileFile &Into) {
  return readOTLP(std::move(Bytes), Options, Warn, Into);
}

} // namespace lidia
