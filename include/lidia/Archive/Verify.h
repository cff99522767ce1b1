//===- Verify.h - Checks whether an archive is consistent -------*- C++ -*-===//
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
  llvm::StringRef Clause;
  /// Number of instances.
  uint64_t Count = 0;
  /// The first few instances, each as a short phrase: "range 7 at 0x1230".
  std::vector<std::string> First;
};

/// Checks that the contents of \p A are consistent: ranges sorted, nested and
/// not empty, every string and row that a range refers to present, rows
/// ascending within their range, and the extension's sections consistent with
/// the ranges. Calls \p Report once for each kind of issue, in the order in
/// which the kinds were found.
///
/// Reads the whole archive once, each table in file order. Does not check
/// checksums; see Archive::verifyChecksums.
///
/// \returns success for an archive without issues, otherwise an error that
/// names the file and gives the number of issues.
llvm::Error verify(const Archive &A,
                   llvm::function_ref<void(const Issue &)> Report);

/// Like the above, for callers that only need to know whether \p A can be used:
/// the error also describes the first issue.
llvm::Error verify(const Archive &A);

} // namespace lidia

#endif // LIDIA_ARCHIVE_VERIFY_H
