//===- ArchiveWriter.cpp - Lays out a Lidia archive -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Ranges are added one by one to arrays that hold the tables in on-disk form.
/// Writing lays the tables out, computes the parts that depend on everything
/// else (checksums, the VA index) and streams everything front to back.
///
//===----------------------------------------------------------------------===//

#include "lidia/Archive/ArchiveWriter.h"
#include "AliasTable.h"
#include "CopyTable.h"
#include "LineWalk.h"
#include "NameOriginTable.h"
#include "OpenRanges.h"
#include "ReturnPadTable.h"
#include "RowTable.h"
#include "SourceTable.h"
#include "StatementTable.h"
#include "StringTable.h"
#include "Support/Checksum.h"
#include "lidia/Error.h"
#include "lidia/Support/OutputFile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

template <typename T> static StringRef bytesOf(const T &Value) {
  return {reinterpret_cast<const char *>(&Value), sizeof(T)};
}

namespace {

/// A section of the extension, ready to be written: bytes made for it, followed
/// by those of an existing array.
struct Section {
  uint32_t Tag;
  std::string Head;
  StringRef Body;

  uint64_t size() const { return Head.size() + Body.size(); }
};

/// The bytes of an archive that can only be computed at the end.
struct Layout {
  Header Head = {};
  ExtensionHeader ExtensionHead = {};
  std::vector<ExtensionSection> Directory;
  uint64_t ExtensionStart = 0;
};

/// The tables of an archive being written, as Archive gives them to LineWalk.
struct WrittenTables {
  const FieldArray &VAs;
  const FieldArray &Ranges;
  const RowTable &Rows;

  uint64_t rangeCount() const { return VAs.size(); }
  RangeEntry range(uint64_t Index) const {
    auto Field = [&](RangeField F) {
      return Ranges[Index * RF_FieldCount + F];
    };
    RangeEntry R;
    R.VA = VAs[Index];
    R.Length = Field(RF_Length);
    R.Depth = Field(RF_Depth);
    R.File = Field(RF_File);
    R.FirstRow = Field(RF_FirstRow);
    R.RowCount = Field(RF_RowCount);
    return R;
  }
  uint64_t plausibleRows(const RangeEntry &R) const { return R.RowCount; }
  RowEntry row(const RangeEntry &R, uint64_t Index) const {
    return Rows.row(R.FirstRow + Index, R.File);
  }
};

/// The statements and notes of the function whose ranges are being added.
struct PendingStatements {
  void set(uint64_t Range, ArrayRef<Statement> Statements,
           ArrayRef<CallNote> Calls) {
    Root = Range;
    Rows.assign(Statements.begin(), Statements.end());
    Notes.assign(Calls.begin(), Calls.end());
  }

  uint64_t Root = 0;
  std::vector<Statement> Rows;
  std::vector<CallNote> Notes;
  /// What Rows refer to.
  std::vector<FunctionLine> Lines;
};

} // namespace

class ArchiveWriter::Impl {
public:
  explicit Impl(const ArchiveWriterOptions &Options)
      : Options(Options), Strings(Options.Strings),
        Rows(Options.Extension, keepsColumns()) {}

  Error addRange(const ArchiveRange &R);
  std::vector<uint64_t> functionStarts() const;
  Error setReturnPads(ArrayRef<uint64_t> Addresses);
  Error addCall(const FunctionCall &Call);
  Error addCopy(const FunctionUnit &Unit, uint64_t Start);
  Error addSectionPlace(StringOffset Name, uint64_t Address, uint64_t Size);
  Error addLoadSegment(uint64_t Address, uint64_t Offset, uint64_t Size);
  void addAlias(uint64_t Address, StringRef Name);
  void addSource(StringOffset File, StringRef Text);
  Expected<ArchiveSizes> write(raw_ostream &OS);

  ArchiveWriterOptions Options;
  ArchiveInfo Info;
  SmallVector<uint8_t, 32> BuildID;
  SmallVector<uint8_t, IdentitySize> Identity;
  StringTable Strings;
  std::map<StringOffset, uint64_t> DirectoryLengths;
  std::map<StringOffset, StringOffset> PlainNameOf;
  std::map<StringOffset, Declaration> LastDeclared;
  /// The section LAYT, or empty.
  std::string BinaryLayout;
  /// The section UNWD, or empty.
  std::string Unwind;
  std::string Unnamed;
  std::string Variables;

private:
  /// The bytes of the strings table after the strings.
  StringRef stringsTail() const {
    return Options.Extension ? extensionMarker(Options.Strings) : StringRef();
  }
  bool keepsStatements() const {
    return Options.Statements && Options.Extension;
  }
  bool keepsColumns() const { return Options.Columns && Options.Extension; }
  Error checkRange(const ArchiveRange &R) const;
  std::optional<uint64_t> rowAt(uint64_t Range, uint64_t Address) const;
  uint64_t unitOf(uint64_t Root) const;
  void endFunction();
  std::vector<Section> makeSections();
  std::string makeInfo() const;
  std::string makeIdentity() const;
  std::string makeVAIndex() const;
  void makeDirectories();
  void makeEntries();
  void makeDeclarations();
  void makePlainNames();
  void makeLastDeclarations();
  void addLanguage(const FunctionUnit &Unit);
  void makeUnitLanguages();
  std::optional<uint64_t> rootAt(uint64_t Address) const;
  std::string makeAliases();
  uint64_t firstRangeFrom(uint64_t Address) const;
  uint64_t findEntry(uint64_t Range, uint64_t Address) const;
  uint32_t checksum(StringRef A, StringRef B = {}) const;
  Layout makeLayout(ArrayRef<Section> Sections) const;
  void layOutExtension(ArrayRef<Section> Sections, Layout &L) const;
  ArchiveSizes sizes(ArrayRef<Section> Sections) const;

  RowTable Rows;
  FieldArray VAs{4};
  FieldArray Ranges{4};
  FieldArray Parents{1};
  FieldArray CallColumns{1};
  FieldArray Directories{4};
  FieldArray Entries{4};
  /// Ranges that do not begin at their function's entry, with the address of
  /// the entry.
  std::vector<std::pair<uint64_t, uint64_t>> OtherEntries;
  ReturnPadTable Pads;
  StatementTable Statements;
  PendingStatements Pending;
  /// By function and file.
  DenseMap<std::pair<StringOffset, StringOffset>, Declaration> Declared;
  FieldArray Declarations{4};
  FieldArray DeclarationFiles{4};
  FieldArray PlainNames{4};
  FieldArray Units{4};
  uint64_t LastUnit = 0;
  /// The language and the compilation directory of each unit, by number.
  std::map<uint64_t, std::pair<uint16_t, StringOffset>> LanguageOf;
  FieldArray UnitLanguages{4};
  FieldArray LastDeclarations{4};
  FieldArray Calls{4};
  FieldArray SectionPlaces{4};
  uint64_t LastPlaceEnd = 0;
  FieldArray LoadSegments{4};
  uint64_t LastSegmentEnd = 0;
  CopyTable Copies;
  AliasTable Aliases;
  NameOriginTable Origins;
  SourceTable Sources;
  bool HasPads = false;
  uint64_t RowsGiven = 0;
  /// The last range of each depth among those that enclose the last range
  /// added.
  OpenRanges Open;
};

//===----------------------------------------------------------------------===//
// Adding ranges
//===----------------------------------------------------------------------===//

Error ArchiveWriter::Impl::checkRange(const ArchiveRange &R) const {
  auto Broken = [&](const char *Rule) {
    return make_error<ArgumentError>(
        "", formatv("range [{0:x}, {1:x}) of depth {2} {3}", R.Start,
                    R.Start + R.Length, R.Depth, Rule)
                .str());
  };
  if (R.Length == 0)
    return Broken("is empty");
  uint64_t Last = R.Start + (R.Length - 1);
  if (Last < R.Start)
    return Broken("reaches past the end of the address space");
  if (R.Depth > MaxDepth)
    return Broken("is too deep");
  if (!Open.empty() &&
      (R.Start < Open.back().Start ||
       (R.Start == Open.back().Start && R.Depth < Open.size())))
    return Broken("is not sorted by start, then depth");
  if (R.Depth > Open.size() || (R.Depth > 0 && Last > Open[R.Depth - 1].Last) ||
      (R.Depth > 0 && R.Start < Open[R.Depth - 1].Start))
    return Broken("is not inside a range of the depth above");
  if (R.Depth < Open.size() && R.Start <= Open[R.Depth].Last)
    return Broken("overlaps another of its depth");

  uint64_t Offset = 0;
  for (const ArchiveRow &Row : R.Rows) {
    if (Row.Offset >= R.Length)
      return Broken("has a row past its end");
    if (Row.Offset < Offset)
      return Broken("has rows that do not ascend");
    Offset = Row.Offset;
  }
  Offset = 0;
  for (const Statement &S : R.Statements) {
    if (S.Address - R.Start >= R.Length || S.Address - R.Start < Offset)
      return Broken("has statements that do not ascend or lie outside it");
    Offset = S.Address - R.Start;
  }
  uint32_t Range = 0;
  for (const CallNote &N : R.Calls) {
    if (N.Range < Range)
      return Broken("has notes on calls that do not ascend");
    if (N.Address - R.Start >= R.Length)
      return Broken("has calls that begin outside it");
    Range = N.Range;
  }
  return Error::success();
}

Error ArchiveWriter::Impl::addRange(const ArchiveRange &R) {
  if (Error E = checkRange(R))
    return E;
  if (R.Depth == 0)
    endFunction();
  uint64_t Index = VAs.size();
  if (Options.Extension)
    Parents.append(R.Depth == 0 ? 0 : Index - Open[R.Depth - 1].Index);
  Open.open({Index, R.Start, R.Start + (R.Length - 1), R.Depth});

  RowsGiven += R.Rows.size();
  RowTable::Run Run = Rows.add(R.Rows, R.File);
  VAs.append(R.Start);
  Ranges.append({R.Length, R.Depth, R.Function, R.File, Run.First, Run.Count,
                 R.CallFile, R.CallLine});
  if (keepsColumns())
    CallColumns.append(R.CallColumn);
  if (Options.Extension && R.Depth == 0 && R.Entry && *R.Entry != R.Start)
    OtherEntries.push_back({Index, *R.Entry});
  if (Options.Extension && R.Depth == 0 && R.Function)
    Origins.add(Index, R.Length, R.Origin, R.Reach);
  if (keepsStatements() && R.DeclLine)
    Declared.try_emplace({R.Function, R.File},
                         Declaration{R.DeclFile, R.DeclLine});
  if (keepsStatements() && R.Depth == 0 && R.Unit.Number != LastUnit) {
    LastUnit = R.Unit.Number;
    addLanguage(R.Unit);
    Units.append({Index, R.Unit.Name, LastUnit});
  }
  bool HasStatements = !R.Statements.empty() || !R.Calls.empty();
  if (keepsStatements() && HasStatements && Index <= UINT32_MAX)
    Pending.set(Index, R.Statements, R.Calls);
  return Error::success();
}

/// Statements refer to the lines of their function, which are known after its
/// last range.
void ArchiveWriter::Impl::endFunction() {
  if (Pending.Rows.empty() && Pending.Notes.empty())
    return;
  std::vector<FunctionLine> &Lines = Pending.Lines;
  Lines.clear();
  WrittenTables Tables = {VAs, Ranges, Rows};
  if (!LineWalk(Tables, lineBudget(Pending.Rows.size()),
                [&](const FunctionLine &L) { Lines.push_back(L); })
           .run(Pending.Root))
    Lines.clear();
  Statements.add(Pending.Root, VAs, Pending.Rows, Pending.Notes, Lines);
  Pending.Rows.clear();
  Pending.Notes.clear();
}

//===----------------------------------------------------------------------===//
// Return pads
//===----------------------------------------------------------------------===//

std::vector<uint64_t> ArchiveWriter::Impl::functionStarts() const {
  std::vector<uint64_t> Starts;
  for (uint64_t I = 0, E = VAs.size(); I != E; ++I)
    if (Ranges[I * RF_FieldCount + RF_Depth] == 0)
      Starts.push_back(VAs[I]);
  return Starts;
}

/// The row of \p Range in force at \p Address, counted from its first.
std::optional<uint64_t> ArchiveWriter::Impl::rowAt(uint64_t Range,
                                                   uint64_t Address) const {
  uint64_t First = Ranges[Range * RF_FieldCount + RF_FirstRow];
  uint64_t Count = Ranges[Range * RF_FieldCount + RF_RowCount];
  uint64_t UpTo = lowerBound(Count, [&](uint64_t Row) {
    return Rows.lines()[(First + Row) * 2] <= Address - VAs[Range];
  });
  if (UpTo == 0)
    return std::nullopt;
  return UpTo - 1;
}

Error ArchiveWriter::Impl::setReturnPads(ArrayRef<uint64_t> Addresses) {
  auto Broken = [](const Twine &Why) {
    return make_error<ArgumentError>("", Why);
  };
  if (!Options.Extension)
    return Broken("return pads need the extension");
  if (HasPads)
    return Broken("return pads are given twice");
  if (VAs.size() > UINT32_MAX || Addresses.size() > UINT32_MAX)
    return Broken("return pads of 2^32 ranges or more cannot be stored");
  HasPads = true;
  OpenRanges Around;
  uint64_t Next = 0, Last = 0;
  for (uint64_t Address : Addresses) {
    if (Address <= Last)
      return Broken(
          formatv("return pad {0:x} does not come after {1:x}", Address, Last));
    Last = Address;
    for (; Next != VAs.size() && VAs[Next] < Address; ++Next) {
      uint64_t First = Next * RF_FieldCount;
      Around.open({Next, VAs[Next], VAs[Next] + (Ranges[First + RF_Length] - 1),
                   Ranges[First + RF_Depth]});
    }
    ReturnPad Pad;
    Pad.Address = Address;
    Pad.Range = Around.innermost(Address - 1);
    if (Pad.Range)
      Pad.Row = rowAt(*Pad.Range, Address - 1);
    Pads.add(Pad);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Error ArchiveWriter::Impl::addCall(const FunctionCall &Call) {
  if (!keepsStatements())
    return Error::success();
  auto Broken = [&](const char *Rule) {
    return make_error<ArgumentError>(
        "", formatv("call at {0:x} {1}", Call.Address, Rule).str());
  };
  if (VAs.empty() || Call.Address < VAs[0])
    return Broken("is below the first range");
  uint64_t Offset = Call.Address - VAs[0];
  if (Call.Flags >> CallFlagBits)
    return Broken("has unknown flags");
  if (Offset > UINT64_MAX >> CallFlagBits)
    return Broken("is too far above the first range");
  if (!Calls.empty() && Offset <= Calls[Calls.size() - 2] >> CallFlagBits)
    return Broken("does not come after the one before");
  Calls.append(Offset << CallFlagBits | Call.Flags);
  Calls.append(Call.Callee);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The number of the unit of range \p Root, of depth 0.
uint64_t ArchiveWriter::Impl::unitOf(uint64_t Root) const {
  uint64_t Behind = lowerBound(Units.size() / 3, [&](uint64_t Entry) {
    return Units[Entry * 3] <= Root;
  });
  return Behind ? Units[(Behind - 1) * 3 + 2] : 0;
}

Error ArchiveWriter::Impl::addCopy(const FunctionUnit &Unit, uint64_t Start) {
  if (!keepsStatements())
    return Error::success();
  auto Broken = [&](const char *Rule) {
    return make_error<ArgumentError>(
        "", formatv("copy of {0:x} in unit {1} {2}", Start, Unit.Number, Rule)
                .str());
  };
  uint64_t Root = firstRangeFrom(Start);
  if (Root == VAs.size() || VAs[Root] != Start ||
      Ranges[Root * RF_FieldCount + RF_Depth] != 0)
    return Broken("does not belong to a range of depth 0");
  // A function without a unit of its own gets that of its lines.
  if (Unit.Number && unitOf(Root) == Unit.Number)
    return Error::success();
  if (!Copies.add(Unit, Root))
    return Broken("is not after the one before");
  addLanguage(Unit);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

/// The range of depth 0 that contains \p Address.
std::optional<uint64_t> ArchiveWriter::Impl::rootAt(uint64_t Address) const {
  uint64_t Behind = lowerBound(
      VAs.size(), [&](uint64_t Index) { return VAs[Index] <= Address; });
  if (Behind == 0)
    return std::nullopt;
  uint64_t Root = Behind - 1;
  while (Parents[Root])
    Root -= Parents[Root];
  if (Address - VAs[Root] >= Ranges[Root * RF_FieldCount + RF_Length])
    return std::nullopt;
  return Root;
}

void ArchiveWriter::Impl::addAlias(uint64_t Address, StringRef Name) {
  if (!keepsStatements() || Name.empty())
    return;
  std::optional<uint64_t> Root = rootAt(Address);
  if (!Root)
    return;
  if (VAs[*Root] == Address &&
      Strings.at(Ranges[*Root * RF_FieldCount + RF_Function]) == Name)
    return;
  Aliases.add({Address, *Root, VAs[*Root]}, Name);
}

void ArchiveWriter::Impl::addSource(StringOffset File, StringRef Text) {
  if (Options.Extension)
    Sources.add(File, Text);
}

std::string ArchiveWriter::Impl::makeAliases() {
  auto FunctionName = [&](uint64_t Root) {
    return Strings.at(Ranges[Root * RF_FieldCount + RF_Function]);
  };
  // The archive is larger than any of its tables.
  return Aliases.bytes(FunctionName, Ranges.bytes().size() * AliasRatio);
}

//===----------------------------------------------------------------------===//
// Sections of relocatable objects, segments of other files
//===----------------------------------------------------------------------===//

/// Fails unless the \p Kind with \p Size bytes at \p Address is after the
/// previous one, which ends at \p LastEnd. Updates \p LastEnd.
static Error checkBehindLast(const char *Kind, uint64_t Address, uint64_t Size,
                             uint64_t &LastEnd) {
  auto Broken = [&](const char *Rule) {
    return make_error<ArgumentError>(
        "", formatv("{0} at {1:x} {2}", Kind, Address, Rule).str());
  };
  if (Size == 0)
    return Broken("is empty");
  if (Address > UINT64_MAX - Size)
    return Broken("reaches past the end of the address space");
  if (Address < LastEnd)
    return Broken("is not after the one before");
  LastEnd = Address + Size;
  return Error::success();
}

Error ArchiveWriter::Impl::addSectionPlace(StringOffset Name, uint64_t Address,
                                           uint64_t Size) {
  if (Error E = checkBehindLast("section", Address, Size, LastPlaceEnd))
    return E;
  SectionPlaces.append(Name);
  SectionPlaces.append(Address);
  SectionPlaces.append(Size);
  return Error::success();
}

Error ArchiveWriter::Impl::addLoadSegment(uint64_t Address, uint64_t Offset,
                                          uint64_t Size) {
  if (Error E = checkBehindLast("segment", Address, Size, LastSegmentEnd))
    return E;
  LoadSegments.append(Address);
  LoadSegments.append(Offset);
  LoadSegments.append(Size);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Making the extension's sections
//===----------------------------------------------------------------------===//

std::string ArchiveWriter::Impl::makeInfo() const {
  InfoHeader H = {};
  H.setELFIdentity(Info);
  uint16_t Bits = Info.Options & ~(IO_Checksums | IO_Columns);
  if (Options.Checksums)
    Bits |= IO_Checksums;
  if (Options.Columns)
    Bits |= IO_Columns;
  if (HasPads)
    Bits |= IO_ReturnPads;
  if (!Unwind.empty())
    Bits |= IO_Unwind;
  if (!Variables.empty())
    Bits |= IO_Variables;
  H.Options = Bits;
  H.OnlyOrigin = uint8_t(Origins.onlyOrigin());
  H.BuildIDSize = uint32_t(BuildID.size());
  return (bytesOf(H) + toStringRef(BuildID)).str();
}

std::string ArchiveWriter::Impl::makeIdentity() const {
  IdentityHeader H = {};
  H.Scheme = Info.IdentityScheme;
  return (bytesOf(H) + toStringRef(Identity)).str();
}

/// The number of pages of this size in which a range begins.
static uint64_t occupiedPages(const FieldArray &VAs, unsigned Shift) {
  uint64_t Occupied = 0, LastPage = UINT64_MAX, Base = VAs[0];
  for (uint64_t I = 0, E = VAs.size(); I != E; ++I) {
    uint64_t Page = (VAs[I] - Base) >> Shift;
    Occupied += Page != LastPage;
    LastPage = Page;
  }
  return Occupied;
}

/// The page size of the VA index, as a power of two: chosen so that about
/// RangesPerPage ranges begin in each page in which any begins, but large
/// enough to keep the index small for sparse code.
static unsigned choosePageShift(const FieldArray &VAs) {
  constexpr uint64_t RangesPerPage = 64, RangesPerEntry = 16;
  uint64_t Count = VAs.size(), Span = VAs[Count - 1] - VAs[0];
  uint64_t MaxPages = Count / RangesPerEntry, GoodPages = Count / RangesPerPage;
  // The largest page is half of the address space, whatever it contains.
  unsigned Shift = 0;
  while (Shift < 63 && Span >> Shift > MaxPages)
    ++Shift;
  while (Shift < 63 && Span >> Shift > GoodPages &&
         occupiedPages(VAs, Shift) > GoodPages)
    ++Shift;
  return Shift;
}

std::string ArchiveWriter::Impl::makeVAIndex() const {
  VAIndexHeader H = {};
  FieldArray Entries(4);
  uint64_t Count = VAs.size();
  if (Count != 0) {
    H.Base = VAs[0];
    H.Shift = choosePageShift(VAs);
    for (uint64_t I = 0; I != Count; ++I)
      while (Entries.size() <= (VAs[I] - VAs[0]) >> H.Shift)
        Entries.append(I);
  }
  Entries.append(Count);
  return (bytesOf(H) + Entries.bytes()).str();
}

void ArchiveWriter::Impl::makeDirectories() {
  Directories = FieldArray(4);
  for (auto [File, Length] : DirectoryLengths) {
    if (Length == 0)
      continue;
    Directories.append(File);
    Directories.append(Length);
  }
}

/// The first range that does not begin before \p Address. Among ranges with the
/// same start, the one of depth 0 comes first.
uint64_t ArchiveWriter::Impl::firstRangeFrom(uint64_t Address) const {
  return lowerBound(VAs.size(),
                    [&](uint64_t Index) { return VAs[Index] < Address; });
}

/// The range that begins at \p Address, the entry of the function of \p Range;
/// \p Range itself if there is none, because the code there belongs to another
/// function or may do so.
uint64_t ArchiveWriter::Impl::findEntry(uint64_t Range,
                                        uint64_t Address) const {
  uint64_t I = firstRangeFrom(Address);
  auto Field = [&](uint64_t Index, RangeField F) {
    return Ranges[Index * RF_FieldCount + F];
  };
  bool IsEntry = I != VAs.size() && VAs[I] == Address &&
                 Field(I, RF_Depth) == 0 && Field(I, RF_Function) != 0 &&
                 Field(I, RF_Function) == Field(Range, RF_Function) &&
                 !std::binary_search(OtherEntries.begin(), OtherEntries.end(),
                                     std::pair<uint64_t, uint64_t>(I, 0),
                                     [](const auto &A, const auto &B) {
                                       return A.first < B.first;
                                     });
  return IsEntry ? I : Range;
}

void ArchiveWriter::Impl::makeEntries() {
  Entries = FieldArray(4);
  for (auto [Range, Address] : OtherEntries)
    Entries.append({Range, findEntry(Range, Address)});
}

void ArchiveWriter::Impl::makeDeclarations() {
  std::vector<std::pair<std::pair<StringOffset, StringOffset>, Declaration>>
      Sorted(Declared.begin(), Declared.end());
  llvm::sort(Sorted, llvm::less_first());
  Declarations = DeclarationFiles = FieldArray(4);
  auto Add = [](FieldArray &Out, const auto &Key, uint64_t Value) {
    Out.append({Key.first, Key.second, Value});
  };
  for (const auto &[Key, D] : Sorted) {
    Add(Declarations, Key, D.Line);
    if (D.File != Key.second)
      Add(DeclarationFiles, Key, D.File);
  }
}

void ArchiveWriter::Impl::makePlainNames() {
  PlainNames = FieldArray(4);
  if (!keepsStatements())
    return;
  for (auto [Function, Plain] : PlainNameOf)
    PlainNames.append({Function, Plain});
}

void ArchiveWriter::Impl::makeLastDeclarations() {
  LastDeclarations = FieldArray(4);
  if (!keepsStatements())
    return;
  for (const auto &[Function, D] : LastDeclared)
    LastDeclarations.append({Function, D.File, D.Line});
}

void ArchiveWriter::Impl::addLanguage(const FunctionUnit &Unit) {
  if (Unit.Number)
    LanguageOf.try_emplace(Unit.Number, Unit.Language, Unit.Directory);
}

/// Most units have the language and the directory of the previous unit.
void ArchiveWriter::Impl::makeUnitLanguages() {
  UnitLanguages = FieldArray(4);
  std::pair<uint16_t, StringOffset> Last;
  for (const auto &[Number, Language] : LanguageOf) {
    if (Language == Last)
      continue;
    Last = Language;
    UnitLanguages.append(Number);
    UnitLanguages.append(Language.first);
    UnitLanguages.append(Language.second);
  }
}

std::vector<Section> ArchiveWriter::Impl::makeSections() {
  std::vector<Section> Sections;
  if (!Options.Extension)
    return Sections;
  auto Add = [&](uint32_t Tag, const FieldArray &Array) {
    ArrayHeader H = {};
    H.FieldSize = Array.width();
    Sections.push_back({Tag, bytesOf(H).str(), Array.bytes()});
  };
  auto IsUseful = [](const FieldArray &Array) {
    return Array.bytes().find_first_not_of('\0') != StringRef::npos;
  };
  endFunction();
  makeDirectories();
  makeEntries();
  makeDeclarations();
  makePlainNames();
  makeLastDeclarations();
  makeUnitLanguages();
  // The sections that opening and each lookup read are next to the directory,
  // so that in a compressed archive they are often in one frame. If the archive
  // is on another machine, they are fetched together with the directory
  // (prefetchDirectory() in Archive.cpp).
  Sections.push_back({ET_Info, makeInfo(), {}});
  if (!Identity.empty())
    Sections.push_back({ET_Identity, makeIdentity(), {}});
  if (!Directories.empty())
    Add(ET_Directories, Directories);
  if (VAs.size() <= UINT32_MAX)
    Sections.push_back({ET_VAIndex, makeVAIndex(), {}});
  if (!Rows.foreignRows().empty())
    Add(ET_ForeignRows, Rows.foreignRows());
  Add(ET_Parents, Parents);
  if (IsUseful(Rows.columns()))
    Add(ET_RowColumns, Rows.columns());
  if (IsUseful(CallColumns))
    Add(ET_CallColumns, CallColumns);
  if (!Entries.empty())
    Add(ET_Entries, Entries);
  if (!Pads.empty())
    Sections.push_back({ET_ReturnPads, Pads.bytes(), {}});
  if (!Declarations.empty())
    Add(ET_Declarations, Declarations);
  if (!DeclarationFiles.empty())
    Add(ET_DeclarationFiles, DeclarationFiles);
  if (!PlainNames.empty())
    Add(ET_PlainNames, PlainNames);
  if (!Units.empty())
    Add(ET_Units, Units);
  if (!UnitLanguages.empty())
    Add(ET_UnitLanguages, UnitLanguages);
  if (!LastDeclarations.empty())
    Add(ET_LastDeclarations, LastDeclarations);
  if (!Calls.empty())
    Add(ET_Calls, Calls);
  if (!SectionPlaces.empty())
    Add(ET_SectionPlaces, SectionPlaces);
  if (!LoadSegments.empty())
    Add(ET_LoadSegments, LoadSegments);
  if (!BinaryLayout.empty())
    Sections.push_back({ET_Layout, {}, BinaryLayout});
  if (std::string Bytes = makeAliases(); !Bytes.empty())
    Sections.push_back({ET_Aliases, std::move(Bytes), {}});
  if (std::string Bytes = Origins.bytes(); !Bytes.empty())
    Sections.push_back({ET_NameOrigins, std::move(Bytes), {}});
  if (!Unnamed.empty())
    Sections.push_back({ET_UnnamedFunctions, {}, Unnamed});
  if (!Copies.empty())
    Sections.push_back({ET_Copies, Copies.bytes(), {}});
  if (!Unwind.empty())
    Sections.push_back({ET_Unwind, {}, Unwind});
  if (!Variables.empty())
    Sections.push_back({ET_Variables, {}, Variables});
  if (!Statements.empty())
    Sections.push_back({ET_StatementColumns, Statements.bytes(), {}});
  if (StringRef Bytes = Statements.otherBlocks(); !Bytes.empty())
    Sections.push_back({ET_OtherBlocks, {}, Bytes});
  if (!Sources.empty())
    Sections.push_back({ET_Sources, Sources.bytes(), {}});
  return Sections;
}

//===----------------------------------------------------------------------===//
// Laying out and writing
//===----------------------------------------------------------------------===//

uint32_t ArchiveWriter::Impl::checksum(StringRef A, StringRef B) const {
  return Options.Checksums ? crc32c(B, crc32c(A)) : 0;
}

Layout ArchiveWriter::Impl::makeLayout(ArrayRef<Section> Sections) const {
  Layout L;
  memcpy(L.Head.Magic, Magic, sizeof(Magic));
  L.Head.Version = Version;
  uint64_t Offset = sizeof(Header);
  auto Place = [&](TableHeader &H, const FieldArray &Table, unsigned Fields) {
    H.FieldSize = Table.width();
    H.Count = Table.size() / Fields;
    H.Offset = Offset;
    H.CRC = checksum(Table.bytes());
    Offset += Table.bytes().size();
  };
  Place(L.Head.VAs, VAs, 1);
  Place(L.Head.Ranges, Ranges, RF_FieldCount);
  L.Head.Strings.Size = Strings.bytes().size() + stringsTail().size();
  L.Head.Strings.Offset = Offset;
  L.Head.Strings.CRC = checksum(Strings.bytes(), stringsTail());
  Offset += L.Head.Strings.Size;
  Place(L.Head.Lines, Rows.lines(), 2);
  L.ExtensionStart = Options.Extension ? alignTo(Offset, 8) : Offset;
  if (Options.Extension)
    layOutExtension(Sections, L);
  return L;
}

void ArchiveWriter::Impl::layOutExtension(ArrayRef<Section> Sections,
                                          Layout &L) const {
  uint64_t Offset =
      sizeof(ExtensionHeader) + Sections.size() * sizeof(ExtensionSection);
  uint32_t CRC = checksum(bytesOf(L.Head));
  for (const Section &S : Sections) {
    Offset = alignTo(Offset, 8);
    ExtensionSection E = {};
    E.Tag = S.Tag;
    E.CRC = checksum(S.Head, S.Body);
    E.Offset = Offset;
    E.Size = S.size();
    if (Options.Checksums)
      CRC = crc32c(bytesOf(E), CRC);
    L.Directory.push_back(E);
    Offset += S.size();
  }
  ExtensionHeader &H = L.ExtensionHead;
  memcpy(H.Magic, ExtensionMagic, sizeof(ExtensionMagic));
  H.Version = ExtensionVersion;
  H.SectionCount = uint32_t(Sections.size());
  H.Size = Offset;
  H.CRC = CRC;
}

ArchiveSizes ArchiveWriter::Impl::sizes(ArrayRef<Section> Sections) const {
  ArchiveSizes S;
  S.Header = sizeof(Header);
  S.VAs = VAs.bytes().size();
  S.Ranges = Ranges.bytes().size();
  S.Strings = Strings.bytes().size() + stringsTail().size();
  S.Lines = Rows.lines().bytes().size();
  for (const Section &Sec : Sections)
    S.Extension.push_back({Sec.Tag, Sec.size()});
  S.RangeCount = VAs.size();
  S.RowCount = Rows.size();
  S.RowsGiven = RowsGiven;
  S.StringCount = Strings.count();
  S.StatementsLeftOut = Statements.leftOut();
  return S;
}

Expected<ArchiveSizes> ArchiveWriter::Impl::write(raw_ostream &OS) {
  std::vector<Section> Sections = makeSections();
  Layout L = makeLayout(Sections);
  ArchiveSizes Sizes = sizes(Sections);

  OS << bytesOf(L.Head) << VAs.bytes() << Ranges.bytes() << Strings.bytes()
     << stringsTail() << Rows.lines().bytes();
  Sizes.Total = L.ExtensionStart;
  if (!Options.Extension)
    return Sizes;
  uint64_t TablesEnd =
      Sizes.Header + Sizes.VAs + Sizes.Ranges + Sizes.Strings + Sizes.Lines;
  OS.write_zeros(unsigned(L.ExtensionStart - TablesEnd));
  OS << bytesOf(L.ExtensionHead);
  for (const ExtensionSection &E : L.Directory)
    OS << bytesOf(E);
  uint64_t Offset =
      sizeof(ExtensionHeader) + Sections.size() * sizeof(ExtensionSection);
  for (size_t I = 0; I != Sections.size(); ++I) {
    OS.write_zeros(unsigned(L.Directory[I].Offset - Offset));
    OS << Sections[I].Head << Sections[I].Body;
    Offset = L.Directory[I].Offset + L.Directory[I].Size;
  }
  Sizes.Total += L.ExtensionHead.Size;
  return Sizes;
}

//===----------------------------------------------------------------------===//
// ArchiveWriter
//===----------------------------------------------------------------------===//

ArchiveWriter::ArchiveWriter(const ArchiveWriterOptions &Options)
    : P(std::make_unique<Impl>(Options)) {}
ArchiveWriter::~ArchiveWriter() = default;
ArchiveWriter::ArchiveWriter(ArchiveWriter &&) = default;
ArchiveWriter &ArchiveWriter::operator=(ArchiveWriter &&) = default;

void ArchiveWriter::setInfo(const ArchiveInfo &Info) {
  P->Info = Info;
  P->BuildID.assign(Info.BuildID.begin(), Info.BuildID.end());
  P->Identity.assign(Info.Identity.begin(), Info.Identity.end());
  P->Info.BuildID = P->Info.Identity = {};
}

StringOffset ArchiveWriter::addString(StringRef Text) {
  return P->Strings.add(Text);
}

void ArchiveWriter::addDirectory(StringOffset File, uint64_t Length) {
  auto [It, IsNew] = P->DirectoryLengths.insert({File, Length});
  if (!IsNew)
    It->second = std::min(It->second, Length);
}

void ArchiveWriter::addPlainName(StringOffset Function, StringOffset Plain) {
  P->PlainNameOf.try_emplace(Function, Plain);
}

void ArchiveWriter::addLastDeclaration(StringOffset Function, Declaration D) {
  P->LastDeclared.try_emplace(Function, D);
}

Error ArchiveWriter::addRange(const ArchiveRange &Range) {
  return P->addRange(Range);
}

std::vector<uint64_t> ArchiveWriter::functionStarts() const {
  return P->functionStarts();
}

Error ArchiveWriter::setReturnPads(ArrayRef<uint64_t> Pads) {
  return P->setReturnPads(Pads);
}

Error ArchiveWriter::addCall(const FunctionCall &Call) {
  return P->addCall(Call);
}

Error ArchiveWriter::addCopy(const FunctionUnit &Unit, uint64_t Start) {
  return P->addCopy(Unit, Start);
}

void ArchiveWriter::addAlias(uint64_t Address, StringRef Name) {
  P->addAlias(Address, Name);
}

void ArchiveWriter::addSource(StringOffset File, StringRef Text) {
  P->addSource(File, Text);
}

void ArchiveWriter::setLayout(std::string Section) {
  P->BinaryLayout = std::move(Section);
}

void ArchiveWriter::setUnwindTable(std::string Section) {
  P->Unwind = std::move(Section);
}

void ArchiveWriter::setUnnamedFunctions(std::string Section) {
  P->Unnamed = std::move(Section);
}

void ArchiveWriter::setVariables(std::string Section) {
  P->Variables = std::move(Section);
}

Error ArchiveWriter::addSectionPlace(StringOffset Name, uint64_t Address,
                                     uint64_t Size) {
  return P->addSectionPlace(Name, Address, Size);
}

Error ArchiveWriter::addLoadSegment(uint64_t Address, uint64_t Offset,
                                    uint64_t Size) {
  return P->addLoadSegment(Address, Offset, Size);
}

Expected<ArchiveSizes> ArchiveWriter::write(raw_ostream &OS) {
  return P->write(OS);
}

Expected<ArchiveSizes>
ArchiveWriter::writeFile(StringRef Path, const OutputFileOptions &Output,
                         const CompressionOptions *Compress) {
  ArchiveSizes Sizes;
  auto Write = [&](raw_ostream &OS) { return write(OS).moveInto(Sizes); };
  Error E = writeOutputFile(
      Path,
      [&](raw_ostream &OS) {
        return Compress ? writeCompressed(OS, *Compress, Write) : Write(OS);
      },
      Output);
  if (E)
    return E;
  return Sizes;
}
