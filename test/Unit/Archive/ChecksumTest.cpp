//===- ChecksumTest.cpp - CRC-32C against known values --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Checksum.h"
#include <gtest/gtest.h>
#include <random>
#include <string>

using namespace lidia;

/// From RFC 3720, B.4, and the usual check value in CRC catalogues.
TEST(Checksum, KnownValues) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string Up, Down;
  for (char C = 0; C < 32; ++C) {
    Up += C;
    Down += char(31 - C);
  }
  EXPECT_EQ(crc32c(Up), 0x46dd794eu);
  EXPECT_EQ(crc32c(Down), 0x113fdb5cu);
  EXPECT_EQ(crc32cSoftware("123456789"), 0xe3069283u);
}

TEST(Checksum, HardwareAndSoftwareAgreeAtEachLengthAndAlignment) {
  std::mt19937 Random(1);
  std::string Bytes(300, '\0');
  for (char &C : Bytes)
    C = char(Random());
  for (size_t Start = 0; Start < 9; ++Start)
    for (size_t Length = 0; Start + Length <= Bytes.size(); ++Length) {
      llvm::StringRef Part(Bytes.data() + Start, Length);
      ASSERT_EQ(crc32c(Part), crc32cSoftware(Part)) << Start << " " << Length;
    }
}

TEST(Checksum, GoesOnWhereItStopped) {
  llvm::StringRef Text = "the quick brown fox jumps over the lazy dog";
  for (size_t I = 0; I <= Text.size(); ++I) {
    EXPECT_EQ(crc32c(Text.substr(I), crc32c(Text.take_front(I))), crc32c(Text));
    EXPECT_EQ(crc32cSoftware(Text.substr(I), crc32c(Text.take_front(I))),
              crc32c(Text));
  }
}
