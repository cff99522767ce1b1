//===- BoundedAnswers.cpp - Answers with bounded text ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Stack/BoundedAnswers.h"

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

static uint64_t textOf(const DILineInfo &Info) {
  return Info.FunctionName.size() + Info.FileName.size();
}

/// The size of the printed text of \p A.
static uint64_t textOf(const ProcessAnswer &A) {
  uint32_t Count = A.Frames.getNumberOfFrames();
  uint64_t Bytes = A.Module.size() * std::max(Count, 1u);
  for (uint32_t I = 0; I != Count; ++I)
    Bytes += textOf(A.Frames.getFrame(I));
  return Bytes;
}

static bool hasLongNames(const ProcessAnswer &A, size_t Most) {
  if (A.Module.size() > Most)
    return true;
  for (uint32_t I = 0; I != A.Frames.getNumberOfFrames(); ++I) {
    const DILineInfo &Info = A.Frames.getFrame(I);
    if (Info.FunctionName.size() > Most || Info.FileName.size() > Most)
      return true;
  }
  return false;
}

/// \p A with names of at most \p Most bytes, starting with the frame \p First.
static ProcessAnswer withShortNames(const ProcessAnswer &A, size_t Most,
                                    uint32_t First) {
  ProcessAnswer Result;
  Result.What = A.What;
  Result.Module = shortened(A.Module, Most);
  Result.Address = A.Address;
  Result.HasAddress = A.HasAddress;
  Result.Reason = A.Reason;
  for (uint32_t I = First; I < A.Frames.getNumberOfFrames(); ++I) {
    DILineInfo Info = A.Frames.getFrame(I);
    Info.FunctionName = shortened(Info.FunctionName, Most);
    Info.FileName = shortened(Info.FileName, Most);
    Result.Frames.addFrame(Info);
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
  if (Bytes <= MostText - Text) {
    Text += Bytes;
    return A;
  }
  if (!std::exchange(HasWarned, true))
    Warn("names and paths have come to 64 MiB: from here on each has at most "
         "128 bytes, and inlined calls are left out");
  uint32_t Count = A->Frames.getNumberOfFrames();
  return std::make_shared<const ProcessAnswer>(
      withShortNames(*A, ShortName, /*First=*/Count ? Count - 1 : 0));
}

} // namespace lidia
