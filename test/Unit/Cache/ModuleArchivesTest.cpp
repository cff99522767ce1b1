//===- ModuleArchivesTest.cpp - Threads, limits and odd modules -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Modules/ModuleArchives.h"
#include "lidia/Error.h"
#include "lidia/Modules/CachedArchive.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <sys/stat.h>
#include <thread>

using namespace lidia;
using namespace llvm;

namespace {

class Silent final : public ConvertObserver {
public:
  void warning(const Twine &) override {}
  void progress(StringRef, uint64_t, uint64_t) override {}
};

/// A folder with a cache, removed with the test.
class ModuleArchivesTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("lidia-modules", Folder));
    C = std::make_unique<Cache>(path("cache"));
    Options.Conversion.Lines = Options.Conversion.Files = true;
    Options.Conversion.Archive.Checksums = true;
    Options.Conversion.Search.Directories = {path("debug")};
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  std::string path(const Twine &Name) const {
    return (Folder + "/" + Name).str();
  }
  /// A copy of the fixture \p Name with the name \p As.
  std::string fixture(StringRef Name, const Twine &As) {
    std::string To = path(As);
    EXPECT_FALSE(sys::fs::create_directories(sys::path::parent_path(To)));
    EXPECT_FALSE(sys::fs::copy_file(Twine(LIDIA_TEST_INPUTS) + "/" + Name, To));
    return To;
  }
  static std::errc codeOf(ModuleArchives::Result A) {
    return A ? std::errc() : std::errc(errorToErrorCode(A.takeError()).value());
  }
  uint64_t entries() const {
    Expected<std::vector<CacheEntry>> List = C->list();
    return List ? List->size() : (consumeError(List.takeError()), 0);
  }

  SmallString<128> Folder;
  std::unique_ptr<Cache> C;
  ModuleArchivesOptions Options;
  Silent Observer;
};

TEST_F(ModuleArchivesTest, MakesAnArchiveOnceAndRemembersIt) {
  std::string File = fixture(LIDIA_TEST_BINARY, "a.out");
  ModuleArchives Modules(*C, Options, Observer);
  auto First = cantFail(Modules.get(File));
  // The module was examined before, so it is not opened again.
  ASSERT_FALSE(sys::fs::remove(File));
  EXPECT_EQ(cantFail(Modules.get(File)), First);
  EXPECT_EQ(Modules.statistics().Made, 1u);
  EXPECT_EQ(Modules.statistics().Opened, 1u);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(ModuleArchivesTest, ThreadsShareOneConversion) {
  std::string File = fixture(LIDIA_TEST_BINARY, "a.out");
  ModuleArchives Modules(*C, Options, Observer);
  std::vector<std::shared_ptr<const Archive>> Got(8);
  std::vector<std::thread> Threads;
  for (auto &A : Got)
    Threads.emplace_back([&] { A = cantFail(Modules.get(File)); });
  for (std::thread &T : Threads)
    T.join();
  for (const auto &A : Got)
    EXPECT_EQ(A, Got.front());
  EXPECT_EQ(Modules.statistics().Made, 1u);
}

TEST_F(ModuleArchivesTest, ForgetsTheLeastRecentlyUsed) {
  Options.MaxModules = 2;
  ModuleArchives Modules(*C, Options, Observer);
  std::string A = fixture(LIDIA_TEST_BINARY, "a"),
              B = fixture(LIDIA_TEST_BINARY, "b");
  std::shared_ptr<const Archive> Held = cantFail(Modules.get(A));
  std::weak_ptr<const Archive> Dropped = cantFail(Modules.get(B));
  cantFail(Modules.get(A));
  EXPECT_EQ(codeOf(Modules.get(path("missing"))),
            std::errc::no_such_file_or_directory);
  EXPECT_TRUE(Dropped.expired());
  EXPECT_EQ(cantFail(Modules.get(A)), Held);
  // Two more modules push a out. It stays open for its user.
  EXPECT_NE(codeOf(Modules.get(path("missing too"))), std::errc());
  EXPECT_NE(codeOf(Modules.get(path("and another"))), std::errc());
  EXPECT_EQ(Modules.statistics().Forgotten, 3u);
  EXPECT_GT(Held->rangeCount(), 0u);
  EXPECT_NE(cantFail(Modules.get(A)), Held);
}

TEST_F(ModuleArchivesTest, OpensRegularFilesOnly) {
  ModuleArchives Modules(*C, Options, Observer);
  std::string Pipe = path("pipe"), Text = path("text");
  ASSERT_EQ(::mkfifo(Pipe.c_str(), 0600), 0);
  std::error_code EC;
  raw_fd_ostream(Text, EC) << "text";
  EXPECT_EQ(codeOf(Modules.get(Pipe)), std::errc::invalid_argument);
  EXPECT_EQ(codeOf(Modules.get("/dev/zero")), std::errc::invalid_argument);
  EXPECT_EQ(codeOf(Modules.get(Folder)), std::errc::is_a_directory);
  EXPECT_EQ(codeOf(Modules.get(Text)), std::errc::executable_format_error);
  EXPECT_EQ(codeOf(Modules.get(StringRef("/dev\0/zero", 10))),
            std::errc::invalid_argument);
  EXPECT_EQ(codeOf(Modules.get(path("missing"))),
            std::errc::no_such_file_or_directory);
  // Errors are remembered, too.
  fixture(LIDIA_TEST_BINARY, "missing");
  EXPECT_EQ(codeOf(Modules.get(path("missing"))),
            std::errc::no_such_file_or_directory);
}

TEST_F(ModuleArchivesTest, UsesAnArchiveBesideItsOwnBinaryOnly) {
  std::string File = fixture(LIDIA_TEST_BINARY, "a.out"),
              Other = fixture(LIDIA_TEST_OTHER_BINARY, "other");
  Options.Make = false;
  auto Found = [&](const std::string &Path) {
    return codeOf(ModuleArchives(*C, Options, Observer).get(Path)) ==
           std::errc();
  };
  auto Create = [&](const std::string &Path) {
    cantFail(convert(File, Path, Options.Conversion, Observer).takeError());
  };
  EXPECT_FALSE(Found(File));
  Create(File + ".lidia");
  EXPECT_TRUE(Found(File));
  Create(Other + ".lidia");
  EXPECT_FALSE(Found(Other));
  // The module may itself be an archive.
  EXPECT_TRUE(Found(Other + ".lidia"));
  Options.Beside = false;
  EXPECT_FALSE(Found(File));
  Options.Beside = true;
  Options.Conversion.Lines = Options.Conversion.Files = false;
  Create(File + ".lidia");
  EXPECT_FALSE(Found(File));
}

TEST_F(ModuleArchivesTest, FindsABuildID) {
  std::string File = fixture(LIDIA_TEST_BINARY, "a.out"),
              Other = fixture(LIDIA_TEST_OTHER_BINARY, "other");
  std::vector<uint8_t> ID;
  {
    ModuleArchives Modules(*C, Options, Observer);
    auto A = cantFail(Modules.get(File));
    ID.assign(A->info()->BuildID.begin(), A->info()->BuildID.end());
    ASSERT_FALSE(ID.empty());
  }
  ModuleArchives Modules(*C, Options, Observer);
  auto IsOurs = [&](ModuleArchives::Result A) {
    return A ? (*A)->info()->BuildID == ArrayRef<uint8_t>(ID)
             : (consumeError(A.takeError()), false);
  };
  EXPECT_TRUE(IsOurs(Modules.get("", ID)));
  EXPECT_TRUE(IsOurs(Modules.get(File, ID)));
  // The file was replaced or removed.
  EXPECT_TRUE(IsOurs(Modules.get(Other, ID)));
  EXPECT_TRUE(IsOurs(Modules.get(path("missing"), ID)));
  EXPECT_FALSE(IsOurs(Modules.get(Other)));

  // The cache has nothing, so the debug folder is next.
  Cache Empty(path("empty"));
  EXPECT_FALSE(IsOurs(ModuleArchives(Empty, Options, Observer).get("", ID)));
  fixture(LIDIA_TEST_BINARY,
          "debug/.build-id/" + toHex(ID[0], true) + "/" +
              toHex(ArrayRef<uint8_t>(ID).drop_front(), true) + ".debug");
  EXPECT_TRUE(IsOurs(ModuleArchives(Empty, Options, Observer).get("", ID)));
}

TEST_F(ModuleArchivesTest, AsksTheStoreFirst) {
  std::string File = fixture(LIDIA_TEST_BINARY, "a.out");
  auto InCache = cantFail(ModuleArchives(*C, Options, Observer).get(File));
  std::vector<uint8_t> ID(InCache->info()->BuildID);
  cantFail(convert(File, path("stored.lidia"), Options.Conversion, Observer)
               .takeError());
  auto Stored = std::make_shared<const Archive>(
      cantFail(Archive::open(path("stored.lidia"))));
  Options.Store.ByBuildID =
      [&](ArrayRef<uint8_t> Asked) -> ModuleArchives::Result {
    if (Asked == ArrayRef<uint8_t>(ID) && Stored)
      return Stored;
    return make_error<SystemError>(
        std::make_error_code(std::errc::no_such_file_or_directory), "");
  };
  EXPECT_EQ(cantFail(ModuleArchives(*C, Options, Observer).get("", ID)),
            Stored);
  EXPECT_EQ(cantFail(ModuleArchives(*C, Options, Observer).get(File)), Stored);
  Stored = nullptr;
  EXPECT_TRUE(cantFail(ModuleArchives(*C, Options, Observer).get("", ID)));
}

} // namespace
