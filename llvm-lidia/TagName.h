//===- TagName.h - Names of extension sections ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_TAGNAME_H
#define LLVM_LIDIA_TAGNAME_H

#include "llvm/ADT/StringExtras.h"
#include <string>

namespace lidia {

/// The four letters of an extension section's tag. An archive from elsewhere
/// can have anything there: what cannot be printed becomes '?'.
inline std::string tagName(uint32_t Tag) {
  std::string Name;
  for (unsigned Shift = 0; Shift != 32; Shift += 8) {
    char C = char(Tag >> Shift & 0xff);
    Name += llvm::isPrint(C) ? C : '?';
  }
  return Name;
}

} // namespace lidia

#endif // LLVM_LIDIA_TAGNAME_H
