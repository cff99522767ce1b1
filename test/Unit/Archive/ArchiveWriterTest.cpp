//===- ArchiveWriterTest.cpp - Data that the writer keeps or rejects ------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestArchives.h"
#include "lidia/Archive/Statements.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
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

TEST(ArchiveWriter, RefusesStatementsAndNotesOutsideTheirRange) {
  ArchiveWriter W({});
  auto Refusal = [&](ArrayRef<uint64_t> Addresses, ArrayRef<CallNote> Notes) {
    std::vector<Statement> All;
    for (uint64_t Address : Addresses)
      All.push_back({Address, 1, 0, 0, SF_IsStmt});
    ArchiveRange R = makeRange(0x10, 8);
    R.Statements = All;
    R.Calls = Notes;
    return refusal(W, R);
  };
  const std::string Prefix = "range [0x10, 0x18) of depth 0 has ";
  for (uint64_t Outside : {0xf, 0x18})
    EXPECT_EQ(Refusal({Outside}, {}),
              Prefix + "statements that do not ascend or lie outside it");
  EXPECT_EQ(Refusal({0x12, 0x11}, {}),
            Prefix + "statements that do not ascend or lie outside it");
  CallNote First, Second;
  First.Range = Second.Range = 1;
  First.Address = 0x18;
  Second.Address = 0x17;
  EXPECT_EQ(Refusal({}, First), Prefix + "calls that begin outside it");
  First.Address = 0x10;
  Second.Range = 0;
  EXPECT_EQ(Refusal({}, {First, Second}),
            Prefix + "notes on calls that do not ascend");
  Second.Range = 1;
  Second.Kind = CallNote::Code;
  EXPECT_EQ(Refusal({0x10, 0x10, 0x17}, {First, Second}), "");
}

TEST(ArchiveWriter, RefusesBrokenReturnPads) {
  ArchiveWriterOptions Plain;
  Plain.Extension = false;
  ArchiveWriter Without(Plain);
  EXPECT_EQ(toString(Without.setReturnPads({})),
            "return pads need the extension");
  for (uint64_t Second : {4, 5}) {
    ArchiveWriter W({});
    EXPECT_EQ(toString(W.setReturnPads({5, Second})),
              "return pad 0x" + std::to_string(Second) +
                  " does not come after 0x5");
  }
  ArchiveWriter W({});
  EXPECT_EQ(toString(W.setReturnPads({1, 2})), "");
  EXPECT_EQ(toString(W.setReturnPads({3})), "return pads are given twice");
}

TEST(ArchiveWriter, RefusesBrokenCallsAndCopies) {
  ArchiveWriter W({});
  auto Call = [&](uint64_t Address, uint8_t Flags = 0) {
    return toString(W.addCall({Address, 0, Flags}));
  };
  EXPECT_EQ(Call(0x10), "call at 0x10 is below the first range");
  ArchiveRange First = makeRange(0x10, 8), Second = makeRange(0x20, 8);
  First.Unit.Number = Second.Unit.Number = 3;
  ASSERT_TRUE(succeeded(W.addRange(First)));
  ASSERT_TRUE(succeeded(W.addRange(makeRange(0x12, 2, 1))));
  ASSERT_TRUE(succeeded(W.addRange(Second)));
  EXPECT_EQ(Call(0xf), "call at 0xf is below the first range");
  EXPECT_EQ(Call(0x10, 16), "call at 0x10 has unknown flags");
  EXPECT_EQ(Call(0x10), "");
  EXPECT_EQ(Call(0x10), "call at 0x10 does not come after the one before");
  const uint64_t Highest = 0x10 + (UINT64_MAX >> format::CallFlagBits);
  EXPECT_EQ(Call(Highest + 1), "call at 0x1000000000000010 is too far above "
                               "the first range");
  EXPECT_EQ(Call(Highest, 15), "");

  auto Copy = [&](uint64_t Unit, uint64_t Start) {
    return toString(W.addCopy({Unit, 0}, Start));
  };
  for (uint64_t Start : {0x11, 0x12, 0x28})
    EXPECT_EQ(Copy(1, Start), formatv("copy of {0:x} in unit 1 does not belong "
                                      "to a range of depth 0",
                                      Start)
                                  .str());
  EXPECT_EQ(Copy(0, 0x10),
            "copy of 0x10 in unit 0 is not after the one before");
  EXPECT_EQ(Copy(2, 0x10), "");
  EXPECT_EQ(Copy(2, 0x10),
            "copy of 0x10 in unit 2 is not after the one before");
  EXPECT_EQ(Copy(1, 0x20),
            "copy of 0x20 in unit 1 is not after the one before");
  EXPECT_EQ(Copy(2, 0x20), "");
}

TEST(ArchiveWriter, RefusesSectionsAndSegmentsThatOverlap) {
  ArchiveWriter W({});
  auto Place = [&](uint64_t Address, uint64_t Size) {
    std::string Section = toString(W.addSectionPlace(0, Address, Size));
    std::string Segment = toString(W.addLoadSegment(Address, 0, Size));
    EXPECT_EQ(StringRef(Section).drop_front(Section.empty() ? 0 : 7),
              StringRef(Segment).drop_front(Segment.empty() ? 0 : 7));
    return Section;
  };
  EXPECT_EQ(Place(0, 0), "section at 0x0 is empty");
  EXPECT_EQ(Place(0, 4), "");
  EXPECT_EQ(Place(3, 4), "section at 0x3 is not after the one before");
  EXPECT_EQ(Place(UINT64_MAX, 1), "section at 0xffffffffffffffff reaches past "
                                  "the end of the address space");
  EXPECT_EQ(Place(UINT64_MAX - 1, 1), "");
}

TEST(ArchiveWriter, InfoSaysWhatTheArchiveHas) {
  for (unsigned Bits = 0; Bits != 32; ++Bits) {
    ArchiveWriterOptions Options;
    Options.Checksums = Bits & 1;
    Options.Columns = Bits & 2;
    ArchiveWriter W(Options);
    ArchiveInfo Info;
    // What the writer knows better is ignored; other bits stay.
    Info.Options = format::IO_Lines | format::IO_Checksums | format::IO_Columns;
    const uint8_t ID[] = {1, 2, 3};
    Info.BuildID = ID;
    W.setInfo(Info);
    if (Bits & 4) {
      ASSERT_TRUE(succeeded(W.setReturnPads({5})));
    }
    if (Bits & 8)
      W.setUnwindTable("unwind");
    if (Bits & 16)
      W.setVariables("variables");
    Archive A = open(write(W));
    ASSERT_TRUE(A.info());
    unsigned Expected = format::IO_Lines;
    for (auto [Bit, Option] : {std::pair(1, format::IO_Checksums),
                               {2, format::IO_Columns},
                               {4, format::IO_ReturnPads},
                               {8, format::IO_Unwind},
                               {16, format::IO_Variables}})
      if (Bits & Bit)
        Expected |= Option;
    EXPECT_EQ(A.info()->Options, Expected);
    EXPECT_EQ(A.info()->BuildID, ArrayRef(ID));
    EXPECT_EQ(A.hasChecksums(), (Bits & 1) != 0);
    using Bytes = std::optional<StringRef>;
    EXPECT_EQ(A.extensionSection(format::ET_Unwind),
              Bits & 8 ? Bytes("unwind") : Bytes());
    EXPECT_EQ(A.extensionSection(format::ET_Variables),
              Bits & 16 ? Bytes("variables") : Bytes());
  }
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
  EXPECT_EQ(Sizes.RangeCount, 6u);
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

/// Columns that are not kept make no difference, and an unknown position has
/// none.
TEST(ArchiveWriter, ColumnsCountOnlyWhereTheyAreKnown) {
  for (bool Keeps : {false, true}) {
    ArchiveWriterOptions Options;
    Options.Columns = Keeps;
    ArchiveWriter W(Options);
    StringOffset A = W.addString("a.c");
    ArchiveRow Rows[] = {{0, 1, 5, A}, {2, 1, 6, A}, {4, 3, 7, 0}};
    ASSERT_TRUE(succeeded(W.addRange(makeRange(0x10, 8, 0, Rows, A))));
    Archive R = open(write(W));
    EXPECT_EQ(R.rowCount(), Keeps ? 3u : 2u);
    RowEntry Unknown = R.row(R.range(0), R.rowCount() - 1);
    EXPECT_EQ(Unknown.Line, 0u);
    EXPECT_EQ(Unknown.Column, 0u);
  }
}

/// With many rows, the table of runs grows, and some runs have the same hash;
/// shared runs must not change.
TEST(ArchiveWriter, SharingSurvivesGrowth) {
  constexpr uint32_t Count = 200'000;
  ArchiveWriter W({});
  uint64_t Start = 0;
  for (int Round = 0; Round != 2; ++Round)
    for (uint32_t I = 0; I != Count; ++I) {
      ArchiveRow Rows[] = {{0, I + 1, 0, I % 3}, {1, I + 2, 0, 0}};
      ASSERT_TRUE(succeeded(
          W.addRange(makeRange(Start++ * 4, 4, 0, ArrayRef(Rows, 1 + I % 2)))));
    }
  Archive A = open(write(W));
  EXPECT_EQ(A.rowCount(), Count + Count / 2);
  for (uint32_t I = 0; I != Count; ++I) {
    RangeEntry R = A.range(I);
    ASSERT_EQ(A.range(Count + I).FirstRow, R.FirstRow);
    ASSERT_EQ(A.row(R, 0).Line, I + 1);
    ASSERT_EQ(A.row(R, 0).File, I % 3);
  }
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
