//===- MachOBinary.cpp - An open Mach-O file ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM's structures are used, but not its MachOObjectFile. MachOObjectFile
/// rejects a file with any unexpected load command, and terminates the program
/// on errors that it finds later.
///
//===----------------------------------------------------------------------===//

#include "MachOBinary.h"
#include "DebugMap.h"
#include "FileBytes.h"
#include "Relocate.h"
#include "SectionLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MachO.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Architectures and universal files
//===----------------------------------------------------------------------===//

namespace {

struct CPU {
  uint32_t Type;
  /// Zero for any subtype.
  uint32_t Subtype;
  StringLiteral Name;
  uint16_t Machine;
  uint8_t Class;
};

/// One file in a universal file.
struct Slice {
  uint32_t Type = 0;
  uint32_t Subtype = 0;
  uint64_t Offset = 0;
  uint64_t Size = 0;
};

/// A part of a buffer that it owns.
class SliceBuffer final : public MemoryBuffer {
public:
  SliceBuffer(std::unique_ptr<MemoryBuffer> Owned, StringRef Part)
      : Whole(std::move(Owned)) {
    init(Part.begin(), Part.end(), /*RequiresNullTerminator=*/false);
  }

  BufferKind getBufferKind() const override { return Whole->getBufferKind(); }

private:
  std::unique_ptr<MemoryBuffer> Whole;
};

} // namespace

static const CPU *findCPU(uint32_t Type, uint32_t Subtype) {
  static constexpr CPU CPUs[] = {
      {MachO::CPU_TYPE_X86_64, MachO::CPU_SUBTYPE_X86_64_H, "x86_64h",
       ELF::EM_X86_64, ELF::ELFCLASS64},
      {MachO::CPU_TYPE_X86_64, 0, "x86_64", ELF::EM_X86_64, ELF::ELFCLASS64},
      {MachO::CPU_TYPE_ARM64, MachO::CPU_SUBTYPE_ARM64E, "arm64e",
       ELF::EM_AARCH64, ELF::ELFCLASS64},
      {MachO::CPU_TYPE_ARM64, 0, "arm64", ELF::EM_AARCH64, ELF::ELFCLASS64},
      {MachO::CPU_TYPE_ARM64_32, 0, "arm64_32", ELF::EM_AARCH64,
       ELF::ELFCLASS32},
      {MachO::CPU_TYPE_I386, 0, "i386", ELF::EM_386, ELF::ELFCLASS32},
      {MachO::CPU_TYPE_ARM, 0, "arm", ELF::EM_ARM, ELF::ELFCLASS32},
  };
  Subtype &= ~uint32_t(MachO::CPU_SUBTYPE_MASK);
  const CPU *Found = find_if(CPUs, [&](const CPU &C) {
    return C.Type == Type && (!C.Subtype || C.Subtype == Subtype);
  });
  return Found == std::end(CPUs) ? nullptr : Found;
}

static std::string nameOfCPU(uint32_t Type, uint32_t Subtype) {
  const CPU *Known = findCPU(Type, Subtype);
  return Known ? Known->Name.str() : ("CPU type " + Twine(Type)).str();
}

static uint32_t magicOf(StringRef Bytes) {
  return Bytes.size() < 4 ? 0 : support::endian::read32le(Bytes.data());
}

static bool isUniversal(StringRef Bytes) {
  uint32_t Magic = magicOf(Bytes);
  return Magic == MachO::FAT_CIGAM || Magic == MachO::FAT_CIGAM_64;
}

/// The files in the universal file \p Bytes, whose header is big-endian.
static std::vector<Slice> slicesOf(StringRef Bytes) {
  std::vector<Slice> Slices;
  bool Is64 = magicOf(Bytes) == MachO::FAT_CIGAM_64;
  auto Header = structAt<MachO::fat_header>(Bytes, 0);
  if (!Header)
    return Slices;
  MachO::swapStruct(*Header);
  uint64_t At = sizeof(MachO::fat_header);
  auto Read = [&](auto Entry) {
    if (!Entry)
      return false;
    MachO::swapStruct(*Entry);
    Slices.push_back(
        {Entry->cputype, Entry->cpusubtype, Entry->offset, Entry->size});
    At += sizeof(*Entry);
    return true;
  };
  // Real files have a few. In a Java class file, this field is a version.
  constexpr uint32_t MaxSlices = 30;
  for (uint32_t I = 0; I != std::min(Header->nfat_arch, MaxSlices); ++I)
    if (!(Is64 ? Read(structAt<MachO::fat_arch_64>(Bytes, At))
               : Read(structAt<MachO::fat_arch>(Bytes, At))))
      break;
  return Slices;
}

std::vector<std::string> architecturesOf(StringRef FirstBytes) {
  std::vector<std::string> Names;
  if (isUniversal(FirstBytes))
    for (const Slice &S : slicesOf(FirstBytes))
      Names.push_back(nameOfCPU(S.Type, S.Subtype));
  return Names;
}

/// Reduces \p Buffer, a universal file, to its file of \p Architecture.
static Expected<std::unique_ptr<MemoryBuffer>>
takeSlice(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path,
          StringRef Architecture) {
  StringRef Bytes = Buffer->getBuffer();
  std::vector<Slice> Slices = slicesOf(Bytes);
  std::string Names;
  const Slice *Found = nullptr;
  for (const Slice &S : Slices) {
    std::string Name = nameOfCPU(S.Type, S.Subtype);
    Names += (Names.empty() ? "" : ", ") + Name;
    if (!Found &&
        (Name == Architecture || (Architecture.empty() && Slices.size() == 1)))
      Found = &S;
  }
  if (Slices.empty())
    return make_error<DamagedError>(Path,
                                    "a universal Mach-O file without files");
  if (!Found && Architecture.empty())
    return make_error<ArgumentError>(Path, "a universal file of " + Names +
                                               "; name one with --arch=");
  if (!Found)
    return make_error<ArgumentError>(Path, "has no file for " + Architecture +
                                               ", but for " + Names);
  std::optional<StringRef> Part = bytesAt(Bytes, Found->Offset, Found->Size);
  if (!Part || fileKind(*Part) != FileKind::MachO || isUniversal(*Part))
    return make_error<DamagedError>(
        Path, "its file for " + nameOfCPU(Found->Type, Found->Subtype) +
                  " is truncated or not a Mach-O file");
  return std::make_unique<SliceBuffer>(std::move(Buffer), *Part);
}

//===----------------------------------------------------------------------===//
// One file
//===----------------------------------------------------------------------===//

namespace {

/// The structures of both word sizes. 32-bit structures are converted to these.
struct SymbolEntry64 {
  uint32_t Name;
  uint8_t Type;
  uint8_t Section;
  uint16_t Description;
  uint64_t Value;
};

class MachOBinary final : public Binary {
public:
  MachOBinary(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path)
      : Binary(std::move(Buffer), Path),
        Is64(magicOf(bytes()) == MachO::MH_MAGIC_64) {}

  Error load(StringRef WantedArchitecture);

  Error forEachFunctionSymbol(
      SymbolTable Table,
      function_ref<void(const FunctionSymbol &)> Visit) override;
  bool hasSymbolTable(SymbolTable Table) const override;
  std::string whereDebugInformationIs() const override;
  std::vector<LoadedBytes> loadedBytes() const override;
  std::vector<Segment> segments() const override;
  bool isRelocated(const Section &S) const override;
  std::string relocationReport(const Section &S) const override;
  std::vector<DebugMapObject> debugMap() const override;
  std::vector<uint64_t> functionStarts() const override;

protected:
  Expected<StringRef> rawContents(const Section &S) override;
  void relocate(const Section &S, MutableArrayRef<uint8_t> Bytes) override;

private:
  /// A part of the file that holds relocations.
  struct RelocationTable {
    uint64_t Offset = 0;
    uint64_t Count = 0;
  };

  StringRef bytes() const { return Buffer->getBuffer(); }
  bool isObject() const { return Identity.Type == ELF::ET_REL; }
  std::vector<Segment> sectionsAsSegments() const;
  void relocateBy(const MachO::any_relocation_info &R, Relocator &To) const;
  Error readHeader(StringRef WantedArchitecture);
  Error readCommands();
  Error readCommand(uint32_t Kind, StringRef Command);
  template <class SegmentT, class SectionT> bool readSegment(StringRef Command);
  template <class SegmentT, class SectionT>
  void addSection(const SegmentT &G, const SectionT &H);
  std::optional<SymbolEntry64> symbolAt(uint64_t Index) const;
  std::vector<uint64_t> symbolStarts() const;

  const bool Is64;
  MachO::mach_header Header = {};
  std::vector<Section> Read;
  /// The file offset of each of sections().
  std::vector<uint64_t> Offsets;
  std::vector<RelocationTable> Relocations;
  std::vector<Segment> Segments;
  StringRef Symbols;
  StringRef SymbolNames;
  /// The bytes of LC_FUNCTION_STARTS.
  StringRef FunctionStarts;
  /// For each relocated section of an object, the relocations that could not be
  /// applied.
  RelocationReports Reports;
};

} // namespace

Error MachOBinary::load(StringRef WantedArchitecture) {
  if (Error E = readHeader(WantedArchitecture))
    return E;
  if (Error E = readCommands())
    return E;
  setSections(std::move(Read));
  setCodeOfSections();
  return Error::success();
}

Error MachOBinary::readHeader(StringRef WantedArchitecture) {
  auto H = structAt<MachO::mach_header>(bytes(), 0);
  if (!H)
    return error("a Mach-O file whose header is truncated");
  Header = *H;
  const CPU *Known = findCPU(Header.cputype, Header.cpusubtype);
  if (!Known)
    return error<UnsupportedError>("a Mach-O file whose CPU type " +
                                   Twine(Header.cputype) + " is not known");
  if (!WantedArchitecture.empty() && WantedArchitecture != Known->Name)
    return error<ArgumentError>("is not for " + WantedArchitecture +
                                ", but for " + Known->Name);
  Architecture = Known->Name;
  Identity.Format = BinaryFormat::MachO;
  Identity.Machine = Known->Machine;
  Identity.Class = Known->Class;
  Identity.Data = ELF::ELFDATA2LSB;
  bool IsFixed =
      Header.filetype == MachO::MH_EXECUTE && !(Header.flags & MachO::MH_PIE);
  Identity.Type = Header.filetype == MachO::MH_OBJECT ? ELF::ET_REL
                  : IsFixed                           ? ELF::ET_EXEC
                                                      : ELF::ET_DYN;
  return Error::success();
}

Error MachOBinary::readCommands() {
  uint64_t HeaderSize =
      Is64 ? sizeof(MachO::mach_header_64) : sizeof(MachO::mach_header);
  std::optional<StringRef> Commands =
      bytesAt(bytes(), HeaderSize, Header.sizeofcmds);
  if (!Commands)
    return error("a Mach-O file whose load commands are truncated");
  for (uint32_t I = 0; I != Header.ncmds; ++I) {
    auto Command = structAt<MachO::load_command>(*Commands, 0);
    if (!Command || Command->cmdsize < sizeof(*Command) ||
        Command->cmdsize > Commands->size())
      return error("a Mach-O file whose load command " + Twine(I) +
                   " is truncated");
    if (Error E =
            readCommand(Command->cmd, Commands->take_front(Command->cmdsize)))
      return E;
    Commands = Commands->drop_front(Command->cmdsize);
  }
  return Error::success();
}

Error MachOBinary::readCommand(uint32_t Kind, StringRef Command) {
  switch (Kind) {
  case MachO::LC_SEGMENT_64:
    if (!readSegment<MachO::segment_command_64, MachO::section_64>(Command))
      return error("a Mach-O file with a segment that is truncated");
    break;
  case MachO::LC_SEGMENT:
    if (!readSegment<MachO::segment_command, MachO::section>(Command))
      return error("a Mach-O file with a segment that is truncated");
    break;
  case MachO::LC_UUID:
    if (auto ID = structAt<MachO::uuid_command>(Command, 0))
      BuildID.assign(std::begin(ID->uuid), std::end(ID->uuid));
    break;
  case MachO::LC_SYMTAB: {
    auto Table = structAt<MachO::symtab_command>(Command, 0);
    uint64_t EntrySize = Is64 ? sizeof(MachO::nlist_64) : sizeof(MachO::nlist);
    if (!Table)
      break;
    // A table that does not fit into the file is ignored.
    Symbols = bytesAt(bytes(), Table->symoff, Table->nsyms * EntrySize)
                  .value_or(StringRef());
    SymbolNames =
        bytesAt(bytes(), Table->stroff, Table->strsize).value_or(StringRef());
    break;
  }
  case MachO::LC_FUNCTION_STARTS:
    if (auto Table = structAt<MachO::linkedit_data_command>(Command, 0))
      FunctionStarts = bytesAt(bytes(), Table->dataoff, Table->datasize)
                           .value_or(StringRef());
    break;
  default:
    break;
  }
  return Error::success();
}

/// The list has ULEB128 differences, from the image's base on, and ends with
/// zeros.
std::vector<uint64_t> MachOBinary::functionStarts() const {
  std::vector<uint64_t> Starts;
  const uint8_t *At = FunctionStarts.bytes_begin();
  for (uint64_t Address = imageBase(); At != FunctionStarts.bytes_end();) {
    unsigned Size = 0;
    const char *Wrong = nullptr;
    uint64_t Step =
        decodeULEB128(At, &Size, FunctionStarts.bytes_end(), &Wrong);
    if (Wrong || Step == 0 || Step > UINT64_MAX - Address)
      break;
    Starts.push_back(Address += Step);
    At += Size;
  }
  return Starts;
}

/// Adds a segment and its sections. A segment without bytes in the file, as in
/// a dSYM bundle, has only addresses.
template <class SegmentT, class SectionT>
bool MachOBinary::readSegment(StringRef Command) {
  auto G = structAt<SegmentT>(Command, 0);
  if (!G)
    return false;
  size_t First = Read.size();
  uint64_t At = sizeof(SegmentT);
  for (uint32_t I = 0; I != G->nsects; ++I, At += sizeof(SectionT)) {
    auto H = structAt<SectionT>(Command, At);
    if (!H)
      return false;
    addSection(*G, *H);
  }
  StringRef Name = nameInField(G->segname, sizeof(G->segname));
  if (Name == "__DWARF" || Name == "__PAGEZERO" || Name == "__LINKEDIT")
    return true;
  Segment S;
  S.Type = ELF::PT_LOAD;
  for (auto [Protection, Flag] : {std::pair(MachO::VM_PROT_READ, ELF::PF_R),
                                  std::pair(MachO::VM_PROT_WRITE, ELF::PF_W),
                                  std::pair(MachO::VM_PROT_EXECUTE, ELF::PF_X)})
    if (G->initprot & Protection)
      S.Flags |= Flag;
  S.Address = G->vmaddr;
  S.MemorySize = G->vmsize;
  // The first segment also has the headers, which tools change.
  uint64_t Start = UINT64_MAX;
  for (size_t I = First; I != Read.size(); ++I)
    if (Read[I].Type != ELF::SHT_NOBITS)
      Start = std::min(Start, Offsets[I]);
  uint64_t Skipped = Start - G->fileoff;
  if (Start >= G->fileoff && Skipped < G->filesize)
    S.Bytes = bytes().substr(Start, G->filesize - Skipped);
  Segments.push_back(S);
  return true;
}

/// ELF's name of a section, including names that were truncated to 16 bytes.
static std::string sectionName(StringRef Name) {
  if (Name == "__debug_str_offs")
    return ".debug_str_offsets";
  if (Name.consume_front("__"))
    return ("." + Name).str();
  return Name.str();
}

template <class SegmentT, class SectionT>
void MachOBinary::addSection(const SegmentT &G, const SectionT &H) {
  Section S;
  S.Name = sectionName(nameInField(H.sectname, sizeof(H.sectname)));
  uint32_t Kind = H.flags & MachO::SECTION_TYPE;
  bool HasBytes = H.offset && G.filesize && Kind != MachO::S_ZEROFILL &&
                  Kind != MachO::S_GB_ZEROFILL &&
                  Kind != MachO::S_THREAD_LOCAL_ZEROFILL;
  S.Type = HasBytes ? ELF::SHT_PROGBITS : ELF::SHT_NOBITS;
  // An object has one segment, without a name.
  StringRef Segment = isObject() ? nameInField(H.segname, sizeof(H.segname))
                                 : nameInField(G.segname, sizeof(G.segname));
  if (Segment != "__DWARF")
    S.Flags |= ELF::SHF_ALLOC;
  if (H.flags &
      (MachO::S_ATTR_PURE_INSTRUCTIONS | MachO::S_ATTR_SOME_INSTRUCTIONS))
    S.Flags |= ELF::SHF_EXECINSTR;
  S.Address = H.addr;
  S.Size = H.size;
  S.Index = Read.size();
  S.IsZDebug = StringRef(S.Name).starts_with(".zdebug_");
  if (S.IsZDebug)
    S.Name.erase(1, 1);
  Read.push_back(std::move(S));
  Offsets.push_back(H.offset);
  Relocations.push_back({H.reloff, H.nreloc});
}

Expected<StringRef> MachOBinary::rawContents(const Section &S) {
  std::optional<StringRef> Bytes = bytesAt(bytes(), Offsets[S.Index], S.Size);
  if (!Bytes)
    return make_error<DamagedError>("", "is beyond the end of the file");
  return *Bytes;
}

/// A segment for each section of code.
std::vector<Segment> MachOBinary::sectionsAsSegments() const {
  std::vector<Segment> Result;
  for (const Section *S : placedSections(*this))
    if (S->Type != ELF::SHT_NOBITS)
      Result.push_back({ELF::PT_LOAD, ELF::PF_R | ELF::PF_X, S->Address,
                        S->Size, bytes().substr(Offsets[S->Index], S->Size)});
  return Result;
}

std::vector<Segment> MachOBinary::segments() const {
  return isObject() ? sectionsAsSegments() : Segments;
}

std::vector<LoadedBytes> MachOBinary::loadedBytes() const {
  std::vector<LoadedBytes> Parts;
  uint64_t Total = 0;
  for (const Section &S : sections()) {
    if (!(S.Flags & ELF::SHF_ALLOC) || S.Type == ELF::SHT_NOBITS)
      continue;
    StringRef Bytes = bytes().substr(Offsets[S.Index], S.Size);
    Total += Bytes.size();
    // Sections of invalid files share the file's bytes.
    if (Total > 2 * bytes().size())
      break;
    if (!Bytes.empty())
      Parts.push_back({S.Address, Bytes});
  }
  return Parts;
}

//===----------------------------------------------------------------------===//
// Relocations of an object
//===----------------------------------------------------------------------===//

bool MachOBinary::isRelocated(const Section &S) const {
  return isObject() && !(S.Flags & ELF::SHF_ALLOC) &&
         Relocations[S.Index].Count;
}

/// Applies \p R. All sections have addresses in an object, and fields already
/// hold the address, or the difference of two, unless the relocation is by a
/// symbol: then they hold the addend.
void MachOBinary::relocateBy(const MachO::any_relocation_info &R,
                             Relocator &To) const {
  if (Header.cputype != MachO::CPU_TYPE_X86_64 &&
      R.r_word0 & MachO::R_SCATTERED)
    return;
  uint32_t Index = R.r_word1 & 0xffffff;
  unsigned Size = 1 << (R.r_word1 >> 25 & 3);
  bool IsBySymbol = R.r_word1 >> 27 & 1;
  uint32_t Type = R.r_word1 >> 28;
  if (!IsBySymbol)
    return;
  bool Subtracts = (Header.cputype == MachO::CPU_TYPE_X86_64 &&
                    Type == MachO::X86_64_RELOC_SUBTRACTOR) ||
                   (Header.cputype == MachO::CPU_TYPE_ARM64 &&
                    Type == MachO::ARM64_RELOC_SUBTRACTOR);
  // *_RELOC_UNSIGNED and *_RELOC_VANILLA are 0 on all machines.
  if (Type != 0 && !Subtracts)
    return To.countUnknown(Type);
  std::optional<SymbolEntry64> S = symbolAt(Index);
  if (!S)
    return To.countBadSymbol();
  uint64_t Value = (S->Type & MachO::N_TYPE) == MachO::N_SECT
                       ? S->Value
                       : addressOfNothing(Is64);
  To.add(R.r_word0, Size, Subtracts ? -Value : Value);
}

void MachOBinary::relocate(const Section &S, MutableArrayRef<uint8_t> Bytes) {
  Relocator To(Identity, Bytes);
  auto [Offset, Count] = Relocations[S.Index];
  constexpr uint64_t Size = sizeof(MachO::any_relocation_info);
  StringRef Table =
      bytesAt(bytes(), Offset, Count * Size).value_or(StringRef());
  for (uint64_t At = 0;
       auto R = structAt<MachO::any_relocation_info>(Table, At); At += Size)
    relocateBy(*R, To);
  Reports.add(S, Table, To);
}

std::string MachOBinary::relocationReport(const Section &S) const {
  return Reports.of(S);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

std::optional<SymbolEntry64> MachOBinary::symbolAt(uint64_t Index) const {
  if (Is64) {
    auto S =
        structAt<MachO::nlist_64>(Symbols, Index * sizeof(MachO::nlist_64));
    if (!S)
      return std::nullopt;
    return SymbolEntry64{S->n_strx, S->n_type, S->n_sect, S->n_desc,
                         S->n_value};
  }
  auto S = structAt<MachO::nlist>(Symbols, Index * sizeof(MachO::nlist));
  if (!S)
    return std::nullopt;
  return SymbolEntry64{S->n_strx, S->n_type, S->n_sect, uint16_t(S->n_desc),
                       S->n_value};
}

bool MachOBinary::hasSymbolTable(SymbolTable Table) const {
  return Table == SymbolTable::Symtab && !Symbols.empty();
}

/// Whether \p S is defined in a section and is not a debugging symbol.
static bool isDefined(const SymbolEntry64 &S) {
  return !(S.Type & MachO::N_STAB) && (S.Type & MachO::N_TYPE) == MachO::N_SECT;
}

/// Symbols have no sizes: each symbol extends to the next one.
std::vector<uint64_t> MachOBinary::symbolStarts() const {
  std::vector<uint64_t> Starts;
  for (uint64_t I = 0; auto S = symbolAt(I); ++I)
    if (isDefined(*S) && Code.contains(S->Value))
      Starts.push_back(S->Value);
  llvm::sort(Starts);
  return Starts;
}

Error MachOBinary::forEachFunctionSymbol(
    SymbolTable Table, function_ref<void(const FunctionSymbol &)> Visit) {
  if (Table != SymbolTable::Symtab)
    return Error::success();
  NameReader Names(size());
  std::vector<uint64_t> Starts = symbolStarts();
  for (uint64_t I = 0; auto S = symbolAt(I); ++I) {
    if (!isDefined(*S) || !Code.contains(S->Value))
      continue;
    FunctionSymbol F;
    F.Name = Names.at(SymbolNames, S->Name);
    F.Name.consume_front("_");
    // Assemblers for arm64 put a symbol at the start of each section.
    if (F.Name.empty() || (isObject() && F.Name.starts_with("ltmp")))
      continue;
    F.Address = S->Value;
    auto Next = upper_bound(Starts, F.Address);
    F.Size = Next == Starts.end() ? 0 : *Next - F.Address;
    bool IsGlobal = S->Type & MachO::N_EXT;
    F.Binding = !IsGlobal                            ? ELF::STB_LOCAL
                : S->Description & MachO::N_WEAK_DEF ? ELF::STB_WEAK
                                                     : ELF::STB_GLOBAL;
    Visit(F);
  }
  return Error::success();
}

std::string MachOBinary::whereDebugInformationIs() const {
  if (findSection(".debug_info"))
    return {};
  for (uint64_t I = 0; auto S = symbolAt(I); ++I)
    if (S->Type == MachO::N_OSO)
      return ("its debug information is in object files, which were not found "
              "or have changed: run dsymutil " +
              path() + ", where they are, which makes " + path() + ".dSYM")
          .str();
  return Binary::whereDebugInformationIs();
}

/// A function has two entries: the first has its name and address, the second
/// its size.
std::vector<DebugMapObject> MachOBinary::debugMap() const {
  std::vector<DebugMapObject> Map;
  if (isObject())
    return Map;
  NameReader Names(size());
  for (uint64_t I = 0; auto S = symbolAt(I); ++I) {
    if (S->Type == MachO::N_OSO)
      Map.push_back({Names.at(SymbolNames, S->Name), S->Value, {}});
    if (S->Type != MachO::N_FUN || Map.empty())
      continue;
    StringRef Name = Names.at(SymbolNames, S->Name);
    std::vector<DebugMapFunction> &Functions = Map.back().Functions;
    if (!Name.empty())
      Functions.push_back({Name, S->Value, 0});
    else if (!Functions.empty() && Functions.back().Size == 0)
      Functions.back().Size = S->Value;
  }
  return Map;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Binary>>
openMachO(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path,
          StringRef Architecture) {
  if (isUniversal(Buffer->getBuffer()))
    if (Error E =
            takeSlice(std::move(Buffer), Path, Architecture).moveInto(Buffer))
      return E;
  auto B = std::make_unique<MachOBinary>(std::move(Buffer), Path);
  if (Error E = B->load(Architecture))
    return E;
  return B;
}

std::vector<std::string> filesOfBundle(StringRef Path) {
  std::vector<std::string> Paths;
  SmallString<128> Folder(Path);
  sys::path::append(Folder, "Contents", "Resources", "DWARF");
  std::error_code EC;
  for (sys::fs::directory_iterator I(Folder, EC), E; !EC && I != E;
       I.increment(EC))
    if (sys::fs::is_regular_file(I->path()))
      Paths.push_back(I->path());
  llvm::sort(Paths);
  return Paths;
}

} // namespace lidia
