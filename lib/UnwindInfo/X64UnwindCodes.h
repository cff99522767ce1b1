//===- X64UnwindCodes.h - Windows' unwind codes for x86-64 ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_X64UNWINDCODES_H
#define LIDIA_LIB_UNWINDINFO_X64UNWINDCODES_H

#include "UnwindInfo.h"
#include <optional>
#include <vector>

namespace lidia::unwindinfo {

/// DWARF register numbers.
inline constexpr uint32_t X64StackPointer = 7;
inline constexpr uint32_t X64ReturnAddress = 16;

/// The DWARF number of the general register that instructions encode as
/// \p Number, which is below 16.
uint32_t x64Register(unsigned Number);

/// Adds rules to \p Rules for the registers that functions preserve on Windows
/// but not on other systems.
void addPreservedByWindows(UnwindRules &Rules);

/// The codes of an UNWIND_INFO and of those to which it is chained.
class X64UnwindCodes {
public:
  /// The flag of an UNWIND_INFO that another one continues
  /// (UNW_FLAG_CHAININFO).
  static constexpr uint8_t Chained = 4;

  /// Returns the loaded bytes at an offset from the image base.
  using Image = llvm::function_ref<llvm::StringRef(uint32_t Offset)>;

  /// Reads the UNWIND_INFO at \p Offset. None if it is malformed or has an
  /// unknown version.
  static std::optional<X64UnwindCodes> read(uint32_t Offset, Image Bytes);

  /// The offsets in the function at which the rules change, ascending,
  /// beginning with 0.
  std::vector<unsigned> offsets() const;

  /// The rules at \p Offset in the function; for all offsets after the
  /// prologue, those at its end. None if rules cannot express the codes.
  std::optional<UnwindRules> rules(unsigned Offset) const;

  size_t size() const { return Codes.size(); }

private:
  enum class Operation : uint8_t {
    Push,
    Allocate,
    SetFrame,
    /// A save relative to the frame.
    Save,
    /// The processor has pushed the frame of an interrupt.
    MachineFrame,
  };
  struct Code {
    Operation Op;
    /// The end of the instruction, as an offset in the function; 0 in chained
    /// codes.
    uint8_t Offset = 0;
    uint32_t Register = 0;
    uint32_t Value = 0;
  };

  bool readOne(llvm::StringRef Bytes, bool IsFirst,
               std::optional<uint32_t> &Next);
  bool readCodes(llvm::StringRef Slots, bool IsFirst, uint8_t Frame,
                 uint8_t Version);

  /// Starts with the last instruction of the prologue.
  std::vector<Code> Codes;
};

} // namespace lidia::unwindinfo

#endif // LIDIA_LIB_UNWINDINFO_X64UNWINDCODES_H
