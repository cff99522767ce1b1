//===- UnpackedArchiveTest.cpp - Archives compressed by zstd --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only LLDB's plugin reads compressed archives, and the builds with sanitizers
// have no plugin.
//
//===----------------------------------------------------------------------===//

#include "../Archive/TestArchives.h"
#include "lidia/Cache/CachedFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lidia;
using namespace llvm;

namespace {

std::string archive() {
  ArchiveWriterOptions Options;
  Options.Checksums = true;
  ArchiveWriter W(Options);
  for (uint64_t I = 0; I < 1000; ++I) {
    ArchiveRange R;
    R.Start = 0x1000 + I * 16;
    R.Length = 16;
    R.Function = W.addString("f" + std::to_string(I));
    if (!succeeded(W.addRange(R)))
      return {};
  }
  return write(W);
}

std::string pack(StringRef Bytes) {
  SmallVector<uint8_t, 0> Packed;
  compression::zstd::compress(arrayRefFromStringRef(Bytes), Packed);
  return toStringRef(Packed).str();
}

class UnpackedArchiveTest : public testing::Test {
protected:
  void SetUp() override {
    if (!compression::zstd::isAvailable())
      GTEST_SKIP() << "LLVM is built without zstd";
    ASSERT_FALSE(sys::fs::createUniqueDirectory("lidia-unpack-test", Folder));
    File = Folder;
    sys::path::append(File, "a.lidia.zst");
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  /// The contents of \p Packed, unpacked in a new cache, or the error.
  std::string unpack(StringRef Packed) {
    {
      std::error_code EC;
      raw_fd_ostream OS(File, EC);
      OS << Packed;
    }
    SmallString<128> CacheFolder(Folder);
    sys::path::append(CacheFolder, "cache" + std::to_string(Caches++));
    Cache C(CacheFolder);
    Expected<CachedFile> Unpacked = cachedUnpacked(C, File);
    if (!Unpacked)
      return "error: " + toString(Unpacked.takeError());
    ErrorOr<std::unique_ptr<MemoryBuffer>> Bytes =
        MemoryBuffer::getFile(Unpacked->Path);
    return Bytes ? (*Bytes)->getBuffer().str() : Bytes.getError().message();
  }

  SmallString<128> Folder, File;
  unsigned Caches = 0;
};

TEST_F(UnpackedArchiveTest, IsWhatWasPacked) {
  std::string Bytes = archive();
  EXPECT_EQ(unpack(pack(Bytes)), Bytes);
  // In several pieces.
  StringRef Whole = Bytes;
  EXPECT_EQ(unpack(pack(Whole.take_front(5000)) + pack(Whole.drop_front(5000))),
            Bytes);
}

TEST_F(UnpackedArchiveTest, RefusesWhatIsNone) {
  std::string Packed = pack(archive());
  EXPECT_TRUE(StringRef(unpack("")).contains("ends too early"));
  EXPECT_TRUE(StringRef(unpack(Packed.substr(0, Packed.size() - 1)))
                  .contains("ends too early"));
  EXPECT_TRUE(StringRef(unpack(pack("no archive")))
                  .contains("does not contain an archive"));
  EXPECT_TRUE(StringRef(unpack(pack(archive() + std::string(40 << 20, '\0'))))
                  .contains("unpacks to more than"));
}

/// Damage to any byte causes only an error or other output.
TEST_F(UnpackedArchiveTest, SurvivesDamage) {
  std::string Packed = pack(archive());
  for (size_t I = 0; I < Packed.size(); I += 1 + Packed.size() / 30) {
    std::string Damaged = Packed;
    Damaged[I] = static_cast<char>(Damaged[I] ^ 0x55);
    EXPECT_FALSE(unpack(Damaged).empty());
  }
}

TEST_F(UnpackedArchiveTest, IsUnpackedOnce) {
  std::string Packed = pack(archive());
  std::error_code EC;
  raw_fd_ostream(File, EC) << Packed;
  Cache C(Folder);
  Expected<CachedFile> First = cachedUnpacked(C, File);
  ASSERT_TRUE(succeeded(First.takeError()));
  Expected<CachedFile> Again = cachedUnpacked(C, File);
  ASSERT_TRUE(succeeded(Again.takeError()));
  EXPECT_TRUE(First->Made);
  EXPECT_FALSE(Again->Made);
  EXPECT_EQ(First->Path, Again->Path);
}

/// Entries from other processes are visible at once, even after earlier
/// requests.
TEST_F(UnpackedArchiveTest, KnowsTheBuildIDsOfEntries) {
  const uint8_t BuildID[] = {1, 2, 3, 4}, Other[] = {5, 6, 7, 8};
  Cache Asking(Folder), Making(Folder);
  EXPECT_FALSE(Asking.mayHave(BuildID));
  CacheKey Key("test");
  Key.setBuildID(BuildID);
  Expected<std::string> Made = Making.get(Key, ".lidia", [](raw_ostream &OS) {
    OS << "entry";
    return Error::success();
  });
  ASSERT_TRUE(succeeded(Made.takeError()));
  EXPECT_TRUE(Asking.mayHave(BuildID));
  EXPECT_FALSE(Asking.mayHave(Other));
}

} // namespace
