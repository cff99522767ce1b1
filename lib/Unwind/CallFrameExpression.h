//===- CallFrameExpression.h - Expressions of unwind rules ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWIND_CALLFRAMEEXPRESSION_H
#define LIDIA_LIB_UNWIND_CALLFRAMEEXPRESSION_H

#include "lidia/Unwind/Unwinder.h"

namespace lidia {

/// Reads a word of the machine's size; none if it cannot be read.
using ReadWord = llvm::function_ref<std::optional<uint64_t>(uint64_t Address)>;

/// The value of \p Expression (DWARF 5, section 2.5, restricted by section
/// 6.4.2) with \p First, if known, initially on the stack. None if it needs an
/// unknown value, is malformed, or takes more than \p OperationsLeft
/// operations. Subtracts the operations from \p OperationsLeft.
std::optional<uint64_t> evaluateCallFrameExpression(
    llvm::ArrayRef<uint8_t> Expression, std::optional<uint64_t> First,
    const UnwindMachine &Machine, const RegisterSet &Registers,
    unsigned &OperationsLeft, ReadWord Read);

} // namespace lidia

#endif // LIDIA_LIB_UNWIND_CALLFRAMEEXPRESSION_H
