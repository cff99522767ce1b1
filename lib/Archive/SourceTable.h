//===- SourceTable.h - Source code of a new archive -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_SOURCETABLE_H
#define LIDIA_LIB_ARCHIVE_SOURCETABLE_H

#include "lidia/Archive/Archive.h"
#include <map>
#include <string>

namespace lidia {

/// Builds the section SRCE.
class SourceTable {
public:
  /// Keeps \p Text, compressed, for \p File, unless the file is known or the
  /// text is too large.
  void add(StringOffset File, llvm::StringRef Text);

  bool empty() const { return Texts.empty(); }
  std::string bytes() const;

private:
  struct PackedText {
    uint64_t Size;
    std::string Bytes;
  };
  std::map<StringOffset, PackedText> Texts;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_SOURCETABLE_H
