//===- PprofReader.cpp - Reads pprof's profiles ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gzip.h"
#include "PprofFields.h"
#include "ProfileFormats.h"
#include "Support/ProtoFields.h"
#include "lidia/Error.h"
#include "lidia/Object/FileKind.h"
#include "lidia/Profile/Pprof.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

namespace {

/// Indices of messages, by ID. IDs are arbitrary nonzero numbers, but most
/// writers count from one, and this takes no memory.
class IDTable {
public:
  void add(uint64_t ID) {
    uint32_t Index = Count++;
    if (IDs.empty() && ID == Count)
      return;
    if (IDs.empty())
      for (uint32_t I = 0; I != Index; ++I)
        IDs.push_back({uint64_t(I) + 1, I});
    IDs.push_back({ID, Index});
  }
  /// Must be called after the last add(). Returns how many messages have no ID,
  /// or the ID of an earlier message.
  size_t finish() {
    if (IDs.empty())
      return 0;
    llvm::sort(IDs);
    IDs.erase(std::unique(IDs.begin(), IDs.end(),
                          [](const Entry &A, const Entry &B) {
                            return A.first == B.first;
                          }),
              IDs.end());
    if (IDs.front().first == 0)
      IDs.erase(IDs.begin());
    return Count - IDs.size();
  }
  /// The index of the message with \p ID, or None.
  uint32_t find(uint64_t ID) const {
    if (IDs.empty())
      return ID - 1 < Count ? uint32_t(ID - 1) : Profile::None;
    auto E = llvm::lower_bound(IDs, Entry(ID, 0));
    return E != IDs.end() && E->first == ID ? E->second : Profile::None;
  }

private:
  /// ID and index.
  using Entry = std::pair<uint64_t, uint32_t>;
  /// Empty if the IDs are consecutive numbers from one.
  std::vector<Entry> IDs;
  uint32_t Count = 0;
};

/// Fills a profile from the bytes of a message Profile.
class PprofReader {
public:
  PprofReader(StringRef Bytes, StringRef Name, Profile &P)
      : Bytes(Bytes), Name(Name), P(P) {}

  Error readTables();
  Error readSamples();
  void report(WarningFunction Warn) const;

private:
  enum Defect {
    BrokenMessages,
    UnknownStrings,
    UnknownMappings,
    UnknownFunctions,
    UnknownLocations,
    RepeatedIDs,
    WrongValues,
    DefectKinds
  };

  void check(bool IsWhole) { Defects[BrokenMessages] += !IsWhole; }
  Profile::StringID string(uint64_t Index);
  uint32_t number32(uint64_t Number) {
    return uint32_t(std::min<uint64_t>(Number, Profile::None));
  }
  Error readStrings();
  Profile::ValueType readValueType(StringRef Message);
  void readMapping(StringRef Message);
  void readFunction(StringRef Message);
  void readLocation(StringRef Message);
  void addLine(StringRef Message);
  void resolveReferences();
  void readSample(StringRef Message);
  void readLabel(StringRef Message);

  const StringRef Bytes;
  const StringRef Name;
  Profile &P;
  IDTable MappingIDs;
  IDTable FunctionIDs;
  IDTable LocationIDs;
  /// The IDs in the lines and locations so far.
  std::vector<uint64_t> LineFunctionIDs;
  std::vector<uint64_t> LocationMappingIDs;
  uint64_t Defects[DefectKinds] = {};
};

} // namespace

Profile::StringID PprofReader::string(uint64_t Index) {
  if (Index < P.Strings.size())
    return P.Strings[Profile::StringID(Index)].empty()
               ? 0
               : Profile::StringID(Index);
  ++Defects[UnknownStrings];
  return 0;
}

/// All other messages refer to strings, which most writers write last.
Error PprofReader::readStrings() {
  bool IsFirst = true;
  bool HasEmpty = false;
  bool IsWhole = forEachField(Bytes, [&](const ProtoField &F) {
    if (!F.isMessage(pprof::StringTable))
      return;
    if (IsFirst)
      HasEmpty = F.Bytes.empty();
    else
      P.Strings.append(F.Bytes);
    IsFirst = false;
  });
  if (!IsWhole)
    return make_error<DamagedError>(Name, "truncated, or not a pprof profile");
  if (!HasEmpty)
    return make_error<DamagedError>(Name,
                                    "not a pprof profile: its string table "
                                    "does not begin with the empty string");
  return Error::success();
}

Profile::ValueType PprofReader::readValueType(StringRef Message) {
  Profile::ValueType T;
  check(forEachField(Message, [&](const ProtoField &F) {
    if (F.Tag == pprof::Type)
      T.Type = string(F.Number);
    else if (F.Tag == pprof::Unit)
      T.Unit = string(F.Number);
  }));
  return T;
}

void PprofReader::readMapping(StringRef Message) {
  Profile::Mapping M;
  uint64_t ID = 0;
  check(forEachField(Message, [&](const ProtoField &F) {
    switch (F.Tag) {
    case pprof::MappingID:
      ID = F.Number;
      break;
    case pprof::MemoryStart:
      M.Start = F.Number;
      break;
    case pprof::MemoryLimit:
      M.Limit = F.Number;
      break;
    case pprof::FileOffset:
      M.Offset = F.Number;
      break;
    case pprof::MappingFilename:
      M.File = string(F.Number);
      break;
    case pprof::BuildID:
      M.BuildID = string(F.Number);
      break;
    case pprof::HasFunctions:
      M.HasFunctions = F.Number != 0;
      break;
    case pprof::HasFilenames:
      M.HasFilenames = F.Number != 0;
      break;
    case pprof::HasLineNumbers:
      M.HasLineNumbers = F.Number != 0;
      break;
    case pprof::HasInlineFrames:
      M.HasInlineFrames = F.Number != 0;
      break;
    }
  }));
  MappingIDs.add(ID);
  P.Mappings.push_back(M);
}

void PprofReader::readFunction(StringRef Message) {
  Profile::Function Fn;
  uint64_t ID = 0;
  check(forEachField(Message, [&](const ProtoField &F) {
    switch (F.Tag) {
    case pprof::FunctionID:
      ID = F.Number;
      break;
    case pprof::Name:
      Fn.Name = string(F.Number);
      break;
    case pprof::SystemName:
      Fn.SystemName = string(F.Number);
      break;
    case pprof::Filename:
      Fn.File = string(F.Number);
      break;
    case pprof::StartLine:
      Fn.StartLine = number32(F.Number);
      break;
    }
  }));
  FunctionIDs.add(ID);
  P.Functions.push_back(Fn);
}

void PprofReader::addLine(StringRef Message) {
  Profile::Line L;
  uint64_t FunctionID = 0;
  check(forEachField(Message, [&](const ProtoField &F) {
    switch (F.Tag) {
    case pprof::LineFunctionID:
      FunctionID = F.Number;
      break;
    case pprof::LineNumber:
      L.Number = number32(F.Number);
      break;
    case pprof::Column:
      L.Column = number32(F.Number);
      break;
    }
  }));
  P.Lines.push_back(L);
  LineFunctionIDs.push_back(FunctionID);
}

void PprofReader::readLocation(StringRef Message) {
  Profile::Location L;
  L.FirstLine = uint32_t(P.Lines.size());
  uint64_t ID = 0;
  uint64_t MappingID = 0;
  bool IsWhole = forEachField(Message, [&](const ProtoField &F) {
    if (F.isMessage(pprof::Line))
      addLine(F.Bytes);
    else if (F.Tag == pprof::ID)
      ID = F.Number;
    else if (F.Tag == pprof::LocationMappingID)
      MappingID = F.Number;
    else if (F.Tag == pprof::Address)
      L.Address = F.Number;
  });
  check(IsWhole);
  L.LineCount = uint32_t(P.Lines.size() - L.FirstLine);
  LocationIDs.add(ID);
  // A location that cannot be read completely must not be changed.
  LocationMappingIDs.push_back(IsWhole ? MappingID : 0);
  P.Locations.push_back(L);
}

/// Converts IDs to indices, after all IDs are known.
void PprofReader::resolveReferences() {
  Defects[RepeatedIDs] +=
      MappingIDs.finish() + FunctionIDs.finish() + LocationIDs.finish();
  for (size_t I = 0; I != P.Locations.size(); ++I) {
    uint64_t ID = LocationMappingIDs[I];
    P.Locations[I].Mapping = ID ? MappingIDs.find(ID) : Profile::None;
    Defects[UnknownMappings] += ID && P.Locations[I].Mapping == Profile::None;
  }
  for (size_t I = 0; I != P.Lines.size(); ++I) {
    uint64_t ID = LineFunctionIDs[I];
    P.Lines[I].Function = ID ? FunctionIDs.find(ID) : Profile::None;
    Defects[UnknownFunctions] += P.Lines[I].Function == Profile::None;
  }
  LineFunctionIDs = {};
  LocationMappingIDs = {};
}

Error PprofReader::readTables() {
  if (Error E = readStrings())
    return E;
  uint64_t DefaultType = 0;
  forEachField(Bytes, [&](const ProtoField &F) {
    if (F.isMessage(pprof::SampleType))
      P.SampleTypes.push_back(readValueType(F.Bytes));
    else if (F.isMessage(pprof::Mapping))
      readMapping(F.Bytes);
    else if (F.isMessage(pprof::Location))
      readLocation(F.Bytes);
    else if (F.isMessage(pprof::Function))
      readFunction(F.Bytes);
    else if (F.isMessage(pprof::PeriodType))
      P.PeriodType = readValueType(F.Bytes);
    else if (F.Tag == pprof::TimeNanos)
      P.Time = int64_t(F.Number);
    else if (F.Tag == pprof::DurationNanos)
      P.Duration = int64_t(F.Number);
    else if (F.Tag == pprof::Period)
      P.Period = int64_t(F.Number);
    else if (F.Tag == pprof::DefaultSampleType)
      DefaultType = F.Number;
  });
  resolveReferences();
  // Like pprof: the last one, unless the file specifies another.
  if (!P.SampleTypes.empty())
    P.DefaultSampleType = uint32_t(P.SampleTypes.size() - 1);
  for (size_t I = 0; DefaultType != 0 && I != P.SampleTypes.size(); ++I)
    if (P.SampleTypes[I].Type == DefaultType)
      P.DefaultSampleType = uint32_t(I);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

void PprofReader::readLabel(StringRef Message) {
  Profile::Label L;
  check(forEachField(Message, [&](const ProtoField &F) {
    switch (F.Tag) {
    case pprof::Key:
      L.Key = string(F.Number);
      break;
    case pprof::Str:
      L.Text = string(F.Number);
      break;
    case pprof::Num:
      L.Number = int64_t(F.Number);
      break;
    case pprof::NumUnit:
      L.Unit = string(F.Number);
      break;
    }
  }));
  P.Labels.push_back(L);
}

void PprofReader::readSample(StringRef Message) {
  Profile::Sample S;
  S.FirstLocation = uint32_t(P.StackLocations.size());
  S.FirstLabel = uint32_t(P.Labels.size());
  size_t Values = 0;
  auto AddLocation = [&](uint64_t ID) {
    uint32_t Index = LocationIDs.find(ID);
    if (Index == Profile::None)
      ++Defects[UnknownLocations];
    else
      P.StackLocations.push_back(Index);
  };
  size_t Types = P.SampleTypes.size();
  auto AddValue = [&](uint64_t Value) {
    if (Values < Types)
      P.Values[P.Samples.size() * Types + Values] = int64_t(Value);
    ++Values;
  };
  check(forEachField(Message, [&](const ProtoField &F) {
    if (F.Tag == pprof::LocationID)
      check(forEachNumber(F, AddLocation));
    else if (F.Tag == pprof::Value)
      check(forEachNumber(F, AddValue));
    else if (F.isMessage(pprof::Label))
      readLabel(F.Bytes);
  }));
  S.LocationCount = uint32_t(P.StackLocations.size() - S.FirstLocation);
  S.LabelCount = uint32_t(P.Labels.size() - S.FirstLabel);
  P.Samples.push_back(S);
  Defects[WrongValues] += Values != Types;
}

Error PprofReader::readSamples() {
  size_t Count = 0;
  forEachField(
      Bytes, [&](const ProtoField &F) { Count += F.isMessage(pprof::Sample); });
  if (Error E = P.allotValues(Count, Name))
    return E;
  forEachField(Bytes, [&](const ProtoField &F) {
    if (F.isMessage(pprof::Sample))
      readSample(F.Bytes);
  });
  return Error::success();
}

void PprofReader::report(WarningFunction Warn) const {
  static constexpr StringLiteral Texts[DefectKinds] = {
      "malformed messages",
      "references to strings that do not exist",
      "locations in mappings that do not exist",
      "lines of functions that do not exist",
      "references to locations that do not exist",
      "IDs that are zero or used twice",
      "samples whose number of values is not the number of sample types"};
  for (unsigned I = 0; I != DefectKinds; ++I)
    if (Defects[I])
      Warn(Name + ": " + Twine(Defects[I]) + " " + Texts[I]);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

Expected<PprofFile> PprofFile::read(std::unique_ptr<MemoryBuffer> File,
                                    bool WithSamples, WarningFunction Warn) {
  PprofFile Result;
  if (Error E = unpackProfile(std::move(File)).moveInto(Result.Bytes))
    return E;
  StringRef Name = Result.Bytes->getBufferIdentifier();
  // Indices have 32 bits.
  if (Result.Bytes->getBufferSize() > UINT32_MAX)
    return make_error<LimitError>(Name, "is larger than 4 GiB");
  Result.Contents.FileSize = Result.Bytes->getBufferSize();
  PprofReader Reader(Result.Bytes->getBuffer(), Name, Result.Contents);
  if (Error E = Reader.readTables())
    return E;
  if (WithSamples)
    if (Error E = Reader.readSamples())
      return E;
  Reader.report(Warn);
  Result.FileStrings = uint32_t(Result.Contents.Strings.size());
  Result.FileFunctions = uint32_t(Result.Contents.Functions.size());
  return Result;
}

bool PprofFile::mayBe(StringRef Bytes) {
  if (fileKind(Bytes) == FileKind::Gzip)
    return true;
  // A length-delimited field of the message: 1 to 6 or 11.
  if (!Bytes.empty() && (Bytes[0] & 7) == 2 &&
      ((Bytes[0] >> 3 >= 1 && Bytes[0] >> 3 <= 6) || Bytes[0] >> 3 == 11))
    return true;
  // Files of Go's runtime begin with a number, the time. Text may begin like
  // this, too, but its next letter is hardly ever another field.
  size_t Fields = 0;
  size_t Known = 0;
  forEachField(Bytes, [&](const ProtoField &F) {
    constexpr uint32_t LastField = 15;
    if (Fields++ < 2)
      Known += F.Tag >= 1 && F.Tag <= LastField && (F.HasNumber || F.HasBytes);
  });
  return Known == 2;
}

bool recognisePprof(StringRef Bytes) {
  constexpr size_t Start = 4096;
  bool IsText = all_of(Bytes.take_front(Start), [](char C) {
    return uint8_t(C) >= ' ' || C == '\n' || C == '\t' || C == '\r';
  });
  return !IsText && PprofFile::mayBe(Bytes);
}

Error readPprof(std::unique_ptr<MemoryBuffer> Bytes,
                const ProfileReadOptions &Options, WarningFunction Warn,
                ProfileFile &Into) {
  Expected<PprofFile> File =
      PprofFile::read(std::move(Bytes), Into.needsSamples(Options), Warn);
  if (!File)
    return File.takeError();
  Into.Pprof.emplace(std::move(*File));
  return Error::success();
}

} // namespace lidia
