//===- GoFuzzer.cpp - Any bytes as a Go program ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reading Go's tables from any bytes either fails or returns nested ranges.
///
//===----------------------------------------------------------------------===//

#include "Extract/GoSource.h"
#include "llvm/Support/ErrorHandling.h"

using namespace lidia;
using namespace llvm;

static void check(bool Holds, const char *What) {
  if (!Holds)
    report_fatal_error(What);
}

static void checkForest(const RangeTrees &F, const CodeMap &Code) {
  std::vector<Range> Open;
  for (const Range &R : F.Ranges) {
    check(R.Depth <= Open.size(), "a level is missing");
    check(R.Start < R.End && Code.contains(R.Start) && Code.contains(R.End - 1),
          "a range is not of code");
    Open.resize(R.Depth);
    if (R.Depth)
      check(R.Start >= Open.back().Start && R.End <= Open.back().End,
            "a range is not inside its parent");
    Open.push_back(R);
    for (const Row &Row : F.rows(R))
      check(Row.Offset < R.End - R.Start, "a row is not inside its range");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  Expected<std::unique_ptr<Binary>> File = Binary::create(
      MemoryBuffer::getMemBuffer(Bytes, "fuzz",
                                 /*RequiresNullTerminator=*/false),
      "fuzz");
  if (!File) {
    consumeError(File.takeError());
    return 0;
  }
  GoSourceOptions Options;
  Options.Files = Options.Lines = true;
  StringPool Strings;
  Expected<std::optional<SourceRanges>> Ranges =
      readGo(**File, (*File)->code(), Options, Strings);
  if (!Ranges)
    consumeError(Ranges.takeError());
  else if (*Ranges)
    for (const UnitRanges &U : (*Ranges)->Units)
      checkForest(U.Functions, (*File)->code());
  return 0;
}
