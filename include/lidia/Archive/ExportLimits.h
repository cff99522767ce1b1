//===- ExportLimits.h - How large an exported archive becomes - -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_EXPORTLIMITS_H
#define LIDIA_ARCHIVE_EXPORTLIMITS_H

#include "lidia/Archive/Archive.h"

namespace lidia {

/// Limits on the size of an archive's export to another format. Ranges may
/// share rows and names, and demangled names are longer than mangled ones, so a
/// small crafted archive could expand to gigabytes.
///
/// ceph-osd has 0.02 rows for each byte of its archive, libpython 0.05 (see
/// docs/Robustness.md).
class ExportLimits {
public:
  explicit ExportLimits(const Archive &TheA) : A(TheA) {}

  /// The maximum number of rows in the result.
  uint64_t rows() const { return RowFloor + RowFactor * size(); }

  /// The maximum size in bytes of each kind of text in the result.
  uint64_t text() const { return TextFloor + TextFactor * size(); }

  /// Fails unless the archive is consistent and its ranges have no more rows in
  /// all than the limit. The error names the archive.
  llvm::Error check() const;

  /// The error to return when there are more \p What than the limit.
  llvm::Error exceeded(llvm::StringRef What) const;

private:
  static constexpr uint64_t RowFactor = 1, RowFloor = 1'000'000;
  static constexpr uint64_t TextFactor = 32, TextFloor = uint64_t(16) << 20;

  uint64_t size() const { return A.buffer().getBufferSize(); }

  const Archive &A;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_EXPORTLIMITS_H
