//===- TemporaryMappingTest.cpp - Bytes that are read while written -------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Object/TemporaryMapping.h"
#include "llvm/Support/Error.h"
#include "gtest/gtest.h"
#include <random>

using namespace lidia;
using namespace llvm;

/// Differs between the pages of a mapping, of each size.
static uint8_t byteAt(uint64_t Offset) {
  return uint8_t((Offset >> 21) * 5 + (Offset >> 12) + Offset);
}

/// Bytes that were not forgotten keep their values when the memory of others is
/// used again, and new bytes get theirs.
TEST(TemporaryMappingTest, KeepsWhatIsNotForgotten) {
  constexpr uint64_t Total = 40 << 20, MaxKept = 9 << 20;
  for (unsigned Seed = 0; Seed != 3; ++Seed) {
    std::mt19937_64 Random(Seed);
    auto Mapping = TemporaryMapping::createInMemory(Total);
    ASSERT_TRUE(Mapping);
    uint64_t Forgotten = 0;
    while (Mapping->size() != Total) {
      uint64_t Start = Mapping->size();
      MutableArrayRef<uint8_t> Room = Mapping->room();
      ASSERT_FALSE(Room.empty());
      Room = Room.take_front(
          std::min<uint64_t>(Random() % (2 << 20) + 1, Total - Start));
      for (size_t I = 0; I != Room.size(); ++I)
        Room[I] = byteAt(Start + I);
      ASSERT_FALSE(errorToBool(Mapping->append(Room.size())));
      uint64_t End = Mapping->size();
      Forgotten = std::max(Forgotten, End - std::min(End, Random() % MaxKept));
      Mapping->forget(Forgotten);
      StringRef Bytes = Mapping->contents();
      ASSERT_EQ(Bytes.size(), End);
      uint64_t Wrong = 0;
      for (uint64_t I = Forgotten; I != End; ++I)
        Wrong += uint8_t(Bytes[I]) != byteAt(I);
      ASSERT_EQ(Wrong, 0u) << "seed " << Seed << ", " << End << " bytes";
    }
    // All reserved memory is used, but there is room for one byte.
    EXPECT_FALSE(Mapping->room().empty());
  }
}
