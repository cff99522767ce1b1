//===- CallTarget.h - Where a call by a pointer finds it --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The target of a call by a pointer: a DWARF expression (DWARF 5, section 2.5)
/// whose value, in the frame of the caller, is the callee's address. An archive
/// stores it as lower-case hexadecimal digits, so that it is valid text in
/// every form of the strings table.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_CALLTARGET_H
#define LIDIA_ARCHIVE_CALLTARGET_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lidia {

/// The maximum size of an expression that archives keep, in bytes.
inline constexpr size_t MaxCallTargetSize = 64;

/// Returns the call target \p Expression, the bytes of DW_AT_call_target, as
/// digits. The result does not depend on other parts of DWARF: DW_OP_fbreg is
/// expanded with \p FrameBase, the bytes of the caller's DW_AT_frame_base. None
/// if the expression needs other parts of DWARF, or uses operations that
/// archives do not keep.
std::optional<std::string> makeCallTarget(llvm::StringRef Expression,
                                          llvm::StringRef FrameBase);

/// Returns the bytes of the call target \p Digits. None unless makeCallTarget()
/// can return such digits. So a debugger can evaluate the bytes safely: they
/// have no branches, and each operation has its operands.
std::optional<std::string> callTargetBytes(llvm::StringRef Digits);

} // namespace lidia

#endif // LIDIA_ARCHIVE_CALLTARGET_H
