//===- DWARFProgram.cpp - Programs with random DWARF ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DWARFProgram.h"
#include "ELFProgram.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

namespace {

using Ranges = std::vector<CodeRange>;

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// A section that is being written.
class Bytes {
public:
  std::string Text;

  uint32_t size() const { return uint32_t(Text.size()); }
  template <typename T> Bytes &number(T Value) {
    char Buffer[sizeof(T)];
    support::endian::write<T>(Buffer, Value, llvm::endianness::little);
    Text.append(Buffer, sizeof(T));
    return *this;
  }
  Bytes &byte(unsigned Value) { return number(uint8_t(Value)); }
  Bytes &unsignedLEB(uint64_t Value) {
    uint8_t Buffer[10];
    Text.append(reinterpret_cast<char *>(Buffer), encodeULEB128(Value, Buffer));
    return *this;
  }
  Bytes &signedLEB(int64_t Value) {
    uint8_t Buffer[10];
    Text.append(reinterpret_cast<char *>(Buffer), encodeSLEB128(Value, Buffer));
    return *this;
  }
  Bytes &text(StringRef Value) {
    Text += Value;
    return byte(0);
  }
  /// Stores the size of what follows the four bytes at \p At there.
  void setLength(uint32_t At) {
    support::endian::write32le(&Text[At], size() - At - 4);
  }
};

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// A function, an inlined call or a lexical block.
struct Scope {
  Tag Kind = DW_TAG_subprogram;
  Ranges Code;
  /// The number of the abstract function; of a function, also -1.
  int Origin = -1;
  unsigned CallFile = 0, CallLine = 0, CallColumn = 0;
  std::vector<Scope> Children;
};

struct Row {
  uint64_t Address;
  unsigned File, Line, Column;
};

/// Takes a part of \p Free, in order, and removes it and the code before it.
Ranges takeCode(FuzzInput &Input, Ranges &Free) {
  Ranges Taken;
  for (CodeRange &R : Free) {
    uint64_t Start = std::min<uint64_t>(R.Start + Input.byte() % 8, R.End);
    uint64_t End = std::min<uint64_t>(Start + Input.byte() % 32, R.End);
    if (Start != End)
      Taken.push_back({Start, End});
    R.Start = End;
  }
  return Taken;
}

class Unit {
public:
  Unit(FuzzInput &Input, unsigned Number, unsigned Version, Ranges Code)
      : Input(Input), Number(Number), Version(Version), Code(std::move(Code)) {}

  void write();

  Bytes Info, Abbrev, Line;
  /// .debug_ranges or .debug_rnglists; offsets in it begin at RangesOffset.
  Bytes RangeLists;
  uint32_t AbbrevOffset = 0, LineOffset = 0, RangesOffset = 0;

private:
  static constexpr unsigned FileCount = 3;

  struct Attribute {
    dwarf::Attribute Name;
    Form F;
  };

  std::vector<Scope> makeFunctions();
  void addChildren(Scope &Parent, unsigned Depth);
  void writeAbstract(unsigned Index);
  void writeScope(const Scope &S);
  void writeUnitEntry();
  void writeLines();
  void writeLineHeader();
  void writeSequence(ArrayRef<Row> Rows, uint64_t End);

  /// Writes the abbreviation of an entry, and the entry's code.
  void begin(Tag T, bool HasChildren, ArrayRef<Attribute> Attributes);
  /// The attributes for \p Code, and after begin() their values.
  void addCodeAttributes(const Ranges &Code, SmallVectorImpl<Attribute> &To,
                         unsigned &Way);
  void writeCode(const Ranges &Code, unsigned Way);
  uint32_t addRangeList(const Ranges &Code);

  FuzzInput &Input;
  const unsigned Number, Version;
  const Ranges Code;
  unsigned Abbrevs = 0;
  uint64_t Base = 0;
  /// Their offsets in the unit.
  std::vector<uint32_t> Abstract;
};

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

void Unit::begin(Tag T, bool HasChildren, ArrayRef<Attribute> Attributes) {
  Abbrev.unsignedLEB(++Abbrevs).unsignedLEB(T).byte(HasChildren);
  for (const Attribute &A : Attributes)
    Abbrev.unsignedLEB(A.Name).unsignedLEB(A.F);
  Abbrev.byte(0).byte(0);
  Info.unsignedLEB(Abbrevs);
}

/// \p Way becomes 0 for no code, 1 for an address and a size, 2 for two
/// addresses, and 3 for a list.
void Unit::addCodeAttributes(const Ranges &Code, SmallVectorImpl<Attribute> &To,
                             unsigned &Way) {
  Way = Code.empty() ? 0 : Code.size() > 1 ? 3 : 1 + Input.byte() % 3;
  if (Way == 3)
    To.push_back({DW_AT_ranges, DW_FORM_sec_offset});
  else if (Way != 0)
    To.append({{DW_AT_low_pc, DW_FORM_addr},
               {DW_AT_high_pc, Way == 1 ? DW_FORM_data4 : DW_FORM_addr}});
}

void Unit::writeCode(const Ranges &Code, unsigned Way) {
  if (Way == 3)
    Info.number<uint32_t>(addRangeList(Code));
  if (Way != 1 && Way != 2)
    return;
  Info.number<uint64_t>(Code[0].Start);
  if (Way == 1)
    Info.number<uint32_t>(uint32_t(Code[0].End - Code[0].Start));
  else
    Info.number<uint64_t>(Code[0].End);
}

/// Lists are relative to the unit's base, unless a base is in the list.
uint32_t Unit::addRangeList(const Ranges &Code) {
  uint32_t Offset = RangesOffset + RangeLists.size();
  uint64_t From = Base;
  bool OwnBase = Input.byte() % 4 == 0;
  if (OwnBase)
    From = CodeStart;
  if (Version == 4) {
    if (OwnBase)
      RangeLists.number<uint64_t>(UINT64_MAX).number(From);
    for (const CodeRange &R : Code)
      RangeLists.number(R.Start - From).number(R.End - From);
    RangeLists.number<uint64_t>(0).number<uint64_t>(0);
    return Offset;
  }
  if (OwnBase)
    RangeLists.byte(DW_RLE_base_address).number(From);
  for (const CodeRange &R : Code)
    switch (Input.byte() % 3) {
    case 0:
      RangeLists.byte(DW_RLE_offset_pair)
          .unsignedLEB(R.Start - From)
          .unsignedLEB(R.End - From);
      break;
    case 1:
      RangeLists.byte(DW_RLE_start_end).number(R.Start).number(R.End);
      break;
    default:
      RangeLists.byte(DW_RLE_start_length)
          .number(R.Start)
          .unsignedLEB(R.End - R.Start);
    }
  RangeLists.byte(DW_RLE_end_of_list);
  return Offset;
}

void Unit::writeUnitEntry() {
  // Compilers write 0 as the base of a unit in several pieces.
  if (Input.byte() % 2)
    Base = Code.front().Start;
  begin(DW_TAG_compile_unit, true,
        {{DW_AT_name, DW_FORM_string},
         {DW_AT_comp_dir, DW_FORM_string},
         {DW_AT_language, DW_FORM_data2},
         {DW_AT_stmt_list, DW_FORM_sec_offset},
         {DW_AT_low_pc, DW_FORM_addr},
         {DW_AT_ranges, DW_FORM_sec_offset}});
  Info.text("/src/f1.c").text("/src").number<uint16_t>(DW_LANG_C99);
  Info.number(LineOffset).number(Base).number(addRangeList(Code));
}

void Unit::writeAbstract(unsigned Index) {
  Abstract.push_back(Info.size());
  bool Linkage = Input.byte() % 2;
  SmallVector<Attribute, 4> Attributes = {{DW_AT_name, DW_FORM_string},
                                          {DW_AT_inline, DW_FORM_data1}};
  if (Linkage)
    Attributes.push_back({DW_AT_linkage_name, DW_FORM_string});
  begin(DW_TAG_subprogram, false, Attributes);
  std::string Name = "inlined" + utostr(Number) + "_" + utostr(Index);
  Info.text(Name).byte(DW_INL_inlined);
  if (Linkage)
    Info.text(Name + "_linkage");
}

void Unit::writeScope(const Scope &S) {
  SmallVector<Attribute, 8> Attributes;
  unsigned Way;
  addCodeAttributes(S.Code, Attributes, Way);
  bool IsCall = S.Kind == DW_TAG_inlined_subroutine;
  bool HasName = S.Kind == DW_TAG_subprogram && S.Origin < 0;
  if (HasName)
    Attributes.push_back({DW_AT_name, DW_FORM_string});
  else if (S.Origin >= 0)
    Attributes.push_back({DW_AT_abstract_origin, DW_FORM_ref4});
  if (IsCall)
    Attributes.append({{DW_AT_call_file, DW_FORM_data1},
                       {DW_AT_call_line, DW_FORM_udata},
                       {DW_AT_call_column, DW_FORM_udata}});
  begin(S.Kind, !S.Children.empty(), Attributes);
  writeCode(S.Code, Way);
  if (HasName)
    Info.text("f" + utostr(S.Code.front().Start));
  else if (S.Origin >= 0)
    Info.number(Abstract[size_t(S.Origin)]);
  if (IsCall)
    Info.byte(S.CallFile).unsignedLEB(S.CallLine).unsignedLEB(S.CallColumn);
  for (const Scope &Child : S.Children)
    writeScope(Child);
  if (!S.Children.empty())
    Info.byte(0);
}

void Unit::addChildren(Scope &Parent, unsigned Depth) {
  Ranges Free = Parent.Code;
  for (unsigned Count = Depth < 5 ? Input.byte() % 4 : 0; Count; --Count) {
    Scope Child;
    Child.Code = takeCode(Input, Free);
    if (Child.Code.empty())
      continue;
    Child.Kind = DW_TAG_lexical_block;
    if (Input.byte() % 4) {
      Child.Kind = DW_TAG_inlined_subroutine;
      Child.Origin = int(Input.byte() % Abstract.size());
      Child.CallFile = 1 + Input.byte() % FileCount;
      Child.CallLine = Input.byte();
      Child.CallColumn = Input.byte() % 4;
    }
    addChildren(Child, Depth + 1);
    Parent.Children.push_back(std::move(Child));
  }
}

std::vector<Scope> Unit::makeFunctions() {
  std::vector<Scope> Functions(1 + Input.byte() % 4);
  for (const CodeRange &R : Code)
    Functions[Input.byte() % Functions.size()].Code.push_back(R);
  erase_if(Functions, [](const Scope &S) { return S.Code.empty(); });
  for (Scope &S : Functions) {
    if (Input.byte() % 4 == 0)
      S.Origin = int(Input.byte() % Abstract.size());
    addChildren(S, 0);
  }
  return Functions;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

constexpr int LineBase = -5;
constexpr unsigned LineRange = 14, OpcodeBase = 13;

void Unit::writeLineHeader() {
  Line.number<uint32_t>(0).number<uint16_t>(uint16_t(Version));
  if (Version == 5)
    Line.byte(8).byte(0);
  uint32_t HeaderAt = Line.size();
  Line.number<uint32_t>(0).byte(1).byte(1).byte(1);
  Line.byte(uint8_t(LineBase)).byte(LineRange).byte(OpcodeBase);
  for (unsigned Operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1})
    Line.byte(Operands);
  if (Version == 5) {
    Line.byte(1).byte(DW_LNCT_path).byte(DW_FORM_string);
    Line.byte(1).text("/src");
    Line.byte(2).byte(DW_LNCT_path).byte(DW_FORM_string);
    Line.byte(DW_LNCT_directory_index).byte(DW_FORM_udata);
    Line.byte(FileCount + 1);
    for (unsigned I = 0; I <= FileCount; ++I)
      Line.text("/src/f" + utostr(std::max(I, 1u)) + ".c").byte(0);
  } else {
    Line.byte(0);
    for (unsigned I = 1; I <= FileCount; ++I)
      Line.text("/src/f" + utostr(I) + ".c").byte(0).byte(0).byte(0);
    Line.byte(0);
  }
  Line.setLength(HeaderAt);
}

void Unit::writeSequence(ArrayRef<Row> Rows, uint64_t End) {
  Row At = {Rows.front().Address, 1, 1, 0};
  Line.byte(0).byte(9).byte(DW_LNE_set_address).number(At.Address);
  for (const Row &R : Rows) {
    if (R.File != At.File)
      Line.byte(DW_LNS_set_file).unsignedLEB(R.File);
    if (R.Column != At.Column)
      Line.byte(DW_LNS_set_column).unsignedLEB(R.Column);
    int Lines = int(R.Line) - int(At.Line);
    uint64_t Step = R.Address - At.Address;
    if (Input.byte() % 8 == 0 && Step) {
      Line.byte(DW_LNS_fixed_advance_pc).number(uint16_t(Step));
      Step = 0;
    }
    uint64_t Special =
        uint64_t(Lines - LineBase) + Step * LineRange + OpcodeBase;
    if (Lines >= LineBase && Lines < LineBase + int(LineRange) &&
        Special <= 255 && Input.byte() % 4) {
      Line.byte(unsigned(Special));
    } else {
      if (Step)
        Line.byte(DW_LNS_advance_pc).unsignedLEB(Step);
      Line.byte(DW_LNS_advance_line).signedLEB(Lines).byte(DW_LNS_copy);
    }
    At = R;
  }
  Line.byte(DW_LNS_advance_pc).unsignedLEB(End - At.Address);
  Line.byte(0).byte(1).byte(DW_LNE_end_sequence);
}

/// Adjacent ranges may share a sequence.
void Unit::writeLines() {
  writeLineHeader();
  std::vector<Row> Rows;
  for (size_t I = 0; I != Code.size(); ++I) {
    const CodeRange &R = Code[I];
    for (uint64_t Address = R.Start; Address < R.End;) {
      Rows.push_back({Address, 1 + Input.byte() % FileCount, Input.byte(),
                      Input.byte() % 4u});
      // Several rows may have the same address.
      uint8_t Step = Input.byte();
      Address += Step >= 0xe0 ? 0 : 1 + Step % 8;
    }
    bool Joins =
        I + 1 != Code.size() && Code[I + 1].Start == R.End && Input.byte() % 2;
    if (Joins)
      continue;
    writeSequence(Rows, R.End);
    Rows.clear();
  }
  Line.setLength(0);
}

void Unit::write() {
  if (Version == 5) {
    RangeLists.number<uint32_t>(0).number<uint16_t>(5).byte(8).byte(0);
    RangeLists.number<uint32_t>(0);
  }
  Info.number<uint32_t>(0).number<uint16_t>(uint16_t(Version));
  if (Version == 5)
    Info.byte(DW_UT_compile).byte(8).number(AbbrevOffset);
  else
    Info.number(AbbrevOffset).byte(8);
  writeUnitEntry();
  for (unsigned Index = 0, Count = 1 + Input.byte() % 3; Index != Count;
       ++Index)
    writeAbstract(Index);
  for (const Scope &S : makeFunctions())
    writeScope(S);
  Info.byte(0);
  Info.setLength(0);
  Abbrev.byte(0);
  if (Version == 5)
    RangeLists.setLength(0);
  writeLines();
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

constexpr StringLiteral SectionNames[] = {"",
                                          ".text",
                                          ".debug_info",
                                          ".debug_abbrev",
                                          ".debug_line",
                                          ".debug_ranges",
                                          ".debug_rnglists",
                                          ".shstrtab"};
enum SectionIndex : size_t {
  DebugInfo = 2,
  DebugAbbrev,
  DebugLine,
  DebugRanges,
  RngLists,
  SectionCount = std::size(SectionNames)
};

/// \p Contents has the sections' bytes; the first two and the last are empty.
std::string writeFile(std::vector<std::string> Contents) {
  ELF::Elf64_Ehdr Header = {};
  ELF::Elf64_Shdr Sections[SectionCount] = {};
  std::string Names, File(sizeof(Header) + sizeof(Sections), '\0');
  for (size_t I = 0; I != SectionCount; ++I) {
    Sections[I].sh_name = uint32_t(Names.size());
    Names += SectionNames[I];
    Names += '\0';
  }
  startProgram(Header, Sections, sizeof(Header), CodeStart, CodeSize);
  Contents.back() = Names;
  for (size_t I = DebugInfo; I != SectionCount; ++I) {
    Sections[I].sh_type =
        I + 1 == SectionCount ? ELF::SHT_STRTAB : ELF::SHT_PROGBITS;
    Sections[I].sh_offset = File.size();
    Sections[I].sh_size = Contents[I].size();
    Sections[I].sh_addralign = 1;
    File += Contents[I];
  }
  File.replace(0, sizeof(Header), reinterpret_cast<char *>(&Header),
               sizeof(Header));
  File.replace(sizeof(Header), sizeof(Sections),
               reinterpret_cast<char *>(Sections), sizeof(Sections));
  return File;
}

} // namespace

DWARFProgram makeDWARFProgram(FuzzInput Input) {
  DWARFProgram Program;
  unsigned UnitCount = 1 + Input.byte() % 3;
  std::vector<Ranges> Code(UnitCount);
  for (uint64_t At = CodeStart; At < CodeStart + CodeSize;) {
    uint64_t Start = At + Input.byte() % 4;
    At = std::min(Start + 1 + Input.byte() % 64, CodeStart + CodeSize);
    if (Start >= At)
      break;
    Code[Input.byte() % UnitCount].push_back({Start, At});
    Program.Functions.push_back({Start, At});
  }
  std::vector<std::string> Contents(SectionCount);
  for (unsigned I = 0; I != UnitCount; ++I) {
    if (Code[I].empty())
      continue;
    unsigned Version = 4 + Input.byte() % 2;
    size_t Lists = Version == 5 ? RngLists : DebugRanges;
    Unit U(Input, I, Version, std::move(Code[I]));
    U.AbbrevOffset = uint32_t(Contents[DebugAbbrev].size());
    U.LineOffset = uint32_t(Contents[DebugLine].size());
    U.RangesOffset = uint32_t(Contents[Lists].size());
    U.write();
    Contents[DebugInfo] += U.Info.Text;
    Contents[DebugAbbrev] += U.Abbrev.Text;
    Contents[DebugLine] += U.Line.Text;
    Contents[Lists] += U.RangeLists.Text;
  }
  Program.File = writeFile(std::move(Contents));
  return Program;
}

} // namespace lidia
