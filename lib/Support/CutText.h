//===- CutText.h - The beginning of a text ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_CUTTEXT_H
#define LIDIA_LIB_SUPPORT_CUTTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace lidia {

/// \p Text, or its first \p Max bytes without an incomplete character of UTF-8,
/// and "...".
inline std::string cutText(llvm::StringRef Text, size_t Max) {
  if (Text.size() <= Max)
    return Text.str();
  while (Max != 0 && (uint8_t(Text[Max]) & 0xc0) == 0x80)
    --Max;
  return (Text.take_front(Max) + "...").str();
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_CUTTEXT_H
