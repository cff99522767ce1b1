//===- BrokenArchiveTest.cpp - Archives with one wrong bit or byte --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestArchives.h"

using namespace lidia;
using namespace llvm;

namespace {

/// A small archive with everything that an archive can contain.
std::string example() {
  ArchiveWriterOptions Options;
  Options.Checksums = Options.Columns = true;
  ArchiveWriter W(Options);
  const uint8_t BuildID[] = {1, 2, 3};
  ArchiveInfo Info;
  Info.BuildID = BuildID;
  W.setInfo(Info);
  ArchiveRange R;
  R.Start = 0x1000;
  R.Length = 0x40;
  R.Function = W.addString("main");
  R.File = W.addString("/a.c");
  W.addDirectory(R.File, 1);
  ArchiveRow Rows[] = {{0, 3, 1, R.File}, {8, 7, 2, W.addString("b.h")}};
  R.Rows = Rows;
  succeeded(W.addRange(R));
  R.Depth = 1;
  R.Length = 0x10;
  R.CallFile = R.File;
  R.CallLine = 4;
  R.CallColumn = 9;
  R.Rows = {};
  succeeded(W.addRange(R));
  return write(W);
}

/// Whether \p Bytes open as a valid archive. Runs lookups in it either way.
bool isSound(StringRef Bytes) {
  Expected<Archive> A =
      Archive::create(MemoryBuffer::getMemBufferCopy(Bytes, "test"));
  if (!A) {
    consumeError(A.takeError());
    return false;
  }
  SmallVector<Frame, 8> Frames;
  for (uint64_t Address : {0, 0x1000, 0x1009, 0x103f, 0x1040}) {
    A->lookup(Address, Frames);
    for (const Frame &F : Frames)
      A->string(F.Function);
  }
  bool IsRight = !errorToBool(A->verifyChecksums());
  bool MakesSense = !errorToBool(verify(*A, [](const Issue &) {}));
  return IsRight && MakesSense;
}

TEST(BrokenArchive, EachFlippedBitIsNoticed) {
  std::string Bytes = example();
  ASSERT_TRUE(isSound(Bytes));
  for (size_t Bit = 0; Bit != Bytes.size() * 8; ++Bit) {
    std::string Flipped = Bytes;
    Flipped[Bit / 8] = char(Flipped[Bit / 8] ^ 1 << Bit % 8);
    EXPECT_FALSE(isSound(Flipped)) << "byte " << Bit / 8 << " bit " << Bit % 8;
  }
}

TEST(BrokenArchive, EachTruncationIsNoticed) {
  std::string Bytes = example();
  for (uint64_t Size = 0; Size != Bytes.size(); ++Size)
    EXPECT_FALSE(isSound(StringRef(Bytes).take_front(Size))) << Size;
}

} // namespace
