//===- LargeArchiveTest.cpp - Offsets above four gigabytes ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestArchives.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include <fcntl.h>
#include <unistd.h>

using namespace lidia;
using namespace llvm;

namespace {

/// A file of several gigabytes that takes a few pages on disk.
class SparseFile {
public:
  SparseFile() {
    EXPECT_FALSE(
        sys::fs::createTemporaryFile("lidia-large", "lidia", FD, Path));
  }
  ~SparseFile() {
    ::close(FD);
    (void)sys::fs::remove(Path);
  }
  void writeAt(uint64_t Offset, StringRef Bytes) {
    EXPECT_EQ(::pwrite(FD, Bytes.data(), Bytes.size(), off_t(Offset)),
              ssize_t(Bytes.size()));
  }
  void resize(uint64_t Size) { EXPECT_EQ(::ftruncate(FD, off_t(Size)), 0); }

  int FD = -1;
  SmallString<128> Path;
};

template <typename T> StringRef bytesOf(const T &Value) {
  return {reinterpret_cast<const char *>(&Value), sizeof(T)};
}

/// Tables and strings beyond 4 GiB, which no unit test could create in memory.
TEST(LargeArchive, ReadsPastFourGigabytes) {
  constexpr uint64_t GiB = 1 << 30;
  format::Header H = {};
  memcpy(H.Magic, format::Magic, 4);
  H.Version = 1;
  H.VAs.FieldSize = 8;
  H.VAs.Count = 1;
  H.VAs.Offset = 5 * GiB;
  H.Ranges.FieldSize = 8;
  H.Ranges.Count = 1;
  H.Ranges.Offset = 6 * GiB;
  H.Strings.Offset = 0x80;
  H.Strings.Size = 5 * GiB - 0x80;
  H.Lines.FieldSize = 4;
  H.Lines.Count = GiB;
  H.Lines.Offset = 7 * GiB;
  SparseFile F;
  F.resize(15 * GiB);
  F.writeAt(0, bytesOf(H));
  support::ulittle64_t VA(0xffffffff80000000);
  F.writeAt(5 * GiB, bytesOf(VA));
  uint64_t Name = 4 * GiB + 100;
  support::ulittle64_t Fields[8] = {};
  Fields[format::RF_Length] = 0x10;
  Fields[format::RF_Function] = Name;
  Fields[format::RF_FirstRow] = GiB - 2;
  Fields[format::RF_RowCount] = 2;
  F.writeAt(6 * GiB, bytesOf(Fields));
  F.writeAt(0x80 + Name, StringRef("\5\0\0\0start", 9));
  support::ulittle32_t Rows[4] = {};
  Rows[1] = 7;
  Rows[2] = 8;
  Rows[3] = 9;
  F.writeAt(15 * GiB - 16, bytesOf(Rows));

  Expected<Archive> A = Archive::open(F.Path);
  ASSERT_TRUE(bool(A)) << toString(A.takeError());
  SmallVector<Frame, 8> Frames;
  A->lookup(0xffffffff80000009, Frames);
  ASSERT_EQ(Frames.size(), 1u);
  EXPECT_EQ(A->string(Frames[0].Function), "start");
  EXPECT_EQ(Frames[0].Line, 9u);
  A->lookup(0xffffffff80000007, Frames);
  EXPECT_EQ(Frames[0].Line, 7u);

  // With one byte less, the line table does not fit.
  F.resize(15 * GiB - 1);
  Expected<Archive> Cut = Archive::open(F.Path);
  ASSERT_FALSE(bool(Cut));
  EXPECT_EQ(toString(Cut.takeError()),
            (F.Path +
             ": line table (1073741824 entries at 0x1c0000000) reaches "
             "past the end of the file (16106127359 bytes): truncated?")
                .str());
}

/// Each value that requires it widens the fields of its own table, and only
/// those.
TEST(LargeArchive, WriterWidensTheTableThatNeedsIt) {
  struct Case {
    ArchiveRange Range;
    unsigned VASize, FieldSize;
  };
  std::vector<Case> Cases(6);
  for (Case &C : Cases) {
    C.Range.Start = 0x1000;
    C.Range.Length = 0x10;
    C.VASize = C.FieldSize = 4;
  }
  Cases[1].Range.Start = 0xffffffff;
  Cases[2].Range.Start = 0x100000000;
  Cases[2].VASize = 8;
  Cases[3].Range.Length = 0x100000000;
  Cases[4].Range.Function = 0x100000000;
  Cases[5].Range.CallFile = 0x100000000;
  for (int I : {3, 4, 5})
    Cases[I].FieldSize = 8;
  for (const Case &C : Cases) {
    ArchiveWriter W({});
    ArchiveRange Before;
    Before.Start = 0x10;
    Before.Length = 7;
    Before.Function = 3;
    ASSERT_TRUE(succeeded(W.addRange(Before)));
    ASSERT_TRUE(succeeded(W.addRange(C.Range)));
    Archive A = open(write(W));
    EXPECT_EQ(A.header().VAs.FieldSize, C.VASize);
    EXPECT_EQ(A.header().Ranges.FieldSize, C.FieldSize);
    EXPECT_EQ(A.range(0).Length, 7u);
    EXPECT_EQ(A.range(0).Function, 3u);
    RangeEntry R = A.range(1);
    EXPECT_EQ(R.VA, C.Range.Start);
    EXPECT_EQ(R.Length, C.Range.Length);
    EXPECT_EQ(R.Function, C.Range.Function);
    EXPECT_EQ(R.CallFile, C.Range.CallFile);
    SmallVector<Frame, 8> Frames;
    A.lookup(C.Range.Start + C.Range.Length - 1, Frames);
    ASSERT_EQ(Frames.size(), 1u);
    EXPECT_EQ(Frames[0].Function, C.Range.Function);
  }
}

/// Files of other ranges, and directories, are wide if the strings are.
TEST(LargeArchive, ExtensionWidensToo) {
  ArchiveWriter W({});
  constexpr StringOffset File = 0x123456789;
  ArchiveRange R;
  R.Start = 0x1000;
  R.Length = 0x10;
  ArchiveRow Rows[] = {{4, 12, 0, File}};
  R.Rows = Rows;
  ASSERT_TRUE(succeeded(W.addRange(R)));
  W.addDirectory(File, 3);
  Archive A = open(write(W));
  SmallVector<Frame, 8> Frames;
  A.lookup(0x1008, Frames);
  ASSERT_EQ(Frames.size(), 1u);
  EXPECT_EQ(Frames[0].File, File);
  EXPECT_EQ(Frames[0].Line, 12u);
  EXPECT_EQ(A.directoryLength(File), 3u);
}

} // namespace
