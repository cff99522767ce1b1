//===- CodeSegments.h - Code with one chain of frames -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXCHANGE_CODESEGMENTS_H
#define LIDIA_LIB_EXCHANGE_CODESEGMENTS_H

#include "lidia/Archive/Archive.h"

namespace lidia {

/// A range of code in which each address has the same frames.
struct CodeSegment {
  uint64_t Start = 0;
  uint64_t End = 0;
  /// The frames that Archive::lookup returns; never empty.
  llvm::ArrayRef<Frame> Frames;
};

/// Calls \p Visit with all code of \p A, which must be valid (see verify), by
/// address. Segments do not overlap and are not empty. Adjacent segments may
/// have equal frames.
void visitCodeSegments(const Archive &A,
                       llvm::function_ref<void(const CodeSegment &)> Visit);

} // namespace lidia

#endif // LIDIA_LIB_EXCHANGE_CODESEGMENTS_H
