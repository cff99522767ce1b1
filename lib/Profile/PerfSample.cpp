//===- PerfSample.cpp - The fields of a sample ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfSample.h"
#include "PerfFormat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

/// Reads the counters of PERF_SAMPLE_READ, of one event or a group.
static void readCounters(const PerfEvent &E, PerfFields &Fields,
                         std::vector<PerfSample::Counter> &Counters) {
  auto ReadIf = [&](uint64_t Format) {
    return (E.ReadFormat & Format) ? Fields.u64() : 0;
  };
  auto ReadTimes = [&] {
    ReadIf(perf::TotalTimeEnabled);
    ReadIf(perf::TotalTimeRunning);
  };
  bool IsGroup = E.ReadFormat & perf::Group;
  uint64_t Count = IsGroup ? Fields.u64() : 1;
  if (IsGroup)
    ReadTimes();
  for (uint64_t I = 0; I != Count && !Fields.isBroken(); ++I) {
    PerfSample::Counter C;
    C.Value = Fields.u64();
    if (!IsGroup)
      ReadTimes();
    C.ID = ReadIf(perf::ReadID);
    ReadIf(perf::Lost);
    Counters.push_back(C);
  }
}

static void readChain(PerfFields &Fields, std::vector<uint64_t> &Chain) {
  uint64_t Count = Fields.u64();
  if (Count > Fields.left().size() / 8) {
    Fields.skip(UINT64_MAX);
    return;
  }
  Chain.reserve(Count);
  for (uint64_t I = 0; I != Count; ++I)
    Chain.push_back(Fields.u64());
}

static void readBranches(const PerfEvent &E, PerfFields &Fields,
                         std::vector<PerfSample::Branch> &Branches) {
  uint64_t Count = Fields.u64();
  if (E.BranchType & perf::BranchHardwareIndex)
    Fields.skip(8);
  for (uint64_t I = 0; I != Count && !Fields.isBroken(); ++I) {
    PerfSample::Branch B;
    B.From = Fields.u64();
    B.To = Fields.u64();
    Fields.skip(8);
    Branches.push_back(B);
  }
  if (E.BranchType & perf::BranchCounters)
    Fields.skip(SaturatingMultiply<uint64_t>(Count, 8));
}

/// Reads the bytes of the stack, which are followed by the number of valid
/// bytes.
static StringRef readStack(PerfFields &Fields) {
  uint64_t Size = Fields.u64();
  if (Size == 0)
    return {};
  StringRef Bytes = Fields.bytes(Size);
  return Bytes.take_front(Fields.u64());
}

/// Reads registers, of which there are none if the ABI before them is zero.
static void skipRegisters(PerfFields &Fields, uint64_t Mask) {
  if (Fields.u64())
    Fields.skip(8 * uint64_t(llvm::popcount(Mask)));
}

bool PerfSample::parse(const PerfEvent &E, StringRef Body, endianness Order) {
  *this = PerfSample{{},
                     0,
                     E.SamplePeriod,
                     std::move(Chain),
                     std::move(Branches),
                     std::move(Counters),
                     0,
                     std::move(Registers),
                     {}};
  Chain.clear();
  Branches.clear();
  Counters.clear();
  Registers.clear();
  PerfFields Fields(Body, Order);
  auto ReadIf = [&](uint64_t Field, uint64_t &To) {
    if (E.has(Field))
      To = Fields.u64();
  };
  uint64_t Unused = 0;
  ReadIf(perf::Identifier, Who.ID);
  ReadIf(perf::IP, IP);
  if (E.has(perf::TID)) {
    Who.PID = Fields.u32();
    Who.TID = Fields.u32();
  }
  ReadIf(perf::Time, Who.Time);
  ReadIf(perf::Address, Unused);
  ReadIf(perf::ID, Who.ID);
  ReadIf(perf::StreamID, Unused);
  if (E.has(perf::CPU)) {
    Who.CPU = Fields.u32();
    Fields.u32();
  }
  ReadIf(perf::Period, Period);
  if (E.has(perf::Read))
    readCounters(E, Fields, Counters);
  if (E.has(perf::CallChain))
    readChain(Fields, Chain);
  if (E.has(perf::Raw))
    Fields.skip(Fields.u32());
  if (E.has(perf::BranchStack))
    readBranches(E, Fields, Branches);
  if (E.has(perf::RegistersUser)) {
    RegistersABI = Fields.u64();
    for (int I = RegistersABI ? llvm::popcount(E.UserRegisters) : 0; I != 0;
         --I)
      Registers.push_back(Fields.u64());
  }
  if (E.has(perf::StackUser))
    Stack = readStack(Fields);
  if (!E.has(perf::CGroup))
    return !Fields.isBroken();
  if (E.has(perf::Weight | perf::WeightStruct))
    Fields.skip(8);
  ReadIf(perf::DataSource, Unused);
  ReadIf(perf::Transaction, Unused);
  if (E.has(perf::RegistersInterrupt))
    skipRegisters(Fields, E.InterruptRegisters);
  ReadIf(perf::PhysicalAddress, Unused);
  Who.CGroup = Fields.u64();
  return !Fields.isBroken();
}

uint64_t idOfSample(const PerfEvent &Any, StringRef Body, endianness Order) {
  PerfFields Fields(Body, Order);
  if (Any.has(perf::Identifier))
    return Fields.u64();
  if (!Any.has(perf::ID))
    return 0;
  for (uint64_t Before : {perf::IP, perf::TID, perf::Time, perf::Address})
    if (Any.has(Before))
      Fields.skip(8);
  return Fields.u64();
}

uint64_t idOfRecord(const PerfEvent &Any, StringRef Body, endianness Order) {
  PerfFields Fields(Body, Order);
  if (Any.has(perf::Identifier))
    return Fields.lastU64();
  if (!Any.has(perf::ID))
    return 0;
  for (uint64_t After : {perf::CPU, perf::StreamID})
    if (Any.has(After))
      Fields.lastU64();
  return Fields.lastU64();
}

PerfSampleID takeSampleID(const PerfEvent &E, StringRef &Body,
                          endianness Order) {
  PerfSampleID Result;
  if (!E.SampleIDAll)
    return Result;
  uint64_t Size = 0;
  for (uint64_t Field : {perf::TID, perf::Time, perf::ID, perf::StreamID,
                         perf::CPU, perf::Identifier})
    Size += E.has(Field) ? 8 : 0;
  if (Size > Body.size())
    return Result;
  PerfFields Fields(Body.take_back(Size), Order);
  Body = Body.drop_back(Size);
  if (E.has(perf::TID)) {
    Result.PID = Fields.u32();
    Result.TID = Fields.u32();
  }
  if (E.has(perf::Time))
    Result.Time = Fields.u64();
  if (E.has(perf::ID))
    Result.ID = Fields.u64();
  return Result;
}

} // namespace lidia
