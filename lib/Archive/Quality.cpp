//===- Quality.cpp - How much an archive knows ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Quality.h"
#include "lidia/Archive/LoadSegments.h"
#include "lidia/Archive/SectionPlaces.h"
#include "lidia/Archive/UnnamedFunctions.h"
#include "lidia/Archive/UnwindTable.h"

using namespace llvm;

namespace lidia {

/// The bytes of the function \p Range that have a line of its own. Of code that
/// is inlined, the line of the call counts.
static uint64_t bytesWithLines(const Archive &A, const RangeEntry &Range) {
  uint64_t Count = A.plausibleRows(Range), Bytes = 0;
  for (uint64_t I = 0; I != Count; ++I) {
    RowEntry Row = A.row(Range, I);
    uint64_t End = I + 1 == Count ? Range.Length : A.row(Range, I + 1).Offset;
    if (Row.Line && Row.Offset < End)
      Bytes += End - Row.Offset;
  }
  return std::min(Bytes, Range.Length);
}

/// The bytes of code in the binary; 0 if the archive does not say.
static uint64_t codeOf(const Archive &A) {
  uint64_t Bytes = 0;
  LoadSegments Segments(A);
  for (uint64_t I = 0; I != Segments.size(); ++I)
    Bytes += Segments[I].Size;
  SectionPlaces Sections(A);
  for (uint64_t I = 0; I != Sections.size(); ++I)
    Bytes += Sections[I].Size;
  return Bytes;
}

static uint64_t unwindBytes(const Archive &A) {
  uint64_t Bytes = 0;
  Expected<UnwindTable> Table = A.unwindTable();
  // verify() reports damage.
  Error E = Table ? Table->forEachRow([&](const UnwindRow &Row) {
    Bytes += Row.End - Row.Begin;
  })
                  : Table.takeError();
  consumeError(std::move(E));
  return Bytes;
}

ArchiveQuality qualityOf(const Archive &A) {
  ArchiveQuality Q;
  Q.LeftOut = A.leftOut();
  NameOrigins Origins(A);
  for (uint64_t I = 0, E = A.rangeCount(); I != E; ++I) {
    RangeEntry Range = A.range(I);
    if (Range.Depth == 1)
      Q.Inlined += Range.Length;
    if (Range.Depth != 0)
      continue;
    Q.WithLines += bytesWithLines(A, Range);
    if (A.string(Range.Function).empty())
      continue;
    Q.Named += Range.Length;
    Q.ByOrigin[unsigned(Origins.origin(I))] += Range.Length;
    Q.Doubted += Range.Length - std::min(Range.Length, Origins.reach(I).Shown);
  }
  UnnamedFunctions Unnamed(A);
  for (const FunctionExtent &F : Unnamed.all())
    Q.Unnamed += F.End - F.Begin;
  Q.WithUnwindRows = unwindBytes(A);
  Q.Code = std::max(codeOf(A), Q.Named);
  return Q;
}

} // namespace lidia
