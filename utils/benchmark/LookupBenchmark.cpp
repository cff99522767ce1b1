//===- LookupBenchmark.cpp - The cost of a lookup -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lookups in a synthetic archive of a million ranges that resembles the
/// archive of a large C++ program (functions of a few hundred bytes, each with
/// a small tree of inlined calls, and a row every ten bytes), and in single
/// functions with increasing numbers of inlined calls. Set LIDIA_BENCH_ARCHIVE
/// to a file to also measure lookups in that file.
///
//===----------------------------------------------------------------------===//

#include "FormerReader.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/ArchiveWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <ctime>
#include <random>
#include <tuple>

using namespace lidia;
using namespace llvm;

namespace {

/// Makes archives. The same seed makes the same archive.
class Synthesiser {
public:
  Synthesiser() : Writer({}) {}

  /// Adds a function with a tree of inlined calls, about \p Ranges ranges in
  /// total.
  void addFunction(uint64_t Start, uint64_t Length, uint64_t Ranges) {
    addTree(Start, Length, Ranges, 0);
  }

  Archive finish(StringRef Path) {
    Expected<ArchiveSizes> Sizes = Writer.writeFile(Path);
    if (!Sizes)
      report_fatal_error(Sizes.takeError());
    Expected<Archive> A = Archive::open(Path);
    if (!A)
      report_fatal_error(A.takeError());
    return std::move(*A);
  }

  std::mt19937_64 Random{42};

private:
  void addTree(uint64_t Start, uint64_t Length, uint64_t Ranges,
               uint32_t Depth) {
    ArchiveRange R;
    R.Start = Start;
    R.Length = Length;
    R.Depth = Depth;
    R.Function =
        Writer.addString("function" + std::to_string(Random() % 200000));
    R.File = Writer.addString("file" + std::to_string(Random() % 3000));
    R.CallFile = Depth ? R.File : 0;
    R.CallLine = Depth ? 1 + Random() % 3000 : 0;
    std::vector<ArchiveRow> Rows;
    for (uint64_t Offset = 0; Offset < std::min<uint64_t>(Length, 2000);
         Offset += 1 + Random() % 20)
      Rows.push_back({Offset, uint32_t(1 + Random() % 3000), 0, R.File});
    R.Rows = Rows;
    if (Error E = Writer.addRange(R))
      report_fatal_error(std::move(E));
    uint64_t Left = Ranges - 1;
    while (Left != 0 && Length > 1) {
      // Children share the parent's space in proportion to their ranges.
      uint64_t Share = Depth > 8 ? 1 : 1 + Random() % Left;
      uint64_t Space = std::max<uint64_t>(1, Length * Share / (Left + 1));
      addTree(Start, Space, Share, Depth + 1);
      Start += Space;
      Length -= Space;
      Left -= Share;
    }
  }

  ArchiveWriter Writer;
};

std::string temporaryFile(StringRef Name) {
  SmallString<128> Path;
  if (std::error_code EC =
          sys::fs::createTemporaryFile("lidia-" + Name, "lidia", Path))
    report_fatal_error(Twine(EC.message()));
  return std::string(Path);
}

Archive openTemporary(Synthesiser &S, StringRef Name) {
  std::string Path = temporaryFile(Name);
  Archive A = S.finish(Path);
  // The mapping stays valid.
  (void)sys::fs::remove(Path);
  return A;
}

/// A million ranges in functions. Half of the functions have no inlined calls.
const Archive &million() {
  static const Archive A = [] {
    Synthesiser S;
    uint64_t Start = 0x401000, Left = 1000000;
    while (Left != 0) {
      uint64_t Ranges =
          std::min<uint64_t>(Left, S.Random() % 2 ? 1 : 1 + S.Random() % 30);
      uint64_t Length = 16 + S.Random() % 100 + Ranges * 40;
      S.addFunction(Start, Length, Ranges);
      Start += (Length + 15) / 16 * 16;
      Left -= Ranges;
    }
    return openTemporary(S, "million");
  }();
  return A;
}

/// Code addresses from all parts of \p A.
std::vector<uint64_t> someAddresses(const Archive &A, size_t Count) {
  std::mt19937_64 Random(7);
  std::vector<uint64_t> Addresses(Count);
  for (uint64_t &Address : Addresses) {
    RangeEntry R = A.range(Random() % A.rangeCount());
    Address = R.VA + Random() % std::max<uint64_t>(1, R.Length);
  }
  return Addresses;
}

void lookUp(benchmark::State &State, const Archive &A) {
  std::vector<uint64_t> Addresses = someAddresses(A, 1 << 20);
  SmallVector<Frame, 16> Frames;
  size_t Next = 0, Answers = 0;
  for (auto _ : State) {
    A.lookup(Addresses[Next++ & (Addresses.size() - 1)], Frames);
    Answers += Frames.size();
    benchmark::DoNotOptimize(Frames.data());
  }
  State.counters["frames"] =
      benchmark::Counter(double(Answers), benchmark::Counter::kAvgIterations);
}

/// Return pads from all parts of \p A, unordered.
std::vector<uint64_t> someReturnPads(const Archive &A) {
  std::vector<uint64_t> Pads;
  A.forEachReturnPad([&](const ReturnPad &P) { Pads.push_back(P.Address); });
  std::shuffle(Pads.begin(), Pads.end(), std::mt19937_64(7));
  return Pads;
}

/// Measures lookups of return addresses: by \p Probe, or by a search for the
/// address before each.
void lookUpReturns(benchmark::State &State, const Archive &A, bool Probe) {
  std::vector<uint64_t> Pads = someReturnPads(A);
  SmallVector<Frame, 16> Frames;
  size_t Next = 0, Answers = 0;
  for (auto _ : State) {
    if (Next == Pads.size())
      Next = 0;
    if (Probe)
      A.lookupReturn(Pads[Next++], Frames);
    else
      A.lookup(Pads[Next++] - 1, Frames);
    Answers += Frames.size();
    benchmark::DoNotOptimize(Frames.data());
  }
  State.counters["frames"] =
      benchmark::Counter(double(Answers), benchmark::Counter::kAvgIterations);
}

/// Measures lookups of addresses that are not return pads.
void missReturns(benchmark::State &State, const Archive &A) {
  std::vector<uint64_t> Pads = someReturnPads(A);
  SmallVector<Frame, 16> Frames;
  size_t Next = 0;
  for (auto _ : State) {
    if (Next == Pads.size())
      Next = 0;
    benchmark::DoNotOptimize(A.lookupReturn(Pads[Next++] + 1, Frames));
  }
}

void lookUpBatch(benchmark::State &State, const Archive &A, bool Sorted) {
  std::vector<uint64_t> Addresses = someAddresses(A, State.range(0));
  if (Sorted)
    std::sort(Addresses.begin(), Addresses.end());
  for (auto _ : State)
    A.lookupBatch(Addresses, [](size_t, ArrayRef<Frame> Frames) {
      benchmark::DoNotOptimize(Frames.data());
    });
  State.SetItemsProcessed(State.iterations() * State.range(0));
}

void randomLookups(benchmark::State &State) { lookUp(State, million()); }
BENCHMARK(randomLookups);

void randomBatch(benchmark::State &State) {
  lookUpBatch(State, million(), /*Sorted=*/false);
}
BENCHMARK(randomBatch)->Arg(1000)->Arg(1000000)->Unit(benchmark::kMillisecond);

void sortedBatch(benchmark::State &State) {
  lookUpBatch(State, million(), /*Sorted=*/true);
}
BENCHMARK(sortedBatch)->Arg(1000)->Arg(1000000)->Unit(benchmark::kMillisecond);

/// The time must not grow with the number of inlined calls.
void oneFunction(benchmark::State &State) {
  Synthesiser S;
  S.addFunction(0x401000, State.range(0) * 40, State.range(0));
  Archive A = openTemporary(S, "function");
  lookUp(State, A);
}
BENCHMARK(oneFunction)->Arg(10)->Arg(1000)->Arg(100000);

void openArchive(benchmark::State &State) {
  Synthesiser S;
  S.addFunction(0x401000, 400000, 10000);
  std::string Path = temporaryFile("open");
  S.finish(Path);
  for (auto _ : State) {
    Expected<Archive> A = Archive::open(Path);
    benchmark::DoNotOptimize(*A);
  }
  (void)sys::fs::remove(Path);
}
BENCHMARK(openArchive);

//===----------------------------------------------------------------------===//
// Comparison with the former reader
//===----------------------------------------------------------------------===//

bool same(ArrayRef<Frame> L, ArrayRef<Frame> R) {
  auto Fields = [](const Frame &F) {
    return std::tuple(F.Function, F.File, F.Line, F.Column, F.Range);
  };
  return llvm::equal(L, R, [&](const Frame &L, const Frame &R) {
    return Fields(L) == Fields(R);
  });
}

/// Ends the program unless all ways of looking up \p Addresses return the same
/// frames.
void checkAnswers(const Archive &A, const FormerReader &Former,
                  ArrayRef<uint64_t> Addresses) {
  SmallVector<Frame, 16> Expected, Single;
  A.lookupBatch(Addresses, [&](size_t I, ArrayRef<Frame> Batch) {
    Former.lookup(Addresses[I], Expected);
    A.lookup(Addresses[I], Single);
    if (!same(Single, Expected) || !same(Batch, Expected))
      report_fatal_error("different frames at " + Twine(Addresses[I]));
  });
  A.lookupUnordered(Addresses, [&](size_t I, ArrayRef<Frame> Batch) {
    A.lookup(Addresses[I], Single);
    if (!same(Single, Batch))
      report_fatal_error("different frames at " + Twine(Addresses[I]));
  });
}

double median(std::vector<double> Values) {
  std::nth_element(Values.begin(), Values.begin() + Values.size() / 2,
                   Values.end());
  return Values[Values.size() / 2];
}

/// The processor time of this thread in seconds. Other programs affect it less
/// than wall-clock time.
double threadSeconds() {
  struct timespec Time;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Time);
  return double(Time.tv_sec) + double(Time.tv_nsec) * 1e-9;
}

/// The number of seconds that \p Do takes for each of \p Addresses.
template <typename Function>
double secondsEach(ArrayRef<uint64_t> Addresses, Function Do) {
  double Start = threadSeconds();
  Do(Addresses);
  return (threadSeconds() - Start) / double(Addresses.size());
}

/// Measures the former reader, single lookups and both kinds of batches in
/// turn, with new addresses each time. The results are medians of the seconds
/// for an address, and of ratios of consecutive times.
void besideFormer(benchmark::State &State, const Archive &A) {
  Expected<FormerReader> Former = FormerReader::create(A);
  if (!Former) {
    State.SkipWithError(toString(Former.takeError()).c_str());
    return;
  }
  std::vector<uint64_t> All = someAddresses(A, 1 << 20);
  checkAnswers(A, *Former, ArrayRef(All).take_front(200000));
  SmallVector<Frame, 16> Frames;
  auto LookUpFormer = [&](ArrayRef<uint64_t> Addresses) {
    for (uint64_t Address : Addresses) {
      Former->lookup(Address, Frames);
      benchmark::DoNotOptimize(Frames.data());
    }
  };
  auto LookUp = [&](ArrayRef<uint64_t> Addresses) {
    for (uint64_t Address : Addresses) {
      A.lookup(Address, Frames);
      benchmark::DoNotOptimize(Frames.data());
    }
  };
  auto Visit = [](size_t, ArrayRef<Frame> Frames) {
    benchmark::DoNotOptimize(Frames.data());
  };
  auto LookUpBatch = [&](ArrayRef<uint64_t> Addresses) {
    A.lookupBatch(Addresses, Visit);
  };
  auto LookUpUnordered = [&](ArrayRef<uint64_t> Addresses) {
    A.lookupUnordered(Addresses, Visit);
  };
  size_t Next = 0, Count = size_t(State.range(0));
  auto Some = [&] {
    if (All.size() - Next < Count)
      Next = 0;
    Next += Count;
    return ArrayRef(All).slice(Next - Count, Count);
  };
  std::vector<double> Then, Single, Batch, Unordered;
  std::vector<double> SingleRatio, BatchRatio, UnorderedRatio;
  for (auto _ : State) {
    Then.push_back(secondsEach(Some(), LookUpFormer));
    Single.push_back(secondsEach(Some(), LookUp));
    Batch.push_back(secondsEach(Some(), LookUpBatch));
    SingleRatio.push_back(Single.back() / Then.back());
    BatchRatio.push_back(Batch.back() / Then.back());
    Unordered.push_back(secondsEach(Some(), LookUpUnordered));
    UnorderedRatio.push_back(Unordered.back() / Then.back());
  }
  State.counters["former"] = median(Then);
  State.counters["single"] = median(Single);
  State.counters["batch"] = median(Batch);
  State.counters["unordered"] = median(Unordered);
  State.counters["unorderedRatio"] = median(UnorderedRatio);
  State.counters["singleRatio"] = median(SingleRatio);
  State.counters["batchRatio"] = median(BatchRatio);
}

void givenArchive() {
  const char *Path = std::getenv("LIDIA_BENCH_ARCHIVE");
  if (!Path)
    return;
  Expected<Archive> A = Archive::open(Path);
  if (!A)
    report_fatal_error(A.takeError());
  static Archive Given = std::move(*A);
  benchmark::RegisterBenchmark("givenArchive/random", lookUp, std::ref(Given));
  benchmark::RegisterBenchmark("givenArchive/sorted", lookUpBatch,
                               std::ref(Given), true)
      ->Arg(100000);
  benchmark::RegisterBenchmark("givenArchive/besideFormer", besideFormer,
                               std::ref(Given))
      ->Arg(10000)
      ->Arg(100000)
      ->Iterations(50)
      ->Unit(benchmark::kMillisecond);
  if (Given.returnPadCount() == 0)
    return;
  benchmark::RegisterBenchmark("givenArchive/returnsProbed", lookUpReturns,
                               std::ref(Given), true);
  benchmark::RegisterBenchmark("givenArchive/returnsSearched", lookUpReturns,
                               std::ref(Given), false);
  benchmark::RegisterBenchmark("givenArchive/returnsMissed", missReturns,
                               std::ref(Given));
}

} // namespace

int main(int Argc, char **Argv) {
  benchmark::Initialize(&Argc, Argv);
  givenArchive();
  benchmark::RunSpecifiedBenchmarks();
}
