//===- PerfRecords.cpp - The records of a recording -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfRecords.h"
#include "PerfFormat.h"
#include "Support/StableSort.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <zstd.h>

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static constexpr uint64_t RecordHeaderSize = 8;
/// Stacks that are recorded as bytes are often similar, and then compress to a
/// thousandth. perf compresses at most a part of a buffer at once.
static constexpr uint64_t MaxRatio = 4096;
static constexpr uint64_t MaxAtOnce = uint64_t(128) << 20;

PerfRecordReader::PerfRecordReader(StringRef Records, endianness Order,
                                   bool Unpack)
    : Outer(Records), Order(Order),
      MaxUnpacked(MaxRatio * Records.size() + (uint64_t(64) << 20)),
      Unpack(Unpack) {}

PerfRecordReader::~PerfRecordReader() { ZSTD_freeDCtx(Context); }

/// None if \p From does not begin with a complete record.
std::optional<PerfRecord> PerfRecordReader::take(StringRef &From) {
  PerfFields Fields(From, Order);
  PerfRecord R;
  R.Type = Fields.u32();
  R.Misc = Fields.u16();
  uint64_t Size = Fields.u16();
  if (Fields.isBroken() || Size < RecordHeaderSize || Size > From.size())
    return std::nullopt;
  R.Body = From.take_front(Size).drop_front(RecordHeaderSize);
  From = From.drop_front(Size);
  BytesRead += Size;
  // Some records are followed by data that their size does not include.
  PerfFields Body(R.Body, Order);
  uint64_t Behind = 0;
  if (R.Type == perf::RecordAuxTrace)
    Behind = Body.u64();
  else if (R.Type == perf::RecordTracingData)
    Behind = alignTo<8>(uint64_t(Body.u32()));
  From = From.drop_front(std::min<uint64_t>(Behind, From.size()));
  return R;
}

/// Unpacks the next piece of the stream, and appends it to the unread data.
bool PerfRecordReader::unpack(const PerfRecord &R) {
  StringRef Packed = R.Body;
  if (R.Type == perf::RecordCompressed2) {
    PerfFields Fields(R.Body, Order);
    Packed = Fields.bytes(Fields.u64());
  }
  if (!Context)
    Context = ZSTD_createDCtx();
  // Count the copied data, too, because pieces may have a single byte.
  Unpacked += Inner.size();
  auto Next = std::make_shared<std::string>(Inner.str());
  ZSTD_inBuffer In = {Packed.data(), Packed.size(), 0};
  for (bool IsFull = true; In.pos < In.size || IsFull;) {
    constexpr size_t Piece = 1 << 17;
    size_t Done = Next->size();
    Next->resize(Done + Piece);
    ZSTD_outBuffer Out = {&(*Next)[Done], Piece, 0};
    size_t Result = ZSTD_decompressStream(Context, &Out, &In);
    Next->resize(Done + Out.pos);
    Unpacked += Out.pos;
    if (ZSTD_isError(Result)) {
      Problem = "its compressed records are damaged";
      return false;
    }
    uint64_t Max = std::min(MaxUnpacked, MaxAtOnce);
    if (Unpacked > MaxUnpacked || Next->size() > Max) {
      Problem = ("its records unpack to more than " + Twine(Max) +
                 " bytes, the limit for a recording of its size")
                    .str();
      return false;
    }
    IsFull = Out.pos == Piece;
  }
  Chunk = std::move(Next);
  Inner = *Chunk;
  return true;
}

std::optional<HeldRecord> PerfRecordReader::next() {
  while (Problem.empty()) {
    if (std::optional<PerfRecord> R = take(Inner))
      return HeldRecord{*R, Chunk};
    constexpr size_t LargestRecord = UINT16_MAX;
    if (Inner.size() >= LargestRecord) {
      Problem = "its compressed records are damaged";
      return std::nullopt;
    }
    if (Outer.empty()) {
      if (!Inner.empty())
        Problem = "its last compressed record is cut off";
      return std::nullopt;
    }
    std::optional<PerfRecord> R = take(Outer);
    if (!R) {
      Problem =
          ("its last " + Twine(Outer.size()) + " bytes are not records").str();
      return std::nullopt;
    }
    bool IsPacked =
        R->Type == perf::RecordCompressed || R->Type == perf::RecordCompressed2;
    if (!Unpack || !IsPacked)
      return HeldRecord{*R, nullptr};
    BytesRead -= R->Body.size() + RecordHeaderSize;
    if (!unpack(*R))
      return std::nullopt;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void PerfRecordQueue::add(HeldRecord R, uint64_t Time) {
  IsSorted &= Entries.empty() || Entries.back().Time <= Time;
  Youngest = std::max(Youngest, Time);
  HeldBytes += R.Holder ? R.Record.Body.size() : 0;
  Entries.push_back({Time, std::move(R)});
}

void PerfRecordQueue::visitUntil(uint64_t Time, Visitor Visit) {
  if (!IsSorted)
    stableSort(Entries, [](const Entry &E) { return E.Time; });
  IsSorted = true;
  auto End =
      partition_point(Entries, [&](const Entry &E) { return E.Time <= Time; });
  for (auto It = Entries.begin(); It != End; ++It) {
    Visit(It->Held.Record, It->Time);
    HeldBytes -= It->Held.Holder ? It->Held.Record.Body.size() : 0;
  }
  Entries.erase(Entries.begin(), End);
}

void PerfRecordQueue::finishRound(Visitor Visit) {
  visitUntil(YoungestOfLastRound, Visit);
  YoungestOfLastRound = Youngest;
}

void PerfRecordQueue::finish(Visitor Visit) { visitUntil(UINT64_MAX, Visit); }

} // namespace lidia
