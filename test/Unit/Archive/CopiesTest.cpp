//===- CopiesTest.cpp - Rows of functions in several units ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Copies.h"
#include "TestArchives.h"

using namespace lidia;
using namespace llvm;

namespace {

/// An archive of one function with \p RowCount rows, and one at 0x2000 without
/// rows.
std::string oneFunction(uint32_t RowCount) {
  ArchiveWriter W(ArchiveWriterOptions{});
  ArchiveRange R;
  R.Start = 0x1000;
  R.Length = 0x1000;
  R.File = W.addString("a.h");
  R.Unit = {1, W.addString("a.c")};
  std::vector<Statement> Rows;
  for (uint32_t I = 0; I != RowCount; ++I)
    Rows.push_back({R.Start, I + 1, 0, R.File, SF_IsStmt});
  R.Statements = Rows;
  EXPECT_TRUE(succeeded(W.addRange(R)));
  R.Start = 0x2000;
  R.Statements = {};
  EXPECT_TRUE(succeeded(W.addRange(R)));
  EXPECT_TRUE(succeeded(W.addCopy({2, W.addString("b.c")}, 0x1000)));
  return write(W);
}

/// Rows are read once and kept, and do not change.
TEST(Copies, GivesTheRowsOfTheFunction) {
  Archive A = open(oneFunction(3));
  StatementReader Reader(A);
  CopiedRows Copies(A, Reader);
  for (int I = 0; I != 2; ++I) {
    std::vector<Statement> Rows;
    Copies.read(0, Rows);
    ASSERT_EQ(Rows.size(), 4u);
    EXPECT_EQ(Rows[2].Line, 3u);
    EXPECT_EQ(Rows[2].Address, 0x1000u);
    EXPECT_EQ(Rows[3].Address, 0x2000u);
    EXPECT_EQ(Rows[3].Flags, SF_Unknown);
    ASSERT_EQ(Copies.files(0).size(), 1u);
    EXPECT_EQ(A.string(Copies.files(0)[0]), "a.h");
    // No unit had a copy of this function.
    Copies.read(1, Rows);
    EXPECT_TRUE(Rows.empty());
  }
}

/// Each byte of the section could be another unit with all the rows.
TEST(Copies, GivesNoMoreRowsThanTheArchiveJustifies) {
  Archive A = open(oneFunction(10'000));
  StatementReader Reader(A);
  CopiedRows Copies(A, Reader);
  uint64_t Count = 0;
  std::vector<Statement> Rows;
  for (int I = 0; I != 1000; ++I) {
    Copies.read(0, Rows);
    Count += Rows.size();
  }
  EXPECT_TRUE(Rows.empty());
  EXPECT_TRUE(Copies.files(0).empty());
  EXPECT_GT(Count, 900'000u);
  EXPECT_LE(Count, 1'000'000 + A.buffer().getBufferSize() / 8);
}

} // namespace
