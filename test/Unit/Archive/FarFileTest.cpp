//===- FarFileTest.cpp - Files on other machines --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/FarFile.h"
#include "TestArchives.h"
#include <cerrno>

using namespace lidia;
using namespace llvm;

namespace {
/// A file with a known byte at each offset. Records the ranges that are
/// fetched.
class Fetcher : public RangeFetcher {
public:
  /// \p Fails is the error code with which fetches fail, or 0.
  Fetcher(uint64_t Size, std::vector<FileRange> &Fetched, const int &Fails)
      : Size(Size), Fetched(Fetched), Fails(Fails) {}

  /// Begins like a zstd file, because such files have a table at their end.
  static char byteAt(uint64_t Offset) {
    constexpr char Magic[] = {'\x28', '\xb5', '\x2f', '\xfd'};
    return Offset < 4 ? Magic[Offset] : char(Offset * 31 >> 3);
  }

  StringRef name() const override { return "far"; }
  Expected<uint64_t> open(Range &Head) override {
    Head.Place.Size = std::min(Head.Place.Size, Size);
    fill(Head);
    return Size;
  }
  Error fetch(MutableArrayRef<Range> Ranges) override {
    for (Range &R : Ranges) {
      ++Count;
      Fetched.push_back(R.Place);
      if (Fails)
        return createStringError(
            std::error_code(Fails, std::generic_category()),
            "far: failed " + Twine(Count));
      fill(R);
    }
    return Error::success();
  }
  uint64_t requests() const override { return Count; }
  uint64_t retries() const override { return 0; }

private:
  void fill(Range &R) const {
    for (uint64_t I = 0; I != R.Place.Size; ++I)
      R.Bytes.push_back(byteAt(R.Place.Offset + I));
  }

  const uint64_t Size;
  std::vector<FileRange> &Fetched;
  const int &Fails;
  uint64_t Count = 0;
};

class FarFileTest : public testing::Test {
protected:
  static constexpr uint64_t KiB = 1024, MiB = 1024 * KiB;

  void open(uint64_t Size,
            std::chrono::milliseconds Pause = std::chrono::hours(1)) {
    Expected<std::shared_ptr<FarFile>> Opened =
        FarFile::open(std::make_unique<Fetcher>(Size, Fetched, Fails), Pause);
    ASSERT_TRUE(bool(Opened));
    File = *Opened;
    FetchedToOpen = std::exchange(Fetched, {});
  }

  /// Whether the bytes that were read are those of the file.
  bool reads(uint64_t Offset, size_t Size) {
    SmallVector<char, 0> Storage;
    Expected<StringRef> Bytes = File->read(Offset, Size, Storage);
    if (!Bytes) {
      Message = toString(Bytes.takeError());
      return false;
    }
    for (size_t I = 0; I != Size; ++I)
      if ((*Bytes)[I] != Fetcher::byteAt(Offset + I))
        return false;
    return Bytes->size() == Size;
  }

  /// The ranges that are fetched after the first bytes.
  std::vector<FileRange> FetchedToOpen;
  std::vector<FileRange> Fetched;
  int Fails = 0;
  std::string Message;
  std::shared_ptr<FarFile> File;
};
} // namespace

TEST_F(FarFileTest, OpeningFetchesBothEnds) {
  open(10 * MiB);
  EXPECT_EQ(FetchedToOpen.size(), 1u);
  EXPECT_TRUE(reads(0, 256 * KiB));
  EXPECT_TRUE(reads(10 * MiB - 48 * KiB, 48 * KiB));
  EXPECT_TRUE(Fetched.empty());
}

/// Most archives in a store are small.
TEST_F(FarFileTest, SmallFilesAreOneRequest) {
  open(256 * KiB);
  EXPECT_TRUE(FetchedToOpen.empty());
  EXPECT_TRUE(reads(0, 256 * KiB));
  EXPECT_TRUE(Fetched.empty());
  EXPECT_EQ(File->counts().Rounds, 1u);
}

TEST_F(FarFileTest, RangesNearEachOtherAreOneRequest) {
  open(10 * MiB);
  File->prefetch({{2 * MiB, 1000}, {MiB, 100}, {MiB + 200, 100}, {MiB, 50}});
  ASSERT_EQ(Fetched.size(), 2u);
  EXPECT_EQ(Fetched[0].Offset, MiB);
  EXPECT_EQ(Fetched[0].Size, 300u);
  EXPECT_EQ(File->counts().Rounds, 3u);
  EXPECT_TRUE(reads(MiB, 300));
  EXPECT_TRUE(reads(2 * MiB, 1000));
  EXPECT_EQ(Fetched.size(), 2u);
  // Only the missing part is fetched.
  EXPECT_TRUE(reads(2 * MiB - 10, 1020));
  EXPECT_EQ(File->counts().Bytes, 304 * KiB + 1300 + 20 + 1000);
}

TEST_F(FarFileTest, OldPartsAreForgotten) {
  open(100 * MiB);
  for (uint64_t Offset = MiB; Offset != 60 * MiB; Offset += MiB)
    EXPECT_TRUE(reads(Offset, MiB));
  size_t Before = Fetched.size();
  EXPECT_TRUE(reads(59 * MiB, MiB));
  EXPECT_EQ(Fetched.size(), Before);
  EXPECT_TRUE(reads(MiB, MiB));
  EXPECT_EQ(Fetched.size(), Before + 1);
  // A part of the range was already fetched.
  EXPECT_TRUE(reads(58 * MiB, 3 * MiB));
}

/// A batch does not wait again for each of its reads.
TEST_F(FarFileTest, ErrorsHoldForAPause) {
  open(10 * MiB);
  Fails = EIO;
  File->prefetch({{MiB, 10}, {3 * MiB, 10}});
  Fails = 0;
  EXPECT_FALSE(reads(MiB, 10));
  EXPECT_EQ(Message, "far: failed 2");
  EXPECT_EQ(Fetched.size(), 1u);
  EXPECT_TRUE(reads(0, 10));
}

TEST_F(FarFileTest, FetchesAgainAfterThePause) {
  open(10 * MiB, std::chrono::milliseconds(0));
  Fails = EIO;
  EXPECT_FALSE(reads(MiB, 10));
  EXPECT_FALSE(reads(MiB, 10));
  EXPECT_EQ(Message, "far: failed 3");
  Fails = 0;
  EXPECT_TRUE(reads(MiB, 10));
}

TEST_F(FarFileTest, ReplacedFilesStayReplaced) {
  open(10 * MiB, std::chrono::milliseconds(0));
  Fails = ESTALE;
  EXPECT_FALSE(reads(MiB, 10));
  Fails = 0;
  EXPECT_FALSE(reads(2 * MiB, 10));
  EXPECT_EQ(Message, "far: failed 2");
  EXPECT_EQ(Fetched.size(), 1u);
}

namespace {
/// An archive's bytes, with reads that may fail.
class FailingBytes : public FarBytes {
public:
  using FarBytes::FarBytes;

  Expected<StringRef> read(uint64_t Offset, size_t Size,
                           SmallVectorImpl<char> &Storage) const override {
    if (Fails)
      return createStringError("far: failed");
    return FarBytes::read(Offset, Size, Storage);
  }

  bool Fails = false;
};
} // namespace

/// Data that cannot be fetched reads as zeros, names included, but only in that
/// lookup.
TEST(FarArchiveTest, FailedLookupsCostNoLaterOnes) {
  constexpr unsigned Count = 10000;
  ArchiveWriter W({});
  for (unsigned I = 0; I != Count; ++I) {
    ArchiveRange R;
    R.Start = I * 16;
    R.Length = 16;
    R.Function = W.addString("function_with_number_" + std::to_string(I));
    ASSERT_TRUE(succeeded(W.addRange(R)));
  }
  auto File = std::make_shared<FailingBytes>(write(W));
  Expected<Archive> A = Archive::create(File);
  ASSERT_TRUE(succeeded(A.takeError()));
  SmallVector<Frame, 8> Frames;
  EXPECT_TRUE(succeeded(A->damage()));

  open(File->bytes()).lookup(8000 * 16, Frames);
  ASSERT_EQ(Frames.size(), 1u);
  StringOffset Name = Frames[0].Function;
  File->Fails = true;
  A->lookup(8000 * 16, Frames);
  EXPECT_TRUE(Frames.empty() || Frames[0].Function != Name);
  EXPECT_EQ(A->string(Name), "");
  EXPECT_TRUE(StringRef(toString(A->damage())).starts_with("far: failed"));
  File->Fails = false;
  A->lookup(8000 * 16, Frames);
  ASSERT_EQ(Frames.size(), 1u);
  EXPECT_EQ(Frames[0].Function, Name);
  EXPECT_EQ(A->string(Name), "function_with_number_8000");
}

TEST_F(FarFileTest, NoReadIsUnbounded) {
  open(uint64_t(32) << 30);
  EXPECT_FALSE(reads(0, size_t(1) << 30));
  EXPECT_TRUE(StringRef(Message).ends_with("download the file")) << Message;
  EXPECT_TRUE(Fetched.empty());
}
