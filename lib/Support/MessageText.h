//===- MessageText.h - Parts of messages ------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_MESSAGETEXT_H
#define LIDIA_LIB_SUPPORT_MESSAGETEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lidia {

/// Removes \p Path from the beginning of \p Message, the text of an error,
/// because answers name the module separately.
inline std::string withoutPath(std::string Message, llvm::StringRef Path) {
  llvm::StringRef Rest = Message;
  if (Rest.consume_front(Path))
    Rest.consume_front(": ") || Rest.consume_front(" ");
  return Rest.str();
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_MESSAGETEXT_H
