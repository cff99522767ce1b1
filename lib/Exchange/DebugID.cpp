//===- DebugID.cpp - Identifiers of modules in crash reports --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DebugID.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

std::array<uint8_t, 16> debugID(ArrayRef<uint8_t> BuildID,
                                bool IsLittleEndian) {
  std::array<uint8_t, 16> ID = {};
  BuildID = BuildID.take_front(ID.size());
  std::copy(BuildID.begin(), BuildID.end(), ID.begin());
  if (IsLittleEndian) {
    std::reverse(ID.begin(), ID.begin() + 4);
    std::reverse(ID.begin() + 4, ID.begin() + 6);
    std::reverse(ID.begin() + 6, ID.begin() + 8);
  }
  return ID;
}

} // namespace lidia
