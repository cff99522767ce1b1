//===- CodeSegments.cpp - Code with one chain of frames -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeSegments.h"
#include "lidia/Archive/FunctionLines.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

namespace {

class SegmentWalk {
public:
  SegmentWalk(const Archive &A, function_ref<void(const CodeSegment &)> Visit)
      : A(A), Visit(Visit) {}

  void run();

private:
  void addBoundaries(uint64_t Index);
  void visitFunction();

  const Archive &A;
  function_ref<void(const CodeSegment &)> Visit;
  /// The addresses in one function at which the frames may change.
  std::vector<uint64_t> Boundaries;
};

} // namespace

void SegmentWalk::addBoundaries(uint64_t Index) {
  RangeEntry R = A.range(Index);
  Boundaries.push_back(R.VA);
  Boundaries.push_back(R.VA + R.Length);
  for (uint64_t I = 0, E = A.plausibleRows(R); I != E; ++I)
    Boundaries.push_back(R.VA + A.row(R, I).Offset);
}

void SegmentWalk::visitFunction() {
  llvm::sort(Boundaries);
  Boundaries.erase(llvm::unique(Boundaries), Boundaries.end());
  ArrayRef<uint64_t> Ascending = Boundaries;
  A.lookupBatch(Ascending.drop_back(), [&](size_t I, ArrayRef<Frame> Frames) {
    if (!Frames.empty())
      Visit({Ascending[I], Ascending[I + 1], Frames});
  });
}

void SegmentWalk::run() {
  for (uint64_t Root = 0; Root != A.rangeCount();) {
    Boundaries.clear();
    uint64_t End = functionEnd(A, Root);
    for (uint64_t I = Root; I != End; ++I)
      addBoundaries(I);
    visitFunction();
    Root = End;
  }
}

void visitCodeSegments(const Archive &A,
                       function_ref<void(const CodeSegment &)> Visit) {
  SegmentWalk(A, Visit).run();
}

} // namespace lidia
