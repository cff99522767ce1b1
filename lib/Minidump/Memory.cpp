//===- Memory.cpp - The memory in a minidump ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MinidumpReader.h"
#include "Support/StableSort.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace llvm::minidump;

namespace lidia {

namespace {
struct Memory64ListHeader {
  support::ulittle64_t NumberOfRanges;
  support::ulittle64_t BaseRVA;
};
} // namespace

/// Adds the bytes at \p Offset that the file contains.
static void addMemory(const MinidumpReader &R, uint64_t Address, uint64_t Size,
                      uint64_t Offset, Minidump &To) {
  if (Offset >= R.fileSize())
    return;
  Size = std::min({Size, R.fileSize() - Offset, UINT64_MAX - Address});
  if (Size)
    To.Memory.push_back({Address, Address + Size, Offset});
}

/// Adds the ranges of a full dump, whose bytes are contiguous.
static void readMemory64(const MinidumpReader &R, Minidump &To) {
  std::vector<uint8_t> Bytes = R.stream(StreamType::Memory64List);
  Memory64ListHeader H;
  if (Bytes.size() < sizeof(H))
    return;
  std::memcpy(&H, Bytes.data(), sizeof(H));
  uint64_t Offset = H.BaseRVA;
  for (const MemoryDescriptor_64 &D : R.entries<MemoryDescriptor_64>(
           ArrayRef(Bytes).drop_front(sizeof(H)), H.NumberOfRanges,
           sizeof(MemoryDescriptor_64), "memory ranges")) {
    addMemory(R, D.StartOfMemoryRange, D.DataSize, Offset, To);
    if (D.DataSize > R.fileSize())
      return;
    Offset += D.DataSize;
  }
}

/// Sorts \p Ranges. If two overlap, the first keeps the common addresses.
template <typename T> static void removeOverlaps(std::vector<T> &Ranges) {
  stableSort(Ranges, [](const T &Range) { return Range.Begin; });
  uint64_t End = 0;
  for (T &Range : Ranges) {
    uint64_t Begin = std::min(std::max(Range.Begin, End), Range.End);
    if constexpr (std::is_same_v<T, DumpedMemory>)
      Range.Offset += Begin - Range.Begin;
    Range.Begin = Begin;
    End = std::max(End, Range.End);
  }
  llvm::erase_if(Ranges,
                 [](const T &Range) { return Range.Begin == Range.End; });
}

/// Reads the memory regions that Windows' dumps have. Breakpad stores
/// /proc/PID/maps instead.
static void readRegions(MinidumpReader &R, Minidump &To) {
  std::vector<uint8_t> Bytes = R.stream(StreamType::MemoryInfoList);
  MemoryInfoListHeader H;
  if (Bytes.size() < sizeof(H))
    return;
  std::memcpy(&H, Bytes.data(), sizeof(H));
  ArrayRef<uint8_t> Entries = ArrayRef(Bytes).drop_front(
      std::min<size_t>(H.SizeOfHeader, Bytes.size()));
  using P = MemoryProtection;
  constexpr P Readable = P::ReadOnly | P::ReadWrite | P::ExecuteRead |
                         P::ExecuteReadWrite | P::WriteCopy |
                         P::ExeciteWriteCopy;
  constexpr P Writable =
      P::ReadWrite | P::ExecuteReadWrite | P::WriteCopy | P::ExeciteWriteCopy;
  constexpr P Executable =
      P::Execute | P::ExecuteRead | P::ExecuteReadWrite | P::ExeciteWriteCopy;
  for (const MemoryInfo &Info : R.entries<MemoryInfo>(
           Entries, H.NumberOfEntries, H.SizeOfEntry, "memory regions")) {
    if (MemoryState(Info.State) == MemoryState::Free)
      continue;
    P Protection = Info.Protect;
    uint64_t Begin = Info.BaseAddress;
    To.Regions.push_back(
        {Begin, Begin + std::min<uint64_t>(Info.RegionSize, UINT64_MAX - Begin),
         (Protection & Readable) != P(0), (Protection & Writable) != P(0),
         (Protection & Executable) != P(0)});
  }
  removeOverlaps(To.Regions);
}

static void readLinuxMaps(MinidumpReader &R, Minidump &To) {
  To.LinuxMaps = R.textStream(StreamType::LinuxMaps);
  if (To.LinuxMaps.empty() || !To.Regions.empty())
    return;
  size_t Malformed = 0;
  Expected<MappingList> List = MappingList::parse(
      To.LinuxMaps, "maps", [&](const Twine &) { ++Malformed; });
  if (Malformed || !List)
    R.warn("its list of mappings has lines that are not understood");
  if (!List)
    return consumeError(List.takeError());
  for (const Mapping &M : List->mappings())
    To.Regions.push_back(
        {M.Begin, M.End, M.Readable, M.Writable, M.Executable});
}

void readMemory(MinidumpReader &R, Minidump &To) {
  readMemory64(R, To);
  for (const MemoryDescriptor &D :
       R.list<MemoryDescriptor>(StreamType::MemoryList, "memory ranges"))
    addMemory(R, D.StartOfMemoryRange, D.Memory.DataSize, D.Memory.RVA, To);
  // Some writers store stacks only here.
  for (const Thread &T : R.list<Thread>(StreamType::ThreadList, "threads"))
    addMemory(R, T.Stack.StartOfMemoryRange, T.Stack.Memory.DataSize,
              T.Stack.Memory.RVA, To);
  removeOverlaps(To.Memory);
  readRegions(R, To);
  readLinuxMaps(R, To);
}

} // namespace lidia
