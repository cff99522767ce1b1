//===- Relocate.cpp - Relocates debug sections ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relocate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace llvm::object;

namespace lidia {

//===----------------------------------------------------------------------===//
// Types of relocations
//===----------------------------------------------------------------------===//

/// LLVM chooses resolvers by an ObjectFile. Opening the whole file as an
/// ObjectFile would parse, and may reject, parts that are not needed here; so
/// this creates one that has only a header.
template <class ELFT>
static std::pair<SupportsRelocation, RelocationResolver>
findResolver(const ELFIdentity &I) {
  typename ELFT::Ehdr Header = {};
  std::memcpy(Header.e_ident, ELF::ElfMagic, 4);
  Header.e_ident[ELF::EI_CLASS] = I.Class;
  Header.e_ident[ELF::EI_DATA] = I.Data;
  Header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  Header.e_ident[ELF::EI_OSABI] = I.OSABI;
  Header.e_type = ELF::ET_REL;
  Header.e_machine = I.Machine;
  Header.e_version = ELF::EV_CURRENT;
  Header.e_flags = I.Flags;
  Header.e_ehsize = sizeof(Header);
  StringRef Bytes(reinterpret_cast<const char *>(&Header), sizeof(Header));
  Expected<ELFObjectFile<ELFT>> File =
      ELFObjectFile<ELFT>::create(MemoryBufferRef(Bytes, ""));
  if (!File) {
    consumeError(File.takeError());
    return {nullptr, nullptr};
  }
  return getRelocationResolver(*File);
}

static std::pair<SupportsRelocation, RelocationResolver>
findResolver(const ELFIdentity &I) {
  bool IsLittle = I.Data == ELF::ELFDATA2LSB;
  if (I.Class == ELF::ELFCLASS64)
    return IsLittle ? findResolver<ELF64LE>(I) : findResolver<ELF64BE>(I);
  return IsLittle ? findResolver<ELF32LE>(I) : findResolver<ELF32BE>(I);
}

namespace {
/// What LLVM's resolvers do not know, or know only for other machines.
enum class Operation : uint8_t {
  /// The symbol, plus the addend.
  Absolute,
  /// That, less the offset of the field.
  Relative,
};

struct RelocationType {
  uint16_t Machine;
  uint32_t Type;
  /// The number of bytes that it sets. Zero for a mark, which only tells
  /// linkers something.
  uint8_t Bytes;
  Operation Op = Operation::Absolute;
};
} // namespace

/// The number of Alpha that binutils uses.
static constexpr uint16_t GNUAlpha = 0x9026;

/// The types that assemblers use in debug sections, from the ABIs of the
/// machines and, for those that LLVM does not have, binutils.
static constexpr RelocationType Types[] = {
    {ELF::EM_X86_64, ELF::R_X86_64_64, 8},
    {ELF::EM_X86_64, ELF::R_X86_64_PC64, 8, Operation::Relative},
    {ELF::EM_X86_64, ELF::R_X86_64_DTPOFF64, 8},
    {ELF::EM_X86_64, ELF::R_X86_64_32, 4},
    {ELF::EM_X86_64, ELF::R_X86_64_32S, 4},
    {ELF::EM_X86_64, ELF::R_X86_64_PC32, 4, Operation::Relative},
    {ELF::EM_X86_64, ELF::R_X86_64_DTPOFF32, 4},
    {ELF::EM_X86_64, ELF::R_X86_64_16, 2},
    {ELF::EM_X86_64, ELF::R_X86_64_8, 1},
    {ELF::EM_386, ELF::R_386_32, 4},
    {ELF::EM_386, ELF::R_386_PC32, 4, Operation::Relative},
    {ELF::EM_386, ELF::R_386_16, 2},
    {ELF::EM_386, ELF::R_386_8, 1},
    {ELF::EM_386, ELF::R_386_TLS_LDO_32, 4},
    {ELF::EM_AARCH64, ELF::R_AARCH64_ABS64, 8},
    {ELF::EM_AARCH64, ELF::R_AARCH64_PREL64, 8, Operation::Relative},
    {ELF::EM_AARCH64, ELF::R_AARCH64_ABS32, 4},
    {ELF::EM_AARCH64, ELF::R_AARCH64_PREL32, 4, Operation::Relative},
    {ELF::EM_AARCH64, ELF::R_AARCH64_PREL16, 2, Operation::Relative},
    {ELF::EM_AARCH64, ELF::R_AARCH64_ABS16, 2},
    {ELF::EM_AARCH64, ELF::R_AARCH64_P32_ABS32, 4},
    {ELF::EM_AARCH64, ELF::R_AARCH64_P32_PREL32, 4, Operation::Relative},
    {ELF::EM_ARM, ELF::R_ARM_ABS32, 4},
    {ELF::EM_ARM, ELF::R_ARM_REL32, 4, Operation::Relative},
    {ELF::EM_ARM, ELF::R_ARM_ABS16, 2},
    {ELF::EM_ARM, ELF::R_ARM_ABS8, 1},
    {ELF::EM_ARM, ELF::R_ARM_TLS_LDO32, 4},
    {ELF::EM_RISCV, ELF::R_RISCV_64, 8},
    {ELF::EM_RISCV, ELF::R_RISCV_ADD64, 8},
    {ELF::EM_RISCV, ELF::R_RISCV_SUB64, 8},
    {ELF::EM_RISCV, ELF::R_RISCV_32, 4},
    {ELF::EM_RISCV, ELF::R_RISCV_32_PCREL, 4, Operation::Relative},
    {ELF::EM_RISCV, ELF::R_RISCV_ADD32, 4},
    {ELF::EM_RISCV, ELF::R_RISCV_SUB32, 4},
    {ELF::EM_RISCV, ELF::R_RISCV_SET32, 4},
    {ELF::EM_RISCV, ELF::R_RISCV_ADD16, 2},
    {ELF::EM_RISCV, ELF::R_RISCV_SUB16, 2},
    {ELF::EM_RISCV, ELF::R_RISCV_SET16, 2},
    {ELF::EM_RISCV, ELF::R_RISCV_ADD8, 1},
    {ELF::EM_RISCV, ELF::R_RISCV_SUB8, 1},
    {ELF::EM_RISCV, ELF::R_RISCV_SET8, 1},
    {ELF::EM_RISCV, ELF::R_RISCV_SET6, 1},
    {ELF::EM_RISCV, ELF::R_RISCV_SUB6, 1},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_64, 8},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_ADD64, 8},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_SUB64, 8},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_32, 4},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_32_PCREL, 4, Operation::Relative},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_ADD32, 4},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_SUB32, 4},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_ADD16, 2},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_SUB16, 2},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_ADD8, 1},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_SUB8, 1},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_ADD6, 1},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_SUB6, 1},
    {ELF::EM_PPC64, ELF::R_PPC64_ADDR64, 8},
    {ELF::EM_PPC64, ELF::R_PPC64_REL64, 8, Operation::Relative},
    {ELF::EM_PPC64, ELF::R_PPC64_ADDR32, 4},
    {ELF::EM_PPC64, ELF::R_PPC64_REL32, 4, Operation::Relative},
    {ELF::EM_PPC, ELF::R_PPC_ADDR32, 4},
    {ELF::EM_PPC, ELF::R_PPC_REL32, 4, Operation::Relative},
    {ELF::EM_PPC, ELF::R_PPC_UADDR32, 4},
    {ELF::EM_PPC, ELF::R_PPC_ADDR16, 2},
    {ELF::EM_S390, ELF::R_390_64, 8},
    {ELF::EM_S390, ELF::R_390_32, 4},
    {ELF::EM_S390, ELF::R_390_PC64, 8, Operation::Relative},
    {ELF::EM_S390, ELF::R_390_TLS_LDO64, 8},
    {ELF::EM_S390, ELF::R_390_PC32, 4, Operation::Relative},
    {ELF::EM_S390, ELF::R_390_TLS_LDO32, 4},
    {ELF::EM_S390, ELF::R_390_16, 2},
    {ELF::EM_S390, ELF::R_390_8, 1},
    {ELF::EM_MIPS, ELF::R_MIPS_64, 8},
    {ELF::EM_MIPS, ELF::R_MIPS_TLS_DTPREL64, 8},
    {ELF::EM_MIPS, ELF::R_MIPS_32, 4},
    {ELF::EM_MIPS, ELF::R_MIPS_TLS_DTPREL32, 4},
    {ELF::EM_MIPS, ELF::R_MIPS_PC32, 4, Operation::Relative},
    {ELF::EM_SPARCV9, ELF::R_SPARC_64, 8},
    {ELF::EM_SPARCV9, ELF::R_SPARC_UA64, 8},
    {ELF::EM_SPARCV9, ELF::R_SPARC_DISP64, 8, Operation::Relative},
    {ELF::EM_SPARCV9, ELF::R_SPARC_TLS_DTPOFF64, 8},
    {ELF::EM_SPARCV9, ELF::R_SPARC_32, 4},
    {ELF::EM_SPARCV9, ELF::R_SPARC_UA32, 4},
    {ELF::EM_SPARCV9, ELF::R_SPARC_DISP32, 4, Operation::Relative},
    {ELF::EM_SPARCV9, ELF::R_SPARC_TLS_DTPOFF32, 4},
    {ELF::EM_SPARCV9, ELF::R_SPARC_16, 2},
    {ELF::EM_SPARCV9, ELF::R_SPARC_UA16, 2},
    {ELF::EM_SPARCV9, ELF::R_SPARC_8, 1},
    {ELF::EM_SPARC, ELF::R_SPARC_64, 8},
    {ELF::EM_SPARC, ELF::R_SPARC_UA64, 8},
    {ELF::EM_SPARC, ELF::R_SPARC_DISP64, 8, Operation::Relative},
    {ELF::EM_SPARC, ELF::R_SPARC_TLS_DTPOFF64, 8},
    {ELF::EM_SPARC, ELF::R_SPARC_32, 4},
    {ELF::EM_SPARC, ELF::R_SPARC_UA32, 4},
    {ELF::EM_SPARC, ELF::R_SPARC_DISP32, 4, Operation::Relative},
    {ELF::EM_SPARC, ELF::R_SPARC_TLS_DTPOFF32, 4},
    {ELF::EM_SPARC, ELF::R_SPARC_16, 2},
    {ELF::EM_SPARC, ELF::R_SPARC_UA16, 2},
    {ELF::EM_SPARC, ELF::R_SPARC_8, 1},
    {ELF::EM_SPARC32PLUS, ELF::R_SPARC_64, 8},
    {ELF::EM_SPARC32PLUS, ELF::R_SPARC_UA64, 8},
    {ELF::EM_SPARC32PLUS, ELF::R_SPARC_DISP64, 8, Operation::Relative},
    {ELF::EM_SPARC32PLUS, ELF::R_SPARC_TLS_DTPOFF64, 8},
    {ELF::EM_SPARC32PLUS, ELF::R_SPARC_32, 4},
    {ELF::EM_SPARC32PLUS, ELF::R_SPARC_UA32, 4},
    {ELF::EM_SPARC32PLUS, ELF::R_SPARC_DISP32, 4, Operation::Relative},
    {ELF::EM_SPARC32PLUS, ELF::R_SPARC_TLS_DTPOFF32, 4},
    {ELF::EM_SPARC32PLUS, ELF::R_SPARC_16, 2},
    {ELF::EM_SPARC32PLUS, ELF::R_SPARC_UA16, 2},
    {ELF::EM_SPARC32PLUS, ELF::R_SPARC_8, 1},
    {ELF::EM_BPF, ELF::R_BPF_64_ABS64, 8},
    {ELF::EM_BPF, ELF::R_BPF_64_ABS32, 4},
    {ELF::EM_BPF, ELF::R_BPF_64_NODYLD32, 4},
    {ELF::EM_HEXAGON, ELF::R_HEX_32, 4},
    {ELF::EM_HEXAGON, ELF::R_HEX_32_PCREL, 4, Operation::Relative},
    {ELF::EM_HEXAGON, ELF::R_HEX_16, 2},
    {ELF::EM_HEXAGON, ELF::R_HEX_8, 1},
    {ELF::EM_AVR, ELF::R_AVR_32, 4},
    {ELF::EM_AVR, ELF::R_AVR_16, 2},
    {ELF::EM_AVR, ELF::R_AVR_8, 1},
    {ELF::EM_AVR, ELF::R_AVR_DIFF32, 0},
    {ELF::EM_AVR, ELF::R_AVR_DIFF16, 0},
    {ELF::EM_AVR, ELF::R_AVR_DIFF8, 0},
    {ELF::EM_MSP430, ELF::R_MSP430_32, 4},
    {ELF::EM_MSP430, ELF::R_MSP430_16_BYTE, 2},
    {ELF::EM_MSP430, ELF::R_MSP430_16, 2},
    {ELF::EM_MSP430, ELF::R_MSP430_8, 1},
    {ELF::EM_LANAI, ELF::R_LANAI_32, 4},
    {ELF::EM_VE, ELF::R_VE_REFQUAD, 8},
    {ELF::EM_VE, ELF::R_VE_DTPOFF64, 8},
    {ELF::EM_VE, ELF::R_VE_REFLONG, 4},
    {ELF::EM_VE, ELF::R_VE_SREL32, 4, Operation::Relative},
    {ELF::EM_68K, ELF::R_68K_32, 4},
    {ELF::EM_68K, ELF::R_68K_PC32, 4, Operation::Relative},
    {ELF::EM_68K, ELF::R_68K_TLS_LDO32, 4},
    {ELF::EM_68K, ELF::R_68K_16, 2},
    {ELF::EM_68K, ELF::R_68K_8, 1},
    {ELF::EM_CSKY, ELF::R_CKCORE_ADDR32, 4},
    {ELF::EM_CSKY, ELF::R_CKCORE_PCREL32, 4, Operation::Relative},
    {ELF::EM_AMDGPU, ELF::R_AMDGPU_ABS64, 8},
    {ELF::EM_AMDGPU, ELF::R_AMDGPU_REL64, 8, Operation::Relative},
    {ELF::EM_AMDGPU, ELF::R_AMDGPU_ABS32, 4},
    {ELF::EM_AMDGPU, ELF::R_AMDGPU_REL32, 4, Operation::Relative},
    {ELF::EM_XTENSA, ELF::R_XTENSA_32, 4},
    {ELF::EM_XTENSA, ELF::R_XTENSA_32_PCREL, 4, Operation::Relative},
    {ELF::EM_XTENSA, ELF::R_XTENSA_TLS_DTPOFF, 4},
    {ELF::EM_XTENSA, ELF::R_XTENSA_DIFF32, 0},
    {ELF::EM_XTENSA, ELF::R_XTENSA_DIFF16, 0},
    {ELF::EM_XTENSA, ELF::R_XTENSA_DIFF8, 0},
    {ELF::EM_XTENSA, /*R_XTENSA_PDIFF8=*/57, 0},
    {ELF::EM_XTENSA, /*R_XTENSA_PDIFF16=*/58, 0},
    {ELF::EM_XTENSA, /*R_XTENSA_PDIFF32=*/59, 0},
    {ELF::EM_XTENSA, /*R_XTENSA_NDIFF8=*/60, 0},
    {ELF::EM_XTENSA, /*R_XTENSA_NDIFF16=*/61, 0},
    {ELF::EM_XTENSA, /*R_XTENSA_NDIFF32=*/62, 0},
    {ELF::EM_ARC_COMPACT, ELF::R_ARC_32, 4},
    {ELF::EM_ARC_COMPACT, ELF::R_ARC_16, 2},
    {ELF::EM_ARC_COMPACT, ELF::R_ARC_8, 1},
    {ELF::EM_ARC_COMPACT2, ELF::R_ARC_32, 4},
    {ELF::EM_ARC_COMPACT2, ELF::R_ARC_16, 2},
    {ELF::EM_ARC_COMPACT2, ELF::R_ARC_8, 1},
    {ELF::EM_ALPHA, /*R_ALPHA_REFLONG=*/1, 4},
    {ELF::EM_ALPHA, /*R_ALPHA_REFQUAD=*/2, 8},
    {GNUAlpha, /*R_ALPHA_REFLONG=*/1, 4},
    {GNUAlpha, /*R_ALPHA_REFQUAD=*/2, 8},
    {ELF::EM_PARISC, /*R_PARISC_DIR32=*/1, 4},
    {ELF::EM_PARISC, /*R_PARISC_SECREL32=*/65, 4},
    {ELF::EM_PARISC, /*R_PARISC_DIR64=*/80, 8},
    {ELF::EM_PARISC, /*R_PARISC_PCREL32=*/9, 4, Operation::Relative},
    {ELF::EM_SH, /*R_SH_DIR32=*/1, 4},
    {ELF::EM_SH, /*R_SH_REL32=*/2, 4, Operation::Relative},
    {ELF::EM_IA_64, /*R_IA64_DIR32MSB=*/36, 4},
    {ELF::EM_IA_64, /*R_IA64_DIR32LSB=*/37, 4},
    {ELF::EM_IA_64, /*R_IA64_DIR64MSB=*/38, 8},
    {ELF::EM_IA_64, /*R_IA64_DIR64LSB=*/39, 8},
    {ELF::EM_IA_64, /*R_IA64_SECREL32MSB=*/100, 4},
    {ELF::EM_IA_64, /*R_IA64_SECREL32LSB=*/101, 4},
    {ELF::EM_IA_64, /*R_IA64_SECREL64MSB=*/102, 8},
    {ELF::EM_IA_64, /*R_IA64_SECREL64LSB=*/103, 8},
    {ELF::EM_OPENRISC, /*R_OR1K_32=*/1, 4},
    {ELF::EM_OPENRISC, /*R_OR1K_16=*/2, 2},
    {ELF::EM_OPENRISC, /*R_OR1K_8=*/3, 1},
    {ELF::EM_MICROBLAZE, /*R_MICROBLAZE_32=*/1, 4},
    {ELF::EM_ALTERA_NIOS2, /*R_NIOS2_BFD_RELOC_32=*/12, 4},
    {ELF::EM_ALTERA_NIOS2, /*R_NIOS2_BFD_RELOC_16=*/13, 2},
    {ELF::EM_ALTERA_NIOS2, /*R_NIOS2_BFD_RELOC_8=*/14, 1},
};

/// Null for a type that does not occur in debug sections.
static const RelocationType *findType(uint16_t Machine, uint32_t Type) {
  for (const RelocationType &T : Types)
    if (T.Machine == Machine && T.Type == Type)
      return &T;
  return nullptr;
}

/// Whether the machine uses pairs of relocations that add one symbol to a field
/// and subtract another.
static bool usesPairs(uint16_t Machine) {
  return Machine == ELF::EM_RISCV || Machine == ELF::EM_LOONGARCH;
}

/// Whether the contents of the section are an operand although there is an
/// addend. On SuperH and Xtensa the addend is zero instead.
static bool addsToContents(uint16_t Machine) {
  return usesPairs(Machine) || Machine == ELF::EM_SH ||
         Machine == ELF::EM_XTENSA;
}

//===----------------------------------------------------------------------===//
// Relocator
//===----------------------------------------------------------------------===//

Relocator::Relocator(const ELFIdentity &Identity,
                     MutableArrayRef<uint8_t> Bytes)
    : Identity(Identity), Bytes(Bytes) {
  std::tie(Supports, Resolve) = findResolver(Identity);
}

uint64_t Relocator::read(uint64_t Offset, unsigned Size) const {
  endianness Order =
      Identity.Data == ELF::ELFDATA2LSB ? endianness::little : endianness::big;
  const uint8_t *At = Bytes.data() + Offset;
  switch (Size) {
  case 8:
    return support::endian::read<uint64_t>(At, Order);
  case 4:
    return support::endian::read<uint32_t>(At, Order);
  case 2:
    return support::endian::read<uint16_t>(At, Order);
  default:
    return *At;
  }
}

void Relocator::write(uint64_t Offset, unsigned Size, uint64_t Value) {
  endianness Order =
      Identity.Data == ELF::ELFDATA2LSB ? endianness::little : endianness::big;
  uint8_t *At = Bytes.data() + Offset;
  switch (Size) {
  case 8:
    return support::endian::write<uint64_t>(At, Value, Order);
  case 4:
    return support::endian::write<uint32_t>(At, uint32_t(Value), Order);
  case 2:
    return support::endian::write<uint16_t>(At, uint16_t(Value), Order);
  default:
    *At = uint8_t(Value);
  }
}

/// RISC-V and LoongArch also set ULEB128 numbers, which LLVM's resolvers do not
/// support: one relocation adds a symbol, and another at the same place
/// subtracts one. The number keeps its length. Returns false for other types.
bool Relocator::applyLEB(const Relocation &R) {
  bool IsRISCV = Identity.Machine == ELF::EM_RISCV;
  bool IsSet = IsRISCV && R.Type == ELF::R_RISCV_SET_ULEB128;
  bool IsAdd = Identity.Machine == ELF::EM_LOONGARCH &&
               R.Type == ELF::R_LARCH_ADD_ULEB128;
  bool IsSub = IsRISCV ? R.Type == ELF::R_RISCV_SUB_ULEB128
                       : Identity.Machine == ELF::EM_LOONGARCH &&
                             R.Type == ELF::R_LARCH_SUB_ULEB128;
  if (!IsSet && !IsAdd && !IsSub)
    return false;
  // LLVM's decoder shifts by more than 64 bits in a number with more padding.
  constexpr unsigned MaxBytes = 10;
  MutableArrayRef<uint8_t> Rest =
      Bytes.drop_front(std::min<uint64_t>(R.Offset, Bytes.size()));
  uint64_t Old = 0;
  unsigned Length = 0;
  bool Ends = false;
  while (!Ends && Length < std::min<size_t>(MaxBytes, Rest.size())) {
    Old |= uint64_t(Rest[Length] & 0x7f) << (7 * Length);
    Ends = Rest[Length++] < 0x80;
  }
  if (!Ends) {
    ++Outside;
    return true;
  }
  uint64_t Operand = R.Symbol + uint64_t(R.Addend);
  uint64_t Value = IsSet ? Operand : IsAdd ? Old + Operand : Old - Operand;
  for (unsigned I = 0; I != Length; ++I, Value >>= 7)
    Rest[I] = (Value & 0x7f) | (I + 1 == Length ? 0 : 0x80);
  return true;
}

void Relocator::countUnknown(uint32_t Type) {
  constexpr size_t MaxTypes = 4;
  if (Unknown.size() < MaxTypes || Unknown.count(Type))
    ++Unknown[Type];
  else
    ++OtherUnknown;
}

void Relocator::add(uint64_t Offset, unsigned Size, uint64_t Value) {
  if (Offset > Bytes.size() || Bytes.size() - Offset < Size) {
    ++Outside;
    return;
  }
  write(Offset, Size, read(Offset, Size) + Value);
}

void Relocator::apply(const Relocation &R) {
  // R_*_NONE is 0 on all machines; linkers leave it for discarded sections.
  if (R.Type == 0 || applyLEB(R))
    return;
  const RelocationType *T = findType(Identity.Machine, R.Type);
  bool IsSupported = Supports && Supports(R.Type);
  // LLVM's resolvers are needed for those that add to and subtract from fields.
  if (!T || (!IsSupported && usesPairs(Identity.Machine))) {
    invalidate(R);
    return countUnknown(R.Type);
  }
  unsigned Size = T->Bytes;
  if (R.Offset > Bytes.size() || Bytes.size() - R.Offset < Size) {
    ++Outside;
    return;
  }
  if (Size == 0)
    return;
  bool UsesContents = !R.HasAddend || addsToContents(Identity.Machine);
  uint64_t Contents = UsesContents ? read(R.Offset, Size) : 0;
  if (IsSupported)
    return write(R.Offset, Size,
                 Resolve(R.Type, R.Offset, R.Symbol, Contents, R.Addend));
  uint64_t Value = R.Symbol + Contents + uint64_t(R.Addend);
  if (T->Op == Operation::Relative)
    Value -= R.Offset;
  write(R.Offset, Size, Value);
}

void Relocator::applyWithBadSymbol(const Relocation &R) {
  ++BadSymbols;
  invalidate(R);
}

/// Sets the field of \p R, which cannot be applied, to all ones, so that it
/// refers to nothing: as an offset, the zero that assemblers leave would be
/// that of the first string, and as an address that of the first function. A
/// field with an addend may be right as it is, if its section is at 0. The
/// fields that tell the names of functions are offsets of 4 bytes.
void Relocator::invalidate(const Relocation &R) {
  const RelocationType *T = findType(Identity.Machine, R.Type);
  unsigned Size = T ? T->Bytes : 4;
  if (!R.HasAddend || addsToContents(Identity.Machine) || Size == 0 ||
      R.Offset > Bytes.size() || Bytes.size() - R.Offset < Size ||
      read(R.Offset, Size) != 0)
    return;
  write(R.Offset, Size, UINT64_MAX);
}

std::string Relocator::report() const {
  std::string Text;
  auto Add = [&](uint64_t Count, const Twine &What) {
    if (Count)
      Text += formatv("{0}{1} {2}", Text.empty() ? "" : ", ", Count, What.str())
                  .str();
  };
  for (auto [Type, Count] : Unknown) {
    StringRef Name = Identity.Format == BinaryFormat::ELF
                         ? getELFRelocationTypeName(Identity.Machine, Type)
                         : "Unknown";
    Add(Count, Name == "Unknown" ? "of type " + utostr(Type)
                                 : "of type " + Name.str());
  }
  Add(OtherUnknown, "of other types");
  Add(Outside, "outside of the section");
  Add(BadSymbols, "by symbols that do not exist");
  return Text;
}

//===----------------------------------------------------------------------===//
// RelocationReports
//===----------------------------------------------------------------------===//

void RelocationReports::add(const Section &S, std::string Report) {
  if (Report.empty())
    return;
  std::lock_guard<std::mutex> Lock(Mutex);
  Reports[S.Index] = std::move(Report);
}

void RelocationReports::add(const Section &S, StringRef Table,
                            const Relocator &By) {
  if (Table.empty())
    return add(S, "the relocations are beyond the end of the file");
  if (std::string Left = By.report(); !Left.empty())
    add(S, "relocations are not applied: " + Left);
}

std::string RelocationReports::of(const Section &S) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  auto It = Reports.find(S.Index);
  return It == Reports.end() ? std::string() : It->second;
}

} // namespace lidia
