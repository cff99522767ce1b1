//===- MicrosoftNameCost.cpp - The cost of demangling a Microsoft name ----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameCost.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

/// The number of characters at the front of \p Rest that are an identifier
/// whose digits are no references; zero if there may be some. \p Before is what
/// comes before \p Rest. Most identifiers cannot be told from codes: even a
/// lower-case letter may be a calling convention, of which LLVM's demangler
/// accepts any letter. But these cannot begin where it expects one:
///
///  - `?A0x43583946@`, the name of an anonymous namespace. After a '?', the A
///  is
///    an operator, and the 0 a reference.
///  - `V<lambda_1>@`, `U<...>@` and `?R<...>@`, names that compilers make.
///  After
///    V or U as the class of a function come qualifiers.
static size_t identifierSize(StringRef Before, StringRef Rest) {
  if (!Rest.starts_with("<") && !Rest.starts_with("?A0x"))
    return 0;
  size_t Size = Rest.find('@');
  StringRef Name = Rest.take_front(Size);
  if (Size == StringRef::npos)
    return 0;
  if (Name.starts_with("<") &&
      (Before.ends_with("V") || Before.ends_with("U") ||
       Before.ends_with("?R")))
    return Size;
  if (Name.consume_front("?A0x") && !Before.ends_with("?") &&
      all_of(Name, isHexDigit))
    return Size;
  return 0;
}

/// Whether the digit at the front of \p Rest is in the code of an enumeration,
/// and not in "_W" (wchar_t) or "?W" (an operator) with a reference.
static bool isOfEnumeration(StringRef Before, StringRef Rest) {
  return Rest.starts_with("4") && Before.consume_back("W") &&
         !Before.ends_with("_") && !Before.ends_with("?");
}

/// A digit may refer to a previous name or type, which is printed again. So
/// each digit at most doubles the output so far, and any other character adds a
/// few words. Constructors, destructors and conversion operators (?0, ?1, ?B)
/// have the name or type that comes after them twice; one of them doubles the
/// limit at most. Digits may have other meanings, and usually refer to short
/// texts, so this also refuses some harmless names, of functions with many
/// templates.
bool isMicrosoftNameWithin(StringRef Mangled, uint64_t Limit) {
  // "unsigned short, " is the longest text of one letter;
  // "`anonymous namespace'" is that of three.
  constexpr uint64_t MaxOfOne = 24;
  uint64_t Size = 0;
  bool IsTwiceSeen = false;
  for (size_t I = 0; I != Mangled.size(); ++I) {
    StringRef Before = Mangled.take_front(I), Rest = Mangled.drop_front(I);
    if (size_t Count = identifierSize(Before, Rest)) {
      Size += Count * MaxOfOne;
      I += Count - 1;
    } else {
      Size += MaxOfOne;
      if (isDigit(Rest[0]) && !isOfEnumeration(Before, Rest))
        Size *= 2;
    }
    if (Before.ends_with("?") && StringRef("01B").contains(Rest[0])) {
      // What comes later is doubled, too.
      Limit /= IsTwiceSeen ? 2 : 1;
      IsTwiceSeen = true;
    }
    if (Size > Limit)
      return false;
  }
  return true;
}

} // namespace lidia
