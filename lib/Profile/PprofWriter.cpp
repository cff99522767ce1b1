//===- PprofWriter.cpp - Writes pprof's profiles --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gzip.h"
#include "PprofFields.h"
#include "ProfileFormats.h"
#include "ProtoWriter.h"
#include "Support/ProtoFields.h"
#include "lidia/Profile/Pprof.h"
#include "llvm/Support/JSON.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

namespace {

/// Writes fields of the message Profile, each built in the same reused buffer.
class PprofWriter {
public:
  explicit PprofWriter(raw_ostream &OS) : OS(OS) {}

  void add(StringRef Raw) { OS << Raw; }
  void addNumber(uint32_t Tag, uint64_t Number);
  void addString(StringRef Text);
  void addValueType(uint32_t Tag, const Profile::ValueType &T);
  void addFunction(uint64_t ID, const Profile::Function &F);
  void addMapping(StringRef Begin, const Profile::Mapping &M);
  /// \p IDOf returns the ID of the function with an index.
  void addLocation(StringRef Begin, ArrayRef<Profile::Line> Lines,
                   function_ref<uint64_t(uint32_t)> IDOf);
  void addSample(const Profile &P, size_t Index);

  /// A cleared buffer for the first fields of a message.
  std::string &begin() {
    First.clear();
    return First;
  }
  StringRef first() const { return First; }

private:
  void addMessage(uint32_t Tag);

  raw_ostream &OS;
  std::string First;
  std::string Message;
  std::string Nested;
  std::string Head;
};

} // namespace

void PprofWriter::addMessage(uint32_t Tag) {
  Head.clear();
  protozero::pbf_writer(Head).add_message(Tag, Message);
  OS << Head;
}

void PprofWriter::addNumber(uint32_t Tag, uint64_t Number) {
  Head.clear();
  protozero::pbf_writer W(Head);
  addField(W, Tag, Number);
  OS << Head;
}

void PprofWriter::addString(StringRef Text) {
  Message.assign(Text.data(), Text.size());
  addMessage(pprof::StringTable);
}

void PprofWriter::addValueType(uint32_t Tag, const Profile::ValueType &T) {
  Message.clear();
  protozero::pbf_writer W(Message);
  addField(W, pprof::Type, T.Type);
  addField(W, pprof::Unit, T.Unit);
  addMessage(Tag);
}

void PprofWriter::addFunction(uint64_t ID, const Profile::Function &F) {
  Message.clear();
  protozero::pbf_writer W(Message);
  addField(W, pprof::FunctionID, ID);
  addField(W, pprof::Name, F.Name);
  addField(W, pprof::SystemName, F.SystemName);
  addField(W, pprof::Filename, F.File);
  addField(W, pprof::StartLine, F.StartLine);
  addMessage(pprof::Function);
}

void PprofWriter::addMapping(StringRef Begin, const Profile::Mapping &M) {
  Message.assign(Begin.data(), Begin.size());
  protozero::pbf_writer W(Message);
  addField(W, pprof::HasFunctions, M.HasFunctions);
  addField(W, pprof::HasFilenames, M.HasFilenames);
  addField(W, pprof::HasLineNumbers, M.HasLineNumbers);
  addField(W, pprof::HasInlineFrames, M.HasInlineFrames);
  addMessage(pprof::Mapping);
}

void PprofWriter::addLocation(StringRef Begin, ArrayRef<Profile::Line> Lines,
                              function_ref<uint64_t(uint32_t)> IDOf) {
  Message.assign(Begin.data(), Begin.size());
  protozero::pbf_writer W(Message);
  for (const Profile::Line &L : Lines) {
    Nested.clear();
    protozero::pbf_writer N(Nested);
    addField(N, pprof::LineFunctionID,
             L.Function == Profile::None ? 0 : IDOf(L.Function));
    addField(N, pprof::LineNumber, L.Number);
    addField(N, pprof::Column, L.Column);
    W.add_message(pprof::Line, Nested);
  }
  addMessage(pprof::Location);
}

void PprofWriter::addSample(const Profile &P, size_t Index) {
  const Profile::Sample &S = P.Samples[Index];
  Message.clear();
  protozero::pbf_writer W(Message);
  std::vector<uint64_t> IDs;
  for (uint32_t L : P.stack(S))
    IDs.push_back(uint64_t(L) + 1);
  W.add_packed_uint64(pprof::LocationID, IDs.begin(), IDs.end());
  ArrayRef<int64_t> Values = P.values(Index);
  W.add_packed_int64(pprof::Value, Values.begin(), Values.end());
  for (const Profile::Label &L : P.labels(S)) {
    Nested.clear();
    protozero::pbf_writer N(Nested);
    addField(N, pprof::Key, L.Key);
    addField(N, pprof::Str, L.Text);
    addField(N, pprof::Num, uint64_t(L.Number));
    addField(N, pprof::NumUnit, L.Unit);
    W.add_message(pprof::Label, Nested);
  }
  addMessage(pprof::Sample);
}

//===----------------------------------------------------------------------===//
// A file with changes
//===----------------------------------------------------------------------===//

/// \p Count numbers, in ascending order, that are not IDs of functions in the
/// file \p Bytes.
static std::vector<uint64_t> freeFunctionIDs(StringRef Bytes, size_t Count) {
  std::vector<uint64_t> Used;
  forEachField(Bytes, [&](const ProtoField &F) {
    if (!F.isMessage(pprof::Function))
      return;
    uint64_t ID = 0;
    forEachField(F.Bytes, [&](const ProtoField &Part) {
      if (Part.Tag == pprof::FunctionID)
        ID = Part.Number;
    });
    Used.push_back(ID);
  });
  llvm::sort(Used);
  std::vector<uint64_t> Free;
  const auto *Next = Used.data();
  for (uint64_t ID = 1; Free.size() != Count; ++ID) {
    while (Next != Used.data() + Used.size() && *Next < ID)
      ++Next;
    if (Next == Used.data() + Used.size() || *Next != ID)
      Free.push_back(ID);
  }
  return Free;
}

/// Appends the bytes of \p Message to \p To, without the fields for which
/// \p IsLeftOut is true.
static void copyFields(StringRef Message, std::string &To,
                       function_ref<bool(const ProtoField &)> IsLeftOut) {
  forEachField(Message, [&](const ProtoField &F) {
    if (!IsLeftOut(F))
      To.append(F.Raw.data(), F.Raw.size());
  });
}

void PprofFile::write(raw_ostream &OS) const {
  const Profile &P = Contents;
  StringRef Message = Bytes->getBuffer();
  std::vector<uint64_t> NewIDs =
      freeFunctionIDs(Message, P.Functions.size() - FileFunctions);
  auto IDOf = [&](uint32_t Function) {
    return NewIDs[Function - FileFunctions];
  };
  PprofWriter W(OS);
  size_t Locations = 0;
  size_t Mappings = 0;
  forEachField(Message, [&](const ProtoField &F) {
    if (F.isMessage(pprof::Location)) {
      const Profile::Location &L = P.Locations[Locations++];
      if (L.Changed) {
        copyFields(F.Bytes, W.begin(), [](const ProtoField &Part) {
          return Part.Tag == pprof::Line || Part.Tag == pprof::IsFolded;
        });
        return W.addLocation(W.first(), P.lines(L), IDOf);
      }
    } else if (F.isMessage(pprof::Mapping)) {
      const Profile::Mapping &M = P.Mappings[Mappings++];
      if (M.Changed) {
        copyFields(F.Bytes, W.begin(), [](const ProtoField &Part) {
          return Part.Tag >= pprof::HasFunctions &&
                 Part.Tag <= pprof::HasInlineFrames;
        });
        return W.addMapping(W.first(), M);
      }
    }
    W.add(F.Raw);
  });
  for (size_t I = FileFunctions; I != P.Functions.size(); ++I)
    W.addFunction(NewIDs[I - FileFunctions], P.Functions[I]);
  for (size_t I = FileStrings; I != P.Strings.size(); ++I)
    W.addString(P.Strings[ProfileStrings::ID(I)]);
}

//===----------------------------------------------------------------------===//
// A file from scratch
//===----------------------------------------------------------------------===//

static void addAllMappings(const Profile &P, PprofWriter &W) {
  for (size_t I = 0; I != P.Mappings.size(); ++I) {
    const Profile::Mapping &M = P.Mappings[I];
    protozero::pbf_writer Begin(W.begin());
    addField(Begin, pprof::MappingID, I + 1);
    addField(Begin, pprof::MemoryStart, M.Start);
    addField(Begin, pprof::MemoryLimit, M.Limit);
    addField(Begin, pprof::FileOffset, M.Offset);
    addField(Begin, pprof::MappingFilename, M.File);
    addField(Begin, pprof::BuildID, M.BuildID);
    W.addMapping(W.first(), M);
  }
}

static void addAllLocations(const Profile &P, PprofWriter &W) {
  auto IDOf = [](uint32_t Function) { return uint64_t(Function) + 1; };
  for (size_t I = 0; I != P.Locations.size(); ++I) {
    const Profile::Location &L = P.Locations[I];
    protozero::pbf_writer Begin(W.begin());
    addField(Begin, pprof::ID, I + 1);
    addField(Begin, pprof::LocationMappingID,
             L.Mapping == Profile::None ? 0 : uint64_t(L.Mapping) + 1);
    addField(Begin, pprof::Address, L.Address);
    W.addLocation(W.first(), P.lines(L), IDOf);
  }
}

void writePprof(const Profile &P, raw_ostream &OS) {
  PprofWriter W(OS);
  for (const Profile::ValueType &T : P.SampleTypes)
    W.addValueType(pprof::SampleType, T);
  for (size_t I = 0; I != P.Samples.size(); ++I)
    W.addSample(P, I);
  addAllMappings(P, W);
  addAllLocations(P, W);
  for (size_t I = 0; I != P.Functions.size(); ++I)
    W.addFunction(I + 1, P.Functions[I]);
  for (size_t I = 0; I != P.Strings.size(); ++I)
    W.addString(json::fixUTF8(P.Strings[ProfileStrings::ID(I)]));
  W.addNumber(pprof::TimeNanos, uint64_t(P.Time));
  W.addNumber(pprof::DurationNanos, uint64_t(P.Duration));
  if (P.PeriodType.Type != 0)
    W.addValueType(pprof::PeriodType, P.PeriodType);
  W.addNumber(pprof::Period, uint64_t(P.Period));
  // Without the field, the last type is the default.
  if (P.DefaultSampleType + 1 < P.SampleTypes.size())
    W.addNumber(pprof::DefaultSampleType,
                P.SampleTypes[P.DefaultSampleType].Type);
}

void writeGzip(raw_ostream &OS, function_ref<void(raw_ostream &)> Write) {
  GzipStream Packed(OS);
  Write(Packed);
  Packed.finish();
}

void writePprof(const ProfileFile &File, raw_ostream &OS, WarningFunction) {
  if (File.Pprof && !File.IsSelected)
    File.Pprof->write(OS);
  else
    writePprof(File.profile(), OS);
}

} // namespace lidia
