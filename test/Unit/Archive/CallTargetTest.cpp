//===- CallTargetTest.cpp - Expressions of indirect calls -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/CallTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace lidia;
using namespace llvm;

namespace {

/// makeCallTarget() for hexadecimal expressions; "none" for none.
std::string make(StringRef Expression, StringRef FrameBase = "") {
  return makeCallTarget(fromHex(Expression), fromHex(FrameBase))
      .value_or("none");
}

// No compiler that we have writes most of these.
TEST(CallTargetTest, FrameBases) {
  // DW_OP_fbreg -16, DW_OP_deref, in a frame with the base: the CFA;
  // DW_OP_reg6; DW_OP_breg7 32.
  EXPECT_EQ(make("917006", "9c"), "9c11702206");
  EXPECT_EQ(make("917006", "56"), "767006");
  EXPECT_EQ(make("917006", "7720"), "771006");
  // Without a frame base; with a frame base of two operations, of DW_OP_addr,
  // of DW_OP_fbreg itself, and with a truncated one.
  EXPECT_EQ(make("917006"), "none");
  EXPECT_EQ(make("917006", "5606"), "none");
  EXPECT_EQ(make("917006", "030000000000000000"), "none");
  EXPECT_EQ(make("917006", "9100"), "none");
  EXPECT_EQ(make("917006", "77"), "none");
  // Only expressions that use the frame base need one. An offset that overflows
  // wraps.
  EXPECT_EQ(make("7310", "ff"), "7310");
  EXPECT_EQ(make("91ffffffffffffffffff00", "7701"), "778080808080808080807f");
}

TEST(CallTargetTest, Bounds) {
  // DW_OP_lit0 and 63 times DW_OP_not are 64 bytes.
  std::string Longest = "30";
  for (int I = 0; I != 63; ++I)
    Longest += "20";
  EXPECT_EQ(make(Longest), Longest);
  EXPECT_EQ(make(Longest + "20"), "none");
  // DW_OP_fbreg makes the expression longer.
  EXPECT_EQ(make("9100" + Longest.substr(4), "9c"), "none");
  // Missing operands, and a LEB128 of more than 64 bits.
  EXPECT_EQ(make("0e00"), "none");
  EXPECT_EQ(make("76"), "none");
  EXPECT_EQ(make("7680808080808080808080"
                 "00"),
            "none");
  // An empty stack, in the middle and at the end.
  EXPECT_EQ(make(""), "none");
  EXPECT_EQ(make("3022"), "none");
}

} // namespace
