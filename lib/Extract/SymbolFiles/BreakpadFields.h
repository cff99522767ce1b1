//===- BreakpadFields.h - Words of a Breakpad record ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_BREAKPADFIELDS_H
#define LIDIA_LIB_EXTRACT_BREAKPADFIELDS_H

#include "llvm/ADT/StringRef.h"

namespace lidia {

/// Takes the next word from \p Fields, with the spaces around it; empty at the
/// end.
inline llvm::StringRef takeWord(llvm::StringRef &Fields) {
  Fields = Fields.ltrim(' ');
  llvm::StringRef Word = Fields.take_until([](char C) { return C == ' '; });
  Fields = Fields.drop_front(Word.size()).ltrim(' ');
  return Word;
}

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_BREAKPADFIELDS_H
