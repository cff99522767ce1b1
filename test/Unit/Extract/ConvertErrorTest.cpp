//===- ConvertErrorTest.cpp - The classes of a conversion's errors --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Error.h"
#include "lidia/Extract/Convert.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace lidia;
using namespace llvm;

namespace {

template <typename T> bool isA(const std::unique_ptr<LidiaError> &E) {
  return E->dynamicClassID() == T::classID();
}

struct SilentObserver : ConvertObserver {
  void warning(const Twine &) override {}
  void progress(StringRef, uint64_t, uint64_t) override {}
};

class ConvertErrorTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("lidia-convert", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  std::string path(StringRef Name) {
    SmallString<128> Path = Folder;
    sys::path::append(Path, Name);
    return Path.str().str();
  }

  /// The error from converting \p Input.
  std::unique_ptr<LidiaError> errorFor(StringRef Input,
                                       const ConvertOptions &Options = {}) {
    SilentObserver Observer;
    Expected<ConvertStatistics> Done =
        convert(Input, path("out.lidia"), Options, Observer);
    if (Done)
      return nullptr;
    return toLidiaError(Done.takeError());
  }

  /// The error from converting a file with the contents \p Bytes.
  std::unique_ptr<LidiaError> errorOf(StringRef Bytes,
                                      const ConvertOptions &Options = {}) {
    std::error_code EC;
    raw_fd_ostream(path("in"), EC) << Bytes;
    EXPECT_FALSE(EC);
    return errorFor(path("in"), Options);
  }

  SmallString<128> Folder;
};

TEST_F(ConvertErrorTest, TextIsNoBinary) {
  std::unique_ptr<LidiaError> E = errorOf("text");
  ASSERT_TRUE(E);
  EXPECT_TRUE(isA<NotABinaryError>(E));
  EXPECT_EQ(E->file(), path("in"));
}

TEST_F(ConvertErrorTest, BrokenHeadersAreDamage) {
  std::unique_ptr<LidiaError> E =
      errorOf(StringRef("\x7f"
                        "ELF\2\1\1\0\0\0\0\0\0\0\0\0",
                        16));
  ASSERT_TRUE(E);
  EXPECT_TRUE(isA<DamagedError>(E)) << E->message();
  EXPECT_EQ(E->file(), path("in"));
}

TEST_F(ConvertErrorTest, UnknownClassesAreUnsupported) {
  std::unique_ptr<LidiaError> E =
      errorOf(StringRef("\x7f"
                        "ELF\7\1\1\0\0\0\0\0\0\0\0\0",
                        16));
  ASSERT_TRUE(E);
  EXPECT_TRUE(isA<UnsupportedError>(E)) << E->message();
}

TEST_F(ConvertErrorTest, MissingFilesHaveTheCodeOfTheSystem) {
  std::unique_ptr<LidiaError> E = errorFor("/no/such/file");
  ASSERT_TRUE(E);
  EXPECT_TRUE(isA<SystemError>(E));
  EXPECT_EQ(E->convertToErrorCode(), std::errc::no_such_file_or_directory);
}

TEST_F(ConvertErrorTest, ArchitecturesAreOfMachO) {
  ConvertOptions Options;
  Options.Architecture = "arm64";
  std::unique_ptr<LidiaError> E = errorFor(LIDIA_TEST_BINARY, Options);
  ASSERT_TRUE(E);
  EXPECT_TRUE(isA<ArgumentError>(E));
}

TEST_F(ConvertErrorTest, FilesWithoutNamesLackInformation) {
  ConvertOptions Options;
  Options.Sources.clear();
  std::unique_ptr<LidiaError> E = errorFor(LIDIA_TEST_BINARY, Options);
  ASSERT_TRUE(E);
  EXPECT_TRUE(isA<MissingInformationError>(E)) << E->message();
}

} // namespace
