//===- FoldedStacks.cpp - Profiles as folded stacks -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedSamples.h"
#include "ProfileFormats.h"
#include "SampleFrames.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <numeric>

using namespace llvm;

namespace lidia {

namespace {
/// Stacks, whose frames are outermost first. A frame is the number of its text,
/// so that memory does not depend on the lengths of names.
class FoldedStacks {
public:
  explicit FoldedStacks(const Profile &P) : P(P) {}

  void add(const MergedSample &M);
  void print(raw_ostream &OS);

private:
  struct Stack {
    std::vector<uint32_t> Frames;
    int64_t Value = 0;
  };

  uint32_t frame(StringRef Name);
  void sortTexts();

  const Profile &P;
  StringMap<uint32_t> Numbers;
  std::vector<std::string> Texts;
  std::vector<Stack> Stacks;
};
} // namespace

uint32_t FoldedStacks::frame(StringRef Name) {
  auto [It, New] = Numbers.try_emplace(Name, uint32_t(Texts.size()));
  if (New) {
    // A semicolon would end the frame. stackcollapse-perf.pl also writes a
    // colon.
    Texts.push_back(escapeText(Name));
    std::replace(Texts.back().begin(), Texts.back().end(), ';', ':');
  }
  return It->second;
}

void FoldedStacks::add(const MergedSample &M) {
  const Profile::Sample &Sample = P.Samples[M.First];
  Stack S;
  S.Value = M.Values[P.DefaultSampleType];
  auto AddProcess = [&](StringRef Text) {
    std::string Name = Text.str();
    std::replace(Name.begin(), Name.end(), ' ', '_');
    S.Frames.push_back(frame(Name));
  };
  forEachFunction(P, Sample, AddProcess,
                  [&](StringRef Name, const Profile::Function *) {
                    S.Frames.push_back(frame(Name));
                  });
  // stackcollapse-perf.pl and inferno have the process alone, too.
  if (S.Frames.empty())
    S.Frames.push_back(frame(NoStack));
  if (S.Value != 0)
    Stacks.push_back(std::move(S));
}

/// Renumbers the frames in the order of their texts.
void FoldedStacks::sortTexts() {
  std::vector<uint32_t> Order(Texts.size());
  std::iota(Order.begin(), Order.end(), 0);
  llvm::sort(Order,
             [&](uint32_t A, uint32_t B) { return Texts[A] < Texts[B]; });
  std::vector<uint32_t> Ranks(Texts.size());
  for (uint32_t I = 0; I != Order.size(); ++I) {
    // Two names may have the same text.
    bool IsSame = I != 0 && Texts[Order[I]] == Texts[Order[I - 1]];
    Ranks[Order[I]] = IsSame ? Ranks[Order[I - 1]] : I;
  }
  for (Stack &S : Stacks)
    for (uint32_t &Frame : S.Frames)
      Frame = Ranks[Frame];
  std::vector<std::string> Sorted;
  for (uint32_t I : Order)
    Sorted.push_back(std::move(Texts[I]));
  Texts = std::move(Sorted);
}

void FoldedStacks::print(raw_ostream &OS) {
  sortTexts();
  llvm::sort(Stacks, [](const Stack &A, const Stack &B) {
    return A.Frames < B.Frames;
  });
  for (size_t I = 0; I != Stacks.size(); ++I) {
    // Different addresses may have the same functions.
    if (I + 1 != Stacks.size() && Stacks[I].Frames == Stacks[I + 1].Frames) {
      Stacks[I + 1].Value = addValues(Stacks[I].Value, Stacks[I + 1].Value);
      continue;
    }
    for (size_t F = 0; F != Stacks[I].Frames.size(); ++F)
      OS << (F ? ";" : "") << Texts[Stacks[I].Frames[F]];
    OS << ' ' << Stacks[I].Value << '\n';
  }
}

void printFoldedStacks(const Profile &P, raw_ostream &OS) {
  if (P.SampleTypes.empty())
    return;
  FoldedStacks Stacks(P);
  for (const MergedSample &M : mergeSamples(P))
    Stacks.add(M);
  Stacks.print(OS);
}

void writeFolded(const ProfileFile &File, raw_ostream &OS, WarningFunction) {
  printFoldedStacks(File.profile(), OS);
}

} // namespace lidia
