//===- PercentEncoding.h - Characters as %XX --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_PERCENTENCODING_H
#define LIDIA_LIB_SUPPORT_PERCENTENCODING_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lidia {

/// Encodes \p Text as Amazon's signatures require: all characters except
/// letters, digits, "-._~" and \p AlsoPlain become %XX.
inline std::string
percentEncode(llvm::StringRef Text,
              llvm::StringRef AlsoPlain = llvm::StringRef()) {
  std::string Encoded;
  for (char C : Text) {
    if (llvm::isAlnum(C) || llvm::StringRef("-._~").contains(C) ||
        AlsoPlain.contains(C)) {
      Encoded += C;
      continue;
    }
    Encoded += '%';
    Encoded += llvm::hexdigit(uint8_t(C) >> 4);
    Encoded += llvm::hexdigit(uint8_t(C) & 15);
  }
  return Encoded;
}

/// \p Text without percent-encoding; none if that is malformed, or if there is
/// a NUL.
inline std::optional<std::string> percentDecode(llvm::StringRef Text) {
  std::string Decoded;
  Decoded.reserve(Text.size());
  for (size_t I = 0; I != Text.size(); ++I) {
    char C = Text[I];
    if (C == '%') {
      uint8_t Byte;
      if (Text.size() - I < 3 ||
          !llvm::tryGetHexFromNibbles(Text[I + 1], Text[I + 2], Byte))
        return std::nullopt;
      C = char(Byte);
      I += 2;
    }
    if (C == '\0')
      return std::nullopt;
    Decoded += C;
  }
  return Decoded;
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_PERCENTENCODING_H
