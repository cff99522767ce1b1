//===- CompressedArchiveTest.cpp - Archives compressed by zstd ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A compressed archive gives the same answers as the plain one, however little
/// of it is in memory, and whatever its seek table contains.
///
//===----------------------------------------------------------------------===//

#include "TestArchives.h"
#include "lidia/Archive/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"
#include <cinttypes>
#include <cstdio>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace lidia;
using namespace llvm;

namespace {

constexpr uint32_t FrameSize = 4096;
constexpr unsigned FunctionCount = 1200;
constexpr uint64_t Base = 0x10000, FunctionSize = 64;

/// An archive of about 100 pages, with functions of two nested calls each.
std::string plainArchive(format::StringForm Strings) {
  ArchiveWriterOptions Options;
  Options.Checksums = Options.Columns = true;
  Options.Strings = Strings;
  ArchiveWriter W(Options);
  const uint8_t BuildID[] = {1, 2, 3};
  ArchiveInfo Info;
  Info.BuildID = BuildID;
  W.setInfo(Info);
  std::vector<uint64_t> Pads;
  for (unsigned I = 0; I != FunctionCount; ++I) {
    ArchiveRange R;
    R.Function = W.addString("function_with_a_name_" + std::to_string(I));
    R.File = W.addString("/directory/file" + std::to_string(I / 16) + ".c");
    W.addDirectory(R.File, 11);
    for (unsigned Depth = 0; Depth != 3; ++Depth) {
      R.Start = Base + I * FunctionSize + Depth * 8;
      R.Length = FunctionSize - Depth * 16;
      R.Depth = Depth;
      ArchiveRow Rows[] = {{0, I + Depth + 1, I % 90, R.File},
                           {4, 0, 0, 0},
                           {9, I * 3 + 7, 2, W.addString("other.c")}};
      R.Rows = Rows;
      Statement S[] = {{R.Start, I + 1, 1, R.File, SF_IsStmt}};
      if (Depth == 0)
        R.Statements = S;
      else
        R.Statements = {};
      if (!succeeded(W.addRange(R)))
        return {};
      R.Function = W.addString("inlined" + std::to_string(I % 100));
      R.CallFile = R.File;
      R.CallLine = I + 20;
      R.CallColumn = 5;
    }
    Pads.push_back(Base + I * FunctionSize + 20);
  }
  succeeded(W.setReturnPads(Pads));
  return write(W);
}

std::string compress(StringRef Plain, unsigned Threads = 1) {
  CompressionOptions Options;
  Options.FrameSize = FrameSize;
  Options.Threads = Threads;
  return lidia::compress(Plain, Options);
}

Expected<Archive> openPacked(StringRef Packed, uint64_t CacheSize) {
  OpenOptions Options;
  Options.FrameCacheSize = CacheSize;
  return Archive::create(MemoryBuffer::getMemBufferCopy(Packed, "packed"),
                         Options);
}

/// The error from opening \p Packed, or from unpacking all of it.
std::string failure(StringRef Packed) {
  Expected<Archive> A = openPacked(Packed, 1 << 20);
  return toString(A ? A->unpackAll() : A.takeError());
}

void print(raw_ostream &OS, const Archive &A, ArrayRef<Frame> Frames) {
  for (const Frame &F : Frames)
    OS << A.string(F.Function) << ' ' << A.string(F.File) << ':' << F.Line
       << ':' << F.Column << ' ' << A.directoryLength(F.File) << '\n';
}

uint64_t addressOf(unsigned I) {
  return Base + uint64_t(I) * 7919 % (FunctionCount * FunctionSize);
}

/// Calls most functions of an archive, for addresses in a scattered order.
std::string askAll(const Archive &A) {
  std::string Text;
  raw_string_ostream OS(Text);
  SmallVector<Frame, 8> Frames;
  std::vector<uint64_t> Addresses;
  StatementReader Reader(A);
  std::vector<Statement> Statements;
  for (unsigned I = 0; I != 100; ++I) {
    uint64_t Address = addressOf(I);
    Addresses.push_back(Address);
    A.lookup(Address, Frames);
    print(OS, A, Frames);
    OS << A.lookupReturn(Base + (Address - Base) / 64 * 64 + 20, Frames);
    print(OS, A, Frames);
    uint64_t Index = Address % A.rangeCount();
    RangeEntry R = A.range(Index);
    OS << R.VA << ' ' << R.Length << ' ' << R.Depth << ' '
       << A.row(R, R.RowCount - 1).Line << ' ' << A.callColumn(Index) << ' '
       << A.parent(Index).value_or(0) << ' ' << A.entry(Index).value_or(0)
       << '\n';
    if (Error E = Reader.read(Index - Index % 3, Statements))
      OS << toString(std::move(E));
    for (const Statement &S : Statements)
      OS << S.Address << ' ' << S.Line << ' ' << A.string(S.File) << '\n';
  }
  auto PrintFound = [&](size_t I, ArrayRef<Frame> Found) {
    OS << I << ' ';
    print(OS, A, Found);
  };
  A.lookupBatch(Addresses, PrintFound);
  llvm::sort(Addresses);
  A.lookupBatch(Addresses, PrintFound);
  A.forEachReturnPad([&](const ReturnPad &P) {
    OS << P.Address << ' ' << P.Range.value_or(0) << '\n';
  });
  A.visitStrings([&](StringOffset, StringRef S) { OS << S << '\n'; });
  return Text;
}

class CompressedArchiveTest
    : public testing::TestWithParam<format::StringForm> {
protected:
  const std::string Plain = plainArchive(GetParam());
  const std::string Packed = compress(Plain);
};

INSTANTIATE_TEST_SUITE_P(StringForms, CompressedArchiveTest,
                         testing::Values(format::StringForm::Prefixed,
                                         format::StringForm::NulTerminated));

TEST_P(CompressedArchiveTest, AnswersAsThePlainOne) {
  std::string Expected = askAll(open(Plain));
  EXPECT_GT(Expected.size(), 10000u);
  for (uint64_t CacheSize :
       {uint64_t(0), uint64_t(3) * FrameSize, uint64_t(1) << 30}) {
    llvm::Expected<Archive> A = openPacked(Packed, CacheSize);
    ASSERT_TRUE(succeeded(A.takeError()));
    EXPECT_TRUE(A->isPaged());
    EXPECT_EQ(askAll(*A), Expected) << CacheSize;
    EXPECT_TRUE(succeeded(A->verifyChecksums()));
    EXPECT_TRUE(succeeded(A->damage()));
    EXPECT_TRUE(succeeded(A->unpackAll()));
    EXPECT_EQ(A->buffer().getBuffer(), Plain);
    EXPECT_EQ(issues(*A), "");
  }
}

/// Parts are in huge pages then.
TEST_P(CompressedArchiveTest, AnswersForMoreAddressesThanParts) {
  std::vector<uint64_t> Addresses;
  for (unsigned I = 0; I != 16 * Plain.size() / FrameSize; ++I)
    Addresses.push_back(addressOf(I));
  auto AskFor = [&](const Archive &A) {
    std::string Text;
    raw_string_ostream OS(Text);
    A.lookupBatch(Addresses,
                  [&](size_t, ArrayRef<Frame> Found) { print(OS, A, Found); });
    return Text;
  };
  std::string Expected = AskFor(open(Plain));
  for (uint64_t CacheSize : {uint64_t(0), uint64_t(1) << 30}) {
    llvm::Expected<Archive> A = openPacked(Packed, CacheSize);
    ASSERT_TRUE(succeeded(A.takeError()));
    EXPECT_EQ(AskFor(*A), Expected);
    EXPECT_EQ(AskFor(*A), Expected);
  }
}

TEST_P(CompressedArchiveTest, UnpacksWhatItReads) {
  Expected<Archive> A = openPacked(Packed, 1 << 30);
  ASSERT_TRUE(succeeded(A.takeError()));
  // Header, both ends of the strings, directory, VAIX and RPAD; no arrays.
  EXPECT_LE(A->partsUnpacked(), 4u);
  SmallVector<Frame, 8> Frames;
  A->lookup(Base + 20, Frames);
  for (const Frame &F : Frames)
    A->string(F.Function);
  EXPECT_EQ(Frames.size(), 3u);
  uint64_t Few = A->partsUnpacked();
  EXPECT_LT(Few, Plain.size() / FrameSize / 3);
  A->lookup(Base + 20, Frames);
  EXPECT_EQ(A->partsUnpacked(), Few);
}

/// Strings keep their addresses when their frame is evicted and read again.
TEST_P(CompressedArchiveTest, KeepsStrings) {
  Expected<Archive> A = openPacked(Packed, 0);
  ASSERT_TRUE(succeeded(A.takeError()));
  SmallVector<Frame, 8> Frames;
  A->lookup(Base, Frames);
  StringRef First = A->string(Frames.back().Function);
  askAll(*A);
  EXPECT_EQ(First, "function_with_a_name_0");
  EXPECT_EQ(A->string(Frames.back().Function).data(), First.data());
}

/// Malformed sections that opening does not read are detected later.
TEST_P(CompressedArchiveTest, MalformedSectionCostsItself) {
  std::string Bad = Plain;
  {
    Archive A = open(Plain);
    const char *FieldSize = A.extensionSection(format::ET_Directories)->data();
    Bad[size_t(FieldSize - A.buffer().getBufferStart())] = 3;
  }
  Expected<Archive> A = openPacked(compress(Bad), 1 << 20);
  ASSERT_TRUE(succeeded(A.takeError()));
  SmallVector<Frame, 8> Frames;
  A->lookup(Base, Frames);
  ASSERT_EQ(Frames.size(), 1u);
  EXPECT_TRUE(succeeded(A->damage()));
  EXPECT_EQ(A->directoryLength(Frames[0].File), 0u);
  EXPECT_EQ(toString(A->damage()), "packed: section FDIR: fields of 3 bytes");
  EXPECT_EQ(toString(A->unpackAll()),
            "packed: section FDIR: fields of 3 bytes");
}

/// Opening determines the width of such an array from its size.
TEST_P(CompressedArchiveTest, ReadsHeadersWhenAllIsUnpacked) {
  std::string Bad = Plain;
  {
    Archive A = open(Plain);
    const char *FieldSize = A.extensionSection(format::ET_RowColumns)->data();
    Bad[size_t(FieldSize - A.buffer().getBufferStart())] = 2;
  }
  Expected<Archive> A = openPacked(compress(Bad), 1 << 20);
  ASSERT_TRUE(succeeded(A.takeError()));
  std::string Text = toString(A->unpackAll());
  EXPECT_TRUE(StringRef(Text).starts_with("packed: section RCOL has")) << Text;
}

TEST_P(CompressedArchiveTest, UnpacksNothingAfterAll) {
  Expected<Archive> A = openPacked(Packed, 0);
  ASSERT_TRUE(succeeded(A.takeError()));
  EXPECT_TRUE(succeeded(A->unpackAll()));
  uint64_t All = A->partsUnpacked();
  askAll(*A);
  EXPECT_EQ(A->partsUnpacked(), All);
}

TEST_P(CompressedArchiveTest, IsSharedByThreads) {
  std::string Expected = askAll(open(Plain));
  llvm::Expected<Archive> A = openPacked(Packed, 4 * FrameSize);
  ASSERT_TRUE(succeeded(A.takeError()));
  std::string Answers[4];
  std::vector<std::thread> Threads;
  for (std::string &Answer : Answers)
    Threads.emplace_back([&] { Answer = askAll(*A); });
  for (std::thread &T : Threads)
    T.join();
  for (const std::string &Answer : Answers)
    EXPECT_EQ(Answer, Expected);
}

TEST_P(CompressedArchiveTest, BytesDoNotDependOnThreads) {
  EXPECT_EQ(compress(Plain, 1), compress(Plain, 3));
}

//===----------------------------------------------------------------------===//
// The opening frame
//===----------------------------------------------------------------------===//

/// Names that do not compress make more than 256 KiB.
std::string largeArchive() {
  ArchiveWriter W(ArchiveWriterOptions{});
  uint64_t Seed = 1;
  for (unsigned I = 0; I != 20000; ++I) {
    std::string Name;
    for (unsigned J = 0; J != 20; ++J) {
      Seed = Seed * 6364136223846793005 + 1442695040888963407;
      Name += char(33 + (Seed >> 33) % 90);
    }
    ArchiveRange R;
    R.Function = W.addString(Name);
    R.Start = Base + I * FunctionSize;
    R.Length = FunctionSize;
    if (!succeeded(W.addRange(R)))
      return {};
  }
  return write(W);
}

/// A file on another machine, which counts the bytes that are read after the
/// first.
class CountedBytes : public FarBytes {
public:
  using FarBytes::FarBytes;

  Expected<StringRef> read(uint64_t Offset, size_t Size,
                           SmallVectorImpl<char> &Storage) const override {
    if (Offset + Size > FirstFetch)
      ++Later;
    return FarBytes::read(Offset, Size, Storage);
  }

  mutable std::atomic<unsigned> Later{0};
};

class OpeningFrameTest : public testing::Test {
protected:
  const std::string Plain = largeArchive();
  std::string Packed = compress(Plain);
  const size_t Content = Packed.find("LIDIACPY");

  char *at(size_t Offset) { return &Packed[Content + Offset]; }
  uint32_t word(size_t Offset) { return support::endian::read32le(at(Offset)); }
  size_t indices() { return 16 + word(8) * 12; }
  /// Adds \p Value to a word, and makes the hash right.
  void change(size_t Offset, uint32_t Value) {
    support::endian::write32le(at(Offset), word(Offset) + Value);
    size_t Size = support::endian::read32le(at(0) - 4) - 8;
    support::endian::write64le(at(Size), xxHash64({at(0), Size}));
  }

  /// Opens the archive and reads all of it, and returns the error.
  std::string farFailure(unsigned *Later = nullptr) {
    auto File = std::make_shared<CountedBytes>(Packed);
    Expected<Archive> A = Archive::create(File);
    if (!A)
      return toString(A.takeError());
    if (Later)
      *Later = File->Later;
    std::string Error = toString(A->unpackAll());
    if (Error.empty()) {
      EXPECT_EQ(A->buffer().getBuffer(), Plain);
    }
    return Error;
  }
};

TEST_F(OpeningFrameTest, HasAllThatOpeningReads) {
  ASSERT_NE(Content, std::string::npos);
  unsigned Later = 1;
  EXPECT_EQ(farFailure(&Later), "");
  EXPECT_EQ(Later, 0u);
  EXPECT_EQ(failure(Packed), "");
}

TEST_F(OpeningFrameTest, DoesNotDependOnThreads) {
  EXPECT_EQ(Packed, compress(Plain, 3));
}

TEST_F(OpeningFrameTest, IsIgnoredIfItContradictsItself) {
  const std::string Sound = Packed;
  for (size_t Offset : {size_t(8), size_t(12), size_t(16), size_t(28),
                        size_t(40), indices(), indices() + 4})
    for (uint32_t Value : {1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
      Packed = Sound;
      change(Offset, Value);
      unsigned Later = 0;
      std::string Error = farFailure(&Later);
      // Another frame may be copied: see WrongCopyIsAnError.
      EXPECT_TRUE(Error.empty() ? Later != 0
                                : StringRef(Error).contains("zstd frame"))
          << Offset << ": " << Error;
      EXPECT_TRUE(StringRef(failure(Packed)).contains("the opening frame"))
          << Offset;
    }
}

TEST_F(OpeningFrameTest, WrongTableIsAnError) {
  change(16 + 20 * 12 + 8, 1);
  EXPECT_TRUE(StringRef(farFailure()).contains("zstd frame 19 of "));
  EXPECT_TRUE(StringRef(failure(Packed)).contains("has another seek table"));
}

TEST_F(OpeningFrameTest, WrongCopyIsAnError) {
  change(indices() + word(12) * 4 + 12, 1);
  EXPECT_TRUE(StringRef(farFailure()).contains("zstd frame "));
  EXPECT_TRUE(StringRef(failure(Packed)).contains("has another copy of frame"));
}

//===----------------------------------------------------------------------===//
// Bad input
//===----------------------------------------------------------------------===//

class BadSeekTableTest : public testing::Test {
protected:
  const std::string Plain = plainArchive(format::StringForm::Prefixed);
  std::string Packed = compress(Plain);
  const size_t FrameCount = (Plain.size() + FrameSize - 1) / FrameSize;

  /// Field \p Field (0: compressed size, 1: unpacked size, 2: checksum) of an
  /// entry.
  char *entry(size_t Frame, unsigned Field) {
    size_t Table = Packed.size() - 17 - FrameCount * 12;
    return &Packed[Table + 8 + Frame * 12 + Field * 4];
  }
  void add(size_t Frame, unsigned Field, int32_t Value) {
    char *P = entry(Frame, Field);
    support::endian::write32le(P,
                               support::endian::read32le(P) + uint32_t(Value));
  }
  bool fails(StringRef With) {
    std::string Text = failure(Packed);
    EXPECT_TRUE(StringRef(Text).starts_with("packed: ")) << Text;
    EXPECT_TRUE(StringRef(Text).contains(With)) << Text;
    return StringRef(Text).contains(With);
  }
};

TEST_F(BadSeekTableTest, SoundOneIsRead) { EXPECT_EQ(failure(Packed), ""); }

TEST_F(BadSeekTableTest, FramesOverlap) {
  add(20, 0, -5);
  add(21, 0, 5);
  fails("zstd frame 20 of ");
}

TEST_F(BadSeekTableTest, SumOfSizesIsWrong) {
  add(20, 0, 1);
  fails("bytes before it");
}

TEST_F(BadSeekTableTest, ChecksumIsWrong) {
  add(20, 2, 1);
  fails("zstd frame 20 of ");
}

TEST_F(BadSeekTableTest, LastFrameUnpacksToLess) {
  add(FrameCount - 1, 1, 1);
  fails("not the ");
}

TEST_F(BadSeekTableTest, LastFrameUnpacksToMore) {
  std::string Longer = Plain + "tail";
  ASSERT_EQ((Longer.size() + FrameSize - 1) / FrameSize, FrameCount);
  Packed = compress(Longer);
  EXPECT_EQ(failure(Packed), "");
  add(FrameCount - 1, 1, -1);
  fails("cannot be unpacked: Destination buffer is too small");
}

/// It is still a zstd file, and is unpacked as a whole.
TEST_F(BadSeekTableTest, SizesDiffer) {
  add(20, 1, 1);
  EXPECT_EQ(failure(Packed), "");
  EXPECT_FALSE(openPacked(Packed, 0)->isPaged());
}

TEST_F(BadSeekTableTest, TooManyFrames) {
  for (uint32_t Count : {UINT32_MAX, uint32_t(0x7ffffff), uint32_t(200000)}) {
    support::endian::write32le(&Packed[Packed.size() - 9], Count);
    fails("is larger than the file");
  }
}

TEST_F(BadSeekTableTest, FewerFrames) {
  support::endian::write32le(&Packed[Packed.size() - 9],
                             uint32_t(FrameCount - 1));
  fails("its seek table is damaged");
}

TEST_F(BadSeekTableTest, ReservedBits) {
  Packed[Packed.size() - 5] |= 4;
  fails("not supported");
}

/// A number in the seek table.
std::string number(uint32_t N) {
  char Bytes[4];
  support::endian::write32le(Bytes, N);
  return std::string(Bytes, 4);
}

struct TableEntry {
  size_t PackedSize;
  uint32_t Size;
  uint32_t Checksum;
};

/// The seek table of frames with checksums.
std::string seekTable(ArrayRef<TableEntry> Frames) {
  std::string Table =
      number(0x184d2a5e) + number(uint32_t(Frames.size() * 12 + 9));
  for (const TableEntry &F : Frames)
    Table +=
        number(uint32_t(F.PackedSize)) + number(F.Size) + number(F.Checksum);
  return Table + number(uint32_t(Frames.size())) + char(0x80) +
         number(0x8f92eab1);
}

/// Claims gigabytes. No memory may be reserved for them.
TEST_F(BadSeekTableTest, ClaimsToUnpackToMuch) {
  std::string Frame = Packed.substr(0, support::endian::read32le(entry(0, 0)));
  // The maximum size of a frame that can still be a part.
  TableEntry Lie = {Frame.size(), 1u << 22, 0};
  size_t Count = 8;
  Packed.clear();
  for (size_t I = 0; I != Count; ++I)
    Packed += Frame;
  Packed += seekTable(std::vector<TableEntry>(Count, Lie));
  fails("the limit for an archive of its size");
  // Such frames are not parts, so everything is unpacked, which is less than
  // claimed.
  Lie.Size = 1u << 31;
  Packed = Frame + Frame + seekTable({Lie, Lie});
  fails("");
}

/// \p Content as uncompressed zstd frames, each of which claims to need a
/// window of 2^\p WindowLog bytes, with a seek table.
std::string storedFrames(StringRef Content, unsigned WindowLog) {
  std::string File;
  std::vector<TableEntry> Table;
  for (; !Content.empty(); Content = Content.drop_front(Table.back().Size)) {
    StringRef Now = Content.take_front(FrameSize);
    // The frame header does not contain the size. The block is the last one.
    std::string Block = number(uint32_t(Now.size() << 3 | 1)).substr(0, 3);
    std::string Frame = std::string("\x28\xb5\x2f\xfd\0", 5) +
                        char((WindowLog - 10) << 3) + Block + Now.str();
    Table.push_back(
        {Frame.size(), uint32_t(Now.size()), uint32_t(xxHash64(Now))});
    File += Frame;
  }
  return File + seekTable(Table);
}

/// While this object exists, at most half a gigabyte of address space can be
/// added.
class LimitedMemory {
public:
  LimitedMemory() {
    ::getrlimit(RLIMIT_AS, &Old);
    struct rlimit Limit = Old;
    Limit.rlim_cur = addressSpace() + (512 << 20);
    // Sanitizers need terabytes.
    if (!LLVM_ADDRESS_SANITIZER_BUILD && !LLVM_THREAD_SANITIZER_BUILD)
      ::setrlimit(RLIMIT_AS, &Limit);
  }
  ~LimitedMemory() { ::setrlimit(RLIMIT_AS, &Old); }

private:
  static uint64_t addressSpace() {
    uint64_t Pages = 0;
    if (FILE *F = ::fopen("/proc/self/statm", "r")) {
      EXPECT_EQ(::fscanf(F, "%" SCNu64, &Pages), 1);
      ::fclose(F);
    }
    return Pages * uint64_t(::getpagesize());
  }
  struct rlimit Old;
};

/// A frame is unpacked directly to its place, which needs no window.
TEST_F(BadSeekTableTest, ClaimsAWindowOfGigabytes) {
  LimitedMemory Limit;
  Packed = storedFrames(Plain, 31);
  EXPECT_EQ(failure(Packed), "");
  EXPECT_TRUE(openPacked(Packed, 0)->isPaged());
  // More than zstd accepts.
  Packed = storedFrames(Plain, 41);
  fails("cannot be unpacked: Frame requires too much memory");
  // Without a seek table, a window is necessary.
  Packed = storedFrames(Plain, 31).substr(0, Plain.size());
  fails("cannot be unpacked: Frame requires too much memory");
}

TEST_F(BadSeekTableTest, ChecksumOfFrameWithoutChecksumIsWrong) {
  Packed = storedFrames(Plain, 20);
  EXPECT_EQ(failure(Packed), "");
  add(20, 2, 1);
  fails("zstd frame 20 of ");
}

TEST_F(BadSeekTableTest, TruncatedAnywhere) {
  for (size_t Size = 0; Size < Packed.size(); Size += 997) {
    std::string Text = failure(StringRef(Packed).take_front(Size));
    EXPECT_FALSE(Text.empty()) << Size;
  }
}

/// A damaged frame affects only its own contents, and is reported.
TEST_F(BadSeekTableTest, DamageCostsOneFrame) {
  Archive Good = open(Plain);
  SmallVector<Frame, 8> Frames, Expected;
  unsigned Different = 0, Same = 0;
  size_t Offset = 0;
  for (size_t I = 0; I != 10; ++I)
    Offset += support::endian::read32le(entry(I, 0));
  Packed[Offset + 30] = char(Packed[Offset + 30] ^ 0x55);
  llvm::Expected<Archive> A = openPacked(Packed, 1 << 20);
  ASSERT_TRUE(succeeded(A.takeError()));
  for (unsigned I = 0; I != FunctionCount; ++I) {
    A->lookup(Base + I * FunctionSize, Frames);
    Good.lookup(Base + I * FunctionSize, Expected);
    bool IsSame =
        Frames.size() == Expected.size() &&
        (Frames.empty() || Frames.back().Function == Expected.back().Function);
    ++(IsSame ? Same : Different);
  }
  EXPECT_GT(Different, 0u);
  EXPECT_GT(Same, FunctionCount * 9 / 10);
  std::string Text = toString(A->damage());
  EXPECT_TRUE(StringRef(Text).starts_with("packed: zstd frame 10 of ")) << Text;
}

} // namespace
