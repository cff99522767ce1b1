//===- LookupModelTest.cpp - Lookups against a simple model ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestArchives.h"
#include <algorithm>
#include <random>

using namespace lidia;
using namespace llvm;

namespace {

/// The expected answer for one frame, computed without an archive.
struct ModelFrame {
  std::string Function, File;
  uint32_t Line, Column;
};

struct ModelRange {
  ArchiveRange Range;
  std::vector<ArchiveRow> Rows;
};

/// Random trees of nested ranges in the format's order.
class RangeTrees {
public:
  RangeTrees(unsigned Seed, uint64_t Base, unsigned Functions,
             const ArchiveWriterOptions &Options)
      : Random(Seed), Options(Options), Writer(Options) {
    uint64_t Address = Base;
    for (unsigned I = 0; I != Functions; ++I) {
      Address += pick(4) == 0 ? pick(1000) : pick(3);
      uint64_t Length = 1 + pick(200);
      addTree(Address, Length, 0);
      Address += Length;
    }
    for (ModelRange &M : Ranges) {
      M.Range.Rows = M.Rows;
      succeeded(Writer.addRange(M.Range));
    }
  }

  uint64_t pick(uint64_t Below) { return Random() % Below; }

  StringOffset string(const char *Prefix, uint64_t Number) {
    std::string Text = Prefix + std::to_string(Number);
    StringOffset Offset = Writer.addString(Text);
    Texts[Offset] = Text;
    return Offset;
  }

  std::string text(StringOffset Offset) { return Texts[Offset]; }

  std::vector<ModelFrame> lookup(uint64_t Address) {
    std::vector<ModelFrame> Frames;
    const ArchiveRange *Inner = nullptr;
    for (size_t I = Ranges.size(); I-- > 0;) {
      const ArchiveRange &R = Ranges[I].Range;
      if (Address < R.Start || Address - R.Start >= R.Length)
        continue;
      if (Inner)
        Frames.push_back({text(R.Function), text(Inner->CallFile),
                          Inner->CallLine,
                          Options.Columns ? Inner->CallColumn : 0});
      else
        Frames.push_back(innermost(Ranges[I], Address - R.Start));
      Inner = &R;
    }
    return Frames;
  }

  uint64_t start() const { return Ranges.front().Range.Start; }
  uint64_t end() const {
    uint64_t End = 0;
    for (const ModelRange &M : Ranges)
      End = std::max(End, M.Range.Start + M.Range.Length);
    return End;
  }

  std::mt19937_64 Random;
  ArchiveWriterOptions Options;
  ArchiveWriter Writer;
  std::vector<ModelRange> Ranges;
  std::map<StringOffset, std::string> Texts;

private:
  ModelFrame innermost(const ModelRange &M, uint64_t Offset) {
    ModelFrame F = {text(M.Range.Function), text(M.Range.File), 0, 0};
    for (const ArchiveRow &Row : M.Rows) {
      if (Row.Offset > Offset)
        break;
      F.File = text(Row.File);
      F.Line = Row.File == 0 ? 0 : Row.Line;
      F.Column = Row.File == 0 || !Options.Columns ? 0 : Row.Column;
      // Without the extension, a row from another file has no line.
      if (!Options.Extension && Row.File != M.Range.File) {
        F.File = text(M.Range.File);
        F.Line = 0;
      }
    }
    return F;
  }

  void addTree(uint64_t Start, uint64_t Length, unsigned Depth) {
    ModelRange M;
    M.Range.Start = Start;
    M.Range.Length = Length;
    M.Range.Depth = Depth;
    M.Range.Function = string("f", pick(50));
    M.Range.File = string("file", pick(5));
    if (Depth > 0) {
      M.Range.CallFile = string("file", pick(5));
      M.Range.CallLine = uint32_t(1 + pick(90));
      M.Range.CallColumn = uint32_t(pick(90));
    }
    for (uint64_t Offset = pick(3); Offset < Length; Offset += pick(20)) {
      ArchiveRow Row;
      Row.Offset = Offset;
      Row.Line = uint32_t(pick(4) ? pick(70000) : 0);
      Row.Column = uint32_t(pick(300));
      Row.File = pick(4) ? M.Range.File : string("file", pick(5));
      if (pick(10) == 0)
        Row = {Offset, 0, 0, 0};
      M.Rows.push_back(Row);
    }
    Ranges.push_back(M);
    uint64_t Child = Start;
    while (Depth < 9 && pick(3) != 0) {
      Child += pick(Length);
      if (Child >= Start + Length)
        break;
      uint64_t ChildLength = 1 + pick(Start + Length - Child);
      addTree(Child, ChildLength, Depth + 1);
      Child += ChildLength;
    }
  }
};

std::string show(const Archive &A, ArrayRef<Frame> Frames) {
  std::string Text;
  for (const Frame &F : Frames)
    Text += (A.string(F.Function) + " " + A.string(F.File) + ":" +
             Twine(F.Line) + ":" + Twine(F.Column) + "\n")
                .str();
  return Text;
}

std::string show(ArrayRef<ModelFrame> Frames) {
  std::string Text;
  for (const ModelFrame &F : Frames)
    Text += F.Function + " " + F.File + ":" + std::to_string(F.Line) + ":" +
            std::to_string(F.Column) + "\n";
  return Text;
}

void compare(unsigned Seed, uint64_t Base,
             const ArchiveWriterOptions &Options) {
  SCOPED_TRACE("seed " + std::to_string(Seed));
  RangeTrees F(Seed, Base, 60, Options);
  Archive A = open(write(F.Writer));
  EXPECT_EQ(issues(A), "");
  SmallVector<Frame, 8> Frames;
  std::vector<uint64_t> Addresses;
  for (uint64_t Address = F.start() < 5 ? 0 : F.start() - 5;
       Address < F.end() + 5; ++Address) {
    A.lookup(Address, Frames);
    ASSERT_EQ(show(A, Frames), show(F.lookup(Address))) << Address;
    if (F.pick(3) == 0)
      Addresses.push_back(Address);
    if (F.pick(20) == 0)
      Addresses.push_back(F.start() + F.pick(F.end() - F.start()));
  }
  Addresses.push_back(0);
  Addresses.push_back(UINT64_MAX);
  // Enough addresses that the batch sorts them.
  while (Addresses.size() < 2500)
    Addresses.push_back(F.start() + F.pick(F.end() - F.start()));
  std::vector<unsigned> Visits(Addresses.size());
  A.lookupUnordered(Addresses, [&](size_t I, ArrayRef<Frame> Found) {
    ++Visits[I];
    A.lookup(Addresses[I], Frames);
    EXPECT_EQ(show(A, Frames), show(A, Found)) << Addresses[I];
  });
  EXPECT_EQ(Visits, std::vector<unsigned>(Addresses.size(), 1));
  for (bool Sorted : {false, true}) {
    if (Sorted)
      llvm::sort(Addresses);
    size_t Next = 0;
    A.lookupBatch(Addresses, [&](size_t I, ArrayRef<Frame> Batch) {
      EXPECT_EQ(I, Next++);
      A.lookup(Addresses[I], Frames);
      EXPECT_EQ(show(A, Frames), show(A, Batch)) << Addresses[I];
    });
    EXPECT_EQ(Next, Addresses.size());
  }
}

TEST(LookupModel, EveryAddressOfRandomForests) {
  for (unsigned Seed = 0; Seed != 12; ++Seed) {
    ArchiveWriterOptions Options;
    Options.Columns = Seed % 2;
    compare(Seed, Seed * 1000, Options);
  }
}

TEST(LookupModel, WithoutExtension) {
  for (unsigned Seed = 0; Seed != 8; ++Seed) {
    ArchiveWriterOptions Options;
    Options.Extension = false;
    Options.Strings = Seed % 2 ? format::StringForm::NulTerminated
                               : format::StringForm::Prefixed;
    compare(Seed, 0x1000, Options);
  }
}

TEST(LookupModel, WideVAs) {
  for (unsigned Seed = 0; Seed != 4; ++Seed) {
    compare(Seed, 0xffffffff81000000, {});
    compare(Seed, 0xfffffff0, {});
  }
}

/// Expects that both archives have the same answers, one by one and in a batch.
void expectSameAnswers(const Archive &Plain, const Archive &Packed,
                       ArrayRef<uint64_t> Addresses) {
  SmallVector<Frame, 8> Frames;
  for (uint64_t Address : Addresses) {
    Plain.lookup(Address, Frames);
    std::string Expected = show(Plain, Frames);
    Packed.lookup(Address, Frames);
    ASSERT_EQ(show(Packed, Frames), Expected) << Address;
  }
  Packed.lookupBatch(Addresses, [&](size_t I, ArrayRef<Frame> Batch) {
    Plain.lookup(Addresses[I], Frames);
    EXPECT_EQ(show(Packed, Batch), show(Plain, Frames)) << Addresses[I];
  });
  EXPECT_TRUE(succeeded(Packed.damage()));
}

/// Compressed archives with frames of all sizes, with and without an opening
/// frame, in memory with any room for frames and on another machine.
TEST(LookupModel, CompressedArchivesAnswerAsPlainOnes) {
  unsigned WithOpeningFrame = 0, Far = 0;
  for (unsigned Seed = 0; Seed != 12; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    ArchiveWriterOptions Options;
    Options.Columns = Seed % 2;
    Options.Checksums = Seed % 3;
    RangeTrees F(Seed, Seed % 4 ? 0x1000 : 0xfffffffff0, 20 + Seed * 250,
                 Options);
    std::string Plain = write(F.Writer);
    CompressionOptions How;
    How.FrameSize = 4096u << F.pick(5);
    How.Level = 1;
    How.Threads = 1 + Seed % 2;
    std::string Packed = compress(Plain, How);
    WithOpeningFrame += hasOpeningFrame(Packed, Packed.size());
    Far += Packed.size() > FirstFetch;
    std::vector<uint64_t> Addresses = {0, UINT64_MAX};
    while (Addresses.size() < 600)
      Addresses.push_back(F.start() - 5 + F.pick(F.end() - F.start() + 10));
    Archive A = open(Plain);
    OpenOptions Near;
    Near.FrameCacheSize = uint64_t(1) << (12 + F.pick(14));
    Expected<Archive> Opened =
        Archive::create(MemoryBuffer::getMemBufferCopy(Packed, "packed"), Near);
    ASSERT_TRUE(succeeded(Opened.takeError()));
    expectSameAnswers(A, *Opened, Addresses);
    Opened = Archive::create(std::make_shared<FarBytes>(Packed));
    ASSERT_TRUE(succeeded(Opened.takeError()));
    expectSameAnswers(A, *Opened, Addresses);
  }
  EXPECT_NE(WithOpeningFrame, 0u);
  EXPECT_NE(Far, 0u);
}

} // namespace
