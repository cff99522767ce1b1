//===- SegmentTables.cpp - Sections found by program headers --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentTables.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace llvm;
using namespace llvm::object;

namespace lidia {

namespace {

/// Bytes of the file, with their address when the program is loaded.
struct Place {
  uint64_t Address = 0;
  uint64_t Offset = 0;
  StringRef Bytes;
};

template <class ELFT> class SegmentFinder {
public:
  explicit SegmentFinder(const ELFFile<ELFT> &File)
      : Machine(File.getHeader().e_machine),
        All(reinterpret_cast<const char *>(File.base()), File.getBufSize()) {
    if (Expected<ArrayRef<Phdr>> Headers = File.program_headers())
      Segments = *Headers;
    else
      consumeError(Headers.takeError());
  }

  std::vector<SegmentTable<ELFT>> run();

private:
  using Shdr = typename ELFT::Shdr;
  using Phdr = typename ELFT::Phdr;
  using Sym = typename ELFT::Sym;
  using Dyn = typename ELFT::Dyn;

  std::optional<Place> at(uint64_t Address) const;
  std::optional<Place> segment(uint32_t Type) const;
  void addDynamic();
  std::optional<uint64_t> countByHash(uint64_t Address) const;
  std::optional<uint64_t> countByGNUHash(uint64_t Address) const;
  void addUnwinding();
  std::optional<uint64_t> frameAddress(const Place &Header) const;
  uint64_t frameSize(StringRef Bytes) const;
  Shdr &add(StringRef Name, uint32_t Type, const Place &P);

  DataExtractor extractor(StringRef Bytes) const {
    return DataExtractor(Bytes, ELFT::Endianness == endianness::little,
                         ELFT::Is64Bits ? 8 : 4);
  }

  const uint16_t Machine;
  const StringRef All;
  ArrayRef<Phdr> Segments;
  std::vector<SegmentTable<ELFT>> Tables;
};

} // namespace

/// The bytes from \p Address to the end of its segment.
template <class ELFT>
std::optional<Place> SegmentFinder<ELFT>::at(uint64_t Address) const {
  for (const Phdr &P : Segments) {
    if (P.p_type != ELF::PT_LOAD || Address < P.p_vaddr ||
        Address - P.p_vaddr >= P.p_filesz)
      continue;
    StringRef Bytes =
        All.substr(P.p_offset, P.p_filesz).substr(Address - P.p_vaddr);
    if (!Bytes.empty())
      return Place{Address, uint64_t(Bytes.data() - All.data()), Bytes};
  }
  return std::nullopt;
}

/// The bytes of the first segment of type \p Type.
template <class ELFT>
std::optional<Place> SegmentFinder<ELFT>::segment(uint32_t Type) const {
  for (const Phdr &P : Segments)
    if (P.p_type == Type)
      if (StringRef Bytes = All.substr(P.p_offset, P.p_filesz); !Bytes.empty())
        return Place{P.p_vaddr, P.p_offset, Bytes};
  return std::nullopt;
}

template <class ELFT>
typename ELFT::Shdr &SegmentFinder<ELFT>::add(StringRef Name, uint32_t Type,
                                              const Place &P) {
  if (Tables.empty())
    Tables.push_back({"", Shdr()});
  Tables.push_back({Name, Shdr()});
  Shdr &H = Tables.back().Header;
  H.sh_type = Type;
  H.sh_flags = ELF::SHF_ALLOC;
  H.sh_addr = P.Address;
  H.sh_offset = P.Offset;
  H.sh_size = P.Bytes.size();
  H.sh_addralign = ELFT::Is64Bits ? 8 : 4;
  return H;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// The number of symbols: that of the chains of DT_HASH.
template <class ELFT>
std::optional<uint64_t>
SegmentFinder<ELFT>::countByHash(uint64_t Address) const {
  std::optional<Place> Table = at(Address);
  if (!Table)
    return std::nullopt;
  // Two ABIs have words of 64 bits there.
  unsigned Word =
      ELFT::Is64Bits && (Machine == ELF::EM_S390 || Machine == ELF::EM_ALPHA)
          ? 8
          : 4;
  DataExtractor Data = extractor(Table->Bytes);
  DataExtractor::Cursor C(0);
  uint64_t Buckets = Data.getUnsigned(C, Word);
  uint64_t Chains = Data.getUnsigned(C, Word);
  uint64_t Words = Table->Bytes.size() / Word;
  if (Error E = C.takeError()) {
    consumeError(std::move(E));
    return std::nullopt;
  }
  if (Buckets > Words || Chains > Words || Buckets + Chains + 2 > Words)
    return std::nullopt;
  return Chains;
}

/// The number of symbols: the last chain of DT_GNU_HASH ends with the last
/// symbol, in an entry whose lowest bit is set.
template <class ELFT>
std::optional<uint64_t>
SegmentFinder<ELFT>::countByGNUHash(uint64_t Address) const {
  std::optional<Place> Table = at(Address);
  if (!Table || Table->Bytes.size() < 16)
    return std::nullopt;
  auto Word = [&](uint64_t Offset) -> std::optional<uint32_t> {
    if (Offset > Table->Bytes.size() || Table->Bytes.size() - Offset < 4)
      return std::nullopt;
    return support::endian::read<uint32_t>(Table->Bytes.data() + Offset,
                                           ELFT::Endianness);
  };
  uint64_t Buckets = *Word(0), First = *Word(4), Filters = *Word(8);
  uint64_t At = 16 + Filters * (ELFT::Is64Bits ? 8 : 4);
  uint64_t Chains = At + Buckets * 4;
  if (Chains > Table->Bytes.size())
    return std::nullopt;
  uint64_t Last = 0;
  for (; At != Chains; At += 4)
    Last = std::max<uint64_t>(Last, *Word(At));
  // Only symbols that are defined elsewhere.
  if (Last < First)
    return First;
  for (;; ++Last) {
    std::optional<uint32_t> Hash = Word(Chains + (Last - First) * 4);
    if (!Hash)
      return std::nullopt;
    if (*Hash & 1)
      return Last + 1;
  }
}

template <class ELFT> void SegmentFinder<ELFT>::addDynamic() {
  std::optional<Place> Dynamic = segment(ELF::PT_DYNAMIC);
  if (!Dynamic)
    return;
  ArrayRef<Dyn> Entries(reinterpret_cast<const Dyn *>(Dynamic->Bytes.data()),
                        Dynamic->Bytes.size() / sizeof(Dyn));
  auto Value = [&](int64_t Tag) -> std::optional<uint64_t> {
    for (const Dyn &D : Entries) {
      if (D.getTag() == ELF::DT_NULL)
        break;
      if (int64_t(D.getTag()) == Tag)
        return D.getVal();
    }
    return std::nullopt;
  };
  std::optional<uint64_t> SymbolsAt = Value(ELF::DT_SYMTAB),
                          NamesAt = Value(ELF::DT_STRTAB);
  if (!SymbolsAt || !NamesAt ||
      Value(ELF::DT_SYMENT).value_or(sizeof(Sym)) != sizeof(Sym))
    return;
  std::optional<Place> Symbols = at(*SymbolsAt), Names = at(*NamesAt);
  if (!Symbols || !Names)
    return;
  Names->Bytes =
      Names->Bytes.take_front(Value(ELF::DT_STRSZ).value_or(UINT64_MAX));
  Names->Bytes = Names->Bytes.take_front(Names->Bytes.rfind('\0') + 1);
  uint64_t Max = Symbols->Bytes.size() / sizeof(Sym);
  std::optional<uint64_t> Count;
  auto Try = [&](std::optional<uint64_t> Found) {
    if (!Count && Found && *Found <= Max)
      Count = Found;
  };
  if (std::optional<uint64_t> Hash = Value(ELF::DT_HASH))
    Try(countByHash(*Hash));
  if (std::optional<uint64_t> Hash = Value(ELF::DT_GNU_HASH))
    Try(countByGNUHash(*Hash));
  if (Machine == ELF::EM_MIPS)
    Try(Value(ELF::DT_MIPS_SYMTABNO));
  // Linkers put the names after the symbols.
  if (*NamesAt > *SymbolsAt)
    Try((*NamesAt - *SymbolsAt) / sizeof(Sym));
  if (!Count || Names->Bytes.empty())
    return;
  Symbols->Bytes = Symbols->Bytes.take_front(*Count * sizeof(Sym));
  Shdr &Table = add(".dynsym", ELF::SHT_DYNSYM, *Symbols);
  Table.sh_entsize = sizeof(Sym);
  Table.sh_link = Tables.size();
  add(".dynstr", ELF::SHT_STRTAB, *Names).sh_addralign = 1;
}

//===----------------------------------------------------------------------===//
// Unwinding
//===----------------------------------------------------------------------===//

/// The address of .eh_frame, from the beginning of .eh_frame_hdr (Linux
/// Standard Base, "Exception Frames"). The table that may follow is not needed.
template <class ELFT>
std::optional<uint64_t>
SegmentFinder<ELFT>::frameAddress(const Place &Header) const {
  constexpr unsigned BeforePointer = 4;
  if (Header.Bytes.size() < BeforePointer || Header.Bytes[0] != 1)
    return std::nullopt;
  uint8_t Encoding = Header.Bytes[1];
  DataExtractor Data = extractor(Header.Bytes);
  DataExtractor::Cursor C(BeforePointer);
  unsigned Size;
  switch (Encoding & 0x07) {
  case dwarf::DW_EH_PE_absptr:
    Size = ELFT::Is64Bits ? 8 : 4;
    break;
  case dwarf::DW_EH_PE_udata2:
    Size = 2;
    break;
  case dwarf::DW_EH_PE_udata4:
    Size = 4;
    break;
  case dwarf::DW_EH_PE_udata8:
    Size = 8;
    break;
  default:
    return std::nullopt;
  }
  uint64_t Value = Data.getUnsigned(C, Size);
  if (Encoding & dwarf::DW_EH_PE_signed)
    Value = SignExtend64(Value, Size * 8);
  if (Error E = C.takeError()) {
    consumeError(std::move(E));
    return std::nullopt;
  }
  if ((Encoding & 0x70) == dwarf::DW_EH_PE_pcrel)
    Value += Header.Address + BeforePointer;
  else if ((Encoding & 0x70) == dwarf::DW_EH_PE_datarel)
    Value += Header.Address;
  else if ((Encoding & 0xf0) != dwarf::DW_EH_PE_absptr)
    return std::nullopt;
  return ELFT::Is64Bits ? Value : uint32_t(Value);
}

/// The size of .eh_frame, which \p Bytes begins with: up to its terminator or
/// to what is no record, because nothing says how long it is.
template <class ELFT>
uint64_t SegmentFinder<ELFT>::frameSize(StringRef Bytes) const {
  DataExtractor Data = extractor(Bytes);
  DenseSet<uint64_t> CIEs;
  uint64_t End = 0;
  while (true) {
    DataExtractor::Cursor C(End);
    uint64_t Length = Data.getU32(C);
    if (Length == UINT32_MAX)
      Length = Data.getU64(C);
    uint64_t Contents = C.tell();
    uint64_t ID = Data.getU32(C);
    if (Error E = C.takeError()) {
      consumeError(std::move(E));
      return End;
    }
    if (Length < 4 || Length > Bytes.size() - Contents)
      return End;
    if (ID == 0)
      CIEs.insert(End);
    else if (ID > Contents || !CIEs.contains(Contents - ID))
      return End;
    End = Contents + Length;
  }
}

template <class ELFT> void SegmentFinder<ELFT>::addUnwinding() {
  if (Machine == ELF::EM_ARM)
    if (std::optional<Place> Index = segment(ELF::PT_ARM_EXIDX))
      add(".ARM.exidx", ELF::SHT_ARM_EXIDX, *Index);
  std::optional<Place> Header = segment(ELF::PT_GNU_EH_FRAME);
  if (!Header)
    return;
  std::optional<uint64_t> Address = frameAddress(*Header);
  std::optional<Place> Frames = Address ? at(*Address) : std::nullopt;
  if (!Frames)
    return;
  Frames->Bytes = Frames->Bytes.take_front(frameSize(Frames->Bytes));
  if (Frames->Bytes.empty())
    return;
  add(".eh_frame_hdr", ELF::SHT_PROGBITS, *Header);
  add(".eh_frame", ELF::SHT_PROGBITS, *Frames);
}

template <class ELFT>
std::vector<SegmentTable<ELFT>> SegmentFinder<ELFT>::run() {
  addDynamic();
  addUnwinding();
  return std::move(Tables);
}

template <class ELFT>
std::vector<SegmentTable<ELFT>> findSegmentTables(const ELFFile<ELFT> &File) {
  return SegmentFinder<ELFT>(File).run();
}

template std::vector<SegmentTable<ELF32LE>>
findSegmentTables(const ELFFile<ELF32LE> &);
template std::vector<SegmentTable<ELF32BE>>
findSegmentTables(const ELFFile<ELF32BE> &);
template std::vector<SegmentTable<ELF64LE>>
findSegmentTables(const ELFFile<ELF64LE> &);
template std::vector<SegmentTable<ELF64BE>>
findSegmentTables(const ELFFile<ELF64BE> &);

} // namespace lidia
