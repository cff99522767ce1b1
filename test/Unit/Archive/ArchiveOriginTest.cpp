//===- ArchiveOriginTest.cpp - Reads only the origin of an archive --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/ArchiveOrigin.h"
#include "TestArchives.h"
#include "llvm/Support/FileSystem.h"

using namespace lidia;
using namespace llvm;

namespace {

/// An archive with \p Functions functions, of a binary with the build ID 1 2 3.
std::string archiveWith(unsigned Functions, bool Extension = true) {
  ArchiveWriterOptions Options;
  Options.Extension = Extension;
  ArchiveWriter W(Options);
  const uint8_t BuildID[] = {1, 2, 3};
  ArchiveInfo Info;
  Info.Machine = 62;
  Info.OSABI = 3;
  Info.BuildID = BuildID;
  W.setInfo(Info);
  for (unsigned I = 0; I != Functions; ++I) {
    ArchiveRange R;
    R.Start = 0x1000 + 16 * I;
    R.Length = 16;
    R.Function = W.addString("f" + std::to_string(I));
    succeeded(W.addRange(R));
  }
  return write(W);
}

/// The origin of a file with \p Bytes. None after an error, and for archives
/// that do not record their origin.
std::optional<ArchiveOrigin> originOf(StringRef Bytes, std::string &Failure) {
  SmallString<128> Path;
  int FD;
  if (sys::fs::createTemporaryFile("lidia-origin", "lidia", FD, Path))
    report_fatal_error("no temporary file");
  raw_fd_ostream(FD, /*shouldClose=*/true) << Bytes;
  Expected<std::optional<ArchiveOrigin>> Origin = readArchiveOrigin(Path);
  sys::fs::remove(Path);
  Failure = Origin ? "" : toString(Origin.takeError());
  return Failure.empty() ? std::move(*Origin) : std::nullopt;
}

TEST(ArchiveOrigin, IsWhatTheArchiveSays) {
  std::string Failure;
  for (unsigned Functions : {0, 1, 1000}) {
    std::optional<ArchiveOrigin> O = originOf(archiveWith(Functions), Failure);
    ASSERT_TRUE(O) << Failure;
    EXPECT_EQ(O->Machine, 62);
    EXPECT_EQ(O->OSABI, 3);
    EXPECT_EQ(ArrayRef<uint8_t>(O->BuildID), ArrayRef<uint8_t>({1, 2, 3}));
  }
  EXPECT_FALSE(originOf(archiveWith(9, /*Extension=*/false), Failure));
  EXPECT_EQ(Failure, "");
  EXPECT_FALSE(originOf("no archive", Failure));
  EXPECT_NE(Failure, "");
}

/// The tables are not read, so their contents are irrelevant.
TEST(ArchiveOrigin, NeedsNoTables) {
  std::string Bytes = archiveWith(1000), Failure;
  Archive A = open(Bytes);
  size_t Extension = size_t(A.extension().data() - A.buffer().getBufferStart());
  std::fill(Bytes.begin() + sizeof(format::Header), Bytes.begin() + Extension,
            '\xff');
  EXPECT_TRUE(originOf(Bytes, Failure)) << Failure;
}

/// Sizes and offsets in the file are not trusted; sanitizers detect violations.
TEST(ArchiveOrigin, AnyBytesWillDo) {
  std::string Bytes = archiveWith(1), Failure;
  for (size_t Byte = 0; Byte != Bytes.size(); ++Byte)
    for (char Wrong : {'\0', '\xff', '\x80'}) {
      std::string Damaged = Bytes;
      Damaged[Byte] = Wrong;
      std::optional<ArchiveOrigin> O = originOf(Damaged, Failure);
      EXPECT_LE(O ? O->BuildID.size() : 0, Bytes.size());
    }
  for (size_t Size = 0; Size != Bytes.size(); ++Size)
    originOf(StringRef(Bytes).take_front(Size), Failure);
  EXPECT_FALSE(originOf(StringRef(Bytes).take_front(64), Failure));
  EXPECT_NE(Failure, "");
}

} // namespace
