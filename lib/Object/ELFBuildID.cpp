//===- ELFBuildID.cpp - The build ID of an ELF file -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ELFBuildID.h"
#include "Notes.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include <cstring>

using namespace llvm;
using namespace llvm::object;

namespace lidia {

namespace {
/// Searches one file.
template <class ELFT> class BuildIDSearch {
public:
  BuildIDSearch(ReadBytesAt Read) : Read(Read) {}

  std::vector<uint8_t> run();

private:
  using Ehdr = typename ELFT::Ehdr;
  using Shdr = typename ELFT::Shdr;
  using Phdr = typename ELFT::Phdr;

  template <class T> bool readOne(uint64_t Offset, T &To) const {
    MutableArrayRef<uint8_t> Bytes(reinterpret_cast<uint8_t *>(&To), sizeof(T));
    return Read(Offset, Bytes) == Bytes.size();
  }
  template <class T, class Visitor>
  void forEach(uint64_t Offset, uint64_t Count, Visitor Visit) const;
  void search(uint64_t Offset, uint64_t Size, uint64_t Align);

  ReadBytesAt Read;
  /// The number of bytes of notes that may still be read. Valid files have a
  /// few hundred, except for the notes of compiler plugins, which come after
  /// the build ID.
  uint64_t Budget = 1 << 20;
  std::vector<uint8_t> BuildID;
};
} // namespace

/// Calls \p Visit with the headers of a table, up to the first that cannot be
/// read, and until a build ID is found.
template <class ELFT>
template <class T, class Visitor>
void BuildIDSearch<ELFT>::forEach(uint64_t Offset, uint64_t Count,
                                  Visitor Visit) const {
  constexpr uint64_t MaxHeaders = 1 << 20;
  Count = std::min(Count, MaxHeaders);
  std::vector<T> Piece(std::min<uint64_t>(Count, 1024));
  while (Count != 0 && BuildID.empty()) {
    size_t Wanted = std::min<uint64_t>(Piece.size(), Count);
    size_t Got = Read(Offset, {reinterpret_cast<uint8_t *>(Piece.data()),
                               Wanted * sizeof(T)}) /
                 sizeof(T);
    for (const T &Header : ArrayRef(Piece).take_front(Got))
      Visit(Header);
    if (Got < Wanted)
      return;
    Count -= Got;
    Offset += Got * sizeof(T);
  }
}

template <class ELFT>
void BuildIDSearch<ELFT>::search(uint64_t Offset, uint64_t Size,
                                 uint64_t Align) {
  if (!BuildID.empty())
    return;
  std::vector<uint8_t> Notes(std::min(Size, Budget));
  Budget -= Notes.size();
  Notes.resize(Read(Offset, Notes));
  BuildID = findBuildID(Notes, Align, ELFT::Endianness).vec();
}

template <class ELFT> std::vector<uint8_t> BuildIDSearch<ELFT>::run() {
  Ehdr H;
  if (!readOne(0, H))
    return {};
  uint64_t SectionCount = H.e_shnum, SegmentCount = H.e_phnum;
  Shdr First;
  bool HasSections = H.e_shoff != 0 && H.e_shentsize == sizeof(Shdr) &&
                     readOne(H.e_shoff, First);
  // The first section header has the numbers that do not fit here.
  if (HasSections && SectionCount == 0)
    SectionCount = First.sh_size;
  constexpr uint64_t InSectionHeader = 0xffff; // PN_XNUM
  if (HasSections && SegmentCount == InSectionHeader)
    SegmentCount = First.sh_info;
  if (HasSections)
    forEach<Shdr>(H.e_shoff, SectionCount, [&](const Shdr &S) {
      if (S.sh_type == ELF::SHT_NOTE)
        search(S.sh_offset, S.sh_size, S.sh_addralign);
    });
  if (H.e_phentsize == sizeof(Phdr))
    forEach<Phdr>(H.e_phoff, SegmentCount, [&](const Phdr &P) {
      if (P.p_type == ELF::PT_NOTE)
        search(P.p_offset, P.p_filesz, P.p_align);
    });
  return std::move(BuildID);
}

std::vector<uint8_t> readELFBuildID(ReadBytesAt Read) {
  uint8_t Ident[ELF::EI_NIDENT];
  if (Read(0, Ident) != sizeof(Ident) ||
      std::memcmp(Ident, ELF::ElfMagic, strlen(ELF::ElfMagic)) != 0)
    return {};
  bool Is64 = Ident[ELF::EI_CLASS] == ELF::ELFCLASS64;
  if (Ident[ELF::EI_DATA] == ELF::ELFDATA2LSB)
    return Is64 ? BuildIDSearch<ELF64LE>(Read).run()
                : BuildIDSearch<ELF32LE>(Read).run();
  return Is64 ? BuildIDSearch<ELF64BE>(Read).run()
              : BuildIDSearch<ELF32BE>(Read).run();
}

} // namespace lidia
