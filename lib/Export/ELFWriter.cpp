//===- ELFWriter.cpp - Lays out an ELF file of debug information ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ELFWriter.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

namespace {

/// Writes header fields, some of them as wide as an address.
struct HeaderWriter {
  SectionWriter Out;
  bool Is64;

  explicit HeaderWriter(const Target &T) : Out(T), Is64(T.AddressSize == 8) {}

  void fileHeader(const ArchiveInfo &Info, size_t SegmentCount,
                  uint64_t SectionTable, size_t SectionCount);
  void programHeader(const ELFSegment &S, uint64_t Offset, uint64_t FileSize);
  void sectionHeader(const ELFSection &S, uint32_t Name, uint64_t Offset);

  size_t fileHeaderSize() const { return Is64 ? 64 : 52; }
  size_t programHeaderSize() const { return Is64 ? 56 : 32; }
  size_t sectionHeaderSize() const { return Is64 ? 64 : 40; }
};

} // namespace

void HeaderWriter::fileHeader(const ArchiveInfo &Info, size_t SegmentCount,
                              uint64_t SectionTable, size_t SectionCount) {
  Out.append(StringRef(ELF::ElfMagic, 4));
  Out.u8(Is64 ? ELF::ELFCLASS64 : ELF::ELFCLASS32);
  Out.u8(Out.target().Order == endianness::little ? ELF::ELFDATA2LSB
                                                  : ELF::ELFDATA2MSB);
  Out.u8(ELF::EV_CURRENT);
  Out.u8(Info.OSABI);
  Out.u8(Info.ABIVersion);
  Out.append(StringRef("\0\0\0\0\0\0\0", 7));
  Out.u16(Info.Type);
  Out.u16(Info.Machine);
  Out.u32(ELF::EV_CURRENT);
  Out.address(0); // e_entry
  Out.address(SegmentCount ? fileHeaderSize() : 0);
  Out.address(SectionTable);
  Out.u32(Info.Flags);
  Out.u16(fileHeaderSize());
  Out.u16(SegmentCount ? programHeaderSize() : 0);
  Out.u16(SegmentCount);
  Out.u16(sectionHeaderSize());
  Out.u16(SectionCount);
  Out.u16(SectionCount - 1); // e_shstrndx: the last
}

void HeaderWriter::programHeader(const ELFSegment &S, uint64_t Offset,
                                 uint64_t FileSize) {
  Out.u32(S.Type);
  if (Is64)
    Out.u32(S.Flags);
  Out.address(Offset);
  Out.address(S.Address);
  Out.address(S.Address); // p_paddr
  Out.address(FileSize);
  Out.address(S.Size);
  if (!Is64)
    Out.u32(S.Flags);
  Out.address(S.Alignment);
}

void HeaderWriter::sectionHeader(const ELFSection &S, uint32_t Name,
                                 uint64_t Offset) {
  Out.u32(Name);
  Out.u32(S.Type);
  Out.address(S.Flags);
  Out.address(S.Address);
  Out.address(Offset);
  Out.address(S.Type == ELF::SHT_NOBITS ? S.Size : S.Contents.size());
  Out.u32(S.Link);
  Out.u32(S.Info);
  Out.address(S.Alignment);
  Out.address(S.EntrySize);
}

/// The file offset of a segment without contents. Readers check only the offset
/// within a page.
static uint64_t emptyOffset(const ELFSegment &S) {
  return isPowerOf2_64(S.Alignment) ? S.Address & (S.Alignment - 1) : 0;
}

void writeELF(raw_ostream &OS, const Target &T, const ArchiveInfo &Info,
              ArrayRef<ELFSegment> Segments, std::vector<ELFSection> Sections) {
  SectionWriter Names(T);
  Names.u8(0);
  std::vector<uint32_t> NameOffsets;
  ELFSection NameTable;
  NameTable.Name = ".shstrtab";
  NameTable.Type = ELF::SHT_STRTAB;
  Sections.push_back(NameTable);
  for (const ELFSection &S : Sections) {
    NameOffsets.push_back(Names.size());
    Names.cstring(S.Name);
  }
  Sections.back().Contents = Names.bytes();

  HeaderWriter File(T), Table(T);
  Table.sectionHeader(ELFSection{"", ELF::SHT_NULL, 0, 0, 0, 0, 0, 0, {}, 0}, 0,
                      0);
  uint64_t Offset =
      File.fileHeaderSize() + Segments.size() * File.programHeaderSize();
  std::vector<uint64_t> Offsets;
  for (size_t I = 0; I < Sections.size(); ++I) {
    // A binary may claim any alignment for a section.
    if (Sections[I].Type != ELF::SHT_NOBITS)
      Offset = alignTo(Offset, std::max<uint64_t>(1, Sections[I].Alignment));
    Offsets.push_back(Offset);
    Table.sectionHeader(Sections[I], NameOffsets[I], Offset);
    Offset += Sections[I].Contents.size();
  }
  uint64_t TableOffset = alignTo(Offset, 8);
  File.fileHeader(Info, Segments.size(), TableOffset, Sections.size() + 1);
  for (const ELFSegment &S : Segments)
    File.programHeader(S, S.Contents ? Offsets[*S.Contents] : emptyOffset(S),
                       S.Contents ? Sections[*S.Contents].Contents.size() : 0);

  OS << File.Out.bytes();
  uint64_t Written = File.Out.size();
  for (size_t I = 0; I < Sections.size(); ++I) {
    OS.write_zeros(Offsets[I] - Written);
    OS << Sections[I].Contents;
    Written = Offsets[I] + Sections[I].Contents.size();
  }
  OS.write_zeros(TableOffset - Written);
  OS << Table.Out.bytes();
}

} // namespace lidia
