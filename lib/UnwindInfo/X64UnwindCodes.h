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

/// DWARF's numbers.
inline constexpr uint32_t X64StackPointer = 7;
inline constexpr uint32_t X64ReturnAddress = 16;

/// DWARF's number of the general register that instructions call \p Number,
/// which is below 16.
uint32_t x64Register(unsigned Number);

/// Adds to \p Rules that registers stay the same that Windows' functions
/// preserve, and those of other systems do not.
void addPreservedByWindows(UnwindRules &Rules);

/// What a UNWIND_INFO says, and those that it is chained to.
class X64UnwindCodes {
public:
  /// Returns the loaded bytes at an offset from the image's base.
  using Image = llvm::function_ref<llvm::StringRef(uint32_t Offset)>;

  /// Reads what is at \p Offset. None if it is malformed or of an unknown
  /// version.
  static std::optional<X64UnwindCodes> read(uint32_t Offset, Image Bytes);

  /// The offsets in the function from which the rules change, ascending,
  /// beginning with 0.
  std::vector<unsigned> offsets() const;

  /// The rules at \p Offset in the function, and after the prologue for all
  /// offsets past it. None if rules cannot say what the codes do.
  std::optional<UnwindRules> rules(unsigned Offset) const;

  size_t size() const { return Codes.size(); }

private:
  enum class Operation : uint8_t {
    Push,
    Allocate,
    SetFrame,
    /// A save relative to the frame.
    Save,
    /// The processor has pushed what an interrupt pushes.
    MachineFrame,
  };
  struct Code {
    Operation What;
    /// Where the instruction ends, in the function; 0 in those that were
    /// chained to.
    uint8_t Offset = 0;
    uint32_t Register = 0;
    uint32_t Value = 0;
  };

  bool readOne(llvm::StringRef Bytes, bool IsFirst,
               std::optional<uint32_t> &Next);
  bool readCodes(llvm::StringRef Slots, bool IsFirst, uint8_t Frame,
                 uint8_t Version);

  /// The last instruction of the prologue first.
  std::vector<Code> Codes;
};

} // namespace lidia::unwindinfo

#endif // LIDIA_LIB_UNWINDINFO_X64UNWINDCODES_H
