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
/// each of these digits at most doubles the output so far, and any other
/// character adds a few words. Digits may have other meanings, and usually
/// refer to short texts, so this also refuses some harmless names, of functions
/// with many templates.
///
/// Codes have no lower-case letters, so that from such a letter to the next '@'
/// digits belong to an identifier, as in the names of anonymous namespaces
/// (`?A0x43583946@`). The code of an enumeration is W4.
bool isMicrosoftNameWithin(StringRef Mangled, uint64_t Limit) {
  // "unsigned short, " is the longest text of one letter;
  // "`anonymous namespace'" is that of three.
  constexpr uint64_t MostOfOne = 24;
  uint64_t Size = 0;
  bool IsInIdentifier = false;
  char Last = 0;
  for (char C : Mangled) {
    Size += MostOfOne;
    if (C == '@')
      IsInIdentifier = false;
    else if (isLower(C))
      IsInIdentifier = true;
    else if (isDigit(C) && !IsInIdentifier && !(Last == 'W' && C == '4'))
      Size *= 2;
    Last = C;
    if (Size > Limit)
      return false;
  }
  return true;
}

} // namespace lidia
