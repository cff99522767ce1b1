//===- TextLimit.h - Limits the text printed for a file ---------*- C++ -*-===//
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

// Ranges may share rows, rows may share paths, frames may share names, and a
// name may become thousands of times longer when it is demangled: a small
// crafted file could expand to gigabytes of text. So text is limited in
// proportion to the file; beyond the limit, output is truncated, with an error.

/// Added to each limit, so that the text of small files stays far below it.
constexpr uint64_t TextFloor = uint64_t(16) << 20;

/// The maximum size of the text of a whole file of \p Size bytes. The dump of
/// ceph-osd's archive is six times the archive's size.
constexpr uint64_t maxTextOfFile(uint64_t Size) {
  return 100 * Size + TextFloor;
}

/// The maximum size of the names and paths in one answer from an archive of
/// \p Size bytes. A chain of a hundred frames with names and paths of a
/// thousand bytes has 0.2 MB.
constexpr uint64_t maxTextOfAnswer(uint64_t Size) { return Size + TextFloor; }

/// The error for truncated text. \p What names the file and the text.
inline llvm::Error textLimitError(const llvm::Twine &What) {
  return llvm::createStringError(
      What + " exceeds the limit for a file of its size; the rest is left "
             "out");
}

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_TEXTLIMIT_H
