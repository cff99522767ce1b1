//===- VerifyFuzzer.cpp - A sound archive answers consistently ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// If verify() finds no issue in an archive, lookups agree with a search of all
/// ranges, and batches and return pads agree with single lookups.
///
//===----------------------------------------------------------------------===//

#include "ArchiveInput.h"

using namespace lidia;
using namespace llvm;

/// The ranges that cover \p Address, innermost first.
static SmallVector<uint64_t, 8> search(const Archive &A, uint64_t Address) {
  SmallVector<uint64_t, 8> Covering;
  for (uint64_t I = A.rangeCount(); I-- != 0;) {
    RangeEntry R = A.range(I);
    if (Address - R.VA < R.Length)
      Covering.push_back(I);
  }
  return Covering;
}

static bool same(ArrayRef<Frame> X, ArrayRef<Frame> Y) {
  return std::equal(X.begin(), X.end(), Y.begin(), Y.end(),
                    [](const Frame &L, const Frame &R) {
                      return L.Function == R.Function && L.File == R.File &&
                             L.Line == R.Line && L.Column == R.Column &&
                             L.Range == R.Range;
                    });
}

static void checkLookup(const Archive &A, uint64_t Address,
                        SmallVectorImpl<Frame> &Frames) {
  A.lookup(Address, Frames);
  SmallVector<uint64_t, 8> Want = search(A, Address);
  check(Frames.size() == Want.size(), "wrong number of frames");
  for (size_t I = 0; I != Want.size(); ++I) {
    check(Frames[I].Range == Want[I], "a frame is of another range");
    check(A.range(Want[I]).Depth == Want.size() - 1 - I,
          "depths are not one apart");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  std::optional<Archive> A = archiveFromInput(Bytes);
  if (!A || A->rangeCount() > 1000 || !isSound(*A))
    return 0;
  SmallVector<Frame, 8> Frames, Others;
  std::vector<uint64_t> Addresses = addressesToAsk(*A);
  for (uint64_t Address : Addresses)
    checkLookup(*A, Address, Frames);
  A->lookupBatch(Addresses, [&](size_t I, ArrayRef<Frame> Got) {
    A->lookup(Addresses[I], Frames);
    check(same(Got, Frames), "a batch answers differently");
  });
  A->forEachReturnPad([&](const ReturnPad &Pad) {
    A->lookup(Pad.Address - 1, Frames);
    check(A->lookupReturn(Pad.Address, Others), "a return pad is missing");
    check(same(Frames, Others), "a return pad answers differently");
  });
  return 0;
}
