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

/// What an unwinder does for an instruction of four bytes.
struct Arm64Step {
  enum class Kind : uint8_t {
    /// Takes Saved, and moves the stack pointer.
    Plain,
    /// The stack pointer is the frame pointer plus Move.
    SetFrame,
    /// Takes the registers after those that the next step takes.
    SaveNext,
    /// The return address is signed.
    Sign,
    /// Windows has put an address and a stack pointer there.
    MachineFrame,
    /// Windows has put all registers there.
    Context,
  };
  Kind What = Kind::Plain;
  /// Registers by DWARF's numbers, and where they are, from the stack pointer.
  llvm::SmallVector<std::pair<uint32_t, int64_t>, 2> Saved;
  int64_t Move = 0;
};

/// The steps from some point of a function on to its caller.
struct Arm64Steps {
  /// The last instruction of a prologue, or the first of an epilogue, first.
  std::vector<Arm64Step> Steps;
  /// How many of them have instructions in this function; the others have them
  /// in the one that it is a fragment of.
  size_t OwnSteps = 0;

  /// Reads the codes \p Bytes up to their end. None if a code is reserved,
  /// truncated, or of SVE.
  static std::optional<Arm64Steps> read(llvm::StringRef Bytes);
  /// Of an entry of .pdata with "packed unwind data". None if it makes no
  /// sense.
  static std::optional<Arm64Steps> fromPacked(uint32_t Packed);

  /// The rules where the first \p Skipped steps are undone. None if rules
  /// cannot say what the steps do.
  std::optional<UnwindRules> rules(size_t Skipped) const;
};

} // namespace lidia::unwindinfo

#endif // LIDIA_LIB_UNWINDINFO_ARM64UNWINDCODES_H
