//===- OTLPWriter.cpp - Writes OpenTelemetry profiles ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OTLPSchema.h"
#include "ProfileFormats.h"
#include "ProtoWriter.h"
#include "Support/ProtoFields.h"
#include "lidia/Profile/OTLP.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace lidia {

static void addText(protozero::pbf_writer &W, uint32_t Tag, StringRef Text) {
  if (json::isUTF8(Text))
    W.add_string(Tag, Text.data(), Text.size());
  else
    W.add_string(Tag, json::fixUTF8(Text));
}

/// \p IndexOf returns the index of a function in its table.
static void addLines(protozero::pbf_writer &Location,
                     ArrayRef<Profile::Line> Lines,
                     function_ref<uint64_t(uint32_t)> IndexOf) {
  std::string Message;
  for (const Profile::Line &L : Lines) {
    Message.clear();
    protozero::pbf_writer W(Message);
    addField(W, otlp::FunctionIndex,
             L.Function == Profile::None ? 0 : IndexOf(L.Function));
    addField(W, otlp::LineNumber, L.Number);
    addField(W, otlp::Column, L.Column);
    Location.add_message(otlp::Lines, Message);
  }
}

/// \p IndexOf returns the index of a string in its table.
static void addFunction(protozero::pbf_writer &Dictionary,
                        const Profile::Function &F,
                        function_ref<uint64_t(Profile::StringID)> IndexOf) {
  std::string Message;
  protozero::pbf_writer W(Message);
  addField(W, otlp::FunctionName, IndexOf(F.Name));
  addField(W, otlp::SystemName, IndexOf(F.SystemName));
  addField(W, otlp::FunctionFilename, IndexOf(F.File));
  addField(W, otlp::StartLine, F.StartLine);
  Dictionary.add_message(otlp::FunctionTable, Message);
}

//===----------------------------------------------------------------------===//
// A file with changes
//===----------------------------------------------------------------------===//

namespace {
/// Writes a dictionary of a file with the changes to its profile.
class DictionaryEditor {
public:
  DictionaryEditor(const Profile &P, uint32_t FileStrings,
                   uint32_t FileFunctions)
      : P(P), FileStrings(FileStrings), FileFunctions(FileFunctions) {}

  /// Appends the fields of \p Message, with changes, to \p To.
  void edit(StringRef Message, std::string &To);
  /// Appends the new entries of the tables to \p To.
  void append(std::string &To);

private:
  void editLocation(const ProtoField &F, const Profile::Location &L,
                    std::string &To);

  const Profile &P;
  const uint32_t FileStrings;
  const uint32_t FileFunctions;
  /// The number of entries of the table of locations so far.
  size_t Locations = 0;
};
} // namespace

void DictionaryEditor::editLocation(const ProtoField &F,
                                    const Profile::Location &L,
                                    std::string &To) {
  std::string Message;
  bool IsWhole = forEachField(F.Bytes, [&](const ProtoField &Part) {
    if (Part.Tag != otlp::Lines)
      Message.append(Part.Raw.data(), Part.Raw.size());
  });
  if (!IsWhole) {
    To.append(F.Raw.data(), F.Raw.size());
    return;
  }
  // The first entry of each table is empty. An empty table gets such an entry.
  protozero::pbf_writer W(Message);
  addLines(W, P.lines(L), [](uint32_t Index) { return uint64_t(Index) + 1; });
  protozero::pbf_writer(To).add_message(otlp::LocationTable, Message);
}

void DictionaryEditor::edit(StringRef Message, std::string &To) {
  forEachField(Message, [&](const ProtoField &F) {
    if (F.isMessage(otlp::LocationTable) && Locations++ != 0) {
      const Profile::Location &L = P.Locations[Locations - 2];
      if (L.Changed)
        return editLocation(F, L, To);
    }
    To.append(F.Raw.data(), F.Raw.size());
  });
}

void DictionaryEditor::append(std::string &To) {
  // Add only strings that are used, because the reader adds some of its own.
  std::vector<Profile::StringID> Added;
  DenseMap<Profile::StringID, uint64_t> Indices;
  uint32_t First = std::max<uint32_t>(FileStrings, 1);
  auto IndexOf = [&](Profile::StringID ID) -> uint64_t {
    if (ID < First)
      return ID;
    auto [It, New] = Indices.try_emplace(ID, First + Added.size());
    if (New)
      Added.push_back(ID);
    return It->second;
  };
  size_t FirstFunction = std::max<uint32_t>(FileFunctions, 1) - 1;
  protozero::pbf_writer W(To);
  if (FirstFunction == P.Functions.size())
    return;
  if (FileFunctions == 0)
    addFunction(W, Profile::Function(), IndexOf);
  for (size_t I = FirstFunction; I != P.Functions.size(); ++I)
    addFunction(W, P.Functions[I], IndexOf);
  if (FileStrings == 0)
    addText(W, otlp::StringTable, "");
  for (Profile::StringID ID : Added)
    addText(W, otlp::StringTable, P.Strings[ID]);
}

void OTLPFile::write(raw_ostream &OS) const {
  StringRef Message = Bytes->getBuffer();
  // If there are several dictionaries, new entries are added to the last one.
  const char *Last = nullptr;
  forEachField(Message, [&](const ProtoField &F) {
    if (F.isMessage(otlp::Dictionary))
      Last = F.Raw.data();
  });
  DictionaryEditor Editor(Contents, FileStrings, FileFunctions);
  forEachField(Message, [&](const ProtoField &F) {
    if (!F.isMessage(otlp::Dictionary)) {
      OS << F.Raw;
      return;
    }
    std::string Edited;
    Edited.reserve(F.Bytes.size() + F.Bytes.size() / 4);
    Editor.edit(F.Bytes, Edited);
    if (F.Raw.data() == Last)
      Editor.append(Edited);
    // Copy the field unchanged, because its length may be encoded in more bytes
    // than necessary.
    if (Edited == F.Bytes) {
      OS << F.Raw;
      return;
    }
    std::string Head;
    protozero::add_varint_to_buffer(&Head, otlp::Dictionary << 3 | 2);
    protozero::add_varint_to_buffer(&Head, Edited.size());
    OS << Head << Edited;
  });
}

//===----------------------------------------------------------------------===//
// A file from scratch
//===----------------------------------------------------------------------===//

namespace {
/// Writes a profile as a message ProfilesData. Each table begins with an empty
/// entry, so the indices of the profile's arrays are one less than those in the
/// file.
class OTLPWriter {
public:
  explicit OTLPWriter(const Profile &P) : P(P) {}

  void write(raw_ostream &OS);

private:
  /// Key, text, unit, number, and whether the number is a bool.
  using Attribute = std::tuple<Profile::StringID, Profile::StringID,
                               Profile::StringID, int64_t, bool>;

  uint64_t string(StringRef Text);
  uint64_t attribute(const Attribute &A);
  uint64_t stack(const Profile::Sample &S);
  void addMapping(const Profile::Mapping &M);
  void addLocation(const Profile::Location &L);
  std::string valueType(const Profile::ValueType &T);
  std::string profile(size_t Type);
  std::string scope() const;

  const Profile &P;
  std::string Dictionary;
  protozero::pbf_writer Tables{Dictionary};
  /// Texts that the profile's strings do not contain.
  std::vector<StringRef> MoreStrings;
  std::map<Attribute, uint64_t> Attributes;
  /// Samples whose stacks were written, by the hash of their locations.
  std::multimap<uint64_t, std::pair<const Profile::Sample *, uint64_t>> Stacks;
  uint64_t StackCount = 0;
};
} // namespace

uint64_t OTLPWriter::string(StringRef Text) {
  auto Known = find(MoreStrings, Text);
  if (Known == MoreStrings.end())
    Known = MoreStrings.insert(Known, Text);
  return P.Strings.size() + uint64_t(Known - MoreStrings.begin());
}

uint64_t OTLPWriter::attribute(const Attribute &A) {
  auto [It, New] = Attributes.try_emplace(A, Attributes.size() + 1);
  if (!New)
    return It->second;
  const auto &[Key, Text, Unit, Number, IsBool] = A;
  std::string Value;
  protozero::pbf_writer V(Value);
  if (Text != 0)
    V.add_int32(otlp::StringIndexValue, int32_t(Text));
  else if (IsBool)
    V.add_bool(otlp::BoolValue, Number != 0);
  else
    V.add_int64(otlp::IntValue, Number);
  std::string Message;
  protozero::pbf_writer W(Message);
  addField(W, otlp::Key, Key);
  W.add_message(otlp::Value, Value);
  addField(W, otlp::AttributeUnit, Unit);
  Tables.add_message(otlp::AttributeTable, Message);
  return It->second;
}

void OTLPWriter::addMapping(const Profile::Mapping &M) {
  std::vector<uint32_t> Its;
  auto Add = [&](StringRef Key, Profile::StringID Text) {
    if (Text != 0)
      Its.push_back(uint32_t(attribute(
          {Profile::StringID(string(Key)), Text, 0, 0, /*IsBool=*/false})));
  };
  if (!object::parseBuildID(P.Strings[M.BuildID]).empty())
    Add("process.executable.build_id.gnu", M.BuildID);
  else
    Add("process.executable.build_id.go", M.BuildID);
  Add("process.executable.build_id.htlhash", M.FileHash);
  for (const auto &[Key, Flag] : otlp::MappingFlags)
    if (M.*Flag)
      Its.push_back(uint32_t(attribute(
          {Profile::StringID(string(Key)), 0, 0, 1, /*IsBool=*/true})));
  std::string Message;
  protozero::pbf_writer W(Message);
  addField(W, otlp::MemoryStart, M.Start);
  addField(W, otlp::MemoryLimit, M.Limit);
  addField(W, otlp::FileOffset, M.Offset);
  addField(W, otlp::MappingFilename, M.File);
  W.add_packed_uint32(otlp::MappingAttributes, Its.begin(), Its.end());
  Tables.add_message(otlp::MappingTable, Message);
}

void OTLPWriter::addLocation(const Profile::Location &L) {
  std::string Message;
  protozero::pbf_writer W(Message);
  // None becomes zero by the addition.
  addField(W, otlp::MappingIndex, uint32_t(L.Mapping + 1));
  addField(W, otlp::Address, L.Address);
  addLines(W, P.lines(L), [](uint32_t Index) { return uint64_t(Index) + 1; });
  Tables.add_message(otlp::LocationTable, Message);
}

uint64_t OTLPWriter::stack(const Profile::Sample &S) {
  ArrayRef<uint32_t> Locations = P.stack(S);
  if (Locations.empty())
    return 0;
  uint64_t Hash = hash_combine_range(Locations.begin(), Locations.end());
  auto [Begin, End] = Stacks.equal_range(Hash);
  for (auto It = Begin; It != End; ++It)
    if (P.stack(*It->second.first) == Locations)
      return It->second.second;
  std::vector<uint32_t> Indices;
  for (uint32_t L : Locations)
    Indices.push_back(L + 1);
  std::string Message;
  protozero::pbf_writer(Message).add_packed_uint32(
      otlp::LocationIndices, Indices.begin(), Indices.end());
  Tables.add_message(otlp::StackTable, Message);
  Stacks.insert({Hash, {&S, ++StackCount}});
  return StackCount;
}

std::string OTLPWriter::valueType(const Profile::ValueType &T) {
  std::string Message;
  protozero::pbf_writer W(Message);
  addField(W, otlp::Type, T.Type);
  addField(W, otlp::Unit, T.Unit);
  return Message;
}

/// Writes a profile with one type of value. Only the first has samples without
/// a value, so that a reader finds all samples in their order.
std::string OTLPWriter::profile(size_t Type) {
  std::string Message;
  protozero::pbf_writer W(Message);
  W.add_message(otlp::SampleType, valueType(P.SampleTypes[Type]));
  std::string Sample;
  for (size_t I = 0; I != P.Samples.size(); ++I) {
    const Profile::Sample &S = P.Samples[I];
    int64_t Value = P.values(I)[Type];
    if (Value == 0 && Type != 0)
      continue;
    std::vector<uint32_t> Its;
    for (const Profile::Label &L : P.labels(S))
      Its.push_back(uint32_t(
          attribute({L.Key, L.Text, L.Unit, L.Number, /*IsBool=*/false})));
    Sample.clear();
    protozero::pbf_writer One(Sample);
    addField(One, otlp::StackIndex, stack(S));
    One.add_packed_uint32(otlp::SampleAttributes, Its.begin(), Its.end());
    One.add_packed_int64(otlp::Values, &Value, &Value + 1);
    W.add_message(otlp::Samples, Sample);
  }
  if (P.Time != 0)
    W.add_fixed64(otlp::TimeUnixNano, uint64_t(P.Time));
  addField(W, otlp::DurationNano, uint64_t(P.Duration));
  if (P.PeriodType.Type != 0)
    W.add_message(otlp::PeriodType, valueType(P.PeriodType));
  addField(W, otlp::Period, uint64_t(P.Period));
  return Message;
}

/// A scope with the type to show first, for which OTLP's messages have no
/// field.
std::string OTLPWriter::scope() const {
  StringRef Type = P.Strings[P.SampleTypes[P.DefaultSampleType].Type];
  std::string Value;
  protozero::pbf_writer(Value).add_string(otlp::StringValue,
                                          json::fixUTF8(Type));
  std::string Attribute;
  protozero::pbf_writer A(Attribute);
  A.add_string(otlp::KeyText, otlp::DefaultTypeKey.str());
  A.add_message(otlp::KeyedValue, Value);
  std::string Message;
  protozero::pbf_writer(Message).add_message(otlp::ScopeAttributes, Attribute);
  return Message;
}

void OTLPWriter::write(raw_ostream &OS) {
  for (uint32_t Table :
       {otlp::MappingTable, otlp::LocationTable, otlp::FunctionTable,
        otlp::LinkTable, otlp::AttributeTable, otlp::StackTable})
    Tables.add_message(Table, std::string());
  std::string Profiles;
  protozero::pbf_writer W(Profiles);
  for (const Profile::Mapping &M : P.Mappings)
    addMapping(M);
  for (const Profile::Location &L : P.Locations)
    addLocation(L);
  for (const Profile::Function &F : P.Functions)
    addFunction(Tables, F, [](Profile::StringID ID) { return uint64_t(ID); });
  if (P.SampleTypes.size() > 1)
    W.add_message(otlp::Scope, scope());
  for (size_t Type = 0; Type != P.SampleTypes.size(); ++Type)
    W.add_message(otlp::Profiles, profile(Type));
  for (size_t I = 0; I != P.Strings.size(); ++I)
    addText(Tables, otlp::StringTable, P.Strings[ProfileStrings::ID(I)]);
  for (StringRef Text : MoreStrings)
    addText(Tables, otlp::StringTable, Text);

  std::string Resource;
  protozero::pbf_writer(Resource).add_message(otlp::ScopeProfiles, Profiles);
  std::string Message;
  protozero::pbf_writer Data(Message);
  Data.add_message(otlp::ResourceProfiles, Resource);
  Data.add_message(otlp::Dictionary, Dictionary);
  OS << Message;
}

void writeOTLP(const Profile &P, raw_ostream &OS) { OTLPWriter(P).write(OS); }

void writeOTLP(const ProfileFile &File, raw_ostream &OS, WarningFunction) {
  if (File.OTLP && !File.IsSelected)
    File.OTLP->write(OS);
  else
    writeOTLP(File.profile(), OS);
}

} // namespace lidia
