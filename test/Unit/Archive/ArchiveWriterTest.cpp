//===- ArchiveWriterTest.cpp - Data that the writer keeps or rejects ------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestArchives.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <sys/stat.h>

using namespace lidia;
using namespace llvm;

namespace {

ArchiveRange makeRange(uint64_t Start, uint64_t Length, uint32_t Depth = 0,
                       ArrayRef<ArchiveRow> Rows = {}, StringOffset File = 0) {
  ArchiveRange R;
  R.Start = Start;
  R.Length = Length;
  R.Depth = Depth;
  R.Rows = Rows;
  R.File = File;
  return R;
}

std::string refusal(ArchiveWriter &W, const ArchiveRange &R) {
  return toString(W.addRange(R));
}

TEST(ArchiveWriter, RefusesWhatBreaksARule) {
  ArchiveWriter W({});
  EXPECT_EQ(refusal(W, makeRange(0x10, 0)),
            "range [0x10, 0x10) of depth 0 is empty");
  EXPECT_EQ(refusal(W, makeRange(0x10, 4, 1)),
            "range [0x10, 0x14) of depth 1 is not inside a range of the depth "
            "above");
  EXPECT_TRUE(succeeded(W.addRange(makeRange(0x100, 0x20))));
  EXPECT_TRUE(succeeded(W.addRange(makeRange(0x108, 8, 1))));
  EXPECT_EQ(refusal(W, makeRange(0x104, 2, 1)),
            "range [0x104, 0x106) of depth 1 is not sorted by start, then "
            "depth");
  EXPECT_EQ(refusal(W, makeRange(0x108, 8, 0)),
            "range [0x108, 0x110) of depth 0 is not sorted by start, then "
            "depth");
  EXPECT_EQ(refusal(W, makeRange(0x10c, 8, 1)),
            "range [0x10c, 0x114) of depth 1 overlaps another of its depth");
  EXPECT_EQ(refusal(W, makeRange(0x11f, 8, 0)),
            "range [0x11f, 0x127) of depth 0 overlaps another of its depth");
  EXPECT_EQ(refusal(W, makeRange(0x118, 9, 1)),
            "range [0x118, 0x121) of depth 1 is not inside a range of the "
            "depth above");
  EXPECT_EQ(refusal(W, makeRange(UINT64_MAX, 2)),
            "range [0xffffffffffffffff, 0x1) of depth 0 reaches past the end "
            "of the address space");
  ArchiveRow Past[] = {{8, 1, 0, 0}};
  EXPECT_EQ(refusal(W, makeRange(0x200, 8, 0, Past)),
            "range [0x200, 0x208) of depth 0 has a row past its end");
  ArchiveRow Down[] = {{4, 1, 0, 0}, {3, 1, 0, 0}};
  EXPECT_EQ(refusal(W, makeRange(0x200, 8, 0, Down)),
            "range [0x200, 0x208) of depth 0 has rows that do not ascend");
  // The rejected range left nothing behind.
  EXPECT_TRUE(succeeded(W.addRange(makeRange(UINT64_MAX, 1))));
  Archive A = open(write(W));
  EXPECT_EQ(A.rangeCount(), 3u);
  EXPECT_EQ(issues(A), "");
}

TEST(ArchiveWriter, TooDeepIsRefused) {
  ArchiveWriter W({});
  for (uint32_t Depth = 0; Depth <= format::MaxDepth; ++Depth)
    ASSERT_TRUE(succeeded(W.addRange(makeRange(0x1000, 8, Depth))));
  EXPECT_NE(refusal(W, makeRange(0x1000, 8, format::MaxDepth + 1)), "");
  Archive A = open(write(W));
  SmallVector<Frame, 8> Frames;
  A.lookup(0x1000, Frames);
  EXPECT_EQ(Frames.size(), format::MaxDepth + 1);
  EXPECT_EQ(Frames.back().Range, 0u);
}

TEST(ArchiveWriter, EqualRunsAreStoredOnce) {
  ArchiveWriter W({});
  StringOffset A = W.addString("a.c"), B = W.addString("b.h");
  ArchiveRow Long[] = {{0, 1, 0, A}, {2, 2, 0, A}, {4, 7, 0, B}};
  ArchiveRow First[] = {{0, 1, 0, A}};
  ArchiveRow OtherFile[] = {{0, 1, 0, B}};
  ArchiveRow Repeats[] = {
      {0, 1, 0, A}, {1, 1, 0, A}, {2, 2, 0, A}, {4, 7, 0, B}};
  ASSERT_TRUE(succeeded(W.addRange(makeRange(0x10, 8, 0, Long, A))));
  ASSERT_TRUE(succeeded(W.addRange(makeRange(0x20, 8, 0, Long, A))));
  ASSERT_TRUE(succeeded(W.addRange(makeRange(0x30, 8, 0, First, A))));
  ASSERT_TRUE(succeeded(W.addRange(makeRange(0x40, 8, 0, Repeats, A))));
  // Here the first two rows are from another file, and the last one is not.
  ASSERT_TRUE(succeeded(W.addRange(makeRange(0x50, 8, 0, Long, B))));
  // A row from its range's own file is the same for any file.
  ASSERT_TRUE(succeeded(W.addRange(makeRange(0x60, 8, 0, OtherFile, B))));
  ArchiveSizes Sizes;
  Archive R = open(write(W, &Sizes));
  EXPECT_EQ(Sizes.RowsGiven, 15u);
  EXPECT_EQ(Sizes.RowCount, 6u);
  EXPECT_EQ(R.range(1).FirstRow, 0u);
  EXPECT_EQ(R.range(1).RowCount, 3u);
  EXPECT_EQ(R.range(2).FirstRow, 0u);
  EXPECT_EQ(R.range(2).RowCount, 1u);
  EXPECT_EQ(R.range(3).FirstRow, 0u);
  EXPECT_EQ(R.range(4).FirstRow, 3u);
  EXPECT_EQ(R.range(5).FirstRow, 0u);
  EXPECT_EQ(issues(R), "");
}

TEST(ArchiveWriter, RunsWithOtherColumnsAreNotShared) {
  ArchiveWriterOptions Options;
  Options.Columns = true;
  ArchiveWriter W(Options);
  ArchiveRow One[] = {{0, 1, 5, 0}}, Two[] = {{0, 1, 6, 0}};
  ASSERT_TRUE(succeeded(W.addRange(makeRange(0x10, 8, 0, One))));
  ASSERT_TRUE(succeeded(W.addRange(makeRange(0x20, 8, 0, Two))));
  Archive A = open(write(W));
  EXPECT_EQ(A.rowCount(), 2u);
  EXPECT_EQ(A.row(A.range(0), 0).Column, 5u);
  EXPECT_EQ(A.row(A.range(1), 0).Column, 6u);
}

/// With many rows, the table of runs grows; shared runs must not change.
TEST(ArchiveWriter, SharingSurvivesGrowth) {
  ArchiveWriter W({});
  uint64_t Start = 0;
  for (int Round = 0; Round != 2; ++Round)
    for (uint32_t I = 0; I != 5000; ++I) {
      ArchiveRow Rows[] = {{0, I + 1, 0, 0}, {1, I + 2, 0, 0}};
      ASSERT_TRUE(succeeded(W.addRange(makeRange(Start++ * 4, 4, 0, Rows))));
    }
  Archive A = open(write(W));
  EXPECT_EQ(A.rowCount(), 10000u);
  EXPECT_EQ(A.range(5000 + 77).FirstRow, A.range(77).FirstRow);
}

/// A row at 4 GiB or above cannot be stored; no earlier row may extend to it.
TEST(ArchiveWriter, RowsPastFourGigabytesAreUnknown) {
  ArchiveWriter W({});
  ArchiveRow Rows[] = {{0, 1, 0, 0}, {0x100000000, 2, 0, 0}};
  ASSERT_TRUE(succeeded(W.addRange(makeRange(0, 0x200000000, 0, Rows))));
  Archive A = open(write(W));
  EXPECT_EQ(A.header().Ranges.FieldSize, 8u);
  EXPECT_EQ(A.header().VAs.FieldSize, 4u);
  SmallVector<Frame, 8> Frames;
  A.lookup(0xfffffffe, Frames);
  EXPECT_EQ(Frames[0].Line, 1u);
  A.lookup(0x100000001, Frames);
  EXPECT_EQ(Frames[0].Line, 0u);
}

TEST(ArchiveWriter, StringsAreStoredOnceInOrderOfUse) {
  for (auto Form :
       {format::StringForm::Prefixed, format::StringForm::NulTerminated}) {
    ArchiveWriterOptions Options;
    Options.Strings = Form;
    ArchiveWriter W(Options);
    EXPECT_EQ(W.addString(""), 0u);
    std::vector<StringOffset> Offsets;
    for (int I = 0; I != 5000; ++I)
      Offsets.push_back(W.addString("s" + std::to_string(I)));
    EXPECT_TRUE(llvm::is_sorted(Offsets));
    for (int I = 0; I != 5000; ++I)
      EXPECT_EQ(W.addString("s" + std::to_string(I)), Offsets[I]);
    ArchiveSizes Sizes;
    Archive A = open(write(W, &Sizes));
    EXPECT_EQ(Sizes.StringCount, 5002u);
    EXPECT_EQ(A.stringForm(), Form);
    for (int I = 0; I != 5000; ++I)
      EXPECT_EQ(A.string(Offsets[I]), "s" + std::to_string(I));
  }
}

TEST(ArchiveWriter, NulEndsAStringInTheReadmesForm) {
  ArchiveWriterOptions Options;
  ArchiveWriter Prefixed(Options);
  StringRef Text("a\0b", 3);
  StringOffset Offset = Prefixed.addString(Text);
  EXPECT_EQ(open(write(Prefixed)).string(Offset), Text);
  Options.Strings = format::StringForm::NulTerminated;
  ArchiveWriter Nul(Options);
  EXPECT_EQ(Nul.addString(Text), Nul.addString("a"));
}

TEST(ArchiveWriter, SmallestDirectoryOfAFileIsKept) {
  ArchiveWriter W({});
  StringOffset A = W.addString("/src/lib/a.c"), B = W.addString("/b.c");
  W.addDirectory(B, 1);
  W.addDirectory(A, 9);
  W.addDirectory(A, 5);
  W.addDirectory(A, 7);
  Archive R = open(write(W));
  EXPECT_EQ(R.directoryLength(A), 5u);
  EXPECT_EQ(R.directoryLength(B), 1u);
  EXPECT_EQ(R.directoryLength(0), 0u);
  EXPECT_EQ(R.directoryLength(UINT64_MAX), 0u);
  EXPECT_EQ(issues(R), "");
}

TEST(ArchiveWriter, FileHasTheModeOfANewFile) {
  struct RemovedDirectory : SmallString<128> {
    ~RemovedDirectory() { (void)sys::fs::remove_directories(*this); }
  } Directory;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("lidia-writer", Directory));
  std::string Path = (Directory + "/a.lidia").str();
  mode_t Old = umask(027);
  ArchiveWriter W({});
  Expected<ArchiveSizes> Sizes = W.writeFile(Path);
  umask(Old);
  ASSERT_TRUE(bool(Sizes)) << toString(Sizes.takeError());
  sys::fs::file_status Status;
  ASSERT_FALSE(sys::fs::status(Path, Status));
  EXPECT_EQ(Status.permissions(), sys::fs::perms(0640));
  EXPECT_EQ(Status.getSize(), Sizes->Total);
  EXPECT_TRUE(succeeded(Archive::open(Path).takeError()));
}

TEST(ArchiveWriter, WriteErrorsAreReportedAndLeaveNothing) {
  ArchiveWriter W({});
  Expected<ArchiveSizes> Full = W.writeFile("/dev/full");
  ASSERT_FALSE(bool(Full));
  EXPECT_EQ(toString(Full.takeError()), "/dev/full: No space left on device");
  Expected<ArchiveSizes> Missing = W.writeFile("/nonexistent/a.lidia");
  ASSERT_FALSE(bool(Missing));
  EXPECT_EQ(toString(Missing.takeError()),
            "/nonexistent/a.lidia: No such file or directory");
  Expected<ArchiveSizes> Folder = W.writeFile("/");
  ASSERT_FALSE(bool(Folder));
  EXPECT_EQ(toString(Folder.takeError()), "/: Is a directory");
  Expected<ArchiveSizes> Null = W.writeFile("/dev/null");
  EXPECT_TRUE(bool(Null)) << toString(Null.takeError());
}

} // namespace
