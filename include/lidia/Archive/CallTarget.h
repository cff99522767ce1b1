//===- CallTarget.h - Where a call by a pointer finds it --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The target of a call by a pointer: a DWARF expression (DWARF 5, section
/// 2.5) whose value, in the frame of the caller, is the callee's address. An
/// archive has it as lower-case hexadecimal digits, so that it is text in all
/// forms of the strings table.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_CALLTARGET_H
#define LIDIA_ARCHIVE_CALLTARGET_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lidia {

/// The longest expression that archives keep, in bytes.
inline constexpr size_t MaxCallTargetSize = 64;

/// Returns the target in \p Expression, the bytes of DW_AT_call_target, as
/// digits. The result refers to nothing else in DWARF: DW_OP_fbreg is replaced
/// by means of \p FrameBase, the bytes of the caller's DW_AT_frame_base. None
/// if the expression cannot do without other parts of DWARF, or uses operations
/// that archives do not keep.
std::optional<std::string> makeCallTarget(llvm::StringRef Expression,
                                          llvm::StringRef FrameBase);

/// Returns the bytes of the target with \p Digits. None if makeCallTarget()
/// does not return such digits, so that a debugger can evaluate the bytes
/// safely: it has no branches, and each operation finds its operands.
std::optional<std::string> callTargetBytes(llvm::StringRef Digits);

} // namespace lidia

#endif // LIDIA_ARCHIVE_CALLTARGET_H
