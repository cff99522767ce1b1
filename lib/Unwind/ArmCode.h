//===- ArmCode.h - Frames from Arm instructions -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recognizes a few instructions of 32-bit Arm, in both of its encodings, by
/// their bytes. Exception tables are valid only at calls, so the code must show
/// whether they are valid where a thread was stopped.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWIND_ARMCODE_H
#define LIDIA_LIB_UNWIND_ARMCODE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace lidia {

/// Whether \p Code, which may begin within an instruction and has an unknown
/// encoding, ends with a system call.
bool endsWithArmSystemCall(llvm::ArrayRef<uint8_t> Code);

/// Whether \p Code, in Thumb or Arm encoding (\p IsThumb), ends with a call.
bool endsWithArmCall(llvm::ArrayRef<uint8_t> Code, bool IsThumb);

/// Whether an instruction of \p Code, which is the beginning of a function and
/// has an unknown encoding, pushes the link register.
bool pushesArmLinkRegister(llvm::ArrayRef<uint8_t> Code);

} // namespace lidia

#endif // LIDIA_LIB_UNWIND_ARMCODE_H
