//===- CallInstructions.h - Frames from instructions ------------*- C++ -*-===//
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
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace lidia {

/// The location of the return address of a stack's innermost function.
enum class ReturnPlace : uint8_t {
  /// The instructions do not say.
  Unknown,
  /// Where the call stored it: on the top of the stack, or in the link
  /// register.
  AsCalled,
  /// Next to the caller's frame pointer, which was pushed onto the top of the
  /// stack.
  BelowFP,
};

/// The number of bytes that are examined before an address, and from it on.
constexpr size_t BytesBefore = 8, BytesAfter = 8;

/// The location of the return address, from the instructions around the program
/// counter of a function that keeps a frame pointer as compilers do. \p Before
/// are the bytes before the program counter, \p From those from there on.
/// Supports x86-64 and AArch64.
ReturnPlace returnPlaceAt(const UnwindMachine &Machine,
                          llvm::ArrayRef<uint8_t> Before,
                          llvm::ArrayRef<uint8_t> From);

/// The number of bytes from an address on in which an epilogue is looked for.
constexpr size_t BytesOfEpilogue = 64;

/// What the end of a function does: where it loads registers from and where the
/// return address is, as offsets from the stack pointer or, with FromFP, from
/// the frame pointer.
struct Epilogue {
  bool FromFP = false;
  /// DWARF's number of a register, and where it is loaded from.
  llvm::SmallVector<std::pair<unsigned, int64_t>, 8> Loads;
  /// None if the return address is in the link register.
  std::optional<int64_t> ReturnAddress;
  /// The caller's stack pointer.
  int64_t CallersSP = 0;
};

/// The epilogue that \p Code, from the program counter on, leads to without a
/// call or a branch; none if there is another instruction before the return
/// than those that compilers put there. Supports x86 and AArch64.
std::optional<Epilogue> readEpilogue(const UnwindMachine &Machine,
                                     llvm::ArrayRef<uint8_t> Code);

/// Whether \p Before, the bytes before an address, may end with a call.
/// Supports x86 and AArch64.
bool endsWithCall(const UnwindMachine &Machine, llvm::ArrayRef<uint8_t> Before);

/// The target of the call before \p ReturnAddress, if the instruction contains
/// it. \p Before are the bytes before the return address.
std::optional<uint64_t> directCallTarget(const UnwindMachine &Machine,
                                         uint64_t ReturnAddress,
                                         llvm::ArrayRef<uint8_t> Before);

} // namespace lidia

#endif // LIDIA_LIB_UNWIND_CALLINSTRUCTIONS_H
