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
struct TypeSize {
  uint16_t Machine;
  uint32_t Type;
  uint32_t Bytes;
};
} // namespace

/// The types that assemblers use in debug sections, and the number of bytes
/// that each sets, from the ABIs of the machines.
static constexpr TypeSize TypeSizes[] = {
    {ELF::EM_X86_64, ELF::R_X86_64_64, 8},
    {ELF::EM_X86_64, ELF::R_X86_64_PC64, 8},
    {ELF::EM_X86_64, ELF::R_X86_64_DTPOFF64, 8},
    {ELF::EM_X86_64, ELF::R_X86_64_32, 4},
    {ELF::EM_X86_64, ELF::R_X86_64_32S, 4},
    {ELF::EM_X86_64, ELF::R_X86_64_PC32, 4},
    {ELF::EM_X86_64, ELF::R_X86_64_DTPOFF32, 4},
    {ELF::EM_386, ELF::R_386_32, 4},
    {ELF::EM_386, ELF::R_386_PC32, 4},
    {ELF::EM_AARCH64, ELF::R_AARCH64_ABS64, 8},
    {ELF::EM_AARCH64, ELF::R_AARCH64_PREL64, 8},
    {ELF::EM_AARCH64, ELF::R_AARCH64_ABS32, 4},
    {ELF::EM_AARCH64, ELF::R_AARCH64_PREL32, 4},
    {ELF::EM_AARCH64, ELF::R_AARCH64_PREL16, 2},
    {ELF::EM_ARM, ELF::R_ARM_ABS32, 4},
    {ELF::EM_ARM, ELF::R_ARM_REL32, 4},
    {ELF::EM_RISCV, ELF::R_RISCV_64, 8},
    {ELF::EM_RISCV, ELF::R_RISCV_ADD64, 8},
    {ELF::EM_RISCV, ELF::R_RISCV_SUB64, 8},
    {ELF::EM_RISCV, ELF::R_RISCV_32, 4},
    {ELF::EM_RISCV, ELF::R_RISCV_32_PCREL, 4},
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
    {ELF::EM_LOONGARCH, ELF::R_LARCH_32_PCREL, 4},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_ADD32, 4},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_SUB32, 4},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_ADD16, 2},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_SUB16, 2},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_ADD8, 1},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_SUB8, 1},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_ADD6, 1},
    {ELF::EM_LOONGARCH, ELF::R_LARCH_SUB6, 1},
    {ELF::EM_PPC64, ELF::R_PPC64_ADDR64, 8},
    {ELF::EM_PPC64, ELF::R_PPC64_REL64, 8},
    {ELF::EM_PPC64, ELF::R_PPC64_ADDR32, 4},
    {ELF::EM_PPC64, ELF::R_PPC64_REL32, 4},
    {ELF::EM_PPC, ELF::R_PPC_ADDR32, 4},
    {ELF::EM_PPC, ELF::R_PPC_REL32, 4},
    {ELF::EM_S390, ELF::R_390_64, 8},
    {ELF::EM_S390, ELF::R_390_32, 4},
    {ELF::EM_MIPS, ELF::R_MIPS_64, 8},
    {ELF::EM_MIPS, ELF::R_MIPS_TLS_DTPREL64, 8},
    {ELF::EM_MIPS, ELF::R_MIPS_32, 4},
    {ELF::EM_MIPS, ELF::R_MIPS_TLS_DTPREL32, 4},
    {ELF::EM_SPARCV9, ELF::R_SPARC_64, 8},
    {ELF::EM_SPARCV9, ELF::R_SPARC_UA64, 8},
    {ELF::EM_SPARCV9, ELF::R_SPARC_32, 4},
    {ELF::EM_SPARCV9, ELF::R_SPARC_UA32, 4},
};

/// Zero for a type that does not occur in debug sections.
static unsigned sizeOf(uint16_t Machine, uint32_t Type) {
  for (const TypeSize &T : TypeSizes)
    if (T.Machine == Machine && T.Type == Type)
      return T.Bytes;
  return 0;
}

/// Whether the contents of the section are an operand although there is an
/// addend: such machines use pairs that add one symbol and subtract another.
static bool addsToContents(uint16_t Machine) {
  return Machine == ELF::EM_RISCV || Machine == ELF::EM_LOONGARCH;
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
  constexpr unsigned MostBytes = 10;
  MutableArrayRef<uint8_t> Rest =
      Bytes.drop_front(std::min<uint64_t>(R.Offset, Bytes.size()));
  uint64_t Old = 0;
  unsigned Length = 0;
  bool Ends = false;
  while (!Ends && Length < std::min<size_t>(MostBytes, Rest.size())) {
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
  constexpr size_t MostTypes = 4;
  if (Unknown.size() < MostTypes || Unknown.count(Type))
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
  unsigned Size = sizeOf(Identity.Machine, R.Type);
  if (Size == 0 || !Supports || !Supports(R.Type))
    return countUnknown(R.Type);
  if (R.Offset > Bytes.size() || Bytes.size() - R.Offset < Size) {
    ++Outside;
    return;
  }
  bool UsesContents = !R.HasAddend || addsToContents(Identity.Machine);
  uint64_t Contents = UsesContents ? read(R.Offset, Size) : 0;
  write(R.Offset, Size,
        Resolve(R.Type, R.Offset, R.Symbol, Contents, R.Addend));
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
