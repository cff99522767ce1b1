//===- GoSource.h - Ranges from Go's tables ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_GOSOURCE_H
#define LIDIA_LIB_EXTRACT_GOSOURCE_H

#include "Object/Binary.h"
#include "Range.h"
#include <optional>

namespace lidia {

/// Which parts of Go's tables to read.
struct GoSourceOptions {
  /// Source files and lines; lines imply files.
  bool Files = false;
  bool Lines = false;
};

/// Reads the tables of a Go program's runtime: the names of its functions,
/// their lines and the calls inlined into them. They are in the program itself,
/// stripped or not, and agree with the compiler's debug information. None if
/// \p File is not a Go program; an error if it is one but none of its tables
/// can be read.
///
/// Code outside \p Code is left out. A function ends where its tables end; the
/// padding after it does not belong to it. Names point into \p File, which
/// must live as long as \p Strings.
llvm::Expected<std::optional<SourceRanges>>
readGo(const Binary &File, const CodeMap &Code, const GoSourceOptions &Options,
       StringPool &Strings);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_GOSOURCE_H
