//===- Threads.cpp - The threads and exception of a minidump --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MinidumpReader.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

using namespace llvm;
using namespace llvm::minidump;

namespace lidia {

/// Windows' ThreadNamesStream.
constexpr auto ThreadNames = StreamType(24);

/// The maximum size of a CPU's context, including AVX-512.
constexpr size_t MaxOfContext = 1 << 14;

namespace {
struct ThreadName {
  support::ulittle32_t ThreadID;
  support::ulittle64_t NameRVA;
};
static_assert(sizeof(ThreadName) == 12);

/// Breakpad's MDRawBreakpadInfo.
struct BreakpadInfo {
  static constexpr uint32_t HasDumpingThread = 1;
  static constexpr uint32_t HasRequestingThread = 2;

  support::ulittle32_t Valid;
  support::ulittle32_t DumpingThread;
  support::ulittle32_t RequestingThread;
};

/// Breakpad's MDRawAssertionInfo.
struct AssertionInfo {
  uint8_t Expression[256];
  uint8_t Function[256];
  uint8_t File[256];
  support::ulittle32_t Line;
  support::ulittle32_t Type;
};
} // namespace

void readThreads(MinidumpReader &R, Minidump &To) {
  std::map<uint32_t, uint64_t> Names;
  for (const ThreadName &N : R.list<ThreadName>(ThreadNames, "thread names"))
    Names.try_emplace(N.ThreadID, N.NameRVA);
  for (const Thread &T : R.list<Thread>(StreamType::ThreadList, "threads")) {
    MinidumpThread Read;
    Read.ID = T.ThreadId;
    if (auto Name = Names.find(Read.ID); Name != Names.end())
      Read.Name = R.text(Name->second);
    uint64_t Size = T.Stack.Memory.DataSize;
    Read.StackBegin = T.Stack.StartOfMemoryRange;
    Read.StackEnd =
        Read.StackBegin + std::min(Size, UINT64_MAX - Read.StackBegin);
    Read.EnvironmentBlock = T.EnvironmentBlock;
    Read.Registers =
        readContext(R.bytes(T.Context, MaxOfContext), To.System.CPU);
    To.Threads.push_back(std::move(Read));
  }
}

static void readBreakpadInfo(MinidumpReader &R, Minidump &To) {
  auto Info = R.first<BreakpadInfo>(StreamType::BreakpadInfo);
  if (!Info)
    return;
  if (Info->Valid & BreakpadInfo::HasDumpingThread)
    To.DumpingThread = Info->DumpingThread;
  if (Info->Valid & BreakpadInfo::HasRequestingThread)
    To.RequestingThread = Info->RequestingThread;
}

static void readAssertion(MinidumpReader &R, Minidump &To) {
  auto Info = R.first<AssertionInfo>(StreamType::AssertionInfo);
  if (!Info)
    return;
  std::string File = textOfUTF16(Info->File);
  std::string Function = textOfUTF16(Info->Function);
  To.Assertion = textOfUTF16(Info->Expression);
  if (!Function.empty())
    To.Assertion += " in " + Function;
  if (!File.empty())
    To.Assertion += " at " + File + ":" + std::to_string(Info->Line);
}

/// Windows stores the address of a failed access in the second parameter of
/// EXCEPTION_ACCESS_VIOLATION and EXCEPTION_IN_PAGE_ERROR.
static uint64_t crashAddress(const MinidumpException &E,
                             const MinidumpSystem &System,
                             uint64_t Instruction) {
  uint64_t Address = Instruction;
  if (System.OS == MinidumpOS::Windows &&
      (E.Code == 0xc0000005 || E.Code == 0xc0000006) &&
      E.Parameters.size() >= 2)
    Address = E.Parameters[1];
  // Some writers sign-extend 32-bit addresses.
  return System.addressSize() == 4 ? uint32_t(Address) : Address;
}

void readException(MinidumpReader &R, Minidump &To) {
  readBreakpadInfo(R, To);
  readAssertion(R, To);
  auto Stream = R.first<ExceptionStream>(StreamType::Exception);
  if (!Stream) {
    if (R.has(StreamType::Exception))
      R.warn("the exception is cut off");
    return;
  }
  const Exception &Record = Stream->ExceptionRecord;
  MinidumpException E;
  E.ThreadID = Stream->ThreadId;
  E.Code = Record.ExceptionCode;
  E.Flags = Record.ExceptionFlags;
  size_t Count =
      std::min<size_t>(Record.NumberParameters, Exception::MaxParameters);
  E.Parameters.assign(Record.ExceptionInformation,
                      Record.ExceptionInformation + Count);
  E.Address = crashAddress(E, To.System, Record.ExceptionAddress);
  E.Registers =
      readContext(R.bytes(Stream->ThreadContext, MaxOfContext), To.System.CPU);
  E.Reason = crashReason(E, To.System);
  To.Exception = std::move(E);
}

} // namespace lidia
