//===- Arm64UnwindCodes.h - Windows' unwind codes for ARM64 -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_ARM64UNWINDCODES_H
#define LIDIA_LIB_UNWINDINFO_ARM64UNWINDCODES_H

#include "lidia/Archive/UnwindTable.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <vector>

namespace lidia::unwindinfo {

/// The action by which an unwinder undoes an instruction of four bytes.
struct Arm64Step {
  enum class Kind : uint8_t {
    /// Restores Saved, and moves the stack pointer by Move.
    Plain,
    /// Sets the stack pointer to the frame pointer plus Move.
    SetFrame,
    /// Restores the registers after those that the next step restores.
    SaveNext,
    /// The return address is signed.
    Sign,
    /// Windows has stored a return address and a stack pointer here.
    MachineFrame,
    /// Windows has stored all registers here.
    Context,
  };
  Kind Type = Kind::Plain;
  /// Saved registers, by DWARF number, and their offsets from the stack
  /// pointer.
  llvm::SmallVector<std::pair<uint32_t, int64_t>, 2> Saved;
  int64_t Move = 0;
};

/// The steps from some point of a function to its caller.
struct Arm64Steps {
  /// Ordered from the last instruction of a prologue, or from the first of an
  /// epilogue.
  std::vector<Arm64Step> Steps;
  /// The number of steps with instructions in this function. The instructions
  /// of the others are in the function of which this one is a fragment.
  size_t OwnSteps = 0;

  /// Reads the codes in \p Bytes up to the end code. None if a code is
  /// reserved, truncated, or for SVE.
  static std::optional<Arm64Steps> read(llvm::StringRef Bytes);
  /// Reads the "packed unwind data" of an entry of .pdata. None if it is
  /// invalid.
  static std::optional<Arm64Steps> fromPacked(uint32_t Packed);

  /// The rules where the first \p Skipped steps are already undone. None if
  /// rules cannot express the steps.
  std::optional<UnwindRules> rules(size_t Skipped) const;
};

} // namespace lidia::unwindinfo

#endif // LIDIA_LIB_UNWINDINFO_ARM64UNWINDCODES_H
