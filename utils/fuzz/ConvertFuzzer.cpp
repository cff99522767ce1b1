//===- ConvertFuzzer.cpp - Any bytes as a binary --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Converting any bytes either fails or gives an archive whose structure is
/// sound.
///
//===----------------------------------------------------------------------===//

#include "ConvertCheck.h"
#include "lidia/Disassemble/ReturnPads.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  Expected<std::unique_ptr<Binary>> Main = Binary::create(
      MemoryBuffer::getMemBuffer(Bytes, "fuzz",
                                 /*RequiresNullTerminator=*/false),
      "fuzz");
  if (!Main) {
    consumeError(Main.takeError());
    return 0;
  }
  ConvertOptions Options = fuzzOptions();
  // Bytes that are not code crash some of LLVM's disassemblers, so llvm-lidia
  // runs them in another program. Those of these two machines do not crash.
  uint16_t Machine = (*Main)->identity().Machine;
  if (Machine == ELF::EM_X86_64 || Machine == ELF::EM_AARCH64)
    Options.FindReturnPads = findReturnPads;
  convertAndCheck(std::move(*Main), Options);
  return 0;
}
