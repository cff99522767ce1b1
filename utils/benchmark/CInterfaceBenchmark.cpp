//===- CInterfaceBenchmark.cpp - The cost of calls of the C interface -----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Looks up addresses in the archive LIDIA_BENCH_ARCHIVE with the C++ classes
/// and with the C interface, one or a thousand addresses in each call. Reads
/// the names and paths of all frames.
///
//===----------------------------------------------------------------------===//

#include "lidia-c/lidia.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/Support/raw_ostream.h"
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <random>

using namespace lidia;
using namespace llvm;

namespace {

const char *archivePath() { return std::getenv("LIDIA_BENCH_ARCHIVE"); }

const Archive &archive() {
  static const Archive A = [] {
    Expected<Archive> Opened = Archive::open(archivePath());
    if (!Opened)
      report_fatal_error(Opened.takeError());
    return std::move(*Opened);
  }();
  return A;
}

/// Code addresses from all parts of the archive.
const std::vector<uint64_t> &addresses() {
  static const std::vector<uint64_t> All = [] {
    std::mt19937_64 Random(7);
    std::vector<uint64_t> Result(1 << 16);
    for (uint64_t &Address : Result) {
      RangeEntry R = archive().range(Random() % archive().rangeCount());
      Address = R.VA + Random() % std::max<uint64_t>(1, R.Length);
    }
    return Result;
  }();
  return All;
}

/// Part \p Number of \p Size addresses.
ArrayRef<uint64_t> part(size_t Number, size_t Size) {
  size_t Parts = addresses().size() / Size;
  return ArrayRef(addresses()).slice(Number % Parts * Size, Size);
}

void byClass(benchmark::State &State) {
  SymbolizerOptions Options;
  Options.Demangle = false;
  Symbolizer S(archive(), Options);
  size_t Next = 0;
  for (auto _ : State)
    for (const Frame &F : S.frames(part(Next++, 1).front())) {
      benchmark::DoNotOptimize(S.function(F).data());
      benchmark::DoNotOptimize(S.file(F).data());
    }
  State.SetItemsProcessed(State.iterations());
}

void byInterface(benchmark::State &State) {
  lidia_archive *A = nullptr;
  lidia_lookup *Lookup = nullptr;
  if (lidia_archive_open(archivePath(), nullptr, &A, nullptr) ||
      lidia_lookup_create(A, nullptr, &Lookup, nullptr)) {
    State.SkipWithError("the archive cannot be opened");
    return;
  }
  size_t Next = 0, Size = size_t(State.range(0));
  for (auto _ : State) {
    ArrayRef<uint64_t> Part = part(Next++, Size);
    lidia_lookup_addresses(Lookup, Part.data(), Part.size(), nullptr);
    for (size_t I = 0; I != Part.size(); ++I)
      for (size_t J = 0, E = lidia_lookup_frame_count(Lookup, I); J != E; ++J) {
        lidia_frame F;
        LIDIA_INIT(F);
        lidia_lookup_get_frame(Lookup, I, J, &F, nullptr);
        benchmark::DoNotOptimize(F.function);
      }
  }
  State.SetItemsProcessed(State.iterations() * State.range(0));
  lidia_lookup_free(Lookup);
  lidia_archive_close(A);
}

BENCHMARK(byClass);
BENCHMARK(byInterface)->Arg(1)->Arg(1000);

} // namespace

int main(int Argc, char **Argv) {
  benchmark::Initialize(&Argc, Argv);
  if (!archivePath()) {
    errs() << "Please set LIDIA_BENCH_ARCHIVE to an archive\n";
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
}
