//===- Instruction.cpp - Disassembles apart -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM's instruction tables are large, and bytes that are not code can crash
/// its disassemblers: both are in another program (FindCalls.cpp).
///
//===----------------------------------------------------------------------===//

#include "Instruction.h"
#include "HelperFile.h"
#include "HelperProgram.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace lidia {

std::string disassembleApart(const UnwindMachine &Machine, uint64_t Address,
                             ArrayRef<uint8_t> Code, size_t &Size) {
  SmallString<128> Program = helperProgram("lidia-find-calls");
  HelperFile Output("instruction");
  if (Error E = Output.error()) {
    consumeError(std::move(E));
    return "";
  }
  constexpr unsigned Seconds = 10;
  int Status = sys::ExecuteAndWait(
      Program,
      {Program, "--instruction", std::to_string(Machine.ELFMachine),
       std::to_string(Machine.WordSize),
       Machine.IsLittleEndian ? "little" : "big", std::to_string(Address),
       toHex(Code), std::to_string(::getpid())},
      std::nullopt, {StringRef(), Output.path(), StringRef()}, Seconds);
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text =
      MemoryBuffer::getFile(Output.path(), /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (Status != 0 || !Text)
    return "";
  auto [Number, Rest] = (*Text)->getBuffer().split(' ');
  if (Number.getAsInteger(10, Size) || Size > Code.size())
    return "";
  return Rest.str();
}

} // namespace lidia
