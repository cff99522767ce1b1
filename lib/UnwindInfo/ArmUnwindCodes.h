//===- ArmUnwindCodes.h - Arm's unwind instructions -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_ARMUNWINDCODES_H
#define LIDIA_LIB_UNWINDINFO_ARMUNWINDCODES_H

#include "lidia/Archive/UnwindTable.h"
#include "llvm/ADT/StringRef.h"

namespace lidia::unwindinfo {

/// DWARF register numbers.
inline constexpr uint32_t ArmStackPointer = 13;
inline constexpr uint32_t ArmLinkRegister = 14;

/// Sets the CFA, the registers and the return address of \p Rules to the effect
/// of the instructions \p Codes ("Exception Handling ABI for the Arm
/// Architecture", IHI0038, section 10.3). Returns false if an instruction is
/// reserved or truncated, if the instructions say that the function cannot be
/// unwound, or if rules cannot express them, for example if they set the stack
/// pointer to the saved value of a register and continue.
bool runArmUnwindCodes(llvm::StringRef Codes, UnwindRules &Rules);

} // namespace lidia::unwindinfo

#endif // LIDIA_LIB_UNWINDINFO_ARMUNWINDCODES_H
