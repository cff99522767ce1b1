//===- ErrorTest.cpp - Tests of the classes of errors ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Error.h"
#include "TestArchives.h"
#include "lidia/Archive/Archive.h"
#include "gtest/gtest.h"

using namespace lidia;
using namespace llvm;

namespace {

template <typename T> bool isA(const std::unique_ptr<LidiaError> &E) {
  return static_cast<const ErrorInfoBase &>(*E).isA<T>();
}

std::string smallArchive() {
  ArchiveWriter W(ArchiveWriterOptions{});
  ArchiveRange R;
  R.Start = 0x1000;
  R.Length = 16;
  R.Function = W.addString("f");
  succeeded(W.addRange(R));
  return write(W);
}

std::unique_ptr<LidiaError> errorOf(StringRef Bytes) {
  Expected<Archive> A =
      Archive::create(MemoryBuffer::getMemBufferCopy(Bytes, "a.lidia"));
  EXPECT_FALSE(bool(A));
  return toLidiaError(A.takeError());
}

TEST(ErrorTest, ArchivesSayWhatIsWrong) {
  EXPECT_TRUE(isA<NotAnArchiveError>(errorOf("text")));
  std::string Bytes = smallArchive();
  EXPECT_TRUE(isA<DamagedError>(errorOf(StringRef(Bytes).drop_back(60))));
  Bytes[4] = 9; // the version
  std::unique_ptr<LidiaError> E = errorOf(Bytes);
  EXPECT_TRUE(isA<UnsupportedError>(E));
  EXPECT_EQ(E->file(), "a.lidia");
  EXPECT_EQ(E->convertToErrorCode(), std::errc::not_supported);
}

TEST(ErrorTest, MissingFilesHaveTheCodeOfTheSystem) {
  Expected<Archive> A = Archive::open("/no/such/file");
  ASSERT_FALSE(bool(A));
  std::unique_ptr<LidiaError> E = toLidiaError(A.takeError());
  EXPECT_TRUE(isA<SystemError>(E));
  EXPECT_EQ(E->convertToErrorCode(), std::errc::no_such_file_or_directory);
  EXPECT_EQ(E->file(), "/no/such/file");
}

TEST(ErrorTest, PrefixesKeepClassFileAndPlace) {
  std::unique_ptr<LidiaError> E = toLidiaError(addPrefix(
      "list", make_error<DamagedError>("a", "is cut off", "frame 3")));
  EXPECT_TRUE(isA<DamagedError>(E));
  EXPECT_EQ(E->message(), "list: a: frame 3 is cut off");
  EXPECT_EQ(E->file(), "a");
  EXPECT_EQ(E->where(), "frame 3");

  E = toLidiaError(addPrefix(
      "a", addWhere("unit at 0x1", make_error<LimitError>("", "too long"))));
  EXPECT_TRUE(isA<LimitError>(E));
  EXPECT_EQ(E->message(), "a: unit at 0x1: too long");
  EXPECT_EQ(E->file(), "a");
  EXPECT_EQ(E->where(), "unit at 0x1");
}

TEST(ErrorTest, OtherErrorsGetClasses) {
  std::error_code Code = std::make_error_code(std::errc::io_error);
  EXPECT_TRUE(isA<SystemError>(toLidiaError(errorCodeToError(Code))));
  EXPECT_TRUE(isA<DamagedError>(toLidiaError(createStringError("no ELF"))));
}

TEST(ErrorTest, RememberedErrorsAreGivenOften) {
  RememberedError R(make_error<ArgumentError>("a", "is not b"));
  for (int I = 0; I != 2; ++I) {
    std::unique_ptr<LidiaError> E = toLidiaError(R.get());
    EXPECT_TRUE(isA<ArgumentError>(E));
    EXPECT_EQ(E->message(), "a: is not b");
  }
  EXPECT_FALSE(bool(RememberedError().get()));
}

} // namespace
