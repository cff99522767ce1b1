//===- BoundedAnswers.cpp - Answers with bounded text ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Stack/BoundedAnswers.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

/// \p Text, or its first \p Most bytes without an incomplete character.
static std::string shortened(StringRef Text, size_t Most) {
  if (Text.size() <= Most)
    return Text.str();
  while (Most != 0 && (uint8_t(Text[Most]) & 0xc0) == 0x80)
    --Most;
  return (Text.take_front(Most) + "...").str();
}

/// The size of the printed text of \p A.
static uint64_t textOf(const ProcessAnswer &A) {
  uint64_t Bytes = A.Module.size() * std::max<size_t>(A.Frames.size(), 1);
  for (const SymbolizedFrame &F : A.Frames)
    Bytes += F.Function.size() + F.File.size();
  return Bytes;
}

static bool hasLongNames(const ProcessAnswer &A, size_t Most) {
  return A.Module.size() > Most ||
         any_of(A.Frames, [&](const SymbolizedFrame &F) {
           return F.Function.size() > Most || F.File.size() > Most;
         });
}

/// \p A with names of at most \p Most bytes, starting with the frame \p First.
static ProcessAnswer withShortNames(const ProcessAnswer &A, size_t Most,
                                    size_t First) {
  ProcessAnswer Result = A;
  Result.Module = shortened(A.Module, Most);
  Result.Frames.erase(Result.Frames.begin(), Result.Frames.begin() + First);
  for (SymbolizedFrame &F : Result.Frames) {
    F.Function = shortened(F.Function, Most);
    F.File = shortened(F.File, Most);
  }
  return Result;
}

BoundedAnswers::Answer BoundedAnswers::answer(uint64_t Address,
                                              bool IsReturnAddress) {
  Answer A = S.answer(Address, IsReturnAddress);
  if (hasLongNames(*A, LongestName))
    A = std::make_shared<const ProcessAnswer>(
        withShortNames(*A, LongestName, /*First=*/0));
  uint64_t Bytes = textOf(*A);
  if (Bytes <= MaxText - Text) {
    Text += Bytes;
    return A;
  }
  if (!std::exchange(HasWarned, true))
    Warn("names and paths have come to 64 MiB: from here on each has at most "
         "128 bytes, and inlined calls are left out");
  return std::make_shared<const ProcessAnswer>(withShortNames(
      *A, ShortName, /*First=*/A->Frames.empty() ? 0 : A->Frames.size() - 1));
}

} // namespace lidia
