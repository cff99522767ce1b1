//===- PprofFuzzer.cpp - Any bytes as a pprof profile ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Reads the input as a pprof profile. Written again, it must be the same
/// bytes, for any contents. With lines added to all locations, it must still be
/// readable, with all its original data. The output of printers must have the
/// estimated size.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "lidia/Profile/Pprof.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "llvm/Support/JSON.h"

using namespace lidia;
using namespace llvm;

static Expected<PprofFile> read(StringRef Bytes) {
  return PprofFile::read(MemoryBuffer::getMemBuffer(Bytes, "input", false),
                         /*WithSamples=*/true, [](const Twine &) {});
}

static std::string write(const PprofFile &File) {
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  File.write(OS);
  return Bytes;
}

static void checkPrinters(const Profile &P) {
  // An escape has up to six bytes for one byte.
  uint64_t Max = 4096 + 6 * std::min(estimateText(P), uint64_t(1) << 24);
  if (estimateText(P) > uint64_t(1) << 24)
    return;
  LimitedStream Text(Max);
  printProfileText(P, Text);
  LimitedStream Folded(Max);
  printFoldedStacks(P, Folded);
  LimitedStream Object(Max);
  printProfileJSON(P, Object);
  Expected<json::Value> Value = json::parse(Object.text());
  check(bool(Value), "the JSON is malformed");
}

static void answerAll(Profile &P) {
  Profile::Function F;
  F.Name = P.Strings.intern("name that is new");
  P.Functions.push_back(F);
  P.Lines.push_back({uint32_t(P.Functions.size() - 1), 1, 2});
  for (Profile::Location &L : P.Locations) {
    L.FirstLine = uint32_t(P.Lines.size() - 1);
    L.LineCount = 1;
    L.Changed = true;
  }
  for (Profile::Mapping &M : P.Mappings)
    M.HasFunctions = M.Changed = true;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  Expected<PprofFile> File = read(Bytes);
  if (!File) {
    consumeError(File.takeError());
    return 0;
  }
  if (!Bytes.starts_with("\x1f\x8b"))
    check(write(*File) == Bytes, "what was not changed is written otherwise");
  checkPrinters(File->profile());

  Profile &P = File->profile();
  size_t Functions = P.Functions.size();
  answerAll(P);
  std::string Changed = write(*File);
  Expected<PprofFile> Again = read(Changed);
  check(bool(Again), "what was written cannot be read");
  const Profile &Q = Again->profile();
  check(Q.Locations.size() == P.Locations.size() &&
            Q.Mappings.size() == P.Mappings.size() &&
            Q.Functions.size() == Functions + 1 &&
            Q.Samples.size() == P.Samples.size() && Q.Values == P.Values,
        "what was written lacks something");
  for (const Profile::Location &L : Q.Locations)
    check(L.LineCount == 1 && Q.lines(L).front().Function == Functions,
          "a location has other lines than were set");

  // Write the whole profile anew.
  std::string Fresh;
  raw_string_ostream OS(Fresh);
  writePprof(Q, OS);
  Expected<PprofFile> Third = read(Fresh);
  check(bool(Third), "what was written anew cannot be read");
  check(Third->profile().Values == Q.Values &&
            Third->profile().StackLocations == Q.StackLocations,
        "what was written anew is something else");
  return 0;
}
