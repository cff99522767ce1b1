//===- UnwindRows.h - The unwind rows of a binary ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_UNWINDROWS_H
#define LIDIA_LIB_EXTRACT_UNWINDROWS_H

#include "Object/Binary.h"
#include "lidia/Extract/Convert.h"
#include <string>

namespace lidia {

/// Reads the rows of a binary, \p Files, of which the first has its code: from
/// the .pdata of a PE file; where that has none from .eh_frame; then from Go's
/// table, which is searched everywhere if \p MayBeGo; then from .debug_frame;
/// then from .ARM.exidx, or __unwind_info of a Mach-O file. Sections are read
/// from the first file that has their bytes. Code outside \p Code is left out.
/// Returns the section UNWD; empty if there are no rows. \p FunctionStarts are
/// where functions are known to begin, ascending.
///
/// An error, which names the file, costs one section: it is given to \p Warn.
std::string readUnwindRows(llvm::ArrayRef<Binary *> Files, const CodeMap &Code,
                           llvm::ArrayRef<uint64_t> FunctionStarts,
                           bool MayBeGo, UnwindStatistics &Figures,
                           llvm::function_ref<void(llvm::Error)> Warn);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_UNWINDROWS_H
