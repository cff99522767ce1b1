//===- ReplayMain.cpp - Runs a fuzzer's code on files ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Replaces libFuzzer: passes each file named on the command line to the
/// fuzzer's code once. Succeeds if nothing crashes.
///
//===----------------------------------------------------------------------===//

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size);

int main(int Argc, char **Argv) {
  for (int I = 1; I < Argc; ++I) {
    auto File = llvm::MemoryBuffer::getFile(Argv[I], /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    if (!File) {
      llvm::errs() << Argv[I] << ": " << File.getError().message() << '\n';
      return 1;
    }
    // An exact-size copy, so that reads past its end are detected.
    size_t Size = (*File)->getBufferSize();
    auto Copy = std::make_unique<uint8_t[]>(Size);
    std::copy((*File)->getBufferStart(), (*File)->getBufferEnd(), Copy.get());
    LLVMFuzzerTestOneInput(Copy.get(), Size);
  }
  llvm::outs() << Argc - 1 << (Argc == 2 ? " file\n" : " files\n");
}
