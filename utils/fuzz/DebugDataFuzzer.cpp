//===- DebugDataFuzzer.cpp - Any bytes as .gnu_debugdata ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Whatever .gnu_debugdata holds, the binary that it is in is converted or
/// refused. The last byte of the input says whether the rest is an xz stream
/// already or an ELF file to be packed into one.
///
//===----------------------------------------------------------------------===//

#include "ConvertCheck.h"
#include "FuzzInput.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/SwapByteOrder.h"
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
/// A program with code and .gnu_debugdata, and nothing else.
struct Program {
  ELF::Elf64_Ehdr Header = {};
  ELF::Elf64_Shdr Sections[4] = {};
  char Names[32] = "\0.text\0.gnu_debugdata\0.names";
};
} // namespace

static std::string makeProgram(StringRef DebugData) {
  static_assert(sys::IsLittleEndianHost, "headers are written as they are");
  Program P;
  std::copy_n(ELF::ElfMagic, 4, P.Header.e_ident);
  P.Header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  P.Header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  P.Header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  P.Header.e_type = ELF::ET_EXEC;
  P.Header.e_machine = ELF::EM_X86_64;
  P.Header.e_version = ELF::EV_CURRENT;
  P.Header.e_ehsize = sizeof(P.Header);
  P.Header.e_shoff = offsetof(Program, Sections);
  P.Header.e_shentsize = sizeof(ELF::Elf64_Shdr);
  P.Header.e_shnum = 4;
  P.Header.e_shstrndx = 3;
  ELF::Elf64_Shdr &Text = P.Sections[1], &Data = P.Sections[2],
                  &Names = P.Sections[3];
  Text.sh_name = 1;
  Text.sh_type = ELF::SHT_NOBITS;
  Text.sh_flags = ELF::SHF_ALLOC | ELF::SHF_EXECINSTR;
  Text.sh_addr = 0x400000;
  Text.sh_size = 0x100000;
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
