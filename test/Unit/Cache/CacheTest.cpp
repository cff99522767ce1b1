//===- CacheTest.cpp - Entries that no tool creates or that are lost ------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Archive/TestArchives.h"
#include "lidia/Export/DWARFExport.h"
#include "lidia/Modules/CachedArchive.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace lidia;
using namespace llvm;

namespace {

/// A folder that is removed with the test.
class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("lidia-cache-test", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  SmallString<128> Folder;
};

std::string contents(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : "not there";
}

void overwrite(StringRef Path, StringRef Text) {
  std::error_code EC;
  raw_fd_ostream OS(Path, EC);
  OS << Text;
}

CachedFile succeed(Expected<CachedFile> File) {
  if (File)
    return *File;
  succeeded(File.takeError());
  return {};
}

std::string archiveOf(StringRef Function, bool Checksums) {
  static const uint8_t BuildID[] = {1, 2, 3, 4};
  ArchiveWriterOptions Options;
  Options.Checksums = Checksums;
  ArchiveWriter W(Options);
  ArchiveInfo Info;
  Info.Machine = ELF::EM_X86_64;
  Info.Type = ELF::ET_EXEC;
  Info.Class = ELF::ELFCLASS64;
  Info.Data = ELF::ELFDATA2LSB;
  Info.BuildID = BuildID;
  W.setInfo(Info);
  ArchiveRange R;
  R.Start = 0x1000;
  R.Length = 16;
  R.Function = W.addString(Function);
  succeeded(W.addRange(R));
  return write(W);
}

TEST_F(CacheTest, PartsOfAKeyKeepTheirLimits) {
  EXPECT_NE(CacheKey("k").add("ab").add("c").hex(),
            CacheKey("k").add("a").add("bc").hex());
  EXPECT_NE(CacheKey("k").add("").hex(), CacheKey("k").hex());
  EXPECT_EQ(CacheKey("k").add("a").hex(), CacheKey("k").add("a").hex());
  EXPECT_EQ(CacheKey("k").hex().size(), 32u);
}

void setMade(StringRef Path, unsigned SecondsAgo) {
  int FD;
  ASSERT_FALSE(sys::fs::openFileForReadWrite(Path, FD, sys::fs::CD_OpenExisting,
                                             sys::fs::OF_None));
  auto Now = std::chrono::system_clock::now();
  EXPECT_FALSE(sys::fs::setLastAccessAndModificationTime(
      FD, Now, Now - std::chrono::seconds(SecondsAgo)));
  ::close(FD);
}

TEST_F(CacheTest, EntriesAreFoundByBuildIDAlone) {
  Cache C(Folder);
  const std::vector<uint8_t> ID = {1, 2, 3, 4}, Longer = {1, 2, 3, 4, 5},
                             Huge(100000, 7);
  auto Put = [&](ArrayRef<uint8_t> BuildID, StringRef Key, StringRef Extension,
                 StringRef Text) {
    return cantFail(
        C.put(Extension, [&](raw_ostream &OS) -> Expected<CacheKey> {
          OS << Text;
          return CacheKey(Key).setBuildID(BuildID);
        }));
  };
  EXPECT_TRUE(C.entriesOf(ID, ".lidia").empty());
  std::string Old = Put(ID, "old", ".lidia", archiveOf("old", true));
  std::string New = Put(ID, "new", ".lidia", archiveOf("new", false));
  std::string Damaged = Put(ID, "damaged", ".lidia", "text");
  // A name does not determine the contents of the file.
  std::string Wrong = Put(Longer, "wrong", ".lidia", archiveOf("wrong", true));
  std::string Hashed = Put(Huge, "hashed", ".lidia", "text");
  Put(ID, "DWARF", ".debug", "text");
  Put({}, "none", ".lidia", archiveOf("none", true));
  setMade(Old, 20);
  setMade(New, 10);
  setMade(Damaged, 5);

  auto Paths = [&](ArrayRef<uint8_t> BuildID) {
    std::vector<std::string> Result;
    for (const CacheEntry &E : C.entriesOf(BuildID, ".lidia"))
      Result.push_back(E.Path);
    return Result;
  };
  EXPECT_EQ(Paths(ID), std::vector<std::string>({Damaged, New, Old}));
  EXPECT_EQ(Paths(Longer), std::vector<std::string>({Wrong}));
  EXPECT_EQ(Paths(Huge), std::vector<std::string>({Hashed}));
  EXPECT_TRUE(Paths({}).empty());
  EXPECT_LE(sys::path::filename(Hashed).size(), 143u);
  EXPECT_EQ(cantFail(C.list()).size(), 7u);

  std::vector<Archive> Archives = cachedArchivesOf(C, ID);
  ASSERT_EQ(Archives.size(), 2u);
  EXPECT_EQ(Archives[0].string(Archives[0].range(0).Function), "new");
  EXPECT_EQ(Archives[1].string(Archives[1].range(0).Function), "old");
  EXPECT_TRUE(cachedArchivesOf(C, Longer).empty());
}

TEST_F(CacheTest, WritesOnceAndAgainWhenItWasPruned) {
  Cache C(Folder);
  CacheKey Key("test");
  unsigned Written = 0;
  auto Get = [&] {
    bool Made;
    Expected<std::string> Path = C.get(
        Key, ".txt",
        [&](raw_ostream &OS) {
          ++Written;
          OS << "text";
          return Error::success();
        },
        &Made);
    EXPECT_EQ(contents(cantFail(std::move(Path))), "text");
    return Made;
  };
  EXPECT_TRUE(Get());
  EXPECT_FALSE(Get());
  EXPECT_EQ(cantFail(C.empty()).Entries, 1u);
  EXPECT_TRUE(Get());
  EXPECT_EQ(Written, 2u);
}

TEST_F(CacheTest, LeavesNothingOfWhatFailed) {
  Cache C(Folder);
  Expected<std::string> Path =
      C.get(CacheKey("test"), ".txt", [](raw_ostream &OS) {
        OS << "half of ";
        return createStringError("cannot go on");
      });
  EXPECT_EQ(toString(Path.takeError()), "cannot go on");
  EXPECT_TRUE(cantFail(C.list()).empty());
}

TEST_F(CacheTest, PrivateFilesGoWithTheCache) {
  std::string Path;
  std::vector<std::string> Warnings;
  {
    SmallString<128> File(Folder);
    sys::path::append(File, "file");
    overwrite(File, "");
    Cache C((File + "/x").str());
    C.setWarningHandler(
        [&](const Twine &Message) { Warnings.push_back(Message.str()); });
    auto Write = [](raw_ostream &OS) {
      OS << "text";
      return Error::success();
    };
    Path = cantFail(C.get(CacheKey("test"), ".txt", Write));
    EXPECT_TRUE(C.isPrivate(Path));
    EXPECT_EQ(contents(Path), "text");
    EXPECT_NE(cantFail(C.get(CacheKey("test"), ".txt", Write)), Path);
  }
  EXPECT_FALSE(sys::fs::exists(Path));
  ASSERT_EQ(Warnings.size(), 1u);
  EXPECT_NE(Warnings.front().find("cannot use the cache"), std::string::npos);
}

TEST_F(CacheTest, DWARFOfAnArchiveIsMadeOnce) {
  Cache C(Folder);
  for (bool Checksums : {true, false}) {
    Archive A = open(archiveOf("f", Checksums));
    std::string Expected;
    raw_string_ostream OS(Expected);
    ASSERT_TRUE(succeeded(exportDWARF(A, OS)));

    CachedFile First = succeed(cachedDWARF(C, A));
    EXPECT_TRUE(First.Made);
    EXPECT_EQ(contents(First.Path), Expected);
    CachedFile Second = succeed(cachedDWARF(C, A));
    EXPECT_FALSE(Second.Made);
    EXPECT_EQ(Second.Path, First.Path);

    // A truncated file, and another binary's.
    for (const std::string &Damaged :
         {Expected.substr(0, Expected.size() / 2), std::string("text")}) {
      overwrite(First.Path, Damaged);
      CachedFile Third = succeed(cachedDWARF(C, A));
      EXPECT_TRUE(Third.Made);
      EXPECT_EQ(contents(Third.Path), Expected);
    }
    CachedFile Other = succeed(cachedDWARF(C, open(archiveOf("g", Checksums))));
    EXPECT_NE(Other.Path, First.Path);
  }
}

TEST_F(CacheTest, DWARFForAModuleHasItsSections) {
  Cache C(Folder);
  Archive A = open(archiveOf("f", /*Checksums=*/true));
  ModuleSymbols Module;
  Module.Sections.push_back(
      {".code", ELF::SHF_ALLOC | ELF::SHF_EXECINSTR, 0, 0x1000, 16, 1});
  DWARFExportOptions Options;
  Options.Module = &Module;
  // Files for other readers get the headers of ModuleSymbols::Layout.
  Options.ForLLDB = true;
  std::string Plain = succeed(cachedDWARF(C, A)).Path;
  std::string First = succeed(cachedDWARF(C, A, Options)).Path;
  EXPECT_NE(First, Plain);
  EXPECT_NE(contents(First).find(".code"), std::string::npos);
  // Sections of another binary with the same build ID.
  Module.Sections.front().Size = 0x2000;
  EXPECT_NE(succeed(cachedDWARF(C, A, Options)).Path, First);
}

TEST_F(CacheTest, DamagedArchivesLeaveNoDWARF) {
  Cache C(Folder);
  std::string Bytes = archiveOf("name", /*Checksums=*/true);
  size_t At = Bytes.find("name");
  ASSERT_NE(At, std::string::npos);
  Bytes[At] = 'N';
  Expected<CachedFile> File = cachedDWARF(C, open(Bytes));
  EXPECT_NE(toString(File.takeError()).find("checksum"), std::string::npos);
  EXPECT_TRUE(cantFail(C.list()).empty());
}

} // namespace
