//===- ArmCode.h - What Arm's code says of a frame --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Few instructions of 32-bit Arm, in both of its encodings, told by their
/// bytes. Tables for exceptions hold at calls only, so the code has to say
/// whether they hold where a thread was stopped.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWIND_ARMCODE_H
#define LIDIA_LIB_UNWIND_ARMCODE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace lidia {

/// Whether \p Code, which may begin within an instruction, and whose encoding
/// is not known, ends with a system call.
bool endsWithArmSystemCall(llvm::ArrayRef<uint8_t> Code);

/// Whether \p Code, of the encoding that \p IsThumb says, ends with a call.
bool endsWithArmCall(llvm::ArrayRef<uint8_t> Code, bool IsThumb);

/// Whether an instruction of \p Code, which begins with a function and whose
/// encoding is not known, pushes the link register.
bool pushesArmLinkRegister(llvm::ArrayRef<uint8_t> Code);

} // namespace lidia

#endif // LIDIA_LIB_UNWIND_ARMCODE_H
