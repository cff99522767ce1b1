//===- FindCalls.cpp - lidia-find-calls: disassembles for llvm-lidia ------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// usage: lidia-find-calls BINARY NAME THREADS HINTS PARENT > PADS
//
// Finds the return pads of a binary for llvm-lidia, its only caller, and exits
// with 0. After an error, PADS is a message that refers to the binary as NAME,
// and the status is an errno value or one of those in ReturnPads.h. See
// ReturnPads.cpp for the caller's side.
//
// usage: lidia-find-calls --instructions MACHINE WORD little|big ADDRESS HEX
// MAX
//          PARENT > TEXT
//
// Disassembles the first MAX instructions of the bytes HEX, for
// Instruction.cpp: lines of a size and a text.
//
//===----------------------------------------------------------------------===//

#include "HelperProgram.h"
#include "ProcessSetup.h"
#include "ReturnPads.h"
#include "lidia/Disassemble/Instruction.h"
#include "lidia/Disassemble/ReturnPads.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <unistd.h>

using namespace lidia;
using namespace llvm;

static Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return make_error<SystemError>(Buffer.getError(), Path);
  return std::move(*Buffer);
}

static Expected<std::vector<uint64_t>> findPads(char **Args) {
  Expected<std::unique_ptr<MemoryBuffer>> Code = readFile(Args[0]);
  if (!Code)
    return Code.takeError();
  Expected<std::unique_ptr<MemoryBuffer>> Input = readFile(Args[3]);
  if (!Input)
    return Input.takeError();
  Expected<CodeHints> Hints = unpackHints((*Input)->getBuffer());
  if (!Hints)
    return Hints.takeError();
  Expected<std::unique_ptr<Binary>> File =
      Binary::create(std::move(*Code), Args[1]);
  if (!File)
    return File.takeError();
  unsigned Threads = 1;
  (void)StringRef(Args[2]).getAsInteger(10, Threads);
  return findReturnPads(**File, *Hints, Threads);
}

/// Returns the exit status.
static int printInstructions(char **Args) {
  MachineCode Code;
  std::string Bytes;
  size_t Max;
  if (StringRef(Args[0]).getAsInteger(10, Code.ELFMachine) ||
      StringRef(Args[1]).getAsInteger(10, Code.WordSize) ||
      StringRef(Args[3]).getAsInteger(10, Code.Address) ||
      !tryGetFromHex(Args[4], Bytes) ||
      StringRef(Args[5]).getAsInteger(10, Max))
    return EINVAL;
  Code.IsLittleEndian = Args[2] == StringRef("little");
  Code.Bytes = arrayRefFromStringRef(Bytes);
  Expected<std::vector<InstructionText>> Found = disassemble(Code, Max);
  if (!Found) {
    // The caller has nothing to say about code that cannot be read.
    consumeError(Found.takeError());
    return EILSEQ;
  }
  for (const InstructionText &I : *Found)
    outs() << I.Size << ' ' << I.Text << '\n';
  outs().flush();
  return outs().has_error() ? EIO : 0;
}

int main(int Argc, char **Argv) {
  EarlyExit How;
  How.FD = STDOUT_FILENO;
  How.OutOfMemory = ENOMEM;
  How.Failure = EIO;
  setUpProcess(Argv[0], How);
  bool Disassembles = Argc == 9 && Argv[1] == StringRef("--instructions");
  pid_t Parent;
  if ((Argc != 6 && !Disassembles) ||
      StringRef(Argv[Argc - 1]).getAsInteger(10, Parent) ||
      !endWithParent(Parent))
    return EINVAL;
  if (Disassembles)
    return printInstructions(Argv + 2);
  Expected<std::vector<uint64_t>> Pads = findPads(Argv + 1);
  int Status = 0;
  if (Pads)
    outs() << packPads(*Pads);
  else
    handleAllErrors(Pads.takeError(), [&](const ErrorInfoBase &E) {
      Status = E.isA<DamagedError>() || E.isA<LimitError>()
                   ? UnreadableStatus
                   : E.convertToErrorCode().value();
      outs() << E.message();
    });
  outs().flush();
  if (!outs().has_error())
    return Status;
  outs().clear_error();
  return UnwritableStatus;
}
