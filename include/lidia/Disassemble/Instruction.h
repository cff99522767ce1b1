//===- Instruction.h - One instruction as text ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_DISASSEMBLE_INSTRUCTION_H
#define LIDIA_DISASSEMBLE_INSTRUCTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lidia {

/// The beginning of the code at an address, and its machine as an ELF file has
/// it.
struct MachineCode {
  uint16_t ELFMachine = 0;
  unsigned WordSize = 8;
  bool IsLittleEndian = true;
  uint64_t Address = 0;
  llvm::ArrayRef<uint8_t> Bytes;
};

/// An instruction in LLVM's syntax, and its size in bytes.
struct InstructionText {
  std::string Text;
  uint64_t Size = 0;
};

/// The first \p Max instructions of \p Code, up to bytes that are none. Fails
/// with an UnsupportedError if this LLVM has no disassembler for the machine,
/// or if an instruction set must be known that the machine does not tell (ARM
/// or Thumb).
llvm::Expected<std::vector<InstructionText>> disassemble(MachineCode Code,
                                                         size_t Max);

} // namespace lidia

#endif // LIDIA_DISASSEMBLE_INSTRUCTION_H
