//===- ColumnsTest.cpp - Arrow arrays that take no memory -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arrow arrays without buffers, which the interface allows if they would be
/// empty. Arrow's own libraries make few of them.
//===----------------------------------------------------------------------===//

#include "lidia/Arrow/Columns.h"
#include "gtest/gtest.h"
#include <sys/resource.h>

using namespace lidia::arrow;
using namespace llvm;

namespace {

/// An array of \p Length rows with \p Buffers, which must outlive the array.
ArrowArray makeArray(int64_t Length, MutableArrayRef<const void *> Buffers) {
  ArrowArray A = {};
  A.length = Length;
  A.null_count = -1;
  A.n_buffers = int64_t(Buffers.size());
  A.buffers = Buffers.empty() ? nullptr : Buffers.data();
  A.release = [](ArrowArray *) {};
  return A;
}

/// The peak memory of the process, in bytes.
uint64_t maxMemory() {
  struct rusage Usage = {};
  ::getrusage(RUSAGE_SELF, &Usage);
  return uint64_t(Usage.ru_maxrss) * 1024;
}

/// A column of two rows with indices into a dictionary of values of \p Format.
Expected<BuildIDColumn> addDictionary(ArrowArray Values, const char *Format,
                                      ArrayRef<uint32_t> Indices) {
  ArrowSchema ValueType = {}, Type = {};
  ValueType.format = Format;
  Type.format = "I";
  Type.dictionary = &ValueType;
  const void *Buffers[] = {nullptr, Indices.data()};
  ArrowArray A = makeArray(int64_t(Indices.size()), Buffers);
  A.dictionary = &Values;
  BuildIDColumn Result;
  if (Error E = Result.setType(Type))
    return E;
  if (Error E = Result.add(A))
    return E;
  return Result;
}

} // namespace

// One number for each value would take 16.8 GB.
TEST(ColumnsTest, DictionaryOfNullsTakesNoMemory) {
  uint64_t Before = maxMemory();
  auto IDs = addDictionary(makeArray(UINT32_MAX, {}), "n", {0, UINT32_MAX - 1});
  ASSERT_TRUE(bool(IDs)) << toString(IDs.takeError());
  EXPECT_EQ((*IDs)[0], BuildIDColumn::Null);
  EXPECT_EQ((*IDs)[1], BuildIDColumn::Null);
  EXPECT_LT(maxMemory() - Before, uint64_t(64) << 20);
  EXPECT_EQ(toString(addDictionary(makeArray(7, {}), "n", {7}).takeError()),
            "a malformed Arrow array: it has the index 7 in a dictionary of 7");
}

TEST(ColumnsTest, DictionaryOfStringsOfNoLengthTakesNoMemory) {
  uint64_t Before = maxMemory();
  const void *Buffers[] = {nullptr, nullptr};
  auto IDs =
      addDictionary(makeArray(UINT32_MAX, Buffers), "w:0", {5, UINT32_MAX - 1});
  ASSERT_TRUE(bool(IDs)) << toString(IDs.takeError());
  EXPECT_EQ((*IDs)[0], 1u);
  EXPECT_EQ((*IDs)[1], 1u);
  EXPECT_EQ(IDs->values()[1].Problem, "the build ID is empty");
  EXPECT_LT(maxMemory() - Before, uint64_t(64) << 20);
}

TEST(ColumnsTest, DictionaryWithoutValuesHasNoIndex) {
  EXPECT_EQ(toString(addDictionary(makeArray(0, {}), "n", {0}).takeError()),
            "a malformed Arrow array: it has the index 0 in a dictionary of 0");
}

// A sanitizer detects an address that is computed from null.
TEST(ColumnsTest, EmptyStringsNeedNoCharacters) {
  int32_t Offsets[] = {5, 5, 5};
  const void *Buffers[] = {nullptr, Offsets, nullptr};
  ArrowSchema Type = {};
  Type.format = "z";
  BuildIDColumn IDs;
  ASSERT_FALSE(errorToBool(IDs.setType(Type)));
  ASSERT_FALSE(errorToBool(IDs.add(makeArray(2, Buffers))));
  EXPECT_EQ(IDs[0], IDs[1]);
  EXPECT_EQ(IDs.values()[IDs[0]].Problem, "the build ID is empty");
}
