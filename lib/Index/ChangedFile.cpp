//===- ChangedFile.cpp - An ELF file with changed sections ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChangedFile.h"
#include "Support/StableSort.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/MathExtras.h"
#include <deque>

using namespace llvm;
using namespace llvm::object;

namespace lidia {

namespace {
template <typename ELFT> class Changer {
public:
  using Header = typename ELFT::Ehdr;
  using SectionHeader = typename ELFT::Shdr;

  Changer(ELFFile<ELFT> File, ArrayRef<ChangedSection> Changes)
      : File(std::move(File)), Changes(Changes) {}

  Error run(raw_ostream &OS);

private:
  Error readSections();
  Error findFixedPart();
  Error apply(const ChangedSection &Change);
  void compress(size_t I);
  Error layOut();
  void write(raw_ostream &OS) const;

  /// Whether the bytes of section \p I can be moved.
  bool isMovable(size_t I) const {
    const SectionHeader &S = Sections[I];
    return I && S.sh_type != ELF::SHT_NOBITS && S.sh_type != ELF::SHT_NULL &&
           (IsChanged[I] ||
            (!(S.sh_flags & ELF::SHF_ALLOC) && S.sh_offset >= FixedEnd));
  }
  bool isInFile(uint64_t Offset, uint64_t Size) const {
    return Offset <= File.getBufSize() && Size <= File.getBufSize() - Offset;
  }

  ELFFile<ELFT> File;
  ArrayRef<ChangedSection> Changes;
  std::vector<SectionHeader> Sections;
  std::vector<StringRef> Contents;
  std::vector<bool> IsChanged;
  std::vector<std::string> SectionNames;
  /// The compressed contents of sections.
  std::deque<std::string> Owned;
  /// The new table of section names.
  std::string Names;
  size_t NamesIndex = 0;
  /// The number of bytes at the start of the file that stay in place.
  uint64_t FixedEnd = 0;
  /// The movable sections, in file order.
  std::vector<size_t> Order;
  uint64_t HeadersOffset = 0;
};
} // namespace

template <typename ELFT> Error Changer<ELFT>::readSections() {
  Expected<typename ELFT::ShdrRange> Read = File.sections();
  if (!Read)
    return Read.takeError();
  Sections.assign(Read->begin(), Read->end());
  NamesIndex = File.getHeader().e_shstrndx;
  if (Sections.empty() || NamesIndex == 0 || NamesIndex >= Sections.size())
    return make_error<UnsupportedError>("", "it has no section names");
  if (Sections[NamesIndex].sh_flags & ELF::SHF_ALLOC)
    return make_error<UnsupportedError>("", "its section names are loaded");
  Expected<StringRef> Table = File.getSectionStringTable(*Read);
  if (!Table)
    return Table.takeError();
  Names = Table->str();
  for (const SectionHeader &S : *Read) {
    Expected<StringRef> Name = File.getSectionName(S, *Table);
    if (!Name)
      return Name.takeError();
    SectionNames.push_back(Name->str());
    bool HasBytes = S.sh_type != ELF::SHT_NOBITS && S.sh_type != ELF::SHT_NULL;
    if (HasBytes && !isInFile(S.sh_offset, S.sh_size))
      return make_error<DamagedError>("", "section " + *Name +
                                              " reaches past its end");
    Contents.push_back(
        HasBytes ? StringRef(reinterpret_cast<const char *>(File.base()) +
                                 S.sh_offset,
                             S.sh_size)
                 : StringRef());
  }
  IsChanged.assign(Sections.size(), false);
  return Error::success();
}

/// Finds the part with the headers and the loaded sections. The segments of a
/// debug file describe another file.
template <typename ELFT> Error Changer<ELFT>::findFixedPart() {
  const Header &H = File.getHeader();
  FixedEnd = sizeof(Header);
  auto Keep = [&](uint64_t Offset, uint64_t Size) {
    if (Size && isInFile(Offset, Size))
      FixedEnd = std::max(FixedEnd, Offset + Size);
  };
  Expected<typename ELFT::PhdrRange> Segments = File.program_headers();
  if (!Segments)
    return Segments.takeError();
  Keep(H.e_phoff, uint64_t(H.e_phnum) * sizeof(typename ELFT::Phdr));
  bool HasCode = false;
  for (const SectionHeader &S : Sections) {
    if (!(S.sh_flags & ELF::SHF_ALLOC) || S.sh_type == ELF::SHT_NOBITS)
      continue;
    HasCode |= (S.sh_flags & ELF::SHF_EXECINSTR) && S.sh_size;
    Keep(S.sh_offset, S.sh_size);
  }
  if (HasCode)
    for (const auto &Segment : *Segments)
      Keep(Segment.p_offset, Segment.p_filesz);
  // Other sections that begin in this part stay there completely.
  std::vector<std::pair<uint64_t, uint64_t>> Places;
  for (const SectionHeader &S : Sections)
    if (S.sh_type != ELF::SHT_NOBITS)
      Places.emplace_back(S.sh_offset, S.sh_size);
  llvm::sort(Places);
  for (const auto &[Offset, Size] : Places)
    if (Offset < FixedEnd)
      Keep(Offset, Size);
  return Error::success();
}

template <typename ELFT>
Error Changer<ELFT>::apply(const ChangedSection &Change) {
  size_t I = find(SectionNames, Change.Name) - SectionNames.begin();
  if (I == Sections.size()) {
    SectionHeader New = {};
    New.sh_type = ELF::SHT_PROGBITS;
    Sections.push_back(New);
    Contents.push_back({});
    IsChanged.push_back(true);
    SectionNames.push_back(Change.Name.str());
    Sections[I].sh_name = Names.size();
    Names += Change.Name;
    Names += '\0';
  }
  if (Sections[I].sh_flags & ELF::SHF_ALLOC)
    return make_error<UnsupportedError>("", "section " + Change.Name +
                                                " is loaded");
  Sections[I].sh_flags = Sections[I].sh_flags & ~uint64_t(ELF::SHF_COMPRESSED);
  Sections[I].sh_addralign = 1;
  Contents[I] = Change.Contents;
  IsChanged[I] = true;
  if (Change.Compress && compression::zlib::isAvailable())
    compress(I);
  return Error::success();
}

template <typename ELFT> void Changer<ELFT>::compress(size_t I) {
  typename ELFT::Chdr Head = {};
  Head.ch_type = ELF::ELFCOMPRESS_ZLIB;
  Head.ch_size = Contents[I].size();
  Head.ch_addralign = 1;
  SmallVector<uint8_t, 0> Packed;
  compression::zlib::compress(arrayRefFromStringRef(Contents[I]), Packed,
                              compression::zlib::BestSpeedCompression);
  std::string &Bytes =
      Owned.emplace_back(reinterpret_cast<const char *>(&Head), sizeof(Head));
  Bytes += toStringRef(Packed);
  Contents[I] = Bytes;
  Sections[I].sh_flags = Sections[I].sh_flags | ELF::SHF_COMPRESSED;
  Sections[I].sh_addralign = ELFT::Is64Bits ? 8 : 4;
}

template <typename ELFT> Error Changer<ELFT>::layOut() {
  for (size_t I = 0; I != Sections.size(); ++I)
    if (isMovable(I))
      Order.push_back(I);
  stableSort(Order, [&](size_t I) {
    // New sections come last.
    return Sections[I].sh_offset ? uint64_t(Sections[I].sh_offset) : UINT64_MAX;
  });
  uint64_t End = FixedEnd, Moved = 0;
  for (size_t I : Order) {
    SectionHeader &S = Sections[I];
    uint64_t Alignment = S.sh_addralign;
    if (!isPowerOf2_64(Alignment) || Alignment > 4096)
      Alignment = 1;
    End = llvm::alignTo(End, Align(Alignment));
    S.sh_offset = End;
    S.sh_size = Contents[I].size();
    End += Contents[I].size();
    // Any number of sections may share the same bytes.
    Moved += IsChanged[I] ? 0 : Contents[I].size();
    if (Moved > File.getBufSize())
      return make_error<DamagedError>("", "its sections overlap");
  }
  HeadersOffset = llvm::alignTo(End, Align(8));
  if (!ELFT::Is64Bits && HeadersOffset > UINT32_MAX)
    return make_error<LimitError>("", "too large for a 32-bit ELF file");
  return Error::success();
}

template <typename ELFT> void Changer<ELFT>::write(raw_ostream &OS) const {
  Header H = File.getHeader();
  H.e_shoff = HeadersOffset;
  H.e_shnum = Sections.size();
  H.e_shentsize = sizeof(SectionHeader);
  OS.write(reinterpret_cast<const char *>(&H), sizeof(H));
  OS.write(reinterpret_cast<const char *>(File.base()) + sizeof(H),
           FixedEnd - sizeof(H));
  uint64_t End = FixedEnd;
  for (size_t I : Order) {
    OS.write_zeros(Sections[I].sh_offset - End);
    OS << Contents[I];
    End = Sections[I].sh_offset + Contents[I].size();
  }
  OS.write_zeros(HeadersOffset - End);
  OS.write(reinterpret_cast<const char *>(Sections.data()),
           Sections.size() * sizeof(SectionHeader));
}

template <typename ELFT> Error Changer<ELFT>::run(raw_ostream &OS) {
  if (File.getHeader().e_type == ELF::ET_REL)
    return make_error<UnsupportedError>("", "it is not linked");
  if (Error E = readSections())
    return E;
  if (Error E = findFixedPart())
    return E;
  for (const ChangedSection &Change : Changes)
    if (Error E = apply(Change))
      return E;
  if (Sections.size() >= ELF::SHN_LORESERVE)
    return make_error<LimitError>("", "it has too many sections");
  Contents[NamesIndex] = Names;
  IsChanged[NamesIndex] = true;
  if (Error E = layOut())
    return E;
  write(OS);
  return Error::success();
}

template <typename ELFT>
static Error change(MemoryBufferRef Buffer, ArrayRef<ChangedSection> Changes,
                    raw_ostream &OS) {
  Expected<ELFFile<ELFT>> File = ELFFile<ELFT>::create(Buffer.getBuffer());
  if (!File)
    return File.takeError();
  return Changer<ELFT>(std::move(*File), Changes).run(OS);
}

Error writeChanged(MemoryBufferRef File, ArrayRef<ChangedSection> Changes,
                   raw_ostream &OS) {
  if (File.getBufferSize() < sizeof(ELF::Elf32_Ehdr) ||
      !File.getBuffer().starts_with(ELF::ElfMagic))
    return make_error<UnsupportedError>("", "not an ELF file");
  auto [Class, Data] = getElfArchType(File.getBuffer());
  bool Is64 = Class == ELF::ELFCLASS64;
  if (Data == ELF::ELFDATA2LSB)
    return Is64 ? change<ELF64LE>(File, Changes, OS)
                : change<ELF32LE>(File, Changes, OS);
  return Is64 ? change<ELF64BE>(File, Changes, OS)
              : change<ELF32BE>(File, Changes, OS);
}

} // namespace lidia
