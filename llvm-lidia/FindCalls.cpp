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
//===----------------------------------------------------------------------===//

#include "HelperProgram.h"
#include "ProcessSetup.h"
#include "ReturnPads.h"
#include "lidia/Disassemble/ReturnPads.h"
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

int main(int Argc, char **Argv) {
  EarlyExit How;
  How.FD = STDOUT_FILENO;
  How.OutOfMemory = ENOMEM;
  How.Failure = EIO;
  setUpProcess(Argv[0], How);
  pid_t Parent;
  if (Argc != 6 || StringRef(Argv[5]).getAsInteger(10, Parent) ||
      !endWithParent(Parent))
    return EINVAL;
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
