//===- BoundedAnswers.cpp - Answers with bounded text ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Stack/BoundedAnswers.h"
#include "Support/CutText.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

/// The size of the printed text of \p A.
static uint64_t textOf(const ProcessAnswer &A) {
  uint64_t Bytes = A.Module.size() * std::max<size_t>(A.Frames.size(), 1);
  for (const SymbolizedFrame &F : A.Frames)
    Bytes += F.Function.size() + F.File.size();
  return Bytes;
}

static bool hasLongNames(const ProcessAnswer &A, size_t Max) {
  return A.Module.size() > Max ||
         any_of(A.Frames, [&](const SymbolizedFrame &F) {
           return F.Function.size() > Max || F.File.size() > Max;
         });
}

/// \p A with names of at most \p Max bytes, starting with the frame \p First.
static ProcessAnswer withShortNames(const ProcessAnswer &A, size_t Max,
                                    size_t First) {
  ProcessAnswer Result = A;
  Result.Module = cutText(A.Module, Max);
  Result.Frames.erase(Result.Frames.begin(), Result.Frames.begin() + First);
  for (SymbolizedFrame &F : Result.Frames) {
    F.Function = cutText(F.Function, Max);
    F.File = cutText(F.File, Max);
  }
  return Result;
}

/// Like ProcessSymbolizer::answer(), with names of at most LongestName bytes.
BoundedAnswers::Answer
BoundedAnswers::answerWithShorterNames(uint64_t Address, bool IsReturnAddress) {
  if (const Answer *Known = Shortened.find(Address - IsReturnAddress))
    return *Known;
  Answer A = S.answer(Address, IsReturnAddress);
  if (!hasLongNames(*A, LongestName))
    return A;
  return Shortened.add(Address - IsReturnAddress,
                       std::make_shared<const ProcessAnswer>(
                           withShortNames(*A, LongestName, /*First=*/0)));
}

BoundedAnswers::Answer BoundedAnswers::answer(uint64_t Address,
                                              bool IsReturnAddress) {
  Answer A = answerWithShorterNames(Address, IsReturnAddress);
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
