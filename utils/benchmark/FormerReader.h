//===- FormerReader.h - The former lookup, for comparison -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UTILS_BENCHMARK_FORMERREADER_H
#define LIDIA_UTILS_BENCHMARK_FORMERREADER_H

#include "lidia/Archive/Archive.h"

namespace lidia {

/// Looks up addresses with the algorithm of Archive::lookup() until November
/// 2026, which reads the ranges of a chain in sequence. The benchmarks compare
/// its times and answers. It supports mapped archives with the sections PRNT
/// and VAIX.
class FormerReader {
public:
  /// \p A must outlive this object. The error says what \p A lacks.
  static llvm::Expected<FormerReader> create(const Archive &A);

  /// The same as Archive::lookup().
  void lookup(uint64_t Address, llvm::SmallVectorImpl<Frame> &Frames) const;

private:
  template <typename VAType, typename FieldType> friend class FormerLookup;

  FormerReader() = default;

  uint64_t RangeCount = 0;
  uint64_t RowCount = 0;
  unsigned VASize = 4;
  unsigned FieldSize = 4;
  const char *VAs = nullptr;
  const char *Ranges = nullptr;
  FieldView Lines;
  FieldView Parents;
  FieldView ForeignRows;
  FieldView RowColumns;
  FieldView CallColumns;
  FieldView Pages;
  uint64_t PageBase = 0;
  unsigned PageShift = 0;
};

} // namespace lidia

#endif // LIDIA_UTILS_BENCHMARK_FORMERREADER_H
