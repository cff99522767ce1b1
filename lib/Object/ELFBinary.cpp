//===- ELFBinary.cpp - An open ELF file -----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ELFBinary.h"
#include "ELFBuildID.h"
#include "Relocate.h"
#include "SectionLayout.h"
#include "SegmentTables.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::object;

namespace lidia {

static uint32_t sectionType(SymbolTable Table) {
  return Table == SymbolTable::Symtab ? ELF::SHT_SYMTAB : ELF::SHT_DYNSYM;
}

/// In the ELFv1 ABI of big-endian PowerPC64, a function symbol is the address
/// of a descriptor in .opd, whose first word is the address of the code.
static uint64_t throughDescriptor(Binary &File, uint64_t Value) {
  const Section *OPD = File.findSection(".opd");
  // In a relocatable object, only relocations tell where the code is.
  if (!OPD || File.identity().Type == ELF::ET_REL || Value < OPD->Address ||
      Value - OPD->Address >= OPD->Size)
    return Value;
  Expected<StringRef> Bytes = File.contents(*OPD);
  if (!Bytes) {
    consumeError(Bytes.takeError());
    return Value;
  }
  uint64_t Offset = Value - OPD->Address;
  if (Offset > Bytes->size() || Bytes->size() - Offset < 8)
    return Value;
  return support::endian::read<uint64_t>(
      Bytes->data() + Offset,
      File.isLittleEndian() ? endianness::little : endianness::big);
}

/// Adjusts a symbol's value to the address of its first instruction.
static uint64_t instructionAddress(Binary &File, uint64_t Value, uint8_t Type,
                                   uint8_t Other) {
  switch (File.identity().Machine) {
  case ELF::EM_ARM:
    return Type == ELF::STT_FUNC ? Value & ~uint64_t(1) : Value;
  case ELF::EM_MIPS:
    return Other & ELF::STO_MIPS_MICROMIPS ? Value & ~uint64_t(1) : Value;
  case ELF::EM_PPC64:
    return throughDescriptor(File, Value);
  default:
    return Value;
  }
}

namespace {

/// The parts that depend on class and byte order.
template <class ELFT> class ELFBinary final : public Binary {
public:
  ELFBinary(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path,
            ELFFile<ELFT> File)
      : Binary(std::move(Buffer), Path), File(std::move(File)) {}

  Error load();

  Error forEachFunctionSymbol(
      SymbolTable Table,
      function_ref<void(const FunctionSymbol &)> Visit) override;

  bool hasSymbolTable(SymbolTable Table) const override;

  std::optional<StringRef> symbolNames(SymbolTable Table) const override;

  Error
  forEachCodeSymbol(SymbolTable Table,
                    function_ref<void(const CodeSymbol &)> Visit) override;

  Expected<SymbolEntries> symbolEntries(SymbolTable Table) const override;

  Error forEachRelocatedWord(
      function_ref<void(const RelocatedWord &)> Visit) override;

  Expected<std::vector<CodeMark>> codeMarks(SymbolTable Table) const override;

  std::vector<LoadedBytes> loadedBytes() const override;
  std::vector<lidia::Segment> segments() const override;
  std::vector<lidia::Segment> sectionsAsSegments() const;
  std::vector<RelativePointer> relativePointers() const override;

protected:
  bool isRelocated(const Section &S) const override;
  std::string relocationReport(const Section &S) const override;
  void relocate(const Section &S, MutableArrayRef<uint8_t> Bytes) override;
  Expected<StringRef> rawContents(const Section &S) override;
  Expected<PackedBytes> packedBytes(const Section &S,
                                    StringRef Raw) const override;

private:
  using Shdr = typename ELFT::Shdr;
  using Phdr = typename ELFT::Phdr;
  using Rela = typename ELFT::Rela;
  using Dyn = typename ELFT::Dyn;

  using Sym = typename ELFT::Sym;

  /// A symbol table, and the section indices that do not fit into 16 bits
  /// (SHT_SYMTAB_SHNDX).
  struct Symbols {
    ArrayRef<Sym> All;
    DataRegion<typename ELFT::Word> FarSections{
        ArrayRef<typename ELFT::Word>()};
  };

  void readIdentity();
  Error readHeaders();
  Error readSections();
  Expected<Symbols> readSymbols(const Shdr &Table) const;
  const Section *sectionOf(const Sym &S, const Symbols &Table) const;
  std::optional<uint64_t> baseOf(const Sym &S, const Symbols &Table) const;
  void findRelocationTables();
  bool isRelocatable() const { return Identity.Type == ELF::ET_REL; }
  uint64_t relocationTarget(const Sym &S, const Symbols &Table) const;
  Error relocateBy(const Shdr &Table, Relocator &To) const;
  void readCode();
  void readBuildID();
  ArrayRef<Dyn> dynamicEntries() const;
  ArrayRef<Rela> loaderRelocations() const;
  const Shdr *onlyTable(SymbolTable Table) const;
  Error forEachSymbolIn(const Shdr &Header,
                        function_ref<void(const FunctionSymbol &)> Visit);
  /// Passes the offset of the name of the file, too; none before the first.
  Error visitSymbols(
      const Shdr &Header, StringRef Names,
      function_ref<void(const CodeSymbol &, std::optional<uint32_t>)> Visit);
  Error forEachRelocationIn(const Section &S,
                            function_ref<void(const RelocatedWord &)> Visit);
  Error addMarksOf(const Shdr &Header, std::vector<CodeMark> &Marks) const;

  ELFFile<ELFT> File;
  ArrayRef<Shdr> Headers;
  /// The tables of a file without section headers, and headers for them.
  std::vector<SegmentTable<ELFT>> Tables;
  std::vector<Shdr> MadeHeaders;
  /// In a relocatable object, pairs of a section to be relocated and a table of
  /// its relocations, ascending.
  std::vector<std::pair<uint32_t, uint32_t>> RelocationTables;
  /// For each relocated section, the relocations that could not be applied.
  RelocationReports Reports;
};

} // namespace

template <class ELFT> Error ELFBinary<ELFT>::load() {
  readIdentity();
  if (Error E = readSections())
    return addPrefix(Path, std::move(E));
  if (isRelocatable())
    findRelocationTables();
  readCode();
  readBuildID();
  return Error::success();
}

template <class ELFT> void ELFBinary<ELFT>::readIdentity() {
  const typename ELFT::Ehdr &H = File.getHeader();
  Identity.Machine = H.e_machine;
  Identity.Type = H.e_type;
  Identity.Class = H.e_ident[ELF::EI_CLASS];
  Identity.Data = H.e_ident[ELF::EI_DATA];
  Identity.OSABI = H.e_ident[ELF::EI_OSABI];
  Identity.ABIVersion = H.e_ident[ELF::EI_ABIVERSION];
  Identity.Flags = H.e_flags;
}

/// Some linkers and packers leave out section headers; the loader does not use
/// them.
template <class ELFT> Error ELFBinary<ELFT>::readHeaders() {
  Expected<ArrayRef<Shdr>> All = File.sections();
  if (All &&
      any_of(*All, [](const Shdr &H) { return H.sh_type != ELF::SHT_NULL; })) {
    Headers = *All;
    return Error::success();
  }
  Tables = findSegmentTables(File);
  if (!All && Tables.empty())
    return All.takeError();
  // Such as a file whose end is missing.
  if (!All)
    Damage = toString(All.takeError());
  for (const SegmentTable<ELFT> &T : Tables)
    MadeHeaders.push_back(T.Header);
  Headers = MadeHeaders;
  return Error::success();
}

template <class ELFT> Error ELFBinary<ELFT>::readSections() {
  if (Error E = readHeaders())
    return E;
  std::vector<Section> Read;
  for (size_t I = 0; I < Headers.size(); ++I) {
    const Shdr &H = Headers[I];
    Section S;
    // Thousands of names can be tails of one long string. No section that we
    // look for has a long name.
    constexpr size_t MaxName = 255;
    if (!Tables.empty())
      S.Name = Tables[I].Name.str();
    else if (Expected<StringRef> Name = File.getSectionName(H))
      S.Name = Name->take_front(MaxName).str();
    else
      consumeError(Name.takeError());
    S.Type = H.sh_type;
    S.Flags = H.sh_flags;
    S.Address = H.sh_addr;
    S.Size = H.sh_size;
    S.Index = I;
    S.EntrySize = H.sh_entsize;
    S.Alignment = H.sh_addralign;
    if (StringRef(S.Name).starts_with(".zdebug_")) {
      S.IsZDebug = true;
      S.Name.erase(1, 1);
    }
    Read.push_back(std::move(S));
  }
  if (isRelocatable())
    placeSections(Read, ELFT::Is64Bits);
  setSections(std::move(Read));
  return Error::success();
}

template <class ELFT> void ELFBinary<ELFT>::readCode() {
  std::vector<CodeMap::Area> Areas;
  auto Add = [&](uint64_t Start, uint64_t Size) {
    Areas.push_back({Start, Start + std::min(Size, UINT64_MAX - Start)});
  };
  for (const Section &S : Sections)
    if ((S.Flags & ELF::SHF_EXECINSTR) && (S.Flags & ELF::SHF_ALLOC))
      Add(S.Address, S.Size);
  if (Areas.empty()) {
    // Some tools strip section headers.
    if (Expected<ArrayRef<Phdr>> Segments = File.program_headers()) {
      for (const Phdr &P : *Segments)
        if (P.p_type == ELF::PT_LOAD && (P.p_flags & ELF::PF_X))
          Add(P.p_vaddr, P.p_memsz);
    } else {
      consumeError(Segments.takeError());
    }
  }
  Code = CodeMap(std::move(Areas));
}

template <class ELFT> void ELFBinary<ELFT>::readBuildID() {
  BuildID = readELFBuildID([&](uint64_t Offset, MutableArrayRef<uint8_t> To) {
    StringRef Part = Buffer->getBuffer().substr(Offset, To.size());
    llvm::copy(arrayRefFromStringRef(Part), To.begin());
    return Part.size();
  });
}

template <class ELFT>
Expected<StringRef> ELFBinary<ELFT>::rawContents(const Section &S) {
  Expected<ArrayRef<uint8_t>> Bytes = File.getSectionContents(Headers[S.Index]);
  if (!Bytes)
    return Bytes.takeError();
  return toStringRef(*Bytes);
}

template <class ELFT>
Expected<Binary::PackedBytes>
ELFBinary<ELFT>::packedBytes(const Section &S, StringRef Raw) const {
  using Chdr = typename ELFT::Chdr;
  if (S.IsZDebug)
    return Binary::packedBytes(S, Raw);
  if (Raw.size() < sizeof(Chdr))
    return make_error<DamagedError>("",
                                    "is too small for a compression header");
  PackedBytes Result;
  Chdr Header;
  std::memcpy(&Header, Raw.data(), sizeof(Chdr));
  Result.Size = Header.ch_size;
  if (Header.ch_type == ELF::ELFCOMPRESS_ZSTD)
    Result.How = Compression::Zstd;
  else if (Header.ch_type != ELF::ELFCOMPRESS_ZLIB)
    return make_error<UnsupportedError>(
        "", "compression type " + Twine(Header.ch_type) + " is not known");
  Result.Bytes = Raw.drop_front(sizeof(Chdr));
  return Result;
}

template <class ELFT>
bool ELFBinary<ELFT>::hasSymbolTable(SymbolTable Table) const {
  return any_of(Sections,
                [&](const Section &S) { return S.Type == sectionType(Table); });
}

template <class ELFT>
Expected<typename ELFBinary<ELFT>::Symbols>
ELFBinary<ELFT>::readSymbols(const Shdr &Table) const {
  auto All = File.symbols(&Table);
  if (!All)
    return All.takeError();
  Symbols Result;
  Result.All = *All;
  for (const Shdr &H : Headers)
    if (H.sh_type == ELF::SHT_SYMTAB_SHNDX && H.sh_link < Headers.size() &&
        &Headers[H.sh_link] == &Table) {
      auto Far = File.getSHNDXTable(H, Headers);
      if (!Far)
        return Far.takeError();
      Result.FarSections = *Far;
      break;
    }
  return Result;
}

/// The section that defines \p S; null if there is none.
template <class ELFT>
const Section *ELFBinary<ELFT>::sectionOf(const Sym &S,
                                          const Symbols &Table) const {
  Expected<uint32_t> Index =
      File.getSectionIndex(S, Table.All, Table.FarSections);
  if (!Index) {
    consumeError(Index.takeError());
    return nullptr;
  }
  return *Index && *Index < Sections.size() ? &Sections[*Index] : nullptr;
}

/// The base of the value of \p S, if \p S is defined. In a relocatable object
/// it is the start of its section; a symbol at the end of the section names no
/// code.
template <class ELFT>
std::optional<uint64_t> ELFBinary<ELFT>::baseOf(const Sym &S,
                                                const Symbols &Table) const {
  if (S.st_shndx == ELF::SHN_UNDEF || S.st_shndx == ELF::SHN_ABS)
    return std::nullopt;
  if (!isRelocatable())
    return 0;
  const Section *In = sectionOf(S, Table);
  if (!In || !hasPlace(*In) || S.st_value >= In->Size)
    return std::nullopt;
  return In->Address;
}

//===----------------------------------------------------------------------===//
// Relocatable objects
//===----------------------------------------------------------------------===//

template <class ELFT> void ELFBinary<ELFT>::findRelocationTables() {
  for (const Section &S : Sections) {
    uint32_t Target = Headers[S.Index].sh_info;
    if ((S.Type == ELF::SHT_REL || S.Type == ELF::SHT_RELA ||
         S.Type == ELF::SHT_CREL) &&
        Target < Sections.size() && !(Sections[Target].Flags & ELF::SHF_ALLOC))
      RelocationTables.emplace_back(Target, S.Index);
  }
  llvm::sort(RelocationTables);
}

template <class ELFT>
bool ELFBinary<ELFT>::isRelocated(const Section &S) const {
  auto It = partition_point(RelocationTables,
                            [&](const auto &T) { return T.first < S.Index; });
  return It != RelocationTables.end() && It->first == S.Index;
}

/// The value of \p S in the address space of the object: sections that are not
/// loaded, such as .debug_str, begin at 0.
template <class ELFT>
uint64_t ELFBinary<ELFT>::relocationTarget(const Sym &S,
                                           const Symbols &Table) const {
  if (S.st_shndx == ELF::SHN_ABS)
    return S.st_value;
  const Section *In = sectionOf(S, Table);
  if (In && hasPlace(*In)) {
    bool HasThumbBit =
        Identity.Machine == ELF::EM_ARM && S.getType() == ELF::STT_FUNC;
    return In->Address + (HasThumbBit ? S.st_value & ~1 : S.st_value);
  }
  if (In && !(In->Flags & ELF::SHF_ALLOC))
    return S.st_value;
  return addressOfNothing(ELFT::Is64Bits);
}

/// Applies the relocations of \p Table.
template <class ELFT>
Error ELFBinary<ELFT>::relocateBy(const Shdr &Table, Relocator &To) const {
  if (Table.sh_link >= Headers.size())
    return make_error<DamagedError>("", "they have no symbol table");
  Expected<Symbols> Of = readSymbols(Headers[Table.sh_link]);
  if (!Of)
    return Of.takeError();
  auto Apply = [&](uint64_t Offset, uint32_t Type, uint32_t Index,
                   std::optional<int64_t> Addend) {
    Relocation R;
    R.Offset = Offset;
    R.Type = Type;
    R.Addend = Addend.value_or(0);
    R.HasAddend = Addend.has_value();
    if (Index >= Of->All.size() && Index != 0)
      return To.applyWithBadSymbol(R);
    R.Symbol = Index ? relocationTarget(Of->All[Index], *Of) : 0;
    To.apply(R);
  };
  auto ApplyAll = [&](auto Relocations, auto AddendOf) -> Error {
    if (!Relocations)
      return Relocations.takeError();
    bool IsMips64EL = File.isMips64EL();
    for (const auto &R : *Relocations)
      Apply(R.r_offset, R.getType(IsMips64EL), R.getSymbol(IsMips64EL),
            AddendOf(R));
    return Error::success();
  };
  if (Table.sh_type == ELF::SHT_REL)
    return ApplyAll(File.rels(Table),
                    [](const auto &) { return std::nullopt; });
  if (Table.sh_type == ELF::SHT_RELA)
    return ApplyAll(File.relas(Table),
                    [](const auto &R) { return int64_t(R.r_addend); });
  Expected<ArrayRef<uint8_t>> Bytes = File.getSectionContents(Table);
  if (!Bytes)
    return Bytes.takeError();
  bool HaveAddends = false;
  return decodeCrel<ELFT::Is64Bits>(
      *Bytes, [&](uint64_t, bool Have) { HaveAddends = Have; },
      [&](Elf_Crel_Impl<ELFT::Is64Bits> R) {
        Apply(R.r_offset, R.r_type, R.r_symidx,
              HaveAddends ? std::optional<int64_t>(R.r_addend) : std::nullopt);
      });
}

template <class ELFT>
void ELFBinary<ELFT>::relocate(const Section &S,
                               MutableArrayRef<uint8_t> Bytes) {
  Relocator To(Identity, Bytes);
  std::string Report;
  // Valid tables do not overlap.
  uint64_t Budget = size();
  for (auto [Target, Index] : RelocationTables) {
    if (Target != S.Index)
      continue;
    const Shdr &Table = Headers[Index];
    if (Table.sh_size > Budget) {
      Report += "; the tables of relocations are larger than the file";
      break;
    }
    Budget -= Table.sh_size;
    if (Error E = relocateBy(Table, To))
      Report += "; relocations cannot be read: " + toString(std::move(E));
  }
  if (std::string Left = To.report(); !Left.empty())
    Report += "; relocations are not applied: " + Left;
  if (!Report.empty())
    Reports.add(S, Report.substr(2));
}

template <class ELFT>
std::string ELFBinary<ELFT>::relocationReport(const Section &S) const {
  return Reports.of(S);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

template <class ELFT>
Expected<SymbolEntries>
ELFBinary<ELFT>::symbolEntries(SymbolTable Table) const {
  SymbolEntries Result;
  const Shdr *Header = find_if(
      Headers, [&](const Shdr &H) { return H.sh_type == sectionType(Table); });
  if (Header == Headers.end())
    return Result;
  auto Failed = [&](Error E) {
    return addPrefix(Path, addWhere("symbol table", std::move(E)));
  };
  auto Symbols = File.symbols(Header);
  if (!Symbols)
    return Failed(Symbols.takeError());
  Expected<StringRef> Names = File.getStringTableForSymtab(*Header, Headers);
  if (!Names)
    return Failed(Names.takeError());
  Result.Names = *Names;
  for (const typename ELFT::Sym &S : Symbols->drop_front(!Symbols->empty()))
    Result.Entries.push_back(
        {S.st_name, S.st_value, S.st_size, S.st_info, S.st_other, S.st_shndx});
  return Result;
}

template <class ELFT>
Error ELFBinary<ELFT>::forEachFunctionSymbol(
    SymbolTable Table, function_ref<void(const FunctionSymbol &)> Visit) {
  for (const Shdr &H : Headers)
    if (H.sh_type == sectionType(Table))
      if (Error E = forEachSymbolIn(H, Visit))
        return addPrefix(Path, addWhere("symbol table", std::move(E)));
  return Error::success();
}

/// The kind of code that \p Sym names; none if it names no code.
template <class ELFT>
static std::optional<FunctionSymbol::SymbolKind>
kindOf(const typename ELFT::Sym &Sym) {
  unsigned Type = Sym.getType();
  if (Type == ELF::STT_FUNC || Type == ELF::STT_GNU_IFUNC)
    return FunctionSymbol::Function;
  if (Type != ELF::STT_NOTYPE)
    return std::nullopt;
  if (Sym.getBinding() != ELF::STB_LOCAL)
    return FunctionSymbol::Label;
  if (Sym.st_size)
    return FunctionSymbol::LocalCode;
  return std::nullopt;
}

template <class ELFT>
Error ELFBinary<ELFT>::visitSymbols(
    const Shdr &Header, StringRef Names,
    function_ref<void(const CodeSymbol &, std::optional<uint32_t>)> Visit) {
  Expected<Symbols> Table = readSymbols(Header);
  if (!Table)
    return Table.takeError();
  std::optional<uint32_t> SourceFile;
  for (const Sym &Sym : Table->All) {
    unsigned Type = Sym.getType();
    if (Type == ELF::STT_FILE) {
      SourceFile = Sym.st_name;
      continue;
    }
    std::optional<FunctionSymbol::SymbolKind> Kind = kindOf<ELFT>(Sym);
    if (!Kind || Sym.st_name == 0 || Sym.st_name >= Names.size())
      continue;
    std::optional<uint64_t> Base = baseOf(Sym, *Table);
    if (!Base)
      continue;
    CodeSymbol S;
    S.Address =
        *Base + instructionAddress(*this, Sym.st_value, Type, Sym.st_other);
    S.Size = Sym.st_size;
    S.Name = Sym.st_name;
    S.Binding = Sym.getBinding();
    S.Kind = *Kind;
    Visit(S, SourceFile);
  }
  return Error::success();
}

template <class ELFT>
Error ELFBinary<ELFT>::forEachSymbolIn(
    const Shdr &Header, function_ref<void(const FunctionSymbol &)> Visit) {
  Expected<StringRef> Names = File.getStringTableForSymtab(Header, Headers);
  if (!Names)
    return Names.takeError();
  // The table ends with a zero byte.
  auto NameAt = [&](uint32_t Offset) {
    return Offset < Names->size() ? StringRef(Names->data() + Offset)
                                  : StringRef();
  };
  std::optional<uint32_t> LastFile;
  StringRef SourceFile;
  return visitSymbols(Header, *Names,
                      [&](const CodeSymbol &S, std::optional<uint32_t> File) {
                        FunctionSymbol F;
                        F.Name = NameAt(S.Name);
                        if (F.Name.empty())
                          return;
                        F.Address = S.Address;
                        F.Size = S.Size;
                        F.Binding = S.Binding;
                        F.Kind = S.Kind;
                        if (File != LastFile)
                          SourceFile = NameAt(*File);
                        LastFile = File;
                        if (F.Binding == ELF::STB_LOCAL)
                          F.SourceFile = SourceFile;
                        Visit(F);
                      });
}

/// Null if there are several.
template <class ELFT>
const typename ELFT::Shdr *ELFBinary<ELFT>::onlyTable(SymbolTable Table) const {
  const Shdr *Found = nullptr;
  for (const Shdr &H : Headers) {
    if (H.sh_type != sectionType(Table))
      continue;
    if (Found)
      return nullptr;
    Found = &H;
  }
  return Found;
}

template <class ELFT>
std::optional<StringRef> ELFBinary<ELFT>::symbolNames(SymbolTable Table) const {
  const Shdr *Header = onlyTable(Table);
  if (!Header)
    return std::nullopt;
  return expectedToOptional(File.getStringTableForSymtab(*Header, Headers));
}

template <class ELFT>
Error ELFBinary<ELFT>::forEachCodeSymbol(
    SymbolTable Table, function_ref<void(const CodeSymbol &)> Visit) {
  std::optional<StringRef> Names = symbolNames(Table);
  if (!Names)
    return Error::success();
  const Shdr &Header = *onlyTable(Table);
  Error E = visitSymbols(Header, *Names,
                         [&](const CodeSymbol &S, auto) { Visit(S); });
  if (Expected<ArrayRef<uint8_t>> Bytes = File.getSectionContents(Header))
    release(toStringRef(*Bytes));
  else
    consumeError(Bytes.takeError());
  if (E)
    return addPrefix(Path, addWhere("symbol table", std::move(E)));
  return Error::success();
}

static bool hasMappingSymbols(uint16_t Machine) {
  return Machine == ELF::EM_AARCH64 || Machine == ELF::EM_ARM ||
         Machine == ELF::EM_RISCV || Machine == ELF::EM_CSKY;
}

/// Reads the name of a mapping symbol: "$a", "$t", "$x" or "$d", alone or
/// followed by a dot; on RISC-V the instruction set may follow "$x".
static std::optional<CodeMark::Kind> readMappingSymbol(StringRef Name) {
  if (!Name.consume_front("$") || Name.empty())
    return std::nullopt;
  char Letter = Name.front();
  if (Letter == 'x')
    return CodeMark::Code;
  if (Name.size() > 1 && Name[1] != '.')
    return std::nullopt;
  switch (Letter) {
  case 'a':
    return CodeMark::Code;
  case 'd':
    return CodeMark::Data;
  case 't':
    return CodeMark::Thumb;
  default:
    return std::nullopt;
  }
}

template <class ELFT>
Error ELFBinary<ELFT>::addMarksOf(const Shdr &Header,
                                  std::vector<CodeMark> &Marks) const {
  Expected<Symbols> Table = readSymbols(Header);
  if (!Table)
    return Table.takeError();
  Expected<StringRef> Names = File.getStringTableForSymtab(Header, Headers);
  if (!Names)
    return Names.takeError();
  for (const Sym &Sym : Table->All) {
    std::optional<uint64_t> Base = baseOf(Sym, *Table);
    if (!Base)
      continue;
    uint64_t Address = *Base + Sym.st_value;
    if (Identity.Machine == ELF::EM_ARM && Sym.getType() == ELF::STT_FUNC)
      Marks.push_back({Address & ~uint64_t(1),
                       Sym.st_value & 1 ? CodeMark::Thumb : CodeMark::Code});
    if (Sym.getType() != ELF::STT_NOTYPE)
      continue;
    StringRef Name =
        expectedToOptional(Sym.getName(*Names)).value_or(StringRef());
    if (std::optional<CodeMark::Kind> What = readMappingSymbol(Name))
      Marks.push_back({Address, *What});
  }
  return Error::success();
}

template <class ELFT>
Expected<std::vector<CodeMark>>
ELFBinary<ELFT>::codeMarks(SymbolTable Table) const {
  std::vector<CodeMark> Marks;
  if (!hasMappingSymbols(Identity.Machine))
    return Marks;
  for (const Shdr &H : Headers)
    if (H.sh_type == sectionType(Table))
      if (Error E = addMarksOf(H, Marks))
        return addPrefix(Path, addWhere("symbol table", std::move(E)));
  return Marks;
}

template <class ELFT>
Error ELFBinary<ELFT>::forEachRelocatedWord(
    function_ref<void(const RelocatedWord &)> Visit) {
  for (const Section &S : Sections)
    if ((S.Flags & ELF::SHF_ALLOC) &&
        (S.Type == ELF::SHT_RELA || S.Type == ELF::SHT_REL))
      if (Error E = forEachRelocationIn(S, Visit))
        return sectionError(S, std::move(E));
  return Error::success();
}

/// Whether the type is that of an IFUNC that is known at link time.
static bool isIRelative(uint32_t Machine, uint32_t Type) {
  switch (Machine) {
  case ELF::EM_X86_64:
    return Type == ELF::R_X86_64_IRELATIVE;
  case ELF::EM_AARCH64:
    return Type == ELF::R_AARCH64_IRELATIVE;
  case ELF::EM_RISCV:
    return Type == ELF::R_RISCV_IRELATIVE;
  case ELF::EM_S390:
    return Type == ELF::R_390_IRELATIVE;
  default:
    return false;
  }
}

template <class ELFT>
Error ELFBinary<ELFT>::forEachRelocationIn(
    const Section &S, function_ref<void(const RelocatedWord &)> Visit) {
  const Shdr &Header = Headers[S.Index];
  // Relocations of static programs have no symbols.
  if (Header.sh_link == 0 || Header.sh_link >= Headers.size())
    return Error::success();
  const Shdr &SymbolHeader = Headers[Header.sh_link];
  auto Symbols = File.symbols(&SymbolHeader);
  if (!Symbols)
    return Symbols.takeError();
  Expected<StringRef> Names =
      File.getStringTableForSymtab(SymbolHeader, Headers);
  if (!Names)
    return Names.takeError();
  bool ForPLT = S.Name == ".rela.plt" || S.Name == ".rel.plt";
  auto VisitAll = [&](auto Relocations) -> Error {
    if (!Relocations)
      return Relocations.takeError();
    for (const auto &R : *Relocations) {
      RelocatedWord Word;
      Word.Address = R.r_offset;
      Word.ForPLT = ForPLT;
      uint32_t Index = R.getSymbol(File.isMips64EL());
      if (Index && Index < Symbols->size())
        Word.Symbol = expectedToOptional((*Symbols)[Index].getName(*Names))
                          .value_or(StringRef());
      if constexpr (std::is_same_v<decltype(R), const Rela &>)
        if (isIRelative(Identity.Machine, R.getType(File.isMips64EL())))
          Word.Resolver = uint64_t(R.r_addend);
      Visit(Word);
    }
    return Error::success();
  };
  return S.Type == ELF::SHT_RELA ? VisitAll(File.relas(Header))
                                 : VisitAll(File.rels(Header));
}

template <class ELFT>
std::vector<LoadedBytes> ELFBinary<ELFT>::loadedBytes() const {
  std::vector<LoadedBytes> Parts;
  Expected<ArrayRef<Phdr>> Segments = File.program_headers();
  if (!Segments) {
    consumeError(Segments.takeError());
    return Parts;
  }
  StringRef Bytes = Buffer->getBuffer();
  uint64_t Total = 0;
  for (const Phdr &P : *Segments) {
    if (P.p_type != ELF::PT_LOAD)
      continue;
    StringRef Part = Bytes.substr(P.p_offset, P.p_filesz);
    Total += Part.size();
    // Valid segments share a page or two, but do not map the file repeatedly.
    if (Total > 2 * Bytes.size())
      break;
    if (!Part.empty())
      Parts.push_back({P.p_vaddr, Part});
  }
  return Parts;
}

/// A segment for each executable section.
template <class ELFT>
std::vector<lidia::Segment> ELFBinary<ELFT>::sectionsAsSegments() const {
  std::vector<lidia::Segment> Result;
  for (const Section *S : placedSections(*this)) {
    Expected<ArrayRef<uint8_t>> Bytes =
        File.getSectionContents(Headers[S->Index]);
    if (!Bytes || S->Type == ELF::SHT_NOBITS) {
      consumeError(Bytes.takeError());
      continue;
    }
    Result.push_back({ELF::PT_LOAD, ELF::PF_R | ELF::PF_X, S->Address, S->Size,
                      toStringRef(*Bytes)});
  }
  return Result;
}

template <class ELFT>
std::vector<lidia::Segment> ELFBinary<ELFT>::segments() const {
  std::vector<lidia::Segment> Result;
  if (isRelocatable())
    return sectionsAsSegments();
  Expected<ArrayRef<Phdr>> Headers = File.program_headers();
  if (!Headers) {
    consumeError(Headers.takeError());
    return Result;
  }
  StringRef Bytes = Buffer->getBuffer();
  // The program headers either follow the ELF header or are outside the code.
  uint64_t HeaderEnd = sizeof(typename ELFT::Ehdr);
  if (File.getHeader().e_phoff == HeaderEnd)
    HeaderEnd += Headers->size() * sizeof(Phdr);
  for (const Phdr &P : *Headers) {
    if (P.p_type != ELF::PT_LOAD && P.p_type != ELF::PT_NOTE)
      continue;
    uint64_t Skipped = P.p_offset < HeaderEnd ? HeaderEnd - P.p_offset : 0;
    StringRef Part = Bytes.substr(P.p_offset, P.p_filesz);
    Result.push_back({P.p_type, P.p_flags, P.p_vaddr, P.p_memsz,
                      Part.drop_front(std::min<uint64_t>(Skipped, Part.size())),
                      P.p_offset, Part.size(), P.p_align});
  }
  return Result;
}

/// The dynamic segment. LLVM's reader trusts the segment's size.
template <class ELFT>
ArrayRef<typename ELFT::Dyn> ELFBinary<ELFT>::dynamicEntries() const {
  Expected<ArrayRef<Phdr>> Segments = File.program_headers();
  if (!Segments) {
    consumeError(Segments.takeError());
    return {};
  }
  for (const Phdr &P : *Segments)
    if (P.p_type == ELF::PT_DYNAMIC) {
      StringRef Bytes = Buffer->getBuffer().substr(P.p_offset, P.p_filesz);
      return {reinterpret_cast<const Dyn *>(Bytes.data()),
              Bytes.size() / sizeof(Dyn)};
    }
  return {};
}

/// The relocations that DT_RELA refers to. Section headers may be missing, and
/// the loader does not use them either.
template <class ELFT>
ArrayRef<typename ELFT::Rela> ELFBinary<ELFT>::loaderRelocations() const {
  uint64_t Address = 0, Size = 0;
  for (const Dyn &D : dynamicEntries()) {
    if (D.getTag() == ELF::DT_RELA)
      Address = D.getPtr();
    else if (D.getTag() == ELF::DT_RELASZ)
      Size = D.getVal();
  }
  for (const LoadedBytes &L : loadedBytes())
    if (Size && Address >= L.Address && Address - L.Address < L.Bytes.size()) {
      StringRef Table = L.Bytes.substr(Address - L.Address, Size);
      return {reinterpret_cast<const Rela *>(Table.data()),
              Table.size() / sizeof(Rela)};
    }
  return {};
}

template <class ELFT>
std::vector<RelativePointer> ELFBinary<ELFT>::relativePointers() const {
  std::vector<RelativePointer> Pointers;
  uint32_t Relative = getELFRelativeRelocationType(Identity.Machine);
  for (const Rela &R : loaderRelocations())
    if (Relative && R.getType(/*isMips64EL=*/false) == Relative)
      Pointers.push_back({R.r_offset, uint64_t(R.r_addend)});
  return Pointers;
}

/// Opens a file of one class and byte order.
template <class ELFT>
static Expected<std::unique_ptr<Binary>>
load(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path) {
  Expected<ELFFile<ELFT>> File = ELFFile<ELFT>::create(Buffer->getBuffer());
  if (!File)
    return addPrefix(Path, File.takeError());
  auto B = std::make_unique<ELFBinary<ELFT>>(std::move(Buffer), Path,
                                             std::move(*File));
  if (Error E = B->load())
    return E;
  return B;
}

Expected<std::unique_ptr<Binary>> openELF(std::unique_ptr<MemoryBuffer> Buffer,
                                          StringRef Path) {
  auto [Class, Data] = getElfArchType(Buffer->getBuffer());
  if (Class == ELF::ELFCLASS64) {
    if (Data == ELF::ELFDATA2LSB)
      return load<ELF64LE>(std::move(Buffer), Path);
    if (Data == ELF::ELFDATA2MSB)
      return load<ELF64BE>(std::move(Buffer), Path);
  } else if (Class == ELF::ELFCLASS32) {
    if (Data == ELF::ELFDATA2LSB)
      return load<ELF32LE>(std::move(Buffer), Path);
    if (Data == ELF::ELFDATA2MSB)
      return load<ELF32BE>(std::move(Buffer), Path);
  }
  return make_error<UnsupportedError>(
      Path, "ELF class " + Twine(unsigned(Class)) + " or byte order " +
                Twine(unsigned(Data)) + " is not known");
}

} // namespace lidia
