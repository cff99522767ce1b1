//===- FieldsTest.cpp - Arrays that widen without loss --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Fields.h"
#include <gtest/gtest.h>

using namespace lidia;

TEST(Fields, WidthIsTheSmallestThatHoldsTheValue) {
  EXPECT_EQ(fieldWidth(0), 1u);
  EXPECT_EQ(fieldWidth(0xff), 1u);
  EXPECT_EQ(fieldWidth(0x100), 2u);
  EXPECT_EQ(fieldWidth(0xffff), 2u);
  EXPECT_EQ(fieldWidth(0x10000), 4u);
  EXPECT_EQ(fieldWidth(0xffffffff), 4u);
  EXPECT_EQ(fieldWidth(0x100000000), 8u);
  EXPECT_EQ(fieldWidth(UINT64_MAX), 8u);
}

TEST(Fields, WideningKeepsWhatIsThere) {
  FieldArray Array(1);
  std::vector<uint64_t> Values = {0,           0xff,      3,       0x100,
                                  0xffff,      5,         0x10000, 0xffffffff,
                                  0x100000000, UINT64_MAX};
  std::vector<unsigned> Widths = {1, 1, 1, 2, 2, 2, 4, 4, 8, 8};
  for (size_t I = 0; I != Values.size(); ++I) {
    Array.append(Values[I]);
    ASSERT_EQ(Array.width(), Widths[I]);
    ASSERT_EQ(Array.size(), I + 1);
    for (size_t K = 0; K <= I; ++K)
      ASSERT_EQ(Array[K], Values[K]);
  }
  EXPECT_EQ(Array.bytes().size(), Values.size() * 8);
}

TEST(Fields, MinimumWidthIsKept) {
  FieldArray Array(4);
  Array.append(1);
  EXPECT_EQ(Array.width(), 4u);
  EXPECT_EQ(Array.bytes(), llvm::StringRef("\1\0\0\0", 4));
}
