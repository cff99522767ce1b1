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

/// The same for \p Code that is small enough for an argument.
static std::vector<CodeLine> runHelper(const UnwindMachine &Machine,
                                       uint64_t Address, ArrayRef<uint8_t> Code,
                                       size_t Max) {
  SmallString<128> Program = helperProgram("lidia-find-calls");
  HelperFile Output("instruction");
  if (Error E = Output.error()) {
    consumeError(std::move(E));
    return {};
  }
  constexpr unsigned Seconds = 10;
  int Status = sys::ExecuteAndWait(
      Program,
      {Program, "--instructions", std::to_string(Machine.ELFMachine),
       std::to_string(Machine.WordSize),
       Machine.IsLittleEndian ? "little" : "big", std::to_string(Address),
       toHex(Code), std::to_string(Max), std::to_string(::getpid())},
      std::nullopt, {StringRef(), Output.path(), StringRef()}, Seconds);
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text =
      MemoryBuffer::getFile(Output.path(), /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (Status != 0 || !Text)
    return {};
  std::vector<CodeLine> Lines;
  StringRef Line, Left = (*Text)->getBuffer();
  uint64_t Room = Code.size();
  while (!Left.empty()) {
    std::tie(Line, Left) = Left.split('\n');
    auto [Number, Rest] = Line.split(' ');
    CodeLine L{Rest.str(), 0};
    if (Number.getAsInteger(10, L.Size) || L.Size == 0 || L.Size > Room)
      break;
    Room -= L.Size;
    Lines.push_back(std::move(L));
  }
  return Lines;
}

std::vector<CodeLine> disassembleApart(const UnwindMachine &Machine,
                                       uint64_t Address, ArrayRef<uint8_t> Code,
                                       size_t Max) {
  // Linux limits an argument to 128 KiB, and this is hexadecimal.
  constexpr size_t Piece = 32 << 10;
  std::vector<CodeLine> Lines;
  while (!Code.empty() && Lines.size() < Max) {
    std::vector<CodeLine> Next =
        runHelper(Machine, Address, Code.take_front(Piece), Max - Lines.size());
    uint64_t Size = 0;
    for (CodeLine &L : Next) {
      Size += L.Size;
      Lines.push_back(std::move(L));
    }
    if (Size == 0)
      break;
    Address += Size;
    Code = Code.drop_front(Size);
  }
  return Lines;
}

} // namespace lidia
