//===- MicrosoftNameCost.cpp - The cost of demangling Microsoft's names ---===//
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

/// A digit may refer to a name or a type before it, which is written again: so
/// each at most doubles what the demangler has written up to there, and any
/// other character adds a few words. Digits may mean other things, and what
/// they refer to is usually short, so this refuses some names that it need not:
/// those of functions with many templates.
bool isMicrosoftNameWithin(StringRef Mangled, uint64_t Limit) {
  // "`vector deleting destructor'", and what is around it.
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
