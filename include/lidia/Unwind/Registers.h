//===- Registers.h - Registers of a thread ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UNWIND_REGISTERS_H
#define LIDIA_UNWIND_REGISTERS_H

#include "llvm/ADT/StringRef.h"
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>

namespace lidia {

struct ArchiveInfo;

/// The facts about a machine that an unwinder needs.
struct UnwindMachine {
  /// An e_machine of ELF (EM_X86_64).
  uint16_t ELFMachine;
  uint8_t WordSize;
  bool IsLittleEndian;
  /// DWARF's numbers of the stack pointer, of the frame pointer, and of the
  /// register that holds the return address in a function without a frame (the
  /// link register or, on machines that push return addresses, DWARF's column
  /// for the program counter).
  uint8_t SP;
  uint8_t FP;
  uint8_t RA;
  /// Whether a call pushes the return address (x86).
  bool PushesReturnAddress;
  /// A bit for each of the first 32 registers, which is set if functions
  /// preserve the register.
  uint32_t Preserved;

  /// The machine with this number, word size and byte order; null if its stacks
  /// cannot be unwound.
  static const UnwindMachine *find(uint16_t ELFMachine, uint8_t WordSize,
                                   bool IsLittleEndian);

  /// The machine of the binary of an archive.
  static const UnwindMachine *find(const ArchiveInfo &Info);

  /// The machine of this program; null if its stacks cannot be unwound.
  static const UnwindMachine *own();

  /// The machine that `uname -m` calls \p Name ("x86_64", "aarch64"); null if
  /// there is none.
  static const UnwindMachine *named(llvm::StringRef Name);

  /// Whether functions preserve the DWARF register \p Number, by the machine's
  /// calling convention.
  bool isPreserved(unsigned Number) const;

  /// The name of the DWARF register \p Number as gdb has it, "rN" if it has
  /// none.
  std::string registerName(unsigned Number) const;
};

/// The known registers of a thread, by DWARF's numbers, and the program
/// counter. Floating-point and vector registers are left out except for those
/// with numbers below Count (on s390x, functions save general registers in
/// them).
class RegisterSet {
public:
  static constexpr unsigned Count = 66;

  uint64_t PC = 0;

  bool has(unsigned Number) const { return Number < Count && Known[Number]; }
  std::optional<uint64_t> get(unsigned Number) const {
    if (!has(Number))
      return std::nullopt;
    return Values[Number];
  }
  /// Numbers from Count on are ignored.
  void set(unsigned Number, uint64_t Value) {
    if (Number >= Count)
      return;
    Known[Number] = true;
    Values[Number] = Value;
  }
  void forget(unsigned Number) {
    if (Number < Count)
      Known[Number] = false;
  }

private:
  uint64_t Values[Count] = {};
  std::bitset<Count> Known;
};

} // namespace lidia

#endif // LIDIA_UNWIND_REGISTERS_H
