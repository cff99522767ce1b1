//===- COFFFuzzer.cpp - Any bytes as a PE file ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// A file with the magic numbers of a PE file is rejected or read within
/// bounds, and so is an object.
///
//===----------------------------------------------------------------------===//

#include "BinaryVisit.h"
#include "Object/COFFBinary.h"
#include "lidia/Object/FileKind.h"
#include "llvm/Support/Endian.h"

using namespace lidia;
using namespace llvm;

/// The offset of the field with the offset of the PE header.
static constexpr size_t OffsetAt = 0x3c;

static void setMagic(std::string &Bytes) {
  if (Bytes.size() < OffsetAt + 4)
    return;
  Bytes.replace(0, 2, "MZ");
  uint32_t Offset = support::endian::read32le(Bytes.data() + OffsetAt);
  if (Offset <= Bytes.size() - 4)
    Bytes.replace(Offset, 4, StringRef("PE\0\0", 4));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Bytes(reinterpret_cast<const char *>(Data), Size);
  if (fileKind(Bytes) != FileKind::COFFObject)
    setMagic(Bytes);
  Expected<std::unique_ptr<Binary>> File =
      openCOFF(MemoryBuffer::getMemBufferCopy(Bytes, "fuzz"), "fuzz");
  if (File)
    visitBinary(**File);
  else
    consumeError(File.takeError());
  return 0;
}
