//===- ProfileTextFuzzer.cpp - Any bytes as a profile in text -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Reads the input as folded stacks and as a profile of Firefox Profiler, the
/// latter with the names behind the first zero byte, as samply has them beside
/// a profile. The profile must be consistent; written and read again it has
/// stacks.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "lidia/Profile/ProfileFile.h"
#include "lidia/Profile/ProfilePrinters.h"

using namespace lidia;
using namespace llvm;

static Expected<ProfileFile> read(const ProfileFormat &Format, StringRef Bytes,
                                  StringRef Names) {
  ProfileReadOptions Options;
  Options.Format = &Format;
  Options.NamesBeside = [=](StringRef) -> std::unique_ptr<MemoryBuffer> {
    if (Names.empty())
      return nullptr;
    return MemoryBuffer::getMemBuffer(Names, "names",
                                      /*RequiresNullTerminator=*/false);
  };
  return readProfile(
      MemoryBuffer::getMemBuffer(Bytes, "input",
                                 /*RequiresNullTerminator=*/false),
      Options, [](const Twine &) {});
}

static std::string foldedStacks(const Profile &P) {
  std::string Text;
  raw_string_ostream OS(Text);
  printFoldedStacks(P, OS);
  return Text;
}

static void checkFormat(const ProfileFormat &Format, StringRef Bytes,
                        StringRef Names) {
  Expected<ProfileFile> File = read(Format, Bytes, Names);
  if (!File)
    return consumeError(File.takeError());
  const Profile &P = File->profile();
  for (const Profile::Sample &S : P.Samples)
    for (uint32_t L : P.stack(S)) {
      check(L < P.Locations.size(), "a stack has no location");
      for (const Profile::Line &Line : P.lines(P.Locations[L]))
        check(Line.Function < P.Functions.size(), "a line has no function");
    }
  raw_null_ostream Nowhere;
  printProfileText(P, Nowhere);
  std::string Text;
  raw_string_ostream OS(Text);
  Format.Write(*File, OS, [](const Twine &) {});
  // Without values, nothing is written.
  if (foldedStacks(P).empty() || estimateText(P) > uint64_t(1) << 24)
    return;
  Expected<ProfileFile> Again = read(Format, Text, "");
  check(bool(Again), "what was written cannot be read");
  check(!foldedStacks(Again->profile()).empty(), "all stacks were lost");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  checkFormat(*findProfileFormat("folded"), Bytes, "");
  auto [Profile, Names] = Bytes.split('\0');
  checkFormat(*findProfileFormat("firefox"), Profile, Names);
  return 0;
}
