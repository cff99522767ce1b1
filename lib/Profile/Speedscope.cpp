//===- Speedscope.cpp - Profiles for speedscope ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sampled profiles of https://www.speedscope.app/file-format-schema.json: all
// profiles share a table of frames, and there is one profile for each type of
// value.
//
//===----------------------------------------------------------------------===//

#include "MergedSamples.h"
#include "ProfileFormats.h"
#include "SampleFrames.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace lidia {

namespace {
class SpeedscopeWriter {
public:
  SpeedscopeWriter(const Profile &P, raw_ostream &OS)
      : P(P), J(OS), Samples(mergeSamples(P)) {}

  void write(StringRef Title);

private:
  struct Frame {
    std::string Name;
    Profile::StringID File;
    /// The line where the function begins, not the line of the address:
    /// speedscope only sums equal frames, and would show a function once for
    /// each line.
    uint32_t Line;

    bool operator<(const Frame &O) const {
      return std::tie(Name, File, Line) < std::tie(O.Name, O.File, O.Line);
    }
  };

  std::string text(Profile::StringID ID) const {
    return json::fixUTF8(P.Strings[ID]);
  }
  uint32_t number(Frame F);
  std::vector<uint32_t> stack(const Profile::Sample &S);
  void writeFrame(const Frame &F);
  void writeValues(size_t Type);

  const Profile &P;
  json::OStream J;
  std::vector<MergedSample> Samples;
  std::map<Frame, uint32_t> Numbers;
  std::vector<const Frame *> Frames;
  /// The stack of each of Samples, outermost frame first.
  std::vector<std::vector<uint32_t>> Stacks;
};
} // namespace

uint32_t SpeedscopeWriter::number(Frame F) {
  auto [It, New] = Numbers.try_emplace(std::move(F), uint32_t(Frames.size()));
  if (New)
    Frames.push_back(&It->first);
  return It->second;
}

std::vector<uint32_t> SpeedscopeWriter::stack(const Profile::Sample &S) {
  std::vector<uint32_t> Result;
  auto Add = [&](StringRef Name, const Profile::Function *F) {
    Result.push_back(
        number({json::fixUTF8(Name), F ? F->File : 0, F ? F->StartLine : 0}));
  };
  forEachFunction(P, S, [&](StringRef Process) { Add(Process, nullptr); }, Add);
  return Result;
}

void SpeedscopeWriter::writeFrame(const Frame &F) {
  J.object([&] {
    J.attribute("name", F.Name);
    if (F.File != 0)
      J.attribute("file", text(F.File));
    if (F.Line != 0)
      J.attribute("line", F.Line);
  });
}

/// Writes the samples that have a value of \p Type. speedscope does not support
/// negative weights, which differences of profiles have: they count as zero.
void SpeedscopeWriter::writeValues(size_t Type) {
  auto Weight = [&](size_t I) {
    return std::max<int64_t>(Samples[I].Values[Type], 0);
  };
  int64_t Sum = 0;
  for (size_t I = 0; I != Samples.size(); ++I)
    Sum = addValues(Sum, Weight(I));
  const Profile::ValueType &T = P.SampleTypes[Type];
  StringRef Unit = StringSwitch<StringRef>(P.Strings[T.Unit])
                       .Case("nanoseconds", "nanoseconds")
                       .Case("microseconds", "microseconds")
                       .Case("milliseconds", "milliseconds")
                       .Case("seconds", "seconds")
                       .Case("bytes", "bytes")
                       .Default("none");
  J.object([&] {
    J.attribute("type", "sampled");
    J.attribute("name", text(T.Type));
    J.attribute("unit", Unit);
    J.attribute("startValue", 0);
    J.attribute("endValue", Sum);
    J.attributeArray("samples", [&] {
      for (size_t I = 0; I != Samples.size(); ++I)
        if (Weight(I))
          J.array([&] {
            for (uint32_t Frame : Stacks[I])
              J.value(Frame);
          });
    });
    J.attributeArray("weights", [&] {
      for (size_t I = 0; I != Samples.size(); ++I)
        if (Weight(I))
          J.value(Weight(I));
    });
  });
}

void SpeedscopeWriter::write(StringRef Title) {
  for (const MergedSample &M : Samples)
    Stacks.push_back(stack(P.Samples[M.First]));
  J.object([&] {
    J.attribute("$schema",
                "https://www.speedscope.app/file-format-schema.json");
    J.attribute("name", json::fixUTF8(Title));
    J.attribute("exporter", "llvm-lidia");
    J.attribute("activeProfileIndex", P.DefaultSampleType);
    J.attributeObject("shared", [&] {
      J.attributeArray("frames", [&] {
        for (const Frame *F : Frames)
          writeFrame(*F);
      });
    });
    J.attributeArray("profiles", [&] {
      for (size_t Type = 0; Type != P.SampleTypes.size(); ++Type)
        writeValues(Type);
    });
  });
}

void writeSpeedscope(const ProfileFile &File, raw_ostream &OS,
                     WarningFunction) {
  JSONEscaper Escaped(OS);
  SpeedscopeWriter(File.profile(), Escaped).write(File.Title);
  Escaped << '\n';
}

} // namespace lidia
