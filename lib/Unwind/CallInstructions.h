//===- CallInstructions.h - What instructions say of a frame ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWIND_CALLINSTRUCTIONS_H
#define LIDIA_LIB_UNWIND_CALLINSTRUCTIONS_H

#include "lidia/Unwind/Registers.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace lidia {

/// Where the innermost function of a stack has its return address.
enum class ReturnPlace : uint8_t {
  /// The instructions do not say.
  Unknown,
  /// Where the call has put it: on the top of the stack, or in the link
  /// register.
  AsCalled,
  /// Below the caller's frame pointer, which was pushed.
  BelowFP,
};

/// As many bytes before and from an address on are looked at.
constexpr size_t BytesBefore = 8, BytesAfter = 8;

/// What the instructions around a program counter say, of a function that keeps
/// a frame pointer where compilers do: \p Before are the bytes before it,
/// \p From those from there on. Known on x86-64 and AArch64.
ReturnPlace returnPlaceAt(const UnwindMachine &Machine,
                          llvm::ArrayRef<uint8_t> Before,
                          llvm::ArrayRef<uint8_t> From);

/// The address that the call before \p ReturnAddress calls, if it is in the
/// instruction; \p Before are the bytes before it.
std::optional<uint64_t> directCallTarget(const UnwindMachine &Machine,
                                         uint64_t ReturnAddress,
                                         llvm::ArrayRef<uint8_t> Before);

} // namespace lidia

#endif // LIDIA_LIB_UNWIND_CALLINSTRUCTIONS_H
