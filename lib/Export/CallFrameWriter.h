//===- CallFrameWriter.h - Unwind rows as .debug_frame ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_CALLFRAMEWRITER_H
#define LIDIA_LIB_EXPORT_CALLFRAMEWRITER_H

#include "SectionWriter.h"
#include "lidia/Archive/Archive.h"

namespace lidia {

/// Returns the unwind rows of \p A as .debug_frame (DWARF 5, section 6.4): an
/// entry for each function, and for each run of rows outside functions. Returns
/// an empty section if there are no rows, if they are damaged, or if the
/// section would exceed \p Max bytes.
SectionWriter writeCallFrames(const Archive &A, const Target &T, uint64_t Max);

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_CALLFRAMEWRITER_H
