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
#include "Range.h"
#include "lidia/Extract/Convert.h"
#include <string>

namespace lidia {

struct UnwindMachine;

/// Null if stacks of the machine of \p File cannot be unwound.
const UnwindMachine *unwindMachineOf(const Binary &File);

/// Reads the unwind rows of a binary and returns them as the section UNWD, or
/// an empty string if there are none. Sources, in order of precedence, are the
/// .pdata of a PE file; the code of an ELF file's signal trampolines;
/// .eh_frame; Go's table, which is searched for in the whole file if
/// \p MayBeGo; .debug_frame; and .ARM.exidx or, for a Mach-O file,
/// __unwind_info. The first of \p Files has the binary's code; each
/// section is read from the first file that has its bytes. Code outside \p Code
/// is left out. \p FunctionStarts are the known starts of functions, ascending.
///
/// If a section cannot be read, \p Warn receives the error, which names the
/// file, and the other sections are still used.
std::string readUnwindRows(llvm::ArrayRef<Binary *> Files, const CodeMap &Code,
                           llvm::ArrayRef<uint64_t> FunctionStarts,
                           bool MayBeGo, UnwindStatistics &Statistics,
                           llvm::function_ref<void(llvm::Error)> Warn);

/// The functions that the same sections describe, by address, without reading
/// their rows. Broken parts are left out; readUnwindRows() reports them.
std::vector<FunctionExtent> readFunctionExtents(llvm::ArrayRef<Binary *> Files,
                                                const CodeMap &Code);

/// The first of \p Extents, which readFunctionExtents() returned, that begins
/// after \p Address.
const FunctionExtent *firstExtentAfter(llvm::ArrayRef<FunctionExtent> Extents,
                                       uint64_t Address);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_UNWINDROWS_H
