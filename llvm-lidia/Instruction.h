//===- Instruction.h - Disassembles apart -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_INSTRUCTION_H
#define LLVM_LIDIA_INSTRUCTION_H

#include "lidia/Symbolize/CodeLine.h"
#include "lidia/Unwind/Registers.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace lidia {

/// Runs the helper lidia-find-calls for the first \p Max instructions of \p
/// Machine in \p Code, which begins at \p Address. Ends at what the helper
/// cannot read; empty if it is not installed.
std::vector<CodeLine> disassembleApart(const UnwindMachine &Machine,
                                       uint64_t Address,
                                       llvm::ArrayRef<uint8_t> Code,
                                       size_t Max = SIZE_MAX);

} // namespace lidia

#endif // LLVM_LIDIA_INSTRUCTION_H
