//===- UnwindBenchmark.cpp - The cost of a step of the unwinder -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For measure-unwind-steps.py:
///
///     lidia-unwind-benchmark choose ARCHIVE COUNT
///     lidia-unwind-benchmark rules|steps ARCHIVE ADDRESSES ROUNDS
///
/// "choose" prints COUNT return addresses in code with unwind rows, the same
/// addresses each time. Each byte of code has the same probability. The other
/// commands read a file with such addresses, process it ROUNDS times, and print
/// the nanoseconds for each address, and the number of addresses with an
/// answer. All words of the stack have the value of the first address.
///
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Archive.h"
#include "lidia/Unwind/Unwinder.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <random>

using namespace lidia;
using namespace llvm;

namespace {

/// As in framehop-steps.
constexpr uint64_t StackPointer = 0x7fff00000000;
constexpr uint64_t FramePointer = StackPointer + 0x1000;

ExitOnError Check("lidia-unwind-benchmark: ");

template <typename... T> Error failure(const T &...Message) {
  return createStringError(inconvertibleErrorCode(), Message...);
}

uint64_t number(StringRef Text) {
  uint64_t Result;
  if (Text.getAsInteger(10, Result) || Result == 0)
    Check(failure("not a number: '%s'", Text.str().c_str()));
  return Result;
}

/// Prints return addresses in \p Table, chosen from the rows that cover the
/// calls.
void choose(const UnwindTable &Table, uint64_t Count) {
  std::vector<UnwindRow> Rows;
  std::vector<uint64_t> Ends;
  uint64_t Bytes = 0;
  Check(Table.forEachRow([&](const UnwindRow &R) {
    Rows.push_back(R);
    Ends.push_back(Bytes += R.End - R.Begin);
  }));
  if (Rows.empty())
    Check(failure("the archive has no unwind rows"));
  std::mt19937_64 Random(1);
  for (; Count; --Count) {
    uint64_t Byte = Random() % Bytes;
    size_t I =
        size_t(std::upper_bound(Ends.begin(), Ends.end(), Byte) - Ends.begin());
    outs() << format_hex(Rows[I].End - (Ends[I] - Byte) + 1, 0) << '\n';
  }
}

std::vector<uint64_t> readAddresses(StringRef Path) {
  auto File = Check(errorOrToExpected(MemoryBuffer::getFile(Path)));
  std::vector<uint64_t> Result;
  StringRef Left = File->getBuffer();
  while (!Left.empty()) {
    StringRef Line;
    std::tie(Line, Left) = Left.split('\n');
    if (Line.trim().getAsInteger(0, Result.emplace_back()))
      Check(failure("not an address: '%s'", Line.str().c_str()));
  }
  if (Result.empty())
    Check(failure("no addresses"));
  return Result;
}

/// Finds and decodes the rules at each of \p Addresses; returns how many were
/// found.
size_t ruleAll(const UnwindTable &Table, ArrayRef<uint64_t> Addresses) {
  size_t Found = 0;
  for (uint64_t Address : Addresses)
    if (std::optional<UnwindRow> Row = Table.find(Address - 1))
      Found += Table.rules(Row->Rules).has_value();
  return Found;
}

/// One module, loaded at its linked addresses.
class OneModule final : public UnwindModules {
public:
  explicit OneModule(const UnwindTable &Table) : Table(Table) {}
  Place find(uint64_t) override { return {&Table, 0, true}; }

private:
  const UnwindTable &Table;
};

/// Makes a step from each of \p Addresses; returns how many succeeded.
size_t stepAll(Unwinder &U, ArrayRef<uint64_t> Addresses) {
  const uint64_t Word = Addresses.front();
  auto Read = [&](uint64_t, MutableArrayRef<uint8_t> To) {
    support::endian::write64le(To.data(), Word);
    return To.size();
  };
  UnwindOptions Options;
  Options.MaxFrames = 2;
  Options.IsReturnAddress = true;
  RegisterSet Registers;
  for (unsigned I = 0; I != 16; ++I)
    Registers.set(I, FramePointer);
  Registers.set(7, StackPointer);
  size_t Steps = 0;
  for (uint64_t Address : Addresses) {
    Registers.PC = Address;
    Steps += U.unwind(Registers, Read, Options).Frames.size() == 2;
  }
  return Steps;
}

/// Calls \p Work, which returns the number of answers, and prints the figures.
void measure(size_t Addresses, uint64_t Rounds, function_ref<size_t()> Work) {
  using Clock = std::chrono::steady_clock;
  size_t Answers = Work();
  Clock::time_point Start = Clock::now();
  for (uint64_t I = 0; I != Rounds; ++I)
    if (Work() != Answers)
      Check(failure("the answers differ"));
  std::chrono::duration<double, std::nano> Time = Clock::now() - Start;
  outs() << formatv("{0:f1} {1}\n", Time.count() / double(Rounds * Addresses),
                    Answers);
}

} // namespace

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  StringRef What = Argc > 1 ? Argv[1] : "";
  bool IsChoice = What == "choose" && Argc == 4;
  if (!IsChoice && !((What == "rules" || What == "steps") && Argc == 5))
    Check(failure("the arguments are wrong; see UnwindBenchmark.cpp"));
  Archive A = Check(Archive::open(Argv[2]));
  UnwindTable Table = Check(A.unwindTable());
  if (IsChoice) {
    choose(Table, number(Argv[3]));
    return 0;
  }
  std::vector<uint64_t> Addresses = readAddresses(Argv[3]);
  if (What == "rules") {
    measure(Addresses.size(), number(Argv[4]),
            [&] { return ruleAll(Table, Addresses); });
    return 0;
  }
  OneModule Module(Table);
  Unwinder U(*UnwindMachine::find(ELF::EM_X86_64, 8, true), Module);
  measure(Addresses.size(), number(Argv[4]),
          [&] { return stepAll(U, Addresses); });
}
