//===- Verify.h - Whether an archive makes sense ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_VERIFY_H
#define LIDIA_ARCHIVE_VERIFY_H

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace lidia {

/// One kind of issue that verify() found in an archive.
struct Issue {
  /// A clause: "ranges that overlap another of their depth".
  llvm::StringRef What;
  /// How often.
  uint64_t Count = 0;
  /// The first few instances, each in a few words: "range 7 at 0x1230".
  std::vector<std::string> First;
};

/// Checks that the contents of \p A make sense: ranges sorted, nested and not
/// empty, every string and row where a range says it is, rows ascending within
/// their range, and the extension's sections consistent with the ranges. Calls
/// \p Report once for each kind of issue, in the order in which the kinds
/// were met.
///
/// Reads the whole archive once, in file order for each table. Says nothing of
/// checksums: see Archive::verifyChecksums.
///
/// \returns success for an archive without issues, otherwise an error that
/// names the file and says how much was found.
llvm::Error verify(const Archive &A,
                   llvm::function_ref<void(const Issue &)> Report);

/// The same for one who only wants to know whether \p A can be used: the error
/// also describes the first issue.
llvm::Error verify(const Archive &A);

} // namespace lidia

#endif // LIDIA_ARCHIVE_VERIFY_H
