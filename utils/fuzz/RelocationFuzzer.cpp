//===- RelocationFuzzer.cpp - Any bytes as a relocatable object -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// The sections of an ELF file that claims to be a relocatable object are
/// placed and relocated within bounds, or cause errors.
///
//===----------------------------------------------------------------------===//

#include "BinaryVisit.h"
#include "Object/SectionLayout.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace lidia;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Bytes(reinterpret_cast<const char *>(Data), Size);
  if (Bytes.size() < sizeof(ELF::Elf32_Ehdr) ||
      !StringRef(Bytes).starts_with(ELF::ElfMagic))
    return -1;
  bool IsBig = Bytes[ELF::EI_DATA] == ELF::ELFDATA2MSB;
  Bytes[ELF::EI_NIDENT] = IsBig ? 0 : ELF::ET_REL;
  Bytes[ELF::EI_NIDENT + 1] = IsBig ? ELF::ET_REL : 0;
  Expected<std::unique_ptr<Binary>> File =
      Binary::create(MemoryBuffer::getMemBufferCopy(Bytes, "fuzz"), "fuzz");
  if (!File) {
    consumeError(File.takeError());
    return 0;
  }
  visitBinary(**File);
  placedSections(**File);
  return 0;
}
