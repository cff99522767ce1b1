//===- ProfileSize.cpp - Size limits of profiles --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileFormats.h"
#include "lidia/Error.h"
#include "lidia/Profile/Profile.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

Error Profile::allotValues(size_t Count, StringRef Name) {
  // In real files, each value takes at least one byte.
  uint64_t Max = 4 * FileSize + (1 << 20);
  if (SaturatingMultiply<uint64_t>(SampleTypes.size(), Count) > Max)
    return make_error<LimitError>(
        Name, "has " + Twine(SampleTypes.size()) + " types of values for " +
                  Twine(Count) +
                  " samples, more than the limit for a profile of its size");
  Values.resize(SampleTypes.size() * Count);
  return Error::success();
}

Error Profile::checkOutput(uint64_t Size, StringRef Name) const {
  // A location takes one byte in a sample, and may have several functions with
  // long names.
  uint64_t Max = (uint64_t(64) << 20) + 1000 * FileSize;
  if (Size <= Max)
    return Error::success();
  return make_error<LimitError>(
      Name, "would become about " + Twine(Size) +
                " bytes, more than the limit for a profile of its size");
}

uint64_t estimateText(const Profile &P) {
  // The size of punctuation, addresses and numbers.
  constexpr uint64_t Rest = 40;
  std::vector<uint64_t> Sizes;
  for (const Profile::Location &L : P.Locations) {
    uint64_t Place = L.Mapping == Profile::None
                         ? 0
                         : P.Strings[P.Mappings[L.Mapping].File].size();
    uint64_t Size = Rest + Place;
    for (const Profile::Line &Line : P.lines(L)) {
      Size += Rest + Place;
      if (Line.Function != Profile::None) {
        const Profile::Function &F = P.Functions[Line.Function];
        Size += P.Strings[F.Name].size() + P.Strings[F.File].size();
      }
    }
    Sizes.push_back(Size);
  }
  uint64_t Types = 0;
  for (const Profile::ValueType &T : P.SampleTypes)
    Types += Rest + P.Strings[T.Type].size() + P.Strings[T.Unit].size();
  uint64_t Sum = 0;
  for (const Profile::Sample &S : P.Samples) {
    Sum = SaturatingAdd(Sum, Types);
    for (const Profile::Label &L : P.labels(S))
      Sum = SaturatingAdd(Sum, Rest + P.Strings[L.Key].size() +
                                   P.Strings[L.Text].size() +
                                   P.Strings[L.Unit].size());
    for (uint32_t L : P.stack(S))
      Sum = SaturatingAdd(Sum, Sizes[L]);
  }
  return Sum;
}

uint64_t estimatePprof(const Profile &P) {
  // The size of the other fields of a message, which have small numbers.
  constexpr uint64_t Rest = 8;
  uint64_t Sum = 0;
  for (const Profile::Sample &S : P.Samples)
    Sum = SaturatingAdd(Sum, Rest + P.SampleTypes.size() + S.LocationCount +
                                 Rest * S.LabelCount);
  return Sum;
}

uint64_t estimateOTLP(const Profile &P) {
  constexpr uint64_t Rest = 12;
  uint64_t Sum = 0;
  for (size_t I = 0; I != P.Samples.size(); ++I)
    for (int64_t Value : P.values(I))
      Sum = SaturatingAdd(Sum, Value ? Rest + P.Samples[I].LabelCount : 0);
  return Sum;
}

uint64_t estimateOTLPJSON(const Profile &P) { return estimateOTLP(P); }

} // namespace lidia
