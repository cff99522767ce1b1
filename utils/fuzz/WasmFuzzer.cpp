//===- WasmFuzzer.cpp - Any bytes as a WebAssembly module -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A WebAssembly module is rejected or read within bounds, and converted to a
/// valid archive.
///
//===----------------------------------------------------------------------===//

#include "BinaryVisit.h"
#include "ConvertCheck.h"
#include "Object/WasmBinary.h"
#include "lidia/Object/FileKind.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (fileKind(Bytes) != FileKind::WebAssembly)
    return -1;
  Expected<std::unique_ptr<Binary>> File =
      openWasm(MemoryBuffer::getMemBufferCopy(Bytes, "fuzz"), "fuzz");
  if (!File) {
    consumeError(File.takeError());
    return 0;
  }
  visitBinary(**File);
  convertAndCheck(std::move(*File), fuzzOptions());
  return 0;
}
