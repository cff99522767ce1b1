//===- PerfAddresses.cpp - Offsets and addresses in perf's stacks ---------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// perf's sample__fprintf_callchain() printed addresses of user code as offsets
// in their files, then as addresses (4.19), offsets (5.16) and again addresses
// (6.4). In a program of more than 4 MB that is linked to 0x400000, some
// numbers can be either.
//
//===----------------------------------------------------------------------===//

#include "PerfScript.h"

using namespace llvm;

namespace lidia {

/// The maximum number of a process's mappings that are searched.
static constexpr size_t MaxSearched = 4096;

void PerfScriptReader::readVersion(StringRef Text) {
  unsigned Major = 0;
  unsigned Minor = 0;
  if (!Text.consumeInteger(10, Major) && Text.consume_front(".") &&
      !Text.consumeInteger(10, Minor))
    Version = {Major, Minor};
}

/// The mapping that represents the offsets in \p File.
uint32_t PerfScriptReader::mappingOfOffsets(StringRef File, uint64_t Offset) {
  auto [It, New] = OffsetMappings.try_emplace(P.Strings.intern(File),
                                              uint32_t(P.Mappings.size()));
  if (New) {
    Profile::Mapping M;
    M.File = It->first;
    P.Mappings.push_back(M);
  }
  // Neither zero nor the maximum, because these have special meanings.
  uint64_t &Limit = P.Mappings[It->second].Limit;
  Limit =
      std::max(Limit, std::min(Offset, UINT64_MAX - 8192) / 4096 * 4096 + 4096);
  return It->second;
}

/// The mapping that represents the addresses in \p File, which has no known
/// mapping. Only if the program is not position-independent are these its own
/// addresses.
uint32_t PerfScriptReader::mappingOfAddresses(StringRef File) {
  auto [It, New] = AddressMappings.try_emplace(P.Strings.intern(File),
                                               uint32_t(P.Mappings.size()));
  if (New) {
    Profile::Mapping M;
    M.File = It->first;
    M.Limit = UINT64_MAX;
    P.Mappings.push_back(M);
  }
  return It->second;
}

/// The place of \p Address in a mapping of \p File, or of any file if it is
/// empty.
std::optional<PerfScriptReader::Place>
PerfScriptReader::findAddress(const PerfSpace &In, uint64_t Address,
                              StringRef File) const {
  uint32_t Index = In.find(Address);
  if (Index == Profile::None)
    return std::nullopt;
  if (!File.empty() && P.Strings[P.Mappings[Index].File] != File)
    return std::nullopt;
  return Place(Index, Address);
}

/// The place of the byte at \p Number in \p File.
std::optional<PerfScriptReader::Place>
PerfScriptReader::findOffset(const PerfSpace &In, uint64_t Number,
                             StringRef File) {
  Profile::StringID FileID = P.Strings.intern(File);
  size_t Left = MaxSearched;
  for (auto M = In.begin(); M != In.end() && Left-- != 0; ++M) {
    const Profile::Mapping &Mapping = P.Mappings[M->second.Mapping];
    if (Mapping.File != FileID)
      continue;
    // Another mapping may have replaced the beginning of this one.
    uint64_t Offset = Mapping.Offset + (M->first - Mapping.Start);
    if (Number >= Offset && Number - Offset < M->second.End - M->first)
      return Place(M->second.Mapping, M->first + (Number - Offset));
  }
  return std::nullopt;
}

/// Counts the forms in which the number of a frame in \p File can be read.
void PerfScriptReader::vote(uint64_t Number, StringRef File, bool IsOffset,
                            bool IsAddress) {
  // Without mappings, these limits decide: no file has 64 GiB of code, and
  // systems load libraries above 256 MiB.
  constexpr uint64_t MaxOffset = uint64_t(1) << 36;
  constexpr uint64_t LeastAddress = uint64_t(1) << 28;
  if (!IsOffset && !IsAddress) {
    IsAddress = Number >= MaxOffset;
    IsOffset = Number < LeastAddress && File.contains(".so");
  }
  if (IsOffset == IsAddress)
    ++OpenVotes;
  else
    ++(IsOffset ? OffsetVotes : AddressVotes);
}

/// The mappings of the sample's process; null if there are none.
const PerfSpace *PerfScriptReader::spaceOfSample() const {
  return Spaces.find(Sample.PID);
}

/// The place of a number that is known to be an offset in \p File.
PerfScriptReader::Readings PerfScriptReader::resolveOffset(uint64_t Offset,
                                                           StringRef File) {
  std::optional<Place> At;
  if (const PerfSpace *Its = spaceOfSample())
    At = findOffset(*Its, Offset, File);
  Place Only = At ? *At : Place(mappingOfOffsets(File, Offset), Offset);
  return {Only, Only};
}

/// The places that \p Number in \p File may mean.
PerfScriptReader::Readings
PerfScriptReader::resolve(uint64_t Number, StringRef File, bool IsInStack) {
  auto Both = [](Place Only) { return Readings{Only, Only}; };
  bool IsKernel = Number >> 63;
  const PerfSpace *Its = IsKernel ? &Kernel : spaceOfSample();
  std::optional<Place> Address;
  if (Its)
    Address = findAddress(*Its, Number,
                          IsKernel || PerfProfile::isMemory(File) ? "" : File);
  if (File.empty() || (IsKernel && Address))
    return Both(Address.value_or(Place(Profile::None, Number)));
  // Code compiled at run time, whose symbols perf reads from a map file.
  if (File.starts_with("/tmp/perf-") && File.ends_with(".map"))
    return Both(Address ? *Address
                        : Place(mappingOfOffsets("[jit]", Number), Number));
  if (IsKernel)
    return Both({mappingOfOffsets(File, Number), Number});
  if (!IsInStack)
    return Both(Address ? *Address : Place(mappingOfAddresses(File), Number));
  std::optional<Place> Offset;
  if (Its)
    Offset = findOffset(*Its, Number, File);
  vote(Number, File, Offset.has_value(), Address.has_value());
  return {Offset ? *Offset : Place(mappingOfOffsets(File, Number), Number),
          Address ? *Address : Place(mappingOfAddresses(File), Number)};
}

/// The whole text was printed by the same perf. Mappings are better evidence
/// than its version, because distributions backport changes, and the version in
/// the text is that of the perf that recorded.
PerfScriptReader::FrameForm
PerfScriptReader::frameForm(StringRef Name, WarningFunction Warn) const {
  if (OffsetVotes != AddressVotes)
    return OffsetVotes > AddressVotes ? FrameForm::Offsets
                                      : FrameForm::Addresses;
  using Pair = std::pair<unsigned, unsigned>;
  if (Version) {
    bool IsOffset = *Version < Pair(4, 19) ||
                    (*Version >= Pair(5, 16) && *Version < Pair(6, 4));
    return IsOffset ? FrameForm::Offsets : FrameForm::Addresses;
  }
  if (OpenVotes != 0)
    Warn(Name + ": no mappings and no version of perf: addresses in stacks are "
                "assumed to be file offsets; make the text with 'perf script "
                "--header --show-mmap-events --show-task-events'");
  return FrameForm::Offsets;
}

/// Sets the final places of locations. Locations that only differed in the
/// other form are merged.
void PerfScriptReader::settleLocations(FrameForm Form) {
  LocationIndices.clear();
  std::vector<uint32_t> NewIndices;
  std::vector<Profile::Location> Kept;
  for (size_t I = 0; I != P.Locations.size(); ++I) {
    Profile::Location L = P.Locations[I];
    if (Form == FrameForm::Addresses)
      std::tie(L.Mapping, L.Address) = PlacesAsAddress[I];
    Profile::StringID Name =
        L.LineCount == 0 ? 0 : P.Functions[P.lines(L).back().Function].Name;
    Place At(L.Mapping, L.Address);
    auto [It, New] = LocationIndices.try_emplace(std::make_tuple(At, At, Name),
                                                 uint32_t(Kept.size()));
    if (New)
      Kept.push_back(L);
    NewIndices.push_back(It->second);
  }
  P.Locations = std::move(Kept);
  for (uint32_t &Index : P.StackLocations)
    Index = NewIndices[Index];
}

} // namespace lidia
