//===- FindCalls.cpp - lidia-find-calls: disassembles for llvm-lidia ------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// usage: lidia-find-calls BINARY THREADS < HINTS > PADS
//
// Finds the return pads of a binary for llvm-lidia, its only caller, and ends
// with 0. Otherwise PADS is a message, and the status an errno's value. See
// ReturnPads.cpp, the caller's side.
//
//===----------------------------------------------------------------------===//

#include "ReturnPads.h"
#include "lidia/Disassemble/ReturnPads.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace lidia;
using namespace llvm;

static Expected<std::vector<uint64_t>> findPads(StringRef Path,
                                                StringRef Threads) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Input = MemoryBuffer::getSTDIN();
  if (!Input)
    return createStringError(Input.getError(), Input.getError().message());
  Expected<CodeHints> Hints = unpackHints((*Input)->getBuffer());
  if (!Hints)
    return Hints.takeError();
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (!File)
    return File.takeError();
  unsigned Count = 1;
  (void)Threads.getAsInteger(10, Count);
  return findReturnPads(**File, *Hints, Count);
}

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return EINVAL;
  Expected<std::vector<uint64_t>> Pads = findPads(Argv[1], Argv[2]);
  int Status = 0;
  if (Pads)
    outs() << packPads(*Pads);
  else
    handleAllErrors(Pads.takeError(), [&](const ErrorInfoBase &E) {
      std::error_code EC = E.convertToErrorCode();
      Status = EC == inconvertibleErrorCode() ? UnreadableStatus : EC.value();
      outs() << E.message();
    });
  outs().flush();
  if (!outs().has_error())
    return Status;
  outs().clear_error();
  return EIO;
}
