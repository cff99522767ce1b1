//===- PerfScriptFuzzer.cpp - Any bytes as the text of perf script -------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Reads the input as the text of perf script. The profile must be consistent,
/// and readable after it was written.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "Profile/PerfScript.h"
#include "ProfileCheck.h"
#include "lidia/Profile/Pprof.h"
#include "lidia/Profile/ProfilePrinters.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Left(reinterpret_cast<const char *>(Data), Size);
  PerfScriptReader Reader;
  while (!Left.empty()) {
    auto [Line, Rest] = Left.split('\n');
    Reader.readLine(Line);
    Left = Rest;
  }
  Expected<Profile> P = Reader.finish("input", [](const Twine &) {});
  if (!P) {
    consumeError(P.takeError());
    return 0;
  }
  checkProfile(*P);
  raw_null_ostream Nowhere;
  printProfileText(*P, Nowhere);
  printFoldedStacks(*P, Nowhere);
  printProfileJSON(*P, Nowhere);

  std::string Bytes;
  raw_string_ostream OS(Bytes);
  writePprof(*P, OS);
  bool IsSound = true;
  Expected<PprofFile> Again = PprofFile::read(
      MemoryBuffer::getMemBuffer(Bytes, "written", false),
      /*WithSamples=*/true, [&](const Twine &) { IsSound = false; });
  check(bool(Again) && IsSound, "what was written is not sound");
  check(Again->profile().Values == P->Values, "values were lost");
  return 0;
}
