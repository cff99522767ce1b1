//===- PerfFile.cpp - The header and the features of a recording ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfFile.h"
#include "PerfFormat.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

static constexpr StringLiteral PerfMagic = "PERFILE2";
/// The same, on machines of the other byte order.
static constexpr StringLiteral SwappedMagic = "2ELIFREP";
static constexpr uint64_t PipedHeaderSize = 16;

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// The name that perf prints for an event without a name in the recording.
static std::string defaultName(uint32_t Type, uint64_t Config) {
  constexpr StringLiteral Hardware[] = {"cycles",
                                        "instructions",
                                        "cache-references",
                                        "cache-misses",
                                        "branches",
                                        "branch-misses",
                                        "bus-cycles",
                                        "stalled-cycles-frontend",
                                        "stalled-cycles-backend",
                                        "ref-cycles"};
  constexpr StringLiteral Software[] = {
      "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
      "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
      "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
  if (Type == 0 && Config < std::size(Hardware))
    return Hardware[Config].str();
  if (Type == 1 && Config < std::size(Software))
    return Software[Config].str();
  return "raw 0x" + utohexstr(Config, /*LowerCase=*/true);
}

/// Reads the fields of perf_event_attr; older versions have fewer.
static bool parseAttribute(StringRef Bytes, endianness Order, PerfEvent &E) {
  constexpr size_t FirstVersion = 64;
  if (Bytes.size() < FirstVersion)
    return false;
  PerfFields Fields(Bytes, Order);
  E.Type = Fields.u32();
  Fields.skip(4);
  E.Config = Fields.u64();
  E.SamplePeriod = Fields.u64();
  E.SampleType = Fields.u64();
  E.ReadFormat = Fields.u64();
  uint64_t Flags = Fields.u64();
  auto HasFlag = [&](perf::AttributeBit Bit) {
    // On big-endian machines, compilers allocate bit fields from the other end.
    return (Flags >> (Order == endianness::little ? Bit : 63 - Bit)) & 1;
  };
  E.SampleIDAll = HasFlag(perf::SampleIDAll);
  // wakeup_events, bp_type, bp_addr, bp_len.
  Fields.skip(24);
  E.BranchType = Fields.u64();
  E.UserRegisters = Fields.u64();
  // sample_stack_user.
  Fields.skip(4);
  constexpr uint32_t Monotonic = 1;
  E.IsMonotonic = Fields.u32() == Monotonic && HasFlag(perf::UseClockID);
  E.InterruptRegisters = Fields.u64();
  E.Name = defaultName(E.Type, E.Config);
  return true;
}

bool PerfFile::readAttribute(StringRef Attribute, StringRef IDs) {
  PerfEvent E;
  if (!parseAttribute(Attribute, Order, E))
    return false;
  PerfFields Fields(IDs, Order);
  while (Fields.left().size() >= 8)
    EventsByID.try_emplace(Fields.u64(), uint32_t(Events.size()));
  Events.push_back(std::move(E));
  return true;
}

size_t PerfFile::eventOf(uint64_t ID) const {
  // Records without an ID belong to the first event.
  if (Events.size() == 1 || ID == 0)
    return 0;
  auto Found = EventsByID.find(ID);
  return Found == EventsByID.end() ? Events.size() : Found->second;
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

static StringRef readString(PerfFields &Fields) {
  StringRef Text = Fields.bytes(Fields.u32());
  return Text.take_front(Text.find('\0'));
}

/// Reads the names of events, in the order of their attributes.
bool PerfFile::readEventNames(PerfFields Fields) {
  uint32_t Count = Fields.u32();
  uint32_t AttributeSize = Fields.u32();
  for (uint32_t I = 0; I != Count && !Fields.isBroken(); ++I) {
    Fields.skip(AttributeSize);
    uint64_t IDs = Fields.u32();
    StringRef Name = readString(Fields);
    Fields.skip(IDs * 8);
    if (!Fields.isBroken() && I < Events.size() && !Name.empty())
      Events[I].Name = Name.str();
  }
  return !Fields.isBroken();
}

/// Reads a build_id_event after its header.
bool PerfFile::readBuildID(uint16_t Misc, PerfFields Fields) {
  constexpr size_t Max = 20;
  Fields.skip(4);
  StringRef Bytes = Fields.bytes(24);
  StringRef Path = Fields.text();
  if (Fields.isBroken() || Path.empty())
    return false;
  size_t Size = (Misc & perf::BuildIDSize) ? uint8_t(Bytes[Max]) : Max;
  if (Size == 0 || Size > Max)
    return false;
  BuildIDs.push_back(
      {Path.str(), toHex(Bytes.take_front(Size), /*LowerCase=*/true)});
  return true;
}

bool PerfFile::readBuildIDs(StringRef Bytes) {
  while (!Bytes.empty()) {
    PerfFields Header(Bytes, Order);
    Header.skip(4);
    uint16_t Misc = Header.u16();
    uint16_t Size = Header.u16();
    if (Header.isBroken() || Size < 8 || Size > Bytes.size() ||
        !readBuildID(Misc,
                     PerfFields(Bytes.take_front(Size).drop_front(8), Order)))
      return false;
    Bytes = Bytes.drop_front(Size);
  }
  return true;
}

bool PerfFile::readFeature(unsigned Number, StringRef Bytes) {
  PerfFields Fields(Bytes, Order);
  switch (Number) {
  case perf::FeatureBuildID:
    return readBuildIDs(Bytes);
  case perf::FeatureEventDesc:
    return readEventNames(Fields);
  case perf::FeatureArch:
    Arch = readString(Fields).str();
    return !Fields.isBroken();
  case perf::FeatureClockData: {
    Fields.skip(8);
    uint64_t Wall = Fields.u64();
    ClockOffset = Wall - Fields.u64();
    return !Fields.isBroken();
  }
  default:
    return true;
  }
}

/// Reads a better name of an event, in the piped form.
bool PerfFile::readUpdate(PerfFields Fields) {
  constexpr uint64_t IsName = 2;
  uint64_t What = Fields.u64();
  size_t Event = eventOf(Fields.u64());
  StringRef Name = Fields.text();
  if (Fields.isBroken())
    return false;
  if (What == IsName && Event != Events.size() && !Name.empty())
    Events[Event].Name = Name.str();
  return true;
}

bool PerfFile::readRecord(const PerfRecord &R) {
  PerfFields Fields(R.Body, Order);
  switch (R.Type) {
  case perf::RecordHeaderAttribute: {
    // The attribute contains its own size, and the IDs follow.
    PerfFields Size(R.Body, Order);
    Size.skip(4);
    StringRef Attribute = Fields.bytes(Size.u32());
    return readAttribute(Attribute, Fields.left());
  }
  case perf::RecordBuildID:
    return readBuildID(R.Misc, Fields);
  case perf::RecordEventUpdate:
    return readUpdate(Fields);
  case perf::RecordFeature: {
    uint64_t Number = Fields.u64();
    return !Fields.isBroken() &&
           readFeature(unsigned(std::min<uint64_t>(Number, 1000)),
                       Fields.left());
  }
  default:
    return true;
  }
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

PerfFile::Section PerfFile::readSection(PerfFields &Fields) {
  Section S;
  S.Offset = Fields.u64();
  S.Size = Fields.u64();
  return S;
}

/// Returns an empty text, and counts a broken section, if it is not in \p File.
StringRef PerfFile::bytesOf(const Section &S, StringRef File) {
  if (S.Offset <= File.size() && S.Size <= File.size() - S.Offset)
    return File.substr(S.Offset, S.Size);
  ++BrokenSections;
  return {};
}

/// Each entry of \p Bytes is a perf_event_attr and the location of its IDs.
void PerfFile::readAttributes(StringRef Bytes, uint64_t EntrySize,
                              StringRef File) {
  constexpr uint64_t PlaceSize = 16;
  // In a crafted file, the locations may overlap.
  uint64_t MaxIDBytes = File.size();
  while (EntrySize > PlaceSize && Bytes.size() >= EntrySize) {
    StringRef Entry = Bytes.take_front(EntrySize);
    PerfFields Place(Entry.take_back(PlaceSize), Order);
    StringRef IDs = bytesOf(readSection(Place), File);
    if (IDs.size() > MaxIDBytes)
      break;
    MaxIDBytes -= IDs.size();
    if (!readAttribute(Entry.drop_back(PlaceSize), IDs))
      break;
    Bytes = Bytes.drop_front(EntrySize);
  }
  BrokenSections += !Bytes.empty();
}

/// \p Table has the locations of the sections, one for each bit of \p Flags.
void PerfFile::readFeatures(StringRef Table, ArrayRef<uint64_t> Flags,
                            StringRef File) {
  PerfFields Places(Table, Order);
  for (unsigned Number = 0; Number != perf::FeatureCount; ++Number) {
    if (!((Flags[Number / 64] >> (Number % 64)) & 1))
      continue;
    Section S = readSection(Places);
    if (Places.isBroken()) {
      ++BrokenSections;
      return;
    }
    StringRef Bytes = bytesOf(S, File);
    BrokenSections += !Bytes.empty() && !readFeature(Number, Bytes);
  }
}

void PerfFile::readHeader(PerfFields Fields, StringRef File, StringRef Name,
                          WarningFunction Warn) {
  uint64_t EntrySize = Fields.u64();
  Section Attributes = readSection(Fields);
  Section Data = readSection(Fields);
  // event_types, which is obsolete.
  Fields.skip(16);
  uint64_t Flags[perf::FeatureCount / 64];
  for (uint64_t &Word : Flags)
    Word = Fields.u64();
  // The flags are an array of longs, which may have 32 bits.
  if (Order == endianness::big && !((Flags[0] >> perf::FeatureHostname) & 1))
    for (uint64_t &Word : Flags)
      Word = (Word << 32) | (Word >> 32);
  readAttributes(bytesOf(Attributes, File), EntrySize, File);

  StringRef Rest =
      File.drop_front(std::min<uint64_t>(Data.Offset, File.size()));
  if (Data.Size == 0) {
    Warn(Name + ": perf record did not complete it: the names and build IDs "
                "after its records are missing");
    Records = Rest;
  } else if (Data.Size > Rest.size()) {
    Warn(Name + ": is cut off: " + Twine(Data.Size - Rest.size()) +
         " bytes of its records, and what follows them, are missing");
    Records = Rest;
  } else {
    Records = Rest.take_front(Data.Size);
    readFeatures(Rest.drop_front(Data.Size), Flags, File);
  }
}

Expected<PerfFile> PerfFile::open(MemoryBufferRef Buffer,
                                  WarningFunction Warn) {
  StringRef File = Buffer.getBuffer();
  StringRef Name = Buffer.getBufferIdentifier();
  PerfFile Result;
  if (File.starts_with(SwappedMagic))
    Result.Order = endianness::big;
  else if (!File.starts_with(PerfMagic))
    return make_error<UnsupportedError>(Name, "not a perf recording");
  PerfFields Fields(File, Result.Order);
  Fields.skip(PerfMagic.size());
  uint64_t HeaderSize = Fields.u64();
  constexpr uint64_t WholeHeaderSize = 104;
  if (HeaderSize == PipedHeaderSize) {
    Result.Piped = true;
    Result.Records = File.drop_front(PipedHeaderSize);
    return Result;
  }
  if (HeaderSize != WholeHeaderSize || File.size() < WholeHeaderSize)
    return make_error<DamagedError>(Name, "its header is cut off or damaged");
  Result.readHeader(Fields, File, Name, Warn);
  if (Result.BrokenSections != 0)
    Warn(Name + ": " + Twine(Result.BrokenSections) +
         " sections around its records are damaged and left out");
  if (Result.Events.empty())
    return make_error<DamagedError>(Name,
                                    "it does not describe the recorded events");
  return Result;
}

} // namespace lidia
