//===- StableArchiveTest.cpp - Copies of archives -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Cache/StableArchive.h"
#include "../Archive/TestArchives.h"
#include "lidia/Cache/Cache.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace lidia;
using namespace llvm;

namespace {

/// An archive that is too large to be copied each time it is opened. Its last
/// function is "last".
std::string largeArchive(bool Checksums) {
  ArchiveWriterOptions Options;
  Options.Checksums = Checksums;
  ArchiveWriter W(Options);
  constexpr uint64_t Count = 150'000;
  for (uint64_t I = 0; I < Count; ++I) {
    ArchiveRange R;
    R.Start = 0x1000 + I * 16;
    R.Length = 16;
    R.Function = W.addString(I + 1 < Count ? "f" : "last");
    if (!succeeded(W.addRange(R)))
      return {};
  }
  return write(W);
}

class StableArchiveTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("lidia-stable-test", Folder));
    File = Folder;
    sys::path::append(File, "a.lidia");
    CacheFolder = Folder;
    sys::path::append(CacheFolder, "cache");
    ::setenv("LIDIA_CACHE_DIR", CacheFolder.c_str(), /*overwrite=*/1);
  }
  void TearDown() override {
    ::unsetenv("LIDIA_CACHE_DIR");
    sys::fs::remove_directories(Folder);
  }

  void put(StringRef Bytes) {
    std::error_code EC;
    raw_fd_ostream OS(File, EC);
    OS << Bytes;
  }
  size_t copies() const {
    Expected<std::vector<CacheEntry>> Entries = Cache(CacheFolder).list();
    return Entries ? Entries->size() : (consumeError(Entries.takeError()), 99);
  }
  std::string lastFunction() const {
    Expected<Archive> A = openVerifiedArchive(File);
    if (!A)
      return toString(A.takeError());
    EXPECT_EQ(A->name(), StringRef(File));
    return A->string(A->function(A->rangeCount() - 1)).str();
  }

  SmallString<128> Folder, File, CacheFolder;
};

TEST_F(StableArchiveTest, ACopyIsMadeOnceAndNeedsNoneOfTheRest) {
  std::string Bytes = largeArchive(/*Checksums=*/true);
  put(Bytes);
  EXPECT_EQ(lastFunction(), "last");
  EXPECT_EQ(copies(), 1u);
  // Only the directory is read, so damage elsewhere is not detected.
  size_t At = Bytes.find("last");
  ASSERT_NE(At, std::string::npos);
  Bytes[At] = 'L';
  put(Bytes);
  EXPECT_EQ(lastFunction(), "last");
  EXPECT_EQ(copies(), 1u);
  // An archive with another size is another archive.
  put(StringRef(Bytes).drop_back());
  EXPECT_NE(lastFunction(), "last");
}

TEST_F(StableArchiveTest, WhatIsDamagedIsNotKept) {
  std::string Bytes = largeArchive(/*Checksums=*/true);
  Bytes[Bytes.find("last")] = 'L';
  put(Bytes);
  EXPECT_NE(lastFunction().find("checksum"), std::string::npos);
  EXPECT_EQ(copies(), 0u);
}

TEST_F(StableArchiveTest, NothingTellsArchivesWithoutChecksumsApart) {
  put(largeArchive(/*Checksums=*/false));
  EXPECT_EQ(lastFunction(), "last");
  EXPECT_EQ(copies(), 0u);
}

} // namespace
