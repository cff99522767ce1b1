//===- ImageBase.cpp - Where a module begins ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/ImageBase.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/BinaryLayout.h"
#include "lidia/Archive/LoadSegments.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <optional>

using namespace llvm;

namespace lidia {

static constexpr uint64_t PageSize = 4096;

/// The lowest address of a segment, from the headers that the archive keeps.
static std::optional<uint64_t> lowestSegment(const Archive &A) {
  Expected<BinaryLayout> Layout = BinaryLayout::read(A);
  if (!Layout) {
    consumeError(Layout.takeError());
    return std::nullopt;
  }
  std::optional<uint64_t> Lowest;
  for (const LayoutSegment &S : Layout->Segments)
    Lowest = std::min(Lowest.value_or(UINT64_MAX), S.Address);
  return Lowest;
}

uint64_t imageBase(const Archive &A) {
  if (std::optional<uint64_t> Lowest = lowestSegment(A))
    return alignDown(*Lowest, PageSize);
  // The file offset of code tells where the file's first byte would be.
  if (LoadSegments Segments(A);
      Segments.size() && Segments[0].Address >= Segments[0].Offset)
    return alignDown(Segments[0].Address - Segments[0].Offset, PageSize);
  if (!A.rangeCount())
    return 0;
  constexpr uint64_t LeastBase = 0x400000, Granularity = 0x10000;
  uint64_t First = A.range(0).VA;
  if (First < LeastBase + PageSize)
    return First < LeastBase ? 0 : LeastBase;
  return alignDown(First - PageSize, Granularity);
}

} // namespace lidia
