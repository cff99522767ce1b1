//===- PerfDataFuzzer.cpp - Any bytes as a perf recording -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Reads the input as a perf recording. The profile must be consistent, and
/// readable after it was written. No file is opened.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "ProfileCheck.h"
#include "lidia/Profile/Pprof.h"
#include "lidia/Profile/ProfileFile.h"
#include "lidia/Profile/ProfilePrinters.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  ProfileReadOptions Options;
  Options.Format = findProfileFormat("perf");
  Expected<ProfileFile> File = readProfile(
      MemoryBuffer::getMemBuffer(
          StringRef(reinterpret_cast<const char *>(Data), Size), "input",
          /*RequiresNullTerminator=*/false),
      Options, [](const Twine &) {});
  if (!File) {
    consumeError(File.takeError());
    return 0;
  }
  const Profile &P = File->profile();
  checkProfile(P);
  raw_null_ostream Nowhere;
  printProfileText(P, Nowhere);
  printFoldedStacks(P, Nowhere);

  std::string Bytes;
  raw_string_ostream OS(Bytes);
  writePprof(P, OS);
  bool IsSound = true;
  Expected<PprofFile> Again = PprofFile::read(
      MemoryBuffer::getMemBuffer(Bytes, "written", false),
      /*WithSamples=*/true, [&](const Twine &) { IsSound = false; });
  check(bool(Again) && IsSound, "what was written is not sound");
  check(Again->profile().Values == P.Values, "values were lost");
  return 0;
}
