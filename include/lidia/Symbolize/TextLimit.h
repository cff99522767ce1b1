//===- TextLimit.h - How much text a file is worth --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_TEXTLIMIT_H
#define LIDIA_SYMBOLIZE_TEXTLIMIT_H

#include "llvm/Support/Error.h"
#include <cstdint>

namespace lidia {

// Ranges may share rows, rows paths, frames names, and a name may become
// thousands of times as long when it is demangled: a small file made on purpose
// could become gigabytes of text. So text has a limit in proportion to the
// file. What is printed then breaks off, with an error.

/// So that what is said of small files is never near the limit.
constexpr uint64_t TextFloor = uint64_t(16) << 20;

/// The most bytes that all of a file of \p Size bytes may be as text. What is
/// dumped of ceph-osd is six times its archive.
constexpr uint64_t mostTextOfFile(uint64_t Size) {
  return 100 * Size + TextFloor;
}

/// The most bytes of names and paths in one answer of an archive of \p Size
/// bytes. A chain of a hundred frames with names and paths of a thousand bytes
/// has 0.2 MB.
constexpr uint64_t mostTextOfAnswer(uint64_t Size) { return Size + TextFloor; }

/// The error of a text that was broken off. \p What names the file and the
/// text.
inline llvm::Error textLimitError(const llvm::Twine &What) {
  return llvm::createStringError(
      What + " exceeds what a file of its size can be worth; the rest is left "
             "out");
}

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_TEXTLIMIT_H
