//===- ELFHeaders.cpp - The program headers of an ELF file ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ELFHeaders.h"
#include "Object/ELFBuildID.h"
#include "lidia/Archive/LoadSegments.h"
#include "lidia/Error.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>

using namespace llvm;
using namespace llvm::object;

namespace lidia {

bool ELFHeaders::is64() const { return Identity.Class == ELF::ELFCLASS64; }

endianness ELFHeaders::order() const {
  return Identity.Data == ELF::ELFDATA2MSB ? endianness::big
                                           : endianness::little;
}

std::optional<uint64_t> ELFHeaders::addressAt(uint64_t FileOffset,
                                              bool Executable) const {
  // No system has larger pages than these.
  constexpr uint64_t Page = 0x10000;
  const ELFSegment *Best = nullptr;
  auto Rank = [&](const ELFSegment &S) {
    bool Holds = FileOffset >= S.Offset && FileOffset - S.Offset < S.FileSize;
    bool Agrees = bool(S.Flags & ELF::PF_X) == Executable;
    return std::make_tuple(Holds, Agrees);
  };
  for (const ELFSegment &S : Segments) {
    if (S.Type != ELF::PT_LOAD || S.FileSize == 0)
      continue;
    uint64_t First = S.Offset & ~(Page - 1);
    uint64_t Last = S.Offset + std::min(S.FileSize - 1, UINT64_MAX - S.Offset);
    Last |= Page - 1;
    if (FileOffset < First || FileOffset > Last)
      continue;
    if (!Best || Rank(S) > Rank(*Best))
      Best = &S;
  }
  if (!Best)
    return std::nullopt;
  // Wraps around for the bytes before a segment.
  return Best->Address + (FileOffset - Best->Offset);
}

template <class ELFT>
static bool lacksCode(const ByteReader &Bytes, const typename ELFT::Ehdr &H) {
  using Shdr = typename ELFT::Shdr;
  if (H.e_shentsize != sizeof(Shdr))
    return false;
  std::vector<Shdr> Sections(H.e_shnum);
  return Bytes.readAll(H.e_shoff, {reinterpret_cast<uint8_t *>(Sections.data()),
                                   Sections.size() * sizeof(Shdr)}) &&
         any_of(Sections, [](const Shdr &S) {
           return S.sh_type == ELF::SHT_NOBITS && S.sh_size != 0 &&
                  (S.sh_flags & ELF::SHF_EXECINSTR);
         });
}

template <class ELFT>
static Expected<ELFHeaders> readAs(const ByteReader &Bytes, const Twine &Name) {
  using Phdr = typename ELFT::Phdr;
  typename ELFT::Ehdr H;
  if (!Bytes.readAll(0, {reinterpret_cast<uint8_t *>(&H), sizeof(H)}))
    return make_error<DamagedError>(Name, "the ELF header is truncated");
  ELFHeaders Result;
  Result.Identity.Machine = H.e_machine;
  Result.Identity.Type = H.e_type;
  Result.Identity.Class = H.e_ident[ELF::EI_CLASS];
  Result.Identity.Data = H.e_ident[ELF::EI_DATA];
  Result.Identity.OSABI = H.e_ident[ELF::EI_OSABI];
  Result.Identity.ABIVersion = H.e_ident[ELF::EI_ABIVERSION];
  Result.Identity.Flags = H.e_flags;

  uint64_t Count = H.e_phnum;
  constexpr uint64_t InSectionHeader = 0xffff; // PN_XNUM
  if (Count == InSectionHeader) {
    // The number of segments is in the first section header, as in large cores.
    typename ELFT::Shdr First;
    if (Bytes.readAll(H.e_shoff,
                      {reinterpret_cast<uint8_t *>(&First), sizeof(First)}))
      Count = First.sh_info;
  }
  if (Count != 0 && H.e_phentsize != sizeof(Phdr))
    return make_error<DamagedError>(
        Name, "program headers have " + Twine(uint64_t(H.e_phentsize)) +
                  " bytes instead of " + Twine(uint64_t(sizeof(Phdr))));
  constexpr uint64_t MaxHeaders = 1 << 20;
  std::vector<Phdr> Piece(std::min<uint64_t>(Count, 1024));
  for (uint64_t Read = 0; Read < std::min(Count, MaxHeaders);) {
    size_t Got = Bytes.read(H.e_phoff + Read * sizeof(Phdr),
                            {reinterpret_cast<uint8_t *>(Piece.data()),
                             Piece.size() * sizeof(Phdr)}) /
                 sizeof(Phdr);
    Got = std::min<uint64_t>(Got, Count - Read);
    for (const Phdr &P : ArrayRef(Piece).take_front(Got))
      Result.Segments.push_back({P.p_type, P.p_flags, P.p_offset, P.p_vaddr,
                                 P.p_filesz, P.p_memsz, P.p_align});
    if (Got < Piece.size())
      break;
    Read += Got;
  }
  Result.LacksCode = lacksCode<ELFT>(Bytes, H);
  return Result;
}

Expected<ELFHeaders> readELFHeaders(const ByteReader &Bytes,
                                    const Twine &Name) {
  uint8_t Ident[ELF::EI_NIDENT];
  if (!Bytes.readAll(0, Ident) ||
      std::memcmp(Ident, ELF::ElfMagic, strlen(ELF::ElfMagic)) != 0)
    return make_error<UnsupportedError>(Name, "not an ELF file");
  bool Is64 = Ident[ELF::EI_CLASS] == ELF::ELFCLASS64;
  bool IsLittle = Ident[ELF::EI_DATA] == ELF::ELFDATA2LSB;
  if (!Is64 && Ident[ELF::EI_CLASS] != ELF::ELFCLASS32)
    return make_error<UnsupportedError>(Name, "the ELF class is not known");
  if (!IsLittle && Ident[ELF::EI_DATA] != ELF::ELFDATA2MSB)
    return make_error<UnsupportedError>(Name, "the byte order is not known");
  if (Is64)
    return IsLittle ? readAs<ELF64LE>(Bytes, Name)
                    : readAs<ELF64BE>(Bytes, Name);
  return IsLittle ? readAs<ELF32LE>(Bytes, Name) : readAs<ELF32BE>(Bytes, Name);
}

std::unique_ptr<ELFHeaders> headersOf(const Archive &A) {
  LoadSegments Segments(A);
  if (!Segments.size() || !A.info())
    return nullptr;
  auto Result = std::make_unique<ELFHeaders>();
  Result->Identity = *A.info();
  Result->OnlyCode = true;
  // No linker makes more, and each address is searched in all of them.
  constexpr uint64_t MaxSegments = 1024;
  for (uint64_t I = 0, E = std::min(Segments.size(), MaxSegments); I != E;
       ++I) {
    LoadSegment S = Segments[I];
    Result->Segments.push_back({ELF::PT_LOAD, ELF::PF_R | ELF::PF_X, S.Offset,
                                S.Address, S.Size, S.Size, /*Align=*/1});
  }
  return Result;
}

std::vector<uint8_t> readBuildID(const ByteReader &Bytes) {
  return readELFBuildID([&](uint64_t Offset, MutableArrayRef<uint8_t> To) {
    return Bytes.read(Offset, To);
  });
}

} // namespace lidia
