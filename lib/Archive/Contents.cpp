//===- Contents.cpp - The functions and the files of an archive -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace lidia;
using namespace llvm;

void Archive::forEachFunction(function_ref<void(const ListedFunction &)> Visit,
                              uint64_t First, uint64_t End) const {
  std::vector<ListedFunction> Functions;
  DenseMap<StringOffset, size_t> IndexOf;
  std::vector<std::pair<size_t, uint64_t>> Entries;
  for (uint64_t I = First; I < std::min(End, RangeCount); ++I) {
    RangeEntry R = range(I);
    // Zero is the empty string, and a damaged archive can refer to nothing.
    if (string(R.Function).empty())
      continue;
    auto [Found, IsNew] = IndexOf.try_emplace(R.Function, Functions.size());
    if (IsNew) {
      Functions.emplace_back();
      Functions.back().Name = R.Function;
    }
    ListedFunction &F = Functions[Found->second];
    if (!F.File)
      F.File = R.File;
    if (R.Depth)
      ++F.InlinedRanges;
    else if (entry(I) == I)
      Entries.emplace_back(Found->second, R.VA);
  }
  llvm::sort(Entries);
  std::vector<uint64_t> Addresses;
  Addresses.reserve(Entries.size());
  for (const auto &[Index, Address] : Entries)
    Addresses.push_back(Address);
  size_t Next = 0;
  for (auto [Index, F] : enumerate(Functions)) {
    size_t Begin = Next;
    while (Next != Entries.size() && Entries[Next].first == Index)
      ++Next;
    F.Entries = ArrayRef(Addresses).slice(Begin, Next - Begin);
    Visit(F);
  }
}

/// Visits the files of rows whose file differs from that of their range.
/// \p Runs, in any order, are the first rows of ranges and the ends of their
/// rows.
static void visitForeignFiles(const FieldView &Foreign,
                              std::vector<std::pair<uint64_t, uint64_t>> Runs,
                              function_ref<void(StringOffset)> Visit) {
  // Ranges may share rows, so visiting them one after the other could take very
  // long.
  llvm::sort(Runs);
  uint64_t Next = 0, Count = Foreign.Count / 3;
  for (auto [Begin, End] : Runs) {
    while (Next != Count && Foreign[Next * 3] < Begin)
      ++Next;
    for (; Next != Count && Foreign[Next * 3] < End; ++Next)
      Visit(Foreign[Next * 3 + 1]);
  }
}

void Archive::forEachFile(function_ref<void(StringOffset)> Visit,
                          uint64_t First, uint64_t End) const {
  DenseSet<StringOffset> Files;
  auto Add = [&](StringOffset File) {
    // Some numbers are reserved and cannot be keys.
    if (File < StringTable.size())
      Files.insert(File);
  };
  std::vector<std::pair<uint64_t, uint64_t>> Runs;
  for (uint64_t I = First; I < std::min(End, RangeCount); ++I) {
    RangeEntry R = range(I);
    Add(R.File);
    Add(R.CallFile);
    if (uint64_t Rows = plausibleRows(R))
      Runs.emplace_back(R.FirstRow, R.FirstRow + Rows);
  }
  visitForeignFiles(view(&ArchiveArrays::ForeignRows), std::move(Runs), Add);
  std::vector<StringOffset> Sorted(Files.begin(), Files.end());
  llvm::sort(Sorted);
  for (StringOffset File : Sorted)
    if (!string(File).empty())
      Visit(File);
}
