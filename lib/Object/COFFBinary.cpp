//===- COFFBinary.cpp - An open PE/COFF image or object -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM's structures are used, but not its COFFObjectFile. COFFObjectFile
/// rejects a file with any broken table, such as the import table, trusts the
/// sizes in the load configuration, and reads beyond the end of a symbol table
/// whose last symbol claims to have auxiliary symbols.
///
//===----------------------------------------------------------------------===//

#include "COFFBinary.h"
#include "FileBytes.h"
#include "Relocate.h"
#include "SectionLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/COFF.h"
#include <algorithm>

using namespace llvm;
using namespace llvm::object;

namespace lidia {

namespace {

/// A symbol of the COFF symbol table, without its auxiliary symbols.
using Symbol = coff_symbol16;

class COFFBinary final : public Binary {
public:
  COFFBinary(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path)
      : Binary(std::move(Buffer), Path) {}

  Error load();

  Error forEachFunctionSymbol(
      SymbolTable Table,
      function_ref<void(const FunctionSymbol &)> Visit) override;
  bool hasSymbolTable(SymbolTable Table) const override;
  std::string whereDebugInformationIs() const override;
  StringRef pdbPath() const override { return PDBPath; }
  std::vector<LoadedBytes> loadedBytes() const override;
  std::vector<Segment> segments() const override;
  bool isRelocated(const Section &S) const override;
  std::string relocationReport(const Section &S) const override;

protected:
  Expected<StringRef> rawContents(const Section &S) override;
  void relocate(const Section &S, MutableArrayRef<uint8_t> Bytes) override;

private:
  StringRef bytes() const { return Buffer->getBuffer(); }
  bool isObject() const { return Identity.Type == ELF::ET_REL; }
  Error readHeaders();
  Error readObjectHeader();
  void placeObject(std::vector<Section> &Read) const;
  StringRef relocationTable(const coff_section &H) const;
  std::optional<std::pair<uint64_t, const Section *>>
  relocationTarget(uint32_t Index) const;
  template <class HeaderT> bool readOptionalHeader(uint64_t Offset);
  void readDirectories(uint64_t Offset, uint64_t Count);
  void openSymbolTable();
  Error readSections(uint64_t Offset);
  std::string sectionName(const coff_section &Header, NameReader &Names) const;
  StringRef imageBytes(uint32_t RVA) const;
  StringRef nameOf(const Symbol &S, uint64_t Offset, NameReader &Names) const;
  bool takeCodeViewID(StringRef Record);
  void readBuildID();
  void visitEntries(
      function_ref<void(const Symbol &, uint64_t, StringRef)> Visit) const;
  std::optional<uint64_t> addressOf(const Symbol &S) const;
  std::vector<uint64_t> symbolStarts() const;
  void visitSymbols(function_ref<void(const FunctionSymbol &)> Visit) const;
  void visitExports(function_ref<void(const FunctionSymbol &)> Visit) const;

  coff_file_header Header = {};
  /// The path of the PDB file in the CodeView record.
  std::string PDBPath;
  uint64_t ImageBase = 0;
  data_directory Exports = {};
  data_directory DebugDirectory = {};
  /// The symbol table and its string table. Offsets of strings include the
  /// string table's size field.
  StringRef Symbols;
  StringRef SymbolNames;
  /// One for each of sections().
  std::vector<coff_section> Headers;
  /// The sections that the loader maps, by address.
  std::vector<LoadedBytes> Parts;
  /// For each relocated section of an object, the relocations that could not be
  /// applied.
  RelocationReports Reports;
};

} // namespace

//===----------------------------------------------------------------------===//
// Headers and sections
//===----------------------------------------------------------------------===//

Error COFFBinary::load() {
  if (Error E = readHeaders())
    return E;
  readBuildID();
  return Error::success();
}

bool setCOFFMachine(uint16_t Machine, ELFIdentity &Identity) {
  Identity.Format = BinaryFormat::PE;
  Identity.Class = ELF::ELFCLASS64;
  Identity.Data = ELF::ELFDATA2LSB;
  switch (Machine) {
  case COFF::IMAGE_FILE_MACHINE_AMD64:
    Identity.Machine = ELF::EM_X86_64;
    return true;
  case COFF::IMAGE_FILE_MACHINE_ARM64:
  case COFF::IMAGE_FILE_MACHINE_ARM64X:
    Identity.Machine = ELF::EM_AARCH64;
    return true;
  case COFF::IMAGE_FILE_MACHINE_I386:
    Identity.Machine = ELF::EM_386;
    break;
  case COFF::IMAGE_FILE_MACHINE_ARMNT:
    Identity.Machine = ELF::EM_ARM;
    break;
  default:
    return false;
  }
  Identity.Class = ELF::ELFCLASS32;
  return true;
}

template <class HeaderT> bool COFFBinary::readOptionalHeader(uint64_t Offset) {
  std::optional<HeaderT> Optional = structAt<HeaderT>(bytes(), Offset);
  if (!Optional)
    return false;
  ImageBase = Optional->ImageBase;
  bool IsRelocatable = Optional->DLLCharacteristics &
                       COFF::IMAGE_DLL_CHARACTERISTICS_DYNAMIC_BASE;
  Identity.Type = IsRelocatable || Header.Characteristics & COFF::IMAGE_FILE_DLL
                      ? ELF::ET_DYN
                      : ELF::ET_EXEC;
  readDirectories(Offset + sizeof(HeaderT), Optional->NumberOfRvaAndSize);
  return true;
}

void COFFBinary::readDirectories(uint64_t Offset, uint64_t Count) {
  auto Read = [&](uint64_t Index, data_directory &Result) {
    if (Index < Count)
      Result = structAt<data_directory>(bytes(),
                                        Offset + Index * sizeof(data_directory))
                   .value_or(data_directory());
  };
  Read(COFF::EXPORT_TABLE, Exports);
  Read(COFF::DEBUG_DIRECTORY, DebugDirectory);
}

/// Ignores a symbol table that does not fit into the file.
void COFFBinary::openSymbolTable() {
  if (!Header.PointerToSymbolTable)
    return;
  uint64_t Size = uint64_t(Header.NumberOfSymbols) * sizeof(Symbol);
  std::optional<StringRef> Table =
      bytesAt(bytes(), Header.PointerToSymbolTable, Size);
  if (!Table)
    return;
  Symbols = *Table;
  uint64_t Offset = Header.PointerToSymbolTable + Size;
  if (auto NamesSize = structAt<support::ulittle32_t>(bytes(), Offset))
    SymbolNames = bytes().substr(Offset, *NamesSize);
}

/// An object begins with the header of COFF.
Error COFFBinary::readObjectHeader() {
  std::optional<coff_file_header> H = structAt<coff_file_header>(bytes(), 0);
  if (!H)
    return error("a COFF object whose header is truncated");
  Header = *H;
  Identity.Type = ELF::ET_REL;
  // The header of an object with more sections, of an import, or of one that
  // is compiled when it is linked.
  if (Header.Machine == COFF::IMAGE_FILE_MACHINE_UNKNOWN)
    return error<UnsupportedError>(
        "a COFF object in the form for many sections (-mbig-obj, /bigobj), or "
        "for imports; compile it without, or link it first");
  if (!setCOFFMachine(Header.Machine, Identity))
    return error("a COFF object whose machine 0x" + utohexstr(Header.Machine) +
                 " is not known");
  openSymbolTable();
  return readSections(sizeof(coff_file_header) + Header.SizeOfOptionalHeader);
}

Error COFFBinary::readHeaders() {
  if (fileKind(bytes()) == FileKind::COFFObject)
    return readObjectHeader();
  auto Broken = [&](const Twine &What) {
    return error("a PE/COFF file whose " + What);
  };
  std::optional<dos_header> DOS = structAt<dos_header>(bytes(), 0);
  uint64_t Offset = DOS ? uint64_t(DOS->AddressOfNewExeHeader) : 0;
  if (!bytes().substr(Offset).starts_with(
          StringRef(COFF::PEMagic, sizeof(COFF::PEMagic))))
    return make_error<NotABinaryError>(path(), "not an ELF, PE or Mach-O file");
  Offset += sizeof(COFF::PEMagic);
  std::optional<coff_file_header> H =
      structAt<coff_file_header>(bytes(), Offset);
  if (!H)
    return Broken("header is truncated");
  Header = *H;
  if (!setCOFFMachine(Header.Machine, Identity))
    return Broken("machine 0x" + utohexstr(Header.Machine) + " is not known");
  Offset += sizeof(coff_file_header);
  auto Magic = structAt<support::ulittle16_t>(bytes(), Offset);
  bool IsRead = Magic && (*Magic == COFF::PE32Header::PE32_PLUS
                              ? readOptionalHeader<pe32plus_header>(Offset)
                              : *Magic == COFF::PE32Header::PE32 &&
                                    readOptionalHeader<pe32_header>(Offset));
  if (!IsRead)
    return Broken("optional header is truncated or of an unknown kind");
  openSymbolTable();
  return readSections(Offset + Header.SizeOfOptionalHeader);
}

/// A name of more than eight bytes is in the string table, at the offset that
/// follows a slash.
std::string COFFBinary::sectionName(const coff_section &Header,
                                    NameReader &Names) const {
  StringRef Name = nameInField(Header.Name, sizeof(Header.Name));
  StringRef Digits = Name;
  uint64_t Offset = 0;
  if (Digits.consume_front("/") && !Digits.getAsInteger(10, Offset))
    Name = Names.at(SymbolNames, Offset);
  constexpr size_t MaxName = 255;
  return Name.take_front(MaxName).str();
}

/// The number of bytes of the section that are in the file. The rest of the
/// last block is padding.
static uint64_t rawSize(const coff_section &H) {
  if (!H.PointerToRawData)
    return 0;
  return H.VirtualSize ? std::min<uint64_t>(H.VirtualSize, H.SizeOfRawData)
                       : uint64_t(H.SizeOfRawData);
}

/// Whether the section \p H, called \p Name, is part of the program. Stripping
/// adds the link to a debug file as if it were part of the program.
static bool isLoaded(const coff_section &H, StringRef Name) {
  return !(H.Characteristics & COFF::IMAGE_SCN_MEM_DISCARDABLE) &&
         !Name.starts_with(".debug_") && !Name.starts_with(".gnu_debug");
}

Error COFFBinary::readSections(uint64_t Offset) {
  std::optional<StringRef> Table =
      bytesAt(bytes(), Offset,
              uint64_t(Header.NumberOfSections) * sizeof(coff_section));
  if (!Table)
    return error("a PE/COFF file whose section table is truncated");
  NameReader Names(size());
  std::vector<Section> Read;
  for (uint32_t I = 0; I != Header.NumberOfSections; ++I) {
    coff_section H = *structAt<coff_section>(*Table, I * sizeof(coff_section));
    Headers.push_back(H);
    Section S;
    S.Name = sectionName(H, Names);
    S.Type = rawSize(H) ? ELF::SHT_PROGBITS : ELF::SHT_NOBITS;
    bool IsCode = H.Characteristics &
                  (COFF::IMAGE_SCN_CNT_CODE | COFF::IMAGE_SCN_MEM_EXECUTE);
    if (isLoaded(H, S.Name))
      S.Flags |= ELF::SHF_ALLOC;
    if (IsCode)
      S.Flags |= ELF::SHF_EXECINSTR;
    if (H.Characteristics & COFF::IMAGE_SCN_MEM_WRITE)
      S.Flags |= ELF::SHF_WRITE;
    S.Address = isObject() ? 0 : ImageBase + H.VirtualAddress;
    S.Alignment = H.getAlignment();
    S.Size = H.VirtualSize ? H.VirtualSize : H.SizeOfRawData;
    S.Index = I;
    S.IsZDebug = StringRef(S.Name).starts_with(".zdebug_");
    if (S.IsZDebug)
      S.Name.erase(1, 1);
    Read.push_back(std::move(S));
  }
  if (isObject())
    placeObject(Read);
  setSections(std::move(Read));
  setCodeOfSections();
  for (const Section &S : sections())
    if (isObject() ? hasPlace(S) : (S.Flags & ELF::SHF_ALLOC) != 0) {
      const coff_section &H = Headers[S.Index];
      StringRef Bytes = bytes().substr(H.PointerToRawData, rawSize(H));
      if (!Bytes.empty())
        Parts.push_back({S.Address, Bytes});
    }
  llvm::sort(Parts, [](const LoadedBytes &A, const LoadedBytes &B) {
    return A.Address < B.Address;
  });
  return Error::success();
}

/// Gives each section of code in an object addresses of its own. The linker
/// removes sections of directives.
void COFFBinary::placeObject(std::vector<Section> &Read) const {
  for (Section &S : Read)
    if (Headers[S.Index].Characteristics & COFF::IMAGE_SCN_LNK_REMOVE)
      S.Flags &= ~uint64_t(ELF::SHF_ALLOC);
  placeSections(Read, Identity.Class == ELF::ELFCLASS64);
}

Expected<StringRef> COFFBinary::rawContents(const Section &S) {
  const coff_section &H = Headers[S.Index];
  std::optional<StringRef> Bytes =
      bytesAt(bytes(), H.PointerToRawData, rawSize(H));
  if (!Bytes)
    return make_error<DamagedError>("", "is beyond the end of the file");
  return *Bytes;
}

/// The loaded bytes from \p RVA to the end of its section.
StringRef COFFBinary::imageBytes(uint32_t RVA) const {
  uint64_t Address = ImageBase + RVA;
  auto Next = upper_bound(Parts, Address, [](uint64_t A, const LoadedBytes &L) {
    return A < L.Address;
  });
  if (Next == Parts.begin())
    return {};
  const LoadedBytes &Part = *std::prev(Next);
  return Part.Bytes.drop_front(
      std::min<uint64_t>(Address - Part.Address, Part.Bytes.size()));
}

std::vector<LoadedBytes> COFFBinary::loadedBytes() const {
  std::vector<LoadedBytes> Result;
  uint64_t Total = 0;
  for (const LoadedBytes &L : Parts) {
    Total += L.Bytes.size();
    // Sections of invalid files share the file's bytes.
    if (Total > 2 * bytes().size())
      break;
    Result.push_back(L);
  }
  return Result;
}

std::vector<Segment> COFFBinary::segments() const {
  std::vector<Segment> Result;
  // The headers. Their size depends on whether there is debug information.
  if (!isObject())
    Result.push_back({ELF::PT_LOAD, ELF::PF_R, ImageBase, 0, {}});
  for (const Section &S : sections()) {
    if (!(S.Flags & ELF::SHF_ALLOC) || (isObject() && !hasPlace(S)))
      continue;
    const coff_section &H = Headers[S.Index];
    uint32_t Flags = ELF::PF_R;
    if (S.Flags & ELF::SHF_WRITE)
      Flags |= ELF::PF_W;
    if (S.Flags & ELF::SHF_EXECINSTR)
      Flags |= ELF::PF_X;
    Result.push_back({ELF::PT_LOAD, Flags, S.Address, S.Size,
                      bytes().substr(H.PointerToRawData, rawSize(H))});
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Relocations of an object
//===----------------------------------------------------------------------===//

/// The relocations of the section with the header \p H. If there are too many
/// for its field, the first one has their number.
StringRef COFFBinary::relocationTable(const coff_section &H) const {
  uint64_t Offset = H.PointerToRelocations;
  uint64_t Count = H.NumberOfRelocations;
  if (H.hasExtendedRelocations()) {
    auto First = structAt<coff_relocation>(bytes(), Offset);
    Count = First ? uint64_t(First->VirtualAddress) : 0;
    Count -= Count != 0;
    Offset += sizeof(coff_relocation);
  }
  return bytesAt(bytes(), Offset, Count * sizeof(coff_relocation))
      .value_or(StringRef());
}

bool COFFBinary::isRelocated(const Section &S) const {
  return isObject() && !(S.Flags & ELF::SHF_ALLOC) &&
         Headers[S.Index].NumberOfRelocations;
}

namespace {
/// What a relocation adds to a field.
struct AddedValue {
  enum Kind : uint8_t { None, Address, OffsetInSection, Section } Type = None;
  unsigned Size = 0;
};
} // namespace

/// The meanings of the relocations that assemblers use in debug sections, from
/// Microsoft's PE format. The image base of an object is 0.
static AddedValue addedValue(uint16_t Machine, uint16_t Type) {
  using A = AddedValue;
  switch (uint32_t(Machine) << 16 | Type) {
  case COFF::IMAGE_FILE_MACHINE_AMD64 << 16 | COFF::IMAGE_REL_AMD64_ADDR64:
  case uint32_t(COFF::IMAGE_FILE_MACHINE_ARM64) << 16 |
      COFF::IMAGE_REL_ARM64_ADDR64:
    return {A::Address, 8};
  case COFF::IMAGE_FILE_MACHINE_AMD64 << 16 | COFF::IMAGE_REL_AMD64_ADDR32:
  case COFF::IMAGE_FILE_MACHINE_AMD64 << 16 | COFF::IMAGE_REL_AMD64_ADDR32NB:
  case COFF::IMAGE_FILE_MACHINE_I386 << 16 | COFF::IMAGE_REL_I386_DIR32:
  case COFF::IMAGE_FILE_MACHINE_I386 << 16 | COFF::IMAGE_REL_I386_DIR32NB:
  case COFF::IMAGE_FILE_MACHINE_ARMNT << 16 | COFF::IMAGE_REL_ARM_ADDR32:
  case COFF::IMAGE_FILE_MACHINE_ARMNT << 16 | COFF::IMAGE_REL_ARM_ADDR32NB:
  case uint32_t(COFF::IMAGE_FILE_MACHINE_ARM64) << 16 |
      COFF::IMAGE_REL_ARM64_ADDR32:
  case uint32_t(COFF::IMAGE_FILE_MACHINE_ARM64) << 16 |
      COFF::IMAGE_REL_ARM64_ADDR32NB:
    return {A::Address, 4};
  case COFF::IMAGE_FILE_MACHINE_AMD64 << 16 | COFF::IMAGE_REL_AMD64_SECREL:
  case COFF::IMAGE_FILE_MACHINE_I386 << 16 | COFF::IMAGE_REL_I386_SECREL:
  case COFF::IMAGE_FILE_MACHINE_ARMNT << 16 | COFF::IMAGE_REL_ARM_SECREL:
  case uint32_t(COFF::IMAGE_FILE_MACHINE_ARM64) << 16 |
      COFF::IMAGE_REL_ARM64_SECREL:
    return {A::OffsetInSection, 4};
  case COFF::IMAGE_FILE_MACHINE_AMD64 << 16 | COFF::IMAGE_REL_AMD64_SECTION:
  case COFF::IMAGE_FILE_MACHINE_I386 << 16 | COFF::IMAGE_REL_I386_SECTION:
  case COFF::IMAGE_FILE_MACHINE_ARMNT << 16 | COFF::IMAGE_REL_ARM_SECTION:
  case uint32_t(COFF::IMAGE_FILE_MACHINE_ARM64) << 16 |
      COFF::IMAGE_REL_ARM64_SECTION:
    return {A::Section, 2};
  default:
    return {};
  }
}

/// The value of the symbol at \p Index, in its section if it is in one; none if
/// there is no such symbol.
std::optional<std::pair<uint64_t, const Section *>>
COFFBinary::relocationTarget(uint32_t Index) const {
  auto S = structAt<Symbol>(Symbols, uint64_t(Index) * sizeof(Symbol));
  if (!S)
    return std::nullopt;
  uint32_t Number = S->SectionNumber;
  const Section *In =
      Number && Number <= sections().size() ? &sections()[Number - 1] : nullptr;
  return std::pair(uint64_t(S->Value), In);
}

void COFFBinary::relocate(const Section &S, MutableArrayRef<uint8_t> Bytes) {
  Relocator To(Identity, Bytes);
  StringRef Table = relocationTable(Headers[S.Index]);
  const uint64_t Nothing = addressOfNothing(Identity.Class == ELF::ELFCLASS64);
  for (uint64_t At = 0; auto R = structAt<coff_relocation>(Table, At);
       At += sizeof(coff_relocation)) {
    AddedValue Added = addedValue(Header.Machine, R->Type);
    auto Target = relocationTarget(R->SymbolTableIndex);
    if (!Target) {
      To.countBadSymbol();
      continue;
    }
    auto [Value, In] = *Target;
    bool HasAddress = In && (hasPlace(*In) || !(In->Flags & ELF::SHF_ALLOC));
    if (Added.Type == AddedValue::Address)
      Value = HasAddress ? In->Address + Value : Nothing;
    else if (Added.Type == AddedValue::Section)
      Value = In ? In->Index + 1 : 0;
    // 0 is the type of relocations without effect on all machines.
    if (Added.Type != AddedValue::None)
      To.add(R->VirtualAddress, Added.Size, Value);
    else if (R->Type)
      To.countUnknown(R->Type);
  }
  Reports.add(S, Table, To);
}

std::string COFFBinary::relocationReport(const Section &S) const {
  return Reports.of(S);
}

//===----------------------------------------------------------------------===//
// The build ID
//===----------------------------------------------------------------------===//

/// Takes the ID of a CodeView record, if it has the form of PDB 7.0: "RSDS", a
/// GUID and an age.
bool COFFBinary::takeCodeViewID(StringRef Record) {
  constexpr size_t PathOffset = 24;
  if (Record.size() < PathOffset || !Record.starts_with("RSDS"))
    return false;
  constexpr size_t MaxPath = 4096;
  PDBPath = Record.substr(PathOffset, MaxPath).split('\0').first.str();
  Record = Record.take_front(PathOffset).drop_front(4);
  BuildID.assign(Record.bytes_begin(), Record.bytes_end());
  // The GUID's fields of 4, 2 and 2 bytes, and the age, are little-endian.
  std::reverse(BuildID.begin(), BuildID.begin() + 4);
  std::reverse(BuildID.begin() + 4, BuildID.begin() + 6);
  std::reverse(BuildID.begin() + 6, BuildID.begin() + 8);
  std::reverse(BuildID.begin() + 16, BuildID.end());
  if (all_of(ArrayRef(BuildID).drop_front(16), [](uint8_t B) { return !B; }))
    BuildID.resize(16);
  return true;
}

void COFFBinary::readBuildID() {
  StringRef Table = imageBytes(DebugDirectory.RelativeVirtualAddress)
                        .take_front(DebugDirectory.Size);
  size_t At = 0;
  while (auto D = structAt<debug_directory>(Table, At)) {
    At += sizeof(debug_directory);
    if (D->Type == COFF::IMAGE_DEBUG_TYPE_CODEVIEW &&
        takeCodeViewID(bytes().substr(D->PointerToRawData, D->SizeOfData)))
      return;
  }
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

std::string COFFBinary::whereDebugInformationIs() const {
  if (PDBPath.empty() || findSection(".debug_info"))
    return Binary::whereDebugInformationIs();
  return "its debug information is in " + PDBPath +
         ", a PDB file, which was not found: name it with --debug-file=";
}

bool COFFBinary::hasSymbolTable(SymbolTable Table) const {
  return Table == SymbolTable::Symtab ? !Symbols.empty()
                                      : Exports.RelativeVirtualAddress != 0;
}

Error COFFBinary::forEachFunctionSymbol(
    SymbolTable Table, function_ref<void(const FunctionSymbol &)> Visit) {
  // Exports have no sizes, so their names would cover the static functions
  // after them.
  if (Table == SymbolTable::Symtab)
    visitSymbols(Visit);
  else if (Symbols.empty())
    visitExports(Visit);
  return Error::success();
}

/// Removes the decoration that C's calling conventions add to a name on i386:
/// _cdecl, _stdcall@4, @fastcall@8 and vectorcall@@16. Names in DWARF are not
/// decorated.
static StringRef undecorated(StringRef Name) {
  auto [Front, Bytes] = Name.rsplit('@');
  bool HasSize = !Bytes.empty() && all_of(Bytes, isDigit);
  if (HasSize && Front.ends_with("@"))
    return Front.drop_back();
  if (HasSize)
    Name = Front;
  if (!Name.consume_front("_"))
    Name.consume_front("@");
  return Name;
}

StringRef COFFBinary::nameOf(const Symbol &S, uint64_t Offset,
                             NameReader &Names) const {
  StringRef Name;
  if (S.Name.Offset.Zeroes)
    Name = nameInField(Symbols.data() + Offset, COFF::NameSize);
  else
    Name = Names.at(SymbolNames, S.Name.Offset.Offset);
  // Names of C++ and Rust are decorated like those of C; Microsoft's are not.
  if (Identity.Machine == ELF::EM_386 && !Name.starts_with("?"))
    return undecorated(Name);
  return Name;
}

/// The kind of code that \p S, which has an address, names; none if it names no
/// code. A section has a symbol, too, and so has each object file's part of a
/// section.
static std::optional<FunctionSymbol::SymbolKind> kindOf(const Symbol &S) {
  if (S.Type >> COFF::SCT_COMPLEX_TYPE_SHIFT == COFF::IMAGE_SYM_DTYPE_FUNCTION)
    return FunctionSymbol::Function;
  if (S.StorageClass == COFF::IMAGE_SYM_CLASS_EXTERNAL ||
      S.StorageClass == COFF::IMAGE_SYM_CLASS_WEAK_EXTERNAL)
    return FunctionSymbol::Label;
  if (S.StorageClass == COFF::IMAGE_SYM_CLASS_STATIC && !S.NumberOfAuxSymbols)
    return FunctionSymbol::LocalCode;
  return std::nullopt;
}

static uint8_t bindingOf(const Symbol &S) {
  switch (S.StorageClass) {
  case COFF::IMAGE_SYM_CLASS_EXTERNAL:
    return ELF::STB_GLOBAL;
  case COFF::IMAGE_SYM_CLASS_WEAK_EXTERNAL:
    return ELF::STB_WEAK;
  default:
    return ELF::STB_LOCAL;
  }
}

/// Calls \p Visit with each symbol, its offset in the table and the name of its
/// source file.
void COFFBinary::visitEntries(
    function_ref<void(const Symbol &, uint64_t, StringRef)> Visit) const {
  constexpr uint64_t Size = sizeof(Symbol);
  StringRef SourceFile;
  uint64_t At = 0;
  while (std::optional<Symbol> S = structAt<Symbol>(Symbols, At)) {
    uint64_t Belonging = S->NumberOfAuxSymbols * Size;
    if (S->StorageClass == COFF::IMAGE_SYM_CLASS_FILE)
      SourceFile = Symbols.substr(At + Size, Belonging).split('\0').first;
    else
      Visit(*S, At, SourceFile);
    At += Size + Belonging;
  }
}

/// The address of \p S; none if it is not in a section. Negative section
/// numbers mean absolute symbols and debug information.
std::optional<uint64_t> COFFBinary::addressOf(const Symbol &S) const {
  uint32_t Number = S.SectionNumber;
  if (Number == 0 || Number > sections().size())
    return std::nullopt;
  const Section &In = sections()[Number - 1];
  // Only code has addresses in an object.
  if (isObject() && (!hasPlace(In) || S.Value >= In.Size))
    return std::nullopt;
  return In.Address + S.Value;
}

/// Symbols have no sizes. A symbol ends where another symbol, or the part of
/// another object file, begins, but not at a label.
std::vector<uint64_t> COFFBinary::symbolStarts() const {
  std::vector<uint64_t> Starts;
  visitEntries([&](const Symbol &S, uint64_t, StringRef) {
    if (S.StorageClass == COFF::IMAGE_SYM_CLASS_LABEL ||
        kindOf(S) == FunctionSymbol::LocalCode)
      return;
    if (std::optional<uint64_t> Address = addressOf(S))
      if (Code.contains(*Address))
        Starts.push_back(*Address);
  });
  llvm::sort(Starts);
  return Starts;
}

void COFFBinary::visitSymbols(
    function_ref<void(const FunctionSymbol &)> Visit) const {
  NameReader Names(size());
  std::vector<uint64_t> Starts = symbolStarts();
  visitEntries([&](const Symbol &S, uint64_t At, StringRef SourceFile) {
    std::optional<uint64_t> Address = addressOf(S);
    std::optional<FunctionSymbol::SymbolKind> Kind = kindOf(S);
    if (!Address || !Kind)
      return;
    FunctionSymbol F;
    F.Name = nameOf(S, At, Names);
    if (F.Name.empty())
      return;
    F.Address = *Address;
    auto Next = upper_bound(Starts, F.Address);
    F.Size = Next == Starts.end() ? 0 : *Next - F.Address;
    F.Kind = *Kind;
    F.Binding = bindingOf(S);
    if (F.Binding == ELF::STB_LOCAL)
      F.SourceFile = SourceFile;
    Visit(F);
  });
}

void COFFBinary::visitExports(
    function_ref<void(const FunctionSymbol &)> Visit) const {
  auto Table = structAt<export_directory_table_entry>(
      imageBytes(Exports.RelativeVirtualAddress), 0);
  if (!Table)
    return;
  NameReader Reader(size());
  StringRef Names = imageBytes(Table->NamePointerRVA);
  StringRef Ordinals = imageBytes(Table->OrdinalTableRVA);
  StringRef Addresses =
      imageBytes(Table->ExportAddressTableRVA)
          .take_front(uint64_t(Table->AddressTableEntries) * 4);
  for (uint32_t I = 0; I != Table->NumberOfNamePointers; ++I) {
    auto Name = structAt<support::ulittle32_t>(Names, uint64_t(I) * 4);
    auto Ordinal = structAt<support::ulittle16_t>(Ordinals, uint64_t(I) * 2);
    if (!Name || !Ordinal)
      return;
    auto RVA =
        structAt<support::ulittle32_t>(Addresses, uint64_t(*Ordinal) * 4);
    // An address within the export table is that of the name of another DLL's
    // export.
    if (!RVA || *RVA - Exports.RelativeVirtualAddress < Exports.Size)
      continue;
    FunctionSymbol F;
    F.Name = Reader.at(imageBytes(*Name), 0);
    F.Address = ImageBase + *RVA;
    F.Binding = ELF::STB_GLOBAL;
    if (!F.Name.empty())
      Visit(F);
  }
}

Expected<std::unique_ptr<Binary>> openCOFF(std::unique_ptr<MemoryBuffer> Buffer,
                                           StringRef Path) {
  auto B = std::make_unique<COFFBinary>(std::move(Buffer), Path);
  if (Error E = B->load())
    return E;
  return B;
}

} // namespace lidia
