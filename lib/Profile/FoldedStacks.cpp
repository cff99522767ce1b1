//===- FoldedStacks.cpp - Profiles as folded stacks -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedSamples.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace lidia {

/// A semicolon would end the frame; stackcollapse-perf.pl writes a colon, too.
static void addFrame(std::string &Stack, StringRef Name) {
  if (!Stack.empty())
    Stack += ';';
  for (char C : escapeText(Name))
    Stack += C == ';' ? ':' : C;
}

static std::string foldStack(const Profile &P, const Profile::Sample &S) {
  std::string Stack;
  for (const Profile::Label &L : P.labels(S))
    if (P.Strings[L.Key] == "comm" && L.Text != 0) {
      std::string Name = P.Strings[L.Text].str();
      std::replace(Name.begin(), Name.end(), ' ', '_');
      addFrame(Stack, Name);
    }
  for (uint32_t Index : reverse(P.stack(S))) {
    const Profile::Location &L = P.Locations[Index];
    if (L.LineCount == 0)
      addFrame(Stack, placeOf(P, L));
    for (const Profile::Line &Line : reverse(P.lines(L))) {
      Profile::StringID Name =
          Line.Function == Profile::None ? 0 : P.Functions[Line.Function].Name;
      if (Name != 0)
        addFrame(Stack, P.Strings[Name]);
      else
        addFrame(Stack, placeOf(P, L));
    }
  }
  return Stack;
}

void printFoldedStacks(const Profile &P, raw_ostream &OS) {
  if (P.SampleTypes.empty())
    return;
  // Different addresses may give the same line.
  std::map<std::string, int64_t> Stacks;
  for (const MergedSample &M : mergeSamples(P)) {
    int64_t &Sum = Stacks[foldStack(P, P.Samples[M.First])];
    Sum = int64_t(uint64_t(Sum) + uint64_t(M.Values[P.DefaultSampleType]));
  }
  for (const auto &[Stack, Value] : Stacks)
    if (!Stack.empty() && Value != 0)
      OS << Stack << ' ' << Value << '\n';
}

} // namespace lidia
