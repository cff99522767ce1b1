//===- Decoder.h - LLVM's disassembler for one machine ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DISASSEMBLE_DECODER_H
#define LIDIA_LIB_DISASSEMBLE_DECODER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>
#include <string>

namespace lidia {

/// The instruction set of a decoder.
struct Machine {
  llvm::Triple Triple;
  std::string CPU;
  std::string Features;
};

/// Decodes instructions. LLVM's classes are not thread-safe, so each thread has
/// its own decoder.
class Decoder {
public:
  static llvm::Expected<std::unique_ptr<Decoder>> create(const Machine &M);

  struct Instruction {
    /// Size in bytes; at least one, even for invalid instructions.
    uint64_t Size = 1;
    bool IsCall = false;
    /// Whether the next instruction is executed before the call.
    bool HasDelaySlot = false;
  };

  /// The instruction at the beginning of \p Bytes, which must not be empty.
  Instruction read(llvm::ArrayRef<uint8_t> Bytes, uint64_t Address);

  /// Appends the instruction at the beginning of \p Bytes to \p To, in LLVM's
  /// syntax. Returns its size; 0 if there is none.
  uint64_t print(llvm::ArrayRef<uint8_t> Bytes, uint64_t Address,
                 std::string &To);

private:
  Decoder() = default;

  std::unique_ptr<llvm::MCRegisterInfo> Registers;
  std::unique_ptr<llvm::MCAsmInfo> AsmInfo;
  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCInstrInfo> Instructions;
  std::unique_ptr<llvm::MCInstrAnalysis> Analysis;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Disassembler;
  /// Null if the target has none.
  std::unique_ptr<llvm::MCInstPrinter> Printer;
};

} // namespace lidia

#endif // LIDIA_LIB_DISASSEMBLE_DECODER_H
