//===- MachOFuzzer.cpp - Any bytes as a Mach-O file -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// A Mach-O file is rejected or read within bounds, and so is each file in a
/// universal file.
///
//===----------------------------------------------------------------------===//

#include "BinaryVisit.h"
#include "Object/MachOBinary.h"
#include "lidia/Object/FileKind.h"

using namespace lidia;
using namespace llvm;

static void visit(StringRef Bytes, StringRef Architecture) {
  Expected<std::unique_ptr<Binary>> File = openMachO(
      MemoryBuffer::getMemBufferCopy(Bytes, "fuzz"), "fuzz", Architecture);
  if (File)
    visitBinary(**File);
  else
    consumeError(File.takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (fileKind(Bytes) != FileKind::MachO)
    return -1;
  for (StringRef Architecture : {"", "x86_64", "arm64"})
    visit(Bytes, Architecture);
  return 0;
}
