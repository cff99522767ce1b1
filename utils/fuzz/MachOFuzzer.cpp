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
/// universal file. Code is moved as if the file were also the object that its
/// debug map names.
///
//===----------------------------------------------------------------------===//

#include "BinaryVisit.h"
#include "FuzzInput.h"
#include "Object/DebugMap.h"
#include "Object/MachOBinary.h"
#include "lidia/Object/FileKind.h"

using namespace lidia;
using namespace llvm;

static void visitDebugMap(Binary &File) {
  uint64_t Functions = 0;
  for (const DebugMapObject &Object : File.debugMap()) {
    Functions += Object.Functions.size();
    // Real maps name an object once.
    if (Functions > 256)
      return;
    uint64_t End = 0;
    for (const MovedCode &M : movedCode(Object, File, File)) {
      check(M.ObjectAddress >= End && M.Size, "moved code overlaps");
      End = M.ObjectAddress + M.Size;
      check(File.code().contains(M.Address) && File.code().contains(End - 1) &&
                File.code().contains(M.Address + M.Size - 1),
            "moved code that is not code");
    }
  }
}

static void visit(StringRef Bytes, StringRef Architecture) {
  Expected<std::unique_ptr<Binary>> File = openMachO(
      MemoryBuffer::getMemBufferCopy(Bytes, "fuzz"), "fuzz", Architecture);
  if (!File)
    return consumeError(File.takeError());
  visitBinary(**File);
  visitDebugMap(**File);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (fileKind(Bytes) != FileKind::MachO)
    return -1;
  for (StringRef Architecture : {"", "x86_64", "arm64"})
    visit(Bytes, Architecture);
  return 0;
}
