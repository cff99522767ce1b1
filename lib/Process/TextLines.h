//===- TextLines.h - Reading the kernel's texts by line ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROCESS_TEXTLINES_H
#define LIDIA_LIB_PROCESS_TEXTLINES_H

#include "lidia/Process/Mappings.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace lidia {

/// Calls \p Visit with each line of \p Text, without its end, and its number,
/// counted from 1.
inline void
forEachLine(llvm::StringRef Text,
            llvm::function_ref<void(llvm::StringRef, size_t)> Visit) {
  for (size_t Number = 1; !Text.empty(); ++Number) {
    auto [Line, Rest] = Text.split('\n');
    Visit(Line.rtrim('\r'), Number);
    Text = Rest;
  }
}

/// Counts malformed lines, for one warning about all of them.
class MalformedLines {
public:
  void add(size_t Number) {
    if (Count++ == 0)
      First = Number;
  }
  void report(llvm::StringRef Name, WarningFunction Warn) const {
    if (Count == 0)
      return;
    Warn(Name + ": line " + llvm::Twine(First) + " is malformed and left out" +
         (Count == 1 ? "" : ", and " + llvm::Twine(Count - 1) + " others"));
  }

private:
  size_t First = 0;
  size_t Count = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_TEXTLINES_H
