//===- RangeExtractorTest.cpp - The caller's own sources ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/RangeExtractor.h"
#include "AskArchive.h"
#include "lidia/Error.h"
#include "lidia/Extract/Convert.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace lidia;
using namespace llvm;

namespace {

/// Returns the data that the test has stored in it.
class TestExtractor final : public RangeExtractor {
public:
  struct Function {
    FunctionRange Range;
    std::vector<InlinedRange> Calls;
    std::vector<SourceRow> Rows;
  };

  Function &add(uint64_t Start, uint64_t End, StringRef Name) {
    Functions.emplace_back();
    FunctionRange &R = Functions.back().Range;
    R.Start = Start;
    R.End = End;
    R.Name = Name;
    return Functions.back();
  }

  StringRef name() const override { return "test"; }
  uint64_t inputSize() const override { return Size; }
  Error extract(RangeVisitor &Visitor) override {
    for (const auto &[Path, Length] : Directories)
      Visitor.setCompilationDirectory(Path, Length);
    for (Function &F : Functions) {
      F.Range.Calls = F.Calls;
      F.Range.Rows = F.Rows;
      if (!Visitor.visit(F.Range))
        Stopped = true;
    }
    return Fails ? make_error<DamagedError>("", "the end is missing")
                 : Error::success();
  }

  std::vector<Function> Functions;
  std::vector<std::pair<StringRef, size_t>> Directories;
  uint64_t Size = 0;
  bool Stopped = false;
  bool Fails = false;
};

class Warnings final : public ConvertObserver {
public:
  void warning(const Twine &Message) override { List.push_back(Message.str()); }
  void progress(StringRef, uint64_t, uint64_t) override {}

  std::vector<std::string> List;
};

class RangeExtractorTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createTemporaryFile("extractor", "lidia", Path));
    Options.Lines = true;
    Module.Name = "the module";
  }
  void TearDown() override { sys::fs::remove(Path); }

  /// The archive of Extractor's data, without a binary.
  Archive convertAlone() {
    Expected<ConvertStatistics> S =
        convert(Extractor, Module, Path, Options, Observer);
    EXPECT_TRUE(bool(S)) << (S ? "" : toString(S.takeError()));
    return open();
  }

  Archive open() {
    Expected<Archive> A = Archive::open(Path);
    if (!A)
      report_fatal_error(A.takeError());
    return std::move(*A);
  }

  TestExtractor Extractor;
  ModuleInfo Module;
  ConvertOptions Options;
  Warnings Observer;
  SmallString<128> Path;
};

} // namespace

TEST_F(RangeExtractorTest, GivesTreesInAnyOrder) {
  Extractor.add(0x2000, 0x2010, "last");
  auto &F = Extractor.add(0x1000, 0x1020, "f");
  // The inner call comes first, and rows descend.
  F.Calls = {{0x1008, 0x100c, 2, "h", "/b.c", 5, 0},
             {0x1004, 0x1010, 1, "g", "/a.c", 10, 0}};
  F.Rows = {{0x1010, "/a.c", 12, 0}, {0x1008, "/c.c", 7, 0},
            {0x1004, "/b.c", 4, 0},  {0x1000, "/a.c", 9, 0},
            {0x100c, "/b.c", 6, 0},  {0x1018, "", 0, 0}};
  Archive A = convertAlone();
  EXPECT_EQ(Observer.List, std::vector<std::string>());
  EXPECT_EQ(ask(A, 0x1000), "f /a.c:9");
  EXPECT_EQ(ask(A, 0x1005), "g /b.c:4 < f /a.c:10");
  EXPECT_EQ(ask(A, 0x1008), "h /c.c:7 < g /b.c:5 < f /a.c:10");
  EXPECT_EQ(ask(A, 0x100c), "g /b.c:6 < f /a.c:10");
  EXPECT_EQ(ask(A, 0x1010), "f /a.c:12");
  EXPECT_EQ(ask(A, 0x1018), "f");
  EXPECT_EQ(ask(A, 0x1020), "");
  EXPECT_EQ(ask(A, 0x200f), "last");
}

TEST_F(RangeExtractorTest, ARowHoldsWhereACallEnds) {
  auto &F = Extractor.add(0x1000, 0x1010, "f");
  F.Calls = {{0x1004, 0x1008, 1, "g", "/a.c", 2, 0}};
  F.Rows = {{0x1000, "/a.c", 1, 0}};
  Archive A = convertAlone();
  EXPECT_EQ(ask(A, 0x1004), "g /a.c:1 < f /a.c:2");
  EXPECT_EQ(ask(A, 0x1008), "f /a.c:1");
}

TEST_F(RangeExtractorTest, RecordsTheModule) {
  Extractor.add(0x1000, 0x1010, "f").Rows = {{0x1000, "/src/dir/a.c", 1, 0}};
  Extractor.Directories = {{"/src/dir/a.c", 5}};
  Module.BuildID = {1, 2, 3};
  Module.Identity.Machine = ELF::EM_AARCH64;
  Archive A = convertAlone();
  ASSERT_TRUE(A.info());
  EXPECT_EQ(A.info()->BuildID, ArrayRef<uint8_t>({1, 2, 3}));
  EXPECT_EQ(A.info()->Machine, ELF::EM_AARCH64);
  SmallVector<Frame, 1> Frames;
  A.lookup(0x1000, Frames);
  ASSERT_EQ(Frames.size(), 1u);
  EXPECT_EQ(A.directoryLength(Frames[0].File), 5u);
}

TEST_F(RangeExtractorTest, LeavesOutWhatCannotBe) {
  Extractor.add(0x3000, 0x3000, "empty");
  Extractor.add(0x4000, 0x3000, "wraps");
  auto &F = Extractor.add(0x1000, 0x1020, "f");
  F.Calls = {{0x1004, 0x1010, 1, "g", "", 1, 0},
             // Overlaps the previous call, and loses its beginning.
             {0x100c, 0x1014, 1, "cut", "", 2, 0},
             {0x1006, 0x1008, 1, "covered", "", 3, 0},
             {0x1008, 0x1100, 2, "reaches out", "", 4, 0},
             {0x0, UINT64_MAX, 1, "around", "", 5, 0},
             {0x1000, 0x1001, 3, "alone", "", 6, 0},
             {0x1000, 0x1001, UINT32_MAX, "deep", "", 7, 0},
             {0x1000, 0x1001, 0, "depth 0", "", 8, 0},
             {0x1003, 0x1002, 1, "wraps", "", 9, 0}};
  Archive A = convertAlone();
  EXPECT_EQ(ask(A, 0x3000), "");
  // The call that starts earliest covers the whole function.
  EXPECT_EQ(ask(A, 0x1000), "around < f :5");
  EXPECT_EQ(ask(A, 0x1008), "reaches out < around :4 < f :5");
  EXPECT_EQ(ask(A, 0x101f), "reaches out < around :4 < f :5");
  ASSERT_EQ(Observer.List.size(), 2u);
  EXPECT_EQ(Observer.List[0],
            "test: 2 functions that are empty or wrap around are left out");
  EXPECT_EQ(Observer.List[1],
            "test: 9 inlined calls, or parts of them, that overlap others, are "
            "deeper than 1,000 levels or are outside of what they are inlined "
            "into are left out");
}

TEST_F(RangeExtractorTest, CutsCallsThatOverlap) {
  auto &F = Extractor.add(0x1000, 0x1020, "f");
  F.Calls = {{0x100c, 0x1014, 1, "second", "", 2, 0},
             {0x1004, 0x1010, 1, "first", "", 1, 0}};
  Archive A = convertAlone();
  EXPECT_EQ(ask(A, 0x100f), "first < f :1");
  EXPECT_EQ(ask(A, 0x1010), "second < f :2");
  EXPECT_EQ(ask(A, 0x1014), "f");
  EXPECT_EQ(Observer.List.size(), 1u);
}

TEST_F(RangeExtractorTest, ADepthOfAThousandIsEnough) {
  auto &F = Extractor.add(0x1000, 0x1020, "f");
  for (uint32_t Depth = 1; Depth <= 1002; ++Depth)
    F.Calls.push_back({0x1000, 0x1010, Depth, "g", "", Depth, 0});
  Archive A = convertAlone();
  SmallVector<Frame, 8> Frames;
  A.lookup(0x1000, Frames);
  EXPECT_EQ(Frames.size(), 1001u);
  ASSERT_EQ(Observer.List.size(), 1u);
  EXPECT_TRUE(StringRef(Observer.List[0]).starts_with("test: 2 inlined calls"));
}

TEST_F(RangeExtractorTest, BoundsNames) {
  // 17 MiB; the limit is 16 MiB for input without a size.
  std::string Name(17 << 20, 'x');
  Extractor.add(0x1000, 0x1010, "f");
  Extractor.add(0x2000, 0x2010, Name);
  Extractor.add(0x3000, 0x3010, "g");
  Archive A = convertAlone();
  EXPECT_TRUE(Extractor.Stopped);
  EXPECT_EQ(ask(A, 0x1000), "f");
  EXPECT_EQ(ask(A, 0x2000), "");
  ASSERT_EQ(Observer.List.size(), 1u);
  EXPECT_EQ(Observer.List[0], "test: 2 functions beyond the limits for input "
                              "of this size are left out");
}

TEST_F(RangeExtractorTest, BoundsRepeatedNames) {
  std::string Name(1 << 20, 'x');
  Extractor.add(0x10, 0x20, "before");
  auto &F = Extractor.add(0x1000, 0x11000, "f");
  for (uint64_t I = 0; I != 1000; ++I)
    F.Calls.push_back({0x1000 + I * 16, 0x1008 + I * 16, 1, Name, "", 1, 0});
  Archive A = convertAlone();
  EXPECT_EQ(ask(A, 0x10), "before");
  EXPECT_EQ(ask(A, 0x1000), "");
  EXPECT_TRUE(Extractor.Stopped);
}

TEST_F(RangeExtractorTest, KeepsWhatCameBeforeAnError) {
  Extractor.add(0x1000, 0x1010, "f");
  Extractor.Fails = true;
  Archive A = convertAlone();
  EXPECT_EQ(ask(A, 0x1000), "f");
  EXPECT_EQ(Observer.List,
            std::vector<std::string>{"test: the end is missing"});
}

TEST_F(RangeExtractorTest, NothingIsAnError) {
  Expected<ConvertStatistics> S =
      convert(Extractor, Module, Path, Options, Observer);
  ASSERT_FALSE(bool(S));
  Error E = S.takeError();
  EXPECT_TRUE(E.isA<MissingInformationError>());
  EXPECT_TRUE(StringRef(toString(std::move(E))).starts_with("the module: "));
}

//===----------------------------------------------------------------------===//
// Beside a binary
//===----------------------------------------------------------------------===//

namespace {

class BesideBinaryTest : public RangeExtractorTest {
protected:
  void SetUp() override {
    RangeExtractorTest::SetUp();
    ErrorOr<std::unique_ptr<MemoryBuffer>> File =
        MemoryBuffer::getFile(LIDIA_TEST_BINARY);
    ASSERT_TRUE(bool(File));
    Binary = std::move(*File);
    // The first function with a line.
    ASSERT_TRUE(convertsBinary());
    Archive A = open();
    Address = A.range(0).VA;
    Known = ask(A, Address);
    ASSERT_FALSE(Known.empty());
  }

  bool convertsBinary() {
    Expected<ConvertStatistics> S =
        convert(Binary->getMemBufferRef(), Path, Options, Observer);
    if (!S)
      consumeError(S.takeError());
    return bool(S);
  }

  std::unique_ptr<MemoryBuffer> Binary;
  uint64_t Address = 0;
  std::string Known;
};

} // namespace

TEST_F(BesideBinaryTest, TheCallersSourceRanksFirst) {
  Extractor.add(Address, Address + 1, "mine");
  Options.Extractors = {&Extractor};
  ASSERT_TRUE(convertsBinary());
  EXPECT_EQ(ask(open(), Address), "mine");
}

TEST_F(BesideBinaryTest, UnlessItIsToRankLast) {
  Extractor.add(Address, Address + 1, "mine");
  Options.Extractors = {&Extractor};
  Options.ExtractorsLast = true;
  ASSERT_TRUE(convertsBinary());
  EXPECT_EQ(ask(open(), Address), Known);
}

TEST_F(BesideBinaryTest, OnlyCodeCounts) {
  Extractor.add(0, 1, "elsewhere");
  Options.Extractors = {&Extractor};
  ASSERT_TRUE(convertsBinary());
  EXPECT_EQ(ask(open(), 0), "");
  ASSERT_EQ(Observer.List.size(), 1u);
  EXPECT_EQ(Observer.List[0],
            "test: 1 functions outside of the binary's code are left out");
}

TEST_F(BesideBinaryTest, AnOpenObjectGivesTheSameArchive) {
  std::unique_ptr<MemoryBuffer> FromMemory =
      cantFail(errorOrToExpected(MemoryBuffer::getFile(Path, false, false)));
  std::string Before = FromMemory->getBuffer().str();
  Expected<std::unique_ptr<object::ObjectFile>> Object =
      object::ObjectFile::createObjectFile(Binary->getMemBufferRef());
  ASSERT_TRUE(bool(Object));
  ASSERT_TRUE(bool(convert(**Object, Path, Options, Observer)));
  std::unique_ptr<MemoryBuffer> Made =
      cantFail(errorOrToExpected(MemoryBuffer::getFile(Path, false, false)));
  EXPECT_TRUE(Made->getBuffer() == Before);
}
