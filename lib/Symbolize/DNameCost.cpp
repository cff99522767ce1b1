//===- DNameCost.cpp - The cost of demangling a D name --------------------===//
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

/// The number of the back reference at the front of \p Text: base 26, with the
/// last digit in lower case.
static uint64_t distance(StringRef Text) {
  uint64_t Value = 0;
  for (char C : Text) {
    if (!isAlpha(C))
      break;
    Value =
        std::min<uint64_t>(Value * 26 + unsigned(toUpper(C) - 'A'), UINT32_MAX);
    if (isLower(C) || Value == UINT32_MAX)
      return Value;
  }
  return UINT32_MAX; // none
}

// LLVM's demangler follows references to identifiers (`Q` and the distance back
// to the identifier's size) and to basic types, neither of which contain
// further references. So each reference adds no more than the identifier that
// it points to. Every `Q` is treated as a reference; in names with templates
// some are not, but few of those point to digits.
bool isDNameWithin(StringRef Mangled, uint64_t Limit) {
  uint64_t Size = Mangled.size(), References = 0;
  for (size_t At = 0; (At = Mangled.find('Q', At)) != StringRef::npos; ++At) {
    uint64_t Distance = distance(Mangled.drop_front(At + 1));
    uint64_t Referred;
    if (Distance > At)
      continue;
    if (Mangled.substr(At - Distance).consumeInteger(10, Referred))
      continue;
    Size += std::min<uint64_t>(Referred, Mangled.size());
    ++References;
  }
  // Some identifiers insert a word before all of the text, which is then moved.
  return Size + References * Size / 64 <= Limit;
}

} // namespace lidia
