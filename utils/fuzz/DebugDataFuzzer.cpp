//===- DebugDataFuzzer.cpp - Any bytes as .gnu_debugdata ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A binary with any contents of .gnu_debugdata is either converted or
/// rejected. The last byte of the input selects whether the rest is already an
/// xz stream or an ELF file to compress into one.
///
//===----------------------------------------------------------------------===//

#include "ConvertCheck.h"
#include "ELFProgram.h"
#include "FuzzInput.h"
#include <lzma.h>

using namespace lidia;
using namespace llvm;

static std::string pack(StringRef Bytes) {
  std::string Packed;
  Packed.resize(lzma_stream_buffer_bound(Bytes.size()));
  size_t Size = 0;
  lzma_ret Result = lzma_easy_buffer_encode(
      0, LZMA_CHECK_CRC32, nullptr, Bytes.bytes_begin(), Bytes.size(),
      reinterpret_cast<uint8_t *>(Packed.data()), &Size, Packed.size());
  check(Result == LZMA_OK, "cannot pack");
  Packed.resize(Size);
  return Packed;
}

namespace {
/// A program that has only code and .gnu_debugdata.
struct Program {
  ELF::Elf64_Ehdr Header = {};
  ELF::Elf64_Shdr Sections[4] = {};
  char Names[32] = "\0.text\0.gnu_debugdata\0.names";
};
} // namespace

static std::string makeProgram(StringRef DebugData) {
  Program P;
  startProgram(P.Header, P.Sections, offsetof(Program, Sections),
               /*Code=*/0x400000, /*CodeSize=*/0x100000);
  ELF::Elf64_Shdr &Data = P.Sections[2], &Names = P.Sections[3];
  Data.sh_name = 7;
  Data.sh_type = ELF::SHT_PROGBITS;
  Data.sh_offset = sizeof(P);
  Data.sh_size = DebugData.size();
  Names.sh_name = 22;
  Names.sh_type = ELF::SHT_STRTAB;
  Names.sh_offset = offsetof(Program, Names);
  Names.sh_size = sizeof(P.Names);
  return std::string(reinterpret_cast<const char *>(&P), sizeof(P)) +
         DebugData.str();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Input(reinterpret_cast<const char *>(Data), Size);
  bool IsPacked = takeLastByte(Input) & 1;
  std::string File = makeProgram(IsPacked ? Input.str() : pack(Input));
  Expected<std::unique_ptr<Binary>> Main =
      Binary::create(MemoryBuffer::getMemBufferCopy(File, "fuzz"), "fuzz");
  if (!Main)
    report_fatal_error(Main.takeError());
  convertAndCheck(std::move(*Main), fuzzOptions());
  return 0;
}
