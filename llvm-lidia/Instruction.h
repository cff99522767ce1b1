//===- Instruction.h - Disassembles apart -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_INSTRUCTION_H
#define LLVM_LIDIA_INSTRUCTION_H

#include "lidia/Unwind/Registers.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace lidia {

/// Runs the helper lidia-find-calls for the instruction of \p Machine at \p
/// Address, which begins \p Code. Empty if the helper is not installed, and for
/// what it cannot read; otherwise \p Size is the instruction's size.
std::string disassembleApart(const UnwindMachine &Machine, uint64_t Address,
                             llvm::ArrayRef<uint8_t> Code, size_t &Size);

} // namespace lidia

#endif // LLVM_LIDIA_INSTRUCTION_H
