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

/// Limits for what an archive becomes in another format. Ranges may share rows
/// and names, and demangled names are longer than mangled ones, so a small
/// crafted archive could expand to gigabytes.
///
/// ceph-osd has 0.02 rows for each byte of its archive, libpython 0.05 (see
/// docs/Performance.md).
class ExportLimits {
public:
  explicit ExportLimits(const Archive &A) : A(A) {}

  /// How many rows the result may have.
  uint64_t rows() const { return RowFloor + RowFactor * size(); }

  /// How many bytes the result may have of each kind of text.
  uint64_t text() const { return TextFloor + TextFactor * size(); }

  /// Fails unless the archive is sound and the rows of all its ranges are
  /// within the limit. The error names the archive.
  llvm::Error check() const;

  /// The error for more \p What than the limit.
  llvm::Error exceeded(llvm::StringRef What) const;

private:
  static constexpr uint64_t RowFactor = 1, RowFloor = 1'000'000;
  static constexpr uint64_t TextFactor = 32, TextFloor = uint64_t(16) << 20;

  uint64_t size() const { return A.buffer().getBufferSize(); }

  const Archive &A;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_EXPORTLIMITS_H
