//===- ExtractorSource.h - Ranges from a RangeExtractor ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_EXTRACTORSOURCE_H
#define LIDIA_LIB_EXTRACT_EXTRACTORSOURCE_H

#include "Object/CodeMap.h"
#include "Range.h"
#include "lidia/Extract/RangeExtractor.h"

namespace lidia {

struct ExtractorSourceOptions {
  /// Whether files, lines and columns are kept.
  bool Files = false;
  bool Lines = false;
  bool Columns = false;
  /// Added to each address that the extractor gives.
  uint64_t Bias = 0;
  /// The beginning of each warning: the name of a file or of the extractor.
  std::string Place;
};

/// Stores the functions of \p Extractor that are in \p Code in \p Result. Fails
/// as RangeExtractor::extract() does; \p Result then has the functions passed
/// before the error.
llvm::Error readExtractor(RangeExtractor &Extractor, const CodeMap &Code,
                          const ExtractorSourceOptions &Options,
                          StringPool &Strings, UnitRanges &Result);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_EXTRACTORSOURCE_H
