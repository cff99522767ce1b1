//===- LoadBias.cpp - Where a log's program was loaded --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Log/LoadBias.h"
#include "lidia/Log/ColoredLine.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <vector>

using namespace llvm;

namespace lidia {

/// More do not make the result more certain.
static constexpr size_t MaxAddresses = 4096;

void LoadBias::read(StringRef Lines) {
  ColoredLine Colored;
  while (!Lines.empty() && Addresses.size() < MaxAddresses) {
    auto [Text, Rest] = Lines.split('\n');
    Lines = Rest;
    if (!Line.hasState() && !mayHaveLogAddress(Text))
      continue;
    Colored.set(Text.rtrim('\r'));
    Line.parse(Colored.text());
    for (const LogAddress &A : Line.Addresses) {
      StringRef Module = A.Module;
      Module.consume_back(" (deleted)");
      bool IsIts = Module.empty() || sys::path::filename(Module) == Name;
      if (A.Runtime && !A.Offset && !A.Map && A.IsReturnAddress && IsIts)
        Addresses.insert(*A.Runtime);
    }
  }
}

/// The biases that put all of \p Group on \p Pads.
static std::set<uint64_t> biasesOf(ArrayRef<uint64_t> Group,
                                   ArrayRef<uint64_t> Pads, bool IsFixed) {
  constexpr uint64_t Page = 4096;
  std::set<uint64_t> Found;
  for (uint64_t Pad : Pads) {
    uint64_t Bias = Group.front() - Pad;
    if (Bias % Page != 0 || Pad > Group.front() || (IsFixed && Bias != 0))
      continue;
    if (std::all_of(Group.begin(), Group.end(), [&](uint64_t Address) {
          return std::binary_search(Pads.begin(), Pads.end(), Address - Bias);
        }))
      Found.insert(Bias);
  }
  return Found;
}

std::optional<uint64_t> LoadBias::find(ArrayRef<uint64_t> Pads,
                                       bool IsFixed) const {
  if (Pads.empty() || Addresses.empty())
    return std::nullopt;
  uint64_t Size = Pads.back() - Pads.front();
  // Addresses that are farther apart are in different modules.
  std::vector<std::vector<uint64_t>> Groups;
  for (uint64_t Address : Addresses) {
    if (Groups.empty() || Address - Groups.back().front() > Size)
      Groups.emplace_back();
    Groups.back().push_back(Address);
  }
  std::set<uint64_t> Biases;
  for (const std::vector<uint64_t> &Group : Groups)
    // One address among others, of a library, may fit by chance.
    if (Group.size() > 1 || Groups.size() == 1)
      Biases.merge(biasesOf(Group, Pads, IsFixed));
  if (Biases.size() != 1)
    return std::nullopt;
  return *Biases.begin();
}

} // namespace lidia
