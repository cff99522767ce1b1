//===- OTLPFuzzer.cpp - Fuzzes the readers of OTLP profiles ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The input is an OTLP profile, binary or as JSON. The profile that was read
/// is written again. If the input was binary, the output must be the same. The
/// JSON output, read and written again, must not change further. All indices of
/// the profile must be valid.
///
//===----------------------------------------------------------------------===//

#include "lidia/Profile/OTLP.h"
#include "llvm/Support/ErrorHandling.h"

using namespace lidia;
using namespace llvm;

static void require(bool Condition, const char *What) {
  if (!Condition)
    report_fatal_error(What);
}

static void checkIndices(const Profile &P) {
  auto IsIn = [](uint32_t Index, size_t Size) {
    return Index == Profile::None || Index < Size;
  };
  for (const Profile::Location &L : P.Locations) {
    require(IsIn(L.Mapping, P.Mappings.size()), "mapping out of range");
    for (const Profile::Line &Line : P.lines(L))
      require(IsIn(Line.Function, P.Functions.size()), "function out of range");
  }
  for (size_t I = 0; I != P.Samples.size(); ++I) {
    for (uint32_t L : P.stack(P.Samples[I]))
      require(L < P.Locations.size(), "location out of range");
    for (const Profile::Label &L : P.labels(P.Samples[I]))
      require(std::max({L.Key, L.Text, L.Unit}) < P.Strings.size(),
              "string out of range");
    (void)P.values(I);
  }
  uint64_t Last = 1;
  for (const Profile::Event &E : P.Events) {
    require(E.Sample < P.Samples.size(), "sample out of range");
    require(E.Type < P.SampleTypes.size(), "type out of range");
    require(Last <= E.Time, "events are not in order of time");
    Last = E.Time;
  }
}

/// Marks everything that can be changed as changed, as answers would do.
static void change(Profile &P) {
  Profile::Function F;
  F.Name = P.Strings.intern("added");
  P.Functions.push_back(F);
  Profile::Line L;
  L.Function = uint32_t(P.Functions.size() - 1);
  P.Lines.push_back(L);
  for (Profile::Location &Its : P.Locations) {
    Its.FirstLine = uint32_t(P.Lines.size() - 1);
    Its.LineCount = 1;
    Its.Changed = true;
  }
}

static std::string writtenBinary(const OTLPFile &File) {
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  File.write(OS);
  return Bytes;
}

static std::string writtenJSON(StringRef Binary) {
  std::string Text;
  raw_string_ostream OS(Text);
  writeOTLPJSON(Binary, OS, [](const Twine &) {});
  return Text;
}

static Expected<OTLPFile> readFrom(StringRef Bytes) {
  return OTLPFile::read(MemoryBuffer::getMemBufferCopy(Bytes, "input"),
                        OTLPParts::Events, [](const Twine &) {});
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  Expected<OTLPFile> File = readFrom(Bytes);
  if (!File) {
    consumeError(File.takeError());
    return 0;
  }
  checkIndices(File->profile());
  std::string Binary = writtenBinary(*File);
  require(File->isJSON() || Binary == Bytes, "an unchanged file differs");

  // The first conversion removes what JSON cannot represent.
  std::string Text = writtenJSON(Binary);
  Expected<OTLPFile> FromJSON = readFrom(Text);
  if (FromJSON)
    require(writtenJSON(writtenBinary(*FromJSON)) == Text,
            "JSON differs when it is written again");
  else
    consumeError(FromJSON.takeError());

  std::string Scratch;
  raw_string_ostream OS(Scratch);
  writeOTLP(File->profile(), OS);
  Expected<OTLPFile> Again = readFrom(Scratch);
  if (!Again)
    report_fatal_error(Again.takeError());
  checkIndices(Again->profile());

  change(File->profile());
  Expected<OTLPFile> Changed = readFrom(writtenBinary(*File));
  if (!Changed)
    report_fatal_error(Changed.takeError());
  checkIndices(Changed->profile());
  return 0;
}
