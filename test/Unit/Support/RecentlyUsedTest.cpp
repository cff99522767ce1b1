//===- RecentlyUsedTest.cpp - The values that are kept --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Support/RecentlyUsed.h"
#include "gtest/gtest.h"

using namespace lidia;

TEST(RecentlyUsedTest, DropsTheLastUsed) {
  RecentlyUsed<int> Values(2);
  Values.add("a", 1);
  Values.add("b", 2);
  EXPECT_NE(Values.find("a"), nullptr);
  EXPECT_EQ(Values.add("c", 3), 3);
  EXPECT_EQ(Values.find("b"), nullptr);
  EXPECT_NE(Values.find("a"), nullptr);
  EXPECT_EQ(Values.dropped(), 1u);
}

TEST(RecentlyUsedTest, DropsWhatCostsTooMuch) {
  RecentlyUsed<int> Values(100, /*MaxCost=*/10);
  Values.add("a", 1, 4);
  Values.add("b", 2, 4);
  Values.add("c", 3, 2);
  EXPECT_EQ(Values.dropped(), 0u);
  Values.add("d", 4, 5);
  EXPECT_EQ(Values.find("a"), nullptr);
  EXPECT_EQ(Values.find("b"), nullptr);
  EXPECT_NE(Values.find("c"), nullptr);
  // The newest value is kept at any cost.
  Values.add("e", 5, UINT64_MAX);
  EXPECT_EQ(Values.dropped(), 4u);
  EXPECT_NE(Values.find("e"), nullptr);
  Values.add("f", 6, 1);
  EXPECT_EQ(Values.find("e"), nullptr);
}

TEST(RecentlyUsedTest, KeysMayBeNumbers) {
  RecentlyUsed<int, uint64_t> Values(2, /*MaxCost=*/10);
  Values.add(UINT64_MAX, 1, 3);
  Values.add(0, 2, 4);
  EXPECT_EQ(Values.totalCost(), 7u);
  ASSERT_NE(Values.find(UINT64_MAX), nullptr);
  Values.add(5, 3, 1);
  EXPECT_EQ(Values.find(0), nullptr);
  EXPECT_EQ(Values.size(), 2u);
  EXPECT_EQ(Values.totalCost(), 4u);
}
