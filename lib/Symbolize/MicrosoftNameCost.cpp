//===- MicrosoftNameCost.cpp - The cost of demangling a Microsoft name ----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameCost.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

/// A digit may refer to a previous name or type, which is printed again. So
/// each digit at most doubles the output so far, and any other character adds a
/// few words. Digits may have other meanings, and usually refer to short texts,
/// so this also refuses some harmless names, of functions with many templates.
bool isMicrosoftNameWithin(StringRef Mangled, uint64_t Limit) {
  // "`vector deleting destructor'", and the text around it.
  constexpr uint64_t MostOfOne = 64;
  uint64_t Size = 0;
  for (char C : Mangled) {
    Size += MostOfOne;
    if (isDigit(C))
      Size *= 2;
    if (Size > Limit)
      return false;
  }
  return true;
}

} // namespace lidia
