//===- PairInputMutator.cpp - Mutates inputs with two ELF files -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Mutates one of the two files in PairFuzzer.cpp's inputs, and updates the
/// size of the first one.
///
//===----------------------------------------------------------------------===//

#include "ELFMutator.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <vector>

using namespace llvm::support;

extern "C" size_t LLVMFuzzerMutate(uint8_t *Data, size_t Size, size_t MaxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *Data, size_t Size,
                                          size_t MaxSize, unsigned Seed) {
  if (Size < 4 || Size > MaxSize)
    return LLVMFuzzerMutate(Data, Size, MaxSize);
  size_t Files = Size - 4;
  size_t OtherSize = std::min<size_t>(endian::read32le(Data + Files), Files);
  std::vector<uint8_t> Other(Data, Data + OtherSize);
  std::vector<uint8_t> Main(Data + OtherSize, Data + Files);
  std::vector<uint8_t> &Chosen = Seed & 1 ? Main : Other;
  size_t ChosenSize = Chosen.size();
  Chosen.resize(ChosenSize + (MaxSize - Size));
  Chosen.resize(
      lidia::mutateELF(Chosen.data(), ChosenSize, Chosen.size(), Seed >> 1));
  uint8_t *End = std::copy(Other.begin(), Other.end(), Data);
  End = std::copy(Main.begin(), Main.end(), End);
  endian::write32le(End, uint32_t(Other.size()));
  return size_t(End - Data) + 4;
}
