//===- MergedSamples.cpp - Merges equal samples ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedSamples.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <tuple>

using namespace llvm;

namespace lidia {

static std::tuple<uint32_t, uint32_t, uint32_t, int64_t>
fields(const Profile::Label &L) {
  return {L.Key, L.Text, L.Unit, L.Number};
}

/// Orders samples by stack and labels.
static int compare(const Profile &P, const Profile::Sample &A,
                   const Profile::Sample &B) {
  ArrayRef<uint32_t> StackA = P.stack(A);
  ArrayRef<uint32_t> StackB = P.stack(B);
  if (StackA != StackB)
    return std::lexicographical_compare(StackA.begin(), StackA.end(),
                                        StackB.begin(), StackB.end())
               ? -1
               : 1;
  ArrayRef<Profile::Label> LabelsA = P.labels(A);
  ArrayRef<Profile::Label> LabelsB = P.labels(B);
  if (LabelsA.size() != LabelsB.size())
    return LabelsA.size() < LabelsB.size() ? -1 : 1;
  for (size_t I = 0; I != LabelsA.size(); ++I)
    if (fields(LabelsA[I]) != fields(LabelsB[I]))
      return fields(LabelsA[I]) < fields(LabelsB[I]) ? -1 : 1;
  return 0;
}

std::vector<MergedSample> mergeSamples(const Profile &P) {
  std::vector<uint32_t> Order(P.Samples.size());
  for (size_t I = 0; I != Order.size(); ++I)
    Order[I] = uint32_t(I);
  llvm::sort(Order, [&](uint32_t A, uint32_t B) {
    int C = compare(P, P.Samples[A], P.Samples[B]);
    return C != 0 ? C < 0 : A < B;
  });
  std::vector<MergedSample> Merged;
  for (uint32_t I : Order) {
    if (Merged.empty() ||
        compare(P, P.Samples[Merged.back().First], P.Samples[I]) != 0)
      Merged.push_back({I, std::vector<int64_t>(P.SampleTypes.size())});
    for (size_t V = 0; V != P.SampleTypes.size(); ++V)
      Merged.back().Values[V] =
          addValues(Merged.back().Values[V], P.values(I)[V]);
  }
  llvm::sort(Merged, [](const MergedSample &A, const MergedSample &B) {
    return A.First < B.First;
  });
  return Merged;
}

} // namespace lidia
