//===- Query.h - One line of a symbolizer's input ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_QUERY_H
#define LIDIA_SYMBOLIZE_QUERY_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace lidia {

/// One line of input, parsed by llvm-symbolizer's rules for the case that the
/// module is given on the command line:
///
///     [CODE |DATA |FRAME ] (number | symbol[+number]) [ignored]
///
/// A number is decimal unless it begins with 0x, 0b, 0o or 0.
struct Query {
  enum class Kind { Code, Data, Frame };

  Kind What = Kind::Code;
  /// Empty for a plain address.
  llvm::StringRef Symbol;
  /// The address, or the offset from Symbol.
  uint64_t Offset = 0;

  /// Reads \p Line. Returns null, or a description of the error in the line.
  /// Symbol points into \p Line.
  const char *parse(llvm::StringRef Line);
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_QUERY_H
