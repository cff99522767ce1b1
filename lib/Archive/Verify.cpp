//===- Verify.cpp - Checks whether an archive is consistent ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opening has checked that everything is inside the file; here the contents
/// are checked against each other, one table at a time. The work is linear in
/// the size of the file (with a logarithm here and there) whatever its
/// contents: a run of rows that a million ranges share is not read a million
/// times.
///
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Verify.h"
#include "ArraySections.h"
#include "OpenRanges.h"
#include "lidia/Archive/Aliases.h"
#include "lidia/Archive/BinaryLayout.h"
#include "lidia/Archive/CallTarget.h"
#include "lidia/Archive/Calls.h"
#include "lidia/Archive/Copies.h"
#include "lidia/Archive/FunctionLines.h"
#include "lidia/Archive/LoadSegments.h"
#include "lidia/Archive/NameOrigins.h"
#include "lidia/Archive/SectionPlaces.h"
#include "lidia/Archive/Sources.h"
#include "lidia/Archive/Statements.h"
#include "lidia/Archive/UnnamedFunctions.h"
#include "lidia/Archive/UnwindTable.h"
#include "lidia/Archive/Variables.h"
#include "lidia/Error.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

namespace {

class Verifier {
public:
  explicit Verifier(const Archive &A)
      : A(A), File(A.buffer().getBuffer()), Block(A.extension()) {}

  void run();
  ArrayRef<Issue> issues() const { return Issues; }

private:
  /// A part of the file, to detect overlaps and gaps.
  struct Piece {
    std::string Name;
    uint64_t Start;
    uint64_t End;
  };

  void checkPieces(std::vector<Piece> Pieces, StringRef In);
  void checkTables();
  void checkStrings();
  bool checkReference(const char *What, uint64_t Offset, const char *Thing,
                      uint64_t Index);
  void checkRowOrder();
  void checkRanges();
  void checkNesting(uint64_t Index, const RangeEntry &R);
  void checkParent(uint64_t Index, uint64_t Distance);
  void checkRows(uint64_t Index, const RangeEntry &R);
  void checkSections();
  void checkInfo();
  void checkVAIndex();
  void checkForeignRows();
  void checkDirectories();
  void checkEntries();
  void checkReturnPads();
  void checkDeclarations();
  void checkDeclarationFiles();
  void checkPlainNames();
  void checkUnits();
  void checkCopies(ArrayRef<uint64_t> UnitNames);
  void checkUnitLanguages();
  void checkLastDeclarations();
  void checkAliases();
  void checkNameOrigins();
  void checkUnnamedFunctions();
  void checkSources();
  void checkCallNotes(uint64_t Root, ArrayRef<CallNote> Notes);
  void checkStatements();
  void checkOtherBlocks(uint64_t Found);
  void checkCalls();
  void checkSectionPlaces();
  void checkLoadSegments();
  void checkLayout();
  void checkUnwindRows();
  void checkVariables();
  void checkRangesInSections(const SectionPlaces &Places);
  void checkPadPages();
  void checkPad(const ReturnPad &Pad, std::optional<uint64_t> Innermost);

  /// The array section with \p Tag, empty if the archive lacks it.
  FieldView array(uint32_t Tag) const;

  /// Counts an instance of \p What and, if it is one of the first, keeps the
  /// description that \p Describe returns.
  void note(const char *What, function_ref<std::string()> Describe);

  static constexpr size_t FirstInstances = 3;

  const Archive &A;
  StringRef File;
  StringRef Block;
  std::vector<Issue> Issues;
  /// Where strings begin in a table of prefixed strings.
  BitVector StringStarts;
  bool StringsEndWell = true;
  /// The offset of the last terminator, in case the last string has none.
  uint64_t LastTerminator = 0;
  /// Rows whose offset is not above that of the previous row, ascending.
  std::vector<uint64_t> Descents;
  uint64_t LastVA = 0, LastDepth = 0;
  OpenRanges Open;
  FieldView Parents;
};

} // namespace

void Verifier::note(const char *What, function_ref<std::string()> Describe) {
  auto It = find_if(Issues, [&](const Issue &I) { return I.Clause == What; });
  if (It == Issues.end()) {
    Issues.push_back({What, 0, {}});
    It = std::prev(Issues.end());
  }
  ++It->Count;
  if (It->First.size() < FirstInstances)
    It->First.push_back(Describe());
}

static std::string rangeName(uint64_t Index, uint64_t VA) {
  return formatv("range {0} at {1:x}", Index, VA);
}

void Verifier::run() {
  checkTables();
  checkStrings();
  checkRowOrder();
  checkRanges();
  if (Block.empty())
    return;
  checkSections();
  checkInfo();
  checkVAIndex();
  checkForeignRows();
  checkDirectories();
  checkEntries();
  checkReturnPads();
  checkDeclarations();
  checkDeclarationFiles();
  checkPlainNames();
  checkUnits();
  checkLastDeclarations();
  checkAliases();
  checkNameOrigins();
  checkUnnamedFunctions();
  checkSources();
  checkStatements();
  checkCalls();
  checkSectionPlaces();
  checkLoadSegments();
  checkLayout();
  checkUnwindRows();
  checkVariables();
}

//===----------------------------------------------------------------------===//
// Version 1
//===----------------------------------------------------------------------===//

/// Pieces may come in any order in the file but may not overlap, and the
/// padding between them is zero.
void Verifier::checkPieces(std::vector<Piece> Pieces, StringRef In) {
  sort(Pieces, [](const Piece &X, const Piece &Y) {
    return std::tie(X.Start, X.End, X.Name) < std::tie(Y.Start, Y.End, Y.Name);
  });
  uint64_t End = 0;
  for (const Piece &P : Pieces) {
    if (P.Start == P.End)
      continue;
    if (P.Start < End)
      note("parts of the file that overlap", [&] {
        return formatv("{0} at {1:x} begins before {2:x}", P.Name, P.Start, End)
            .str();
      });
    else if (In.slice(End, P.Start).find_first_not_of('\0') != StringRef::npos)
      note("bytes between parts of the file that are not zero", [&] {
        return formatv("before {0} at {1:x}", P.Name, P.Start).str();
      });
    End = std::max(End, P.End);
  }
  if (End != In.size())
    note("unused bytes at the end",
         [&] { return formatv("{0} at {1:x}", In.size() - End, End).str(); });
}

void Verifier::checkTables() {
  const Header &H = A.header();
  for (uint32_t Reserved : {H.VAs.Reserved, H.Ranges.Reserved,
                            H.Strings.Reserved, H.Lines.Reserved})
    if (Reserved != 0)
      note("reserved words that are not zero", [] { return "header"; });

  std::vector<Piece> Pieces = {{"header", 0, sizeof(Header)}};
  auto Add = [&](const char *Name, uint64_t Offset, uint64_t Size) {
    Pieces.push_back({Name, Offset, Offset + Size});
  };
  Add("VA table", H.VAs.Offset, H.VAs.Count * H.VAs.FieldSize);
  Add("range table", H.Ranges.Offset,
      H.Ranges.Count * H.Ranges.FieldSize * RF_FieldCount);
  Add("strings table", H.Strings.Offset, H.Strings.Size);
  Add("line table", H.Lines.Offset, H.Lines.Count * H.Lines.FieldSize * 2);
  if (!Block.empty())
    Add("extension", Block.data() - File.data(), Block.size());
  checkPieces(std::move(Pieces), File);
}

void Verifier::checkStrings() {
  const StringsHeader &H = A.header().Strings;
  StringRef Table = File.substr(H.Offset, H.Size);
  if (A.stringForm() == StringForm::NulTerminated) {
    StringsEndWell = Table.ends_with(StringRef("\0", 1));
    if (!StringsEndWell) {
      size_t Terminator = Table.rfind('\0');
      if (Terminator != StringRef::npos)
        LastTerminator = Terminator;
      note("strings that reach past the end of their table",
           [&] { return formatv("{0:x}", Terminator + 1).str(); });
    }
    return;
  }
  StringStarts.resize(Table.size());
  for (uint64_t Offset = 0; Offset != Table.size();) {
    uint64_t Left = Table.size() - Offset;
    if (Left < 4 ||
        Left - 4 < support::endian::read32le(Table.data() + Offset)) {
      note("strings that reach past the end of their table",
           [&] { return formatv("{0:x}", Offset).str(); });
      return;
    }
    StringStarts.set(Offset);
    Offset += 4 + support::endian::read32le(Table.data() + Offset);
  }
}

/// Whether \p Offset is a valid reference to a string. In the README's form it
/// may point into the middle of a string, to share its tail; in the other form
/// only to a string's length.
bool Verifier::checkReference(const char *What, uint64_t Offset,
                              const char *Thing, uint64_t Index) {
  bool IsGood = A.stringForm() == StringForm::NulTerminated
                    ? Offset < A.header().Strings.Size &&
                          (StringsEndWell || Offset < LastTerminator)
                    : Offset < StringStarts.size() && StringStarts[Offset];
  // In an empty table, offset 0 means "".
  if (IsGood || (Offset == 0 && A.header().Strings.Size == 0))
    return true;
  note(What,
       [&] { return formatv("{0} {1}: {2:x}", Thing, Index, Offset).str(); });
  return false;
}

void Verifier::checkRowOrder() {
  RangeEntry All;
  All.RowCount = A.rowCount();
  uint32_t Last = 0;
  for (uint64_t I = 0; I != All.RowCount; ++I) {
    uint32_t Offset = A.row(All, I).Offset;
    if (I != 0 && Offset <= Last)
      Descents.push_back(I);
    Last = Offset;
  }
}

void Verifier::checkRanges() {
  Parents = array(ET_Parents);
  for (uint64_t I = 0, E = A.rangeCount(); I != E; ++I) {
    RangeEntry R = A.range(I);
    auto Name = [&] { return rangeName(I, R.VA); };
    if (I != 0 && std::pair(R.VA, R.Depth) < std::pair(LastVA, LastDepth))
      note("ranges that are not sorted by address, then depth", Name);
    LastVA = R.VA;
    LastDepth = R.Depth;
    if (R.Length == 0)
      note("ranges that are empty", Name);
    else if (R.VA + (R.Length - 1) < R.VA)
      note("ranges that reach past the end of the address space", Name);
    else
      checkNesting(I, R);
    checkReference("functions that are not strings", R.Function, "range", I);
    checkReference("files that are not strings", R.File, "range", I);
    checkReference("call files that are not strings", R.CallFile, "range", I);
    if (R.Depth == 0 && (R.CallFile != 0 || R.CallLine != 0))
      note("functions with a call site that are not inlined", Name);
    checkRows(I, R);
  }
}

/// Checks the writer's rules: a range of depth N is inside the last one of
/// depth N - 1 and after the last one of its own depth in there.
void Verifier::checkNesting(uint64_t Index, const RangeEntry &R) {
  auto Name = [&] { return rangeName(Index, R.VA); };
  if (R.Depth > format::MaxDepth)
    note("ranges that are too deep for lookups", Name);
  if (R.Depth > Open.size()) {
    note("ranges of a depth with no range of the depth above", Name);
    return;
  }
  uint64_t Last = R.VA + (R.Length - 1);
  if (R.Depth < Open.size() && R.VA <= Open[R.Depth].Last)
    note("ranges that overlap another of their depth", Name);
  uint64_t Distance = 0;
  if (R.Depth > 0) {
    const OpenRanges::Range &Outer = Open[R.Depth - 1];
    if (R.VA < Outer.Start || Last > Outer.Last)
      note("ranges that are not inside the range of the depth above", Name);
    Distance = Index - Outer.Index;
  }
  checkParent(Index, Distance);
  // A range that overlaps its neighbour must not hide the neighbour's
  // remainder.
  Open.open({Index, R.VA, Last, R.Depth});
}

void Verifier::checkParent(uint64_t Index, uint64_t Distance) {
  if (!Parents.Data || Parents[Index] == Distance)
    return;
  note("parents that are not the enclosing range", [&] {
    return formatv("range {0}: {1} back, should be {2}", Index, Parents[Index],
                   Distance)
        .str();
  });
}

void Verifier::checkRows(uint64_t Index, const RangeEntry &R) {
  if (R.RowCount == 0)
    return;
  auto Name = [&] { return rangeName(Index, R.VA); };
  if (R.FirstRow > A.rowCount() || R.RowCount > A.rowCount() - R.FirstRow) {
    note("ranges whose rows lie outside the line table", Name);
    return;
  }
  auto Descent = upper_bound(Descents, R.FirstRow);
  if (Descent != Descents.end() && *Descent - R.FirstRow < R.RowCount)
    note("ranges whose rows do not ascend", Name);
  else if (A.row(R, R.RowCount - 1).Offset >= R.Length)
    note("ranges with rows past their end", Name);
}

//===----------------------------------------------------------------------===//
// The extension
//===----------------------------------------------------------------------===//

FieldView Verifier::array(uint32_t Tag) const {
  return A.array(Tag).value_or(FieldView());
}

void Verifier::checkSections() {
  ArrayRef<ExtensionSection> Sections = A.extensionSections();
  auto &H = *reinterpret_cast<const ExtensionHeader *>(Block.data());
  if (H.Reserved != 0)
    note("reserved words that are not zero", [] { return "extension"; });
  std::vector<Piece> Pieces = {
      {"directory", 0,
       sizeof(ExtensionHeader) + Sections.size() * sizeof(ExtensionSection)}};
  std::vector<uint32_t> Tags;
  uint64_t Last = 0;
  for (const auto &[I, S] : enumerate(Sections)) {
    auto Name = [&, I = I] { return formatv("section {0}", I).str(); };
    if (S.Offset % 8 != 0)
      note("sections that are not aligned", Name);
    if (S.Offset < Last)
      note("sections that are not in the order of the directory", Name);
    Last = S.Offset;
    Tags.push_back(S.Tag);
    Pieces.push_back({Name(), S.Offset, S.Offset + S.Size});
  }
  checkPieces(std::move(Pieces), Block);
  sort(Tags);
  for (size_t I = 1; I < Tags.size(); ++I)
    if (Tags[I] == Tags[I - 1])
      note("tags of more than one section",
           [&] { return formatv("{0:x8}", Tags[I]).str(); });
  for (const ArraySection &Layout : ArraySections)
    if (std::optional<StringRef> S = A.extensionSection(Layout.Tag))
      if (reinterpret_cast<const ArrayHeader *>(S->data())->Reserved != 0)
        note("reserved words that are not zero", [&] {
          return formatv("section with tag {0:x8}", Layout.Tag).str();
        });
}

void Verifier::checkInfo() {
  const ArchiveInfo *Info = A.info();
  std::optional<StringRef> Section = A.extensionSection(ET_Info);
  if (!Info || !Section)
    return;
  if (Info->OnlyOrigin >= uint8_t(NameOrigin::RuntimeNames))
    note("unknown origins of names", [] { return "INFO"; });
  if (Section->size() != sizeof(InfoHeader) + Info->BuildID.size())
    note("sections with unused bytes", [] { return "INFO"; });
  if (std::optional<StringRef> Identity = A.extensionSection(ET_Identity);
      Identity &&
      reinterpret_cast<const IdentityHeader *>(Identity->data())->Reserved != 0)
    note("reserved words that are not zero", [] { return "IDEN"; });
  if ((Info->Options & IO_Checksums) && !A.hasChecksums())
    note("options that do not match the contents",
         [] { return "it announces checksums"; });
}

void Verifier::checkVAIndex() {
  std::optional<StringRef> Section = A.extensionSection(ET_VAIndex);
  if (!Section)
    return;
  auto &H = *reinterpret_cast<const VAIndexHeader *>(Section->data());
  if (H.Reserved != 0)
    note("reserved words that are not zero", [] { return "VAIX"; });
  StringRef Fields = Section->drop_front(sizeof(VAIndexHeader));
  FieldView Entries = {Fields.data(), Fields.size() / 4, 4};
  uint64_t Ranges = A.rangeCount(), Below = 0;
  if (Entries.empty() || (Ranges != 0 && Entries.Count < 2)) {
    note("page indexes that are too small", [] { return "VAIX"; });
    return;
  }
  if (Ranges != 0 && A.range(0).VA < H.Base)
    note("page indexes that begin after the first range",
         [] { return "VAIX"; });
  for (uint64_t K = 0; K != Entries.Count; ++K) {
    // A page boundary past the address space is above every range.
    bool IsPast = K > (UINT64_MAX - H.Base) >> H.Shift;
    uint64_t Boundary = IsPast ? 0 : H.Base + (K << H.Shift);
    while (Below != Ranges && (IsPast || A.range(Below).VA < Boundary))
      ++Below;
    if (Entries[K] != Below || (K + 1 == Entries.Count && Below != Ranges))
      note("page index entries that are wrong", [&] {
        return formatv("page {0}: {1}, should be {2}", K, Entries[K], Below)
            .str();
      });
  }
}

void Verifier::checkForeignRows() {
  FieldView Entries = array(ET_ForeignRows);
  RangeEntry All;
  All.RowCount = A.rowCount();
  const char *Lines = File.data() + A.header().Lines.Offset;
  unsigned Width = unsigned(A.header().Lines.FieldSize);
  for (uint64_t I = 0; I + 3 <= Entries.Count; I += 3) {
    uint64_t Row = Entries[I], Source = Entries[I + 1], Line = Entries[I + 2];
    auto Name = [&] { return formatv("row {0}", Row).str(); };
    if (I != 0 && Row <= Entries[I - 3])
      note("rows of other files that are not sorted", Name);
    if (Row >= All.RowCount)
      note("rows of other files that lie outside the line table", Name);
    else if (readField(Lines, Width, Row * 2 + 1) != 0)
      note("rows of other files with a line in the line table", Name);
    if (Line > UINT32_MAX || (Source == 0 && Line != 0))
      note("rows of other files with an invalid line", Name);
    checkReference("files that are not strings", Source, "foreign row", Row);
  }
}

void Verifier::checkDirectories() {
  FieldView Entries = array(ET_Directories);
  bool EndsInNul = A.stringForm() == StringForm::NulTerminated;
  // Files may be parts of one long string: look for its end once.
  uint64_t Last = 0, End = 0;
  for (uint64_t I = 0; I + 2 <= Entries.Count; I += 2) {
    uint64_t Path = Entries[I], Length = Entries[I + 1];
    auto Name = [&] { return formatv("file {0:x}", Path).str(); };
    bool IsSorted = I == 0 || Path > Last;
    if (!IsSorted)
      note("directories that are not sorted by file", Name);
    if (!checkReference("files that are not strings", Path, "directory",
                        I / 2) ||
        !IsSorted)
      continue;
    if (!EndsInNul || Path >= End)
      End = Path + A.string(Path).size();
    if (Length > End - Path)
      note("directories that are longer than the path", Name);
    Last = Path;
  }
}

void Verifier::checkEntries() {
  FieldView Entries = array(ET_Entries);
  auto IsFunction = [&](uint64_t Index) {
    return Index < A.rangeCount() && A.range(Index).Depth == 0;
  };
  for (uint64_t I = 0; I + 2 <= Entries.Count; I += 2) {
    uint64_t Index = Entries[I], Entry = Entries[I + 1];
    auto Name = [&] { return formatv("range {0}", Index).str(); };
    if (I != 0 && Index <= Entries[I - 2])
      note("entries of functions that are not sorted by range", Name);
    if (!IsFunction(Index) || !IsFunction(Entry)) {
      note("entries of functions that are not ranges of depth 0", Name);
      continue;
    }
    if (A.range(Index).Function != A.range(Entry).Function)
      note("entries of functions in another function", Name);
    if (Entry != Index && A.entry(Entry) != Entry)
      note("entries of functions that are not entries themselves", Name);
  }
}

/// The pages must cover all entries in order.
void Verifier::checkPadPages() {
  std::optional<StringRef> Section = A.extensionSection(ET_ReturnPads);
  auto &H = *reinterpret_cast<const ReturnPadsHeader *>(Section->data());
  auto *Pages = reinterpret_cast<const ReturnPadPage *>(&H + 1);
  if (H.Reserved != 0)
    note("reserved words that are not zero", [] { return "RPAD"; });
  if (H.PageCount != 0 && H.PageCount - 1 > (UINT64_MAX - H.Base) >> H.Shift)
    note("pages of return pads past the end of the address space",
         [] { return "RPAD"; });
  for (uint64_t K = 0; K <= H.PageCount; ++K) {
    uint64_t Pad = Pages[K].FirstPad, Before = K ? Pages[K - 1].FirstPad : 0;
    if (Pad < Before || Pad > H.PadCount || (K == 0 && Pad != 0) ||
        (K == H.PageCount && Pad != H.PadCount))
      note("pages of return pads that do not follow each other", [&] {
        return formatv("page {0} begins with pad {1}", K, Pad).str();
      });
  }
}

void Verifier::checkPad(const ReturnPad &Pad,
                        std::optional<uint64_t> Innermost) {
  auto Name = [&] { return formatv("{0:x}", Pad.Address).str(); };
  if (Pad.Range != Innermost)
    return note("return pads of a range that is not the innermost of the call",
                Name);
  if (!Innermost)
    return;
  RangeEntry R = A.range(*Innermost);
  if (R.FirstRow > A.rowCount() || R.RowCount > A.rowCount() - R.FirstRow)
    return;
  uint64_t Next = Pad.Row ? *Pad.Row + 1 : 0, Offset = Pad.Address - 1 - R.VA;
  if (Next > R.RowCount || (Pad.Row && A.row(R, *Pad.Row).Offset > Offset) ||
      (Next < R.RowCount && A.row(R, Next).Offset <= Offset))
    note("return pads of a row that is not in force at the call", Name);
}

void Verifier::checkReturnPads() {
  if (!A.extensionSection(ET_ReturnPads))
    return;
  checkPadPages();
  OpenRanges Around;
  uint64_t Last = 0, Count = 0, Next = 0;
  A.forEachReturnPad([&](const ReturnPad &Pad) {
    auto Name = [&] { return formatv("{0:x}", Pad.Address).str(); };
    ++Count;
    std::optional<ReturnPad> Found = A.findReturnPad(Pad.Address);
    if (!Found || Found->Range != Pad.Range || Found->Row != Pad.Row)
      note("return pads that a probe does not find", Name);
    if (Pad.Address <= Last)
      return note("return pads that are not sorted", Name);
    Last = Pad.Address;
    for (; Next != A.rangeCount() && A.range(Next).VA < Last; ++Next) {
      RangeEntry R = A.range(Next);
      if (R.Length != 0)
        Around.open({Next, R.VA, R.VA + (R.Length - 1), R.Depth});
    }
    checkPad(Pad, Around.innermost(Last - 1));
  });
  if (Count != A.returnPadCount())
    note("return pads that are in no page", [&] {
      return formatv("{0} of {1}", A.returnPadCount() - Count,
                     A.returnPadCount())
          .str();
    });
}

void Verifier::checkDeclarations() {
  FieldView D = array(ET_Declarations);
  auto Key = [&](uint64_t I) { return std::pair(D[I * 3], D[I * 3 + 1]); };
  for (uint64_t I = 0, E = D.Count / 3; I != E; ++I) {
    if (I != 0 && Key(I) <= Key(I - 1))
      note("declarations that are not sorted by function, then file",
           [&] { return utostr(I); });
    checkReference("functions of declarations that are not strings",
                   Key(I).first, "declaration", I);
    checkReference("files of declarations that are not strings", Key(I).second,
                   "declaration", I);
  }
}

void Verifier::checkDeclarationFiles() {
  FieldView D = array(ET_DeclarationFiles);
  auto Key = [&](uint64_t I) { return std::pair(D[I * 3], D[I * 3 + 1]); };
  for (uint64_t I = 0, E = D.Count / 3; I != E; ++I) {
    auto Name = [&] { return utostr(I); };
    if (I != 0 && Key(I) <= Key(I - 1))
      note("files of declarations that are not sorted by function, then file",
           Name);
    if (!A.declaration(Key(I).first, Key(I).second).Line)
      note("files of declarations without a line", Name);
    checkReference("files of declarations that are not strings", D[I * 3 + 2],
                   "declaration", I);
  }
}

void Verifier::checkPlainNames() {
  FieldView Names = array(ET_PlainNames);
  for (uint64_t I = 0; I + 2 <= Names.Count; I += 2) {
    if (I != 0 && Names[I] <= Names[I - 2])
      note("names that are not sorted by function",
           [&] { return utostr(I / 2); });
    checkReference("functions of names that are not strings", Names[I], "name",
                   I / 2);
    checkReference("names that are not strings", Names[I + 1], "name", I / 2);
  }
}

/// Units are numbered from 1 in the order of their first functions, followed by
/// the units that only had copies.
void Verifier::checkUnits() {
  FieldView Units = array(ET_Units);
  std::vector<uint64_t> Names = {0};
  for (uint64_t I = 0; I + 3 <= Units.Count; I += 3) {
    uint64_t Root = Units[I], Unit = Units[I + 1], Number = Units[I + 2];
    auto Name = [&] { return formatv("range {0}", Root).str(); };
    if (I != 0 && Root <= Units[I - 3])
      note("units that are not sorted by range", Name);
    if (Root >= A.rangeCount() || A.range(Root).Depth != 0)
      note("units of what is not a range of depth 0", Name);
    if (Number != 0)
      checkReference("names of units that are not strings", Unit, "unit",
                     Number);
    if (Number == Names.size())
      Names.push_back(Unit);
    else if (Number > Names.size())
      note("units whose numbers do not follow each other", Name);
    else if (Unit != Names[Number])
      note("units of more than one name", Name);
  }
  checkCopies(Names);
  checkUnitLanguages();
}

void Verifier::checkAliases() {
  uint64_t LastAddress = 0;
  std::string LastName;
  Error E = visitAliases(A, [&](const FunctionAlias &Alias) {
    auto Where = [&] { return formatv("{0:x}", Alias.Address).str(); };
    if (std::tie(Alias.Address, Alias.Name) <=
        std::make_tuple(LastAddress, StringRef(LastName)))
      note("aliases that are not sorted by address, then name", Where);
    RangeEntry Root = A.range(Alias.Root);
    if (Alias.Address == Root.VA && A.string(Root.Function) == Alias.Name)
      note("aliases that their function has as its name", Where);
    LastAddress = Alias.Address;
    LastName = Alias.Name.str();
  });
  if (E)
    note("aliases that are damaged", [&] { return toString(std::move(E)); });
}

void Verifier::checkNameOrigins() {
  NameOrigins Origins(A);
  if (Error E = Origins.damage(A))
    return note("origins of names that are damaged",
                [&] { return toString(std::move(E)); });
  if (!Origins.mayDoubt())
    return;
  for (uint64_t I = 0, E = A.rangeCount(); I != E; ++I)
    if (NameReach Reach = Origins.reach(I);
        Reach.Shown != UINT64_MAX &&
        (A.range(I).Depth || Reach.Shown >= A.range(I).Length ||
         Reach.Possible > A.range(I).Length))
      note("limits of names that do not lie in a range of depth 0",
           [&] { return Twine(I).str(); });
}

void Verifier::checkUnnamedFunctions() {
  if (Error E = UnnamedFunctions(A).damage(A))
    note("functions without a name that are damaged",
         [&] { return toString(std::move(E)); });
}

void Verifier::checkSources() {
  std::optional<StringRef> Section = A.extensionSection(ET_Sources);
  if (!Section)
    return;
  if (Section->size() < sizeof(SourcesHeader) + sizeof(SourceBlock))
    return note("sections that are too small", [] { return "SRCE"; });
  auto &H = *reinterpret_cast<const SourcesHeader *>(Section->data());
  EmbeddedSources Sources(A);
  if (H.Reserved != 0)
    note("reserved words that are not zero", [] { return "SRCE"; });
  if (H.FileCount != Sources.size())
    note("more source files than fit into the section",
         [&] { return Twine(uint32_t(H.FileCount)).str(); });
  // Blocks may overlap, so that few bytes would unpack to much, again and
  // again.
  uint64_t Left = Section->size() * SourceRatio + MaxSource;
  for (uint64_t I = 0; I != Sources.size(); ++I) {
    checkReference("source files that are not strings", Sources.file(I), "file",
                   I);
    if (I != 0 && Sources.file(I) <= Sources.file(I - 1))
      note("source files that are not sorted",
           [&] { return formatv("file {0}", I).str(); });
    if (Sources.textSize(I) > Left)
      return note("source files with more text than they can have",
                  [&] { return formatv("file {0}", I).str(); });
    Left -= Sources.textSize(I);
    if (Error E = Sources.text(I).takeError())
      note("source files that are damaged",
           [&] { return toString(std::move(E)); });
  }
}

void Verifier::checkUnitLanguages() {
  FieldView Languages = array(ET_UnitLanguages);
  for (uint64_t I = 0; I + 3 <= Languages.Count; I += 3) {
    uint64_t Number = Languages[I], Language = Languages[I + 1];
    auto Name = [&] { return formatv("unit {0}", Number).str(); };
    if (Number == 0 || (I != 0 && Number <= Languages[I - 3]))
      note("languages that are not sorted by unit", Name);
    if (Language > UINT16_MAX)
      note("languages with more than 16 bits", Name);
    checkReference("compilation directories that are not strings",
                   Languages[I + 2], "unit", Number);
  }
}

/// \p UnitNames has the names of the units that have functions, by number.
void Verifier::checkCopies(ArrayRef<uint64_t> UnitNames) {
  uint64_t Next = UnitNames.size();
  Error E = visitCopies(A, [&](const UnitCopies &Copies) {
    uint64_t Number = Copies.Unit.Number;
    auto Name = [&] { return formatv("unit {0}", Number).str(); };
    checkReference("names of units that are not strings", Copies.Unit.Name,
                   "unit", Number);
    if (Number > Next)
      note("units whose numbers do not follow each other", Name);
    else if (Number < UnitNames.size() && UnitNames[Number] != Copies.Unit.Name)
      note("units of more than one name", Name);
    Next = std::max(Next, Number + 1);
    for (uint64_t Root : Copies.Roots)
      if (A.unit(Root).Number == Number)
        note("copies of functions of the same unit", Name);
  });
  if (E) {
    std::string Text = toString(std::move(E));
    note("damaged copies", [&] { return Text; });
  }
}

void Verifier::checkLastDeclarations() {
  FieldView D = array(ET_LastDeclarations);
  for (uint64_t I = 0; I + 3 <= D.Count; I += 3) {
    auto Name = [&] { return utostr(I / 3); };
    if (I != 0 && D[I] <= D[I - 3])
      note("last declarations that are not sorted by function", Name);
    if (D[I + 2] == 0)
      note("last declarations without a line", Name);
    checkReference("functions of last declarations that are not strings", D[I],
                   "last declaration", I / 3);
    checkReference("files of last declarations that are not strings", D[I + 1],
                   "last declaration", I / 3);
  }
}

void Verifier::checkCallNotes(uint64_t Root, ArrayRef<CallNote> Notes) {
  auto Name = [&] { return rangeName(Root, A.range(Root).VA); };
  uint64_t Count = Notes.empty() ? 0 : functionEnd(A, Root) - Root;
  for (const CallNote &N : Notes) {
    if (N.Range >= Count || (N.Range == 0 && N.Kind != CallNote::Empty)) {
      note("notes on calls that do not exist", Name);
      continue;
    }
    if (N.Kind == CallNote::Start && N.Address >= A.range(Root + N.Range).VA)
      note("notes on calls that do not begin before their code", Name);
    if (N.Kind == CallNote::Code && N.Address - A.range(Root + N.Range).VA >=
                                        A.range(Root + N.Range).Length)
      note("notes on code outside of their range", Name);
    if (N.Kind != CallNote::Empty)
      continue;
    checkReference("functions of calls that are not strings", N.Function,
                   "range", Root);
    checkReference("files of calls that are not strings", N.CallFile, "range",
                   Root);
  }
}

void Verifier::checkStatements() {
  auto Report = [&](Error E) {
    std::string Text = toString(std::move(E));
    note("damaged blocks of statements", [&] { return Text; });
  };
  std::optional<uint64_t> Last;
  uint64_t InOtherBlocks = 0;
  StatementReader(A).forEach(
      [&](uint64_t Root, ArrayRef<Statement> Statements,
          ArrayRef<CallNote> Notes) {
        RangeEntry R = A.range(Root);
        auto Name = [&] { return rangeName(Root, R.VA); };
        if (Last && Root <= *Last)
          note("statements that are not in the order of their ranges", Name);
        Last = Root;
        if (R.Depth != 0)
          note("statements of a range that is inlined", Name);
        checkCallNotes(Root, Notes);
        if (!Statements.empty() && Statements.front().Address != R.VA)
          note("statements that do not begin where their range does", Name);
        std::optional<StringOffset> Checked;
        for (const Statement &S : Statements) {
          InOtherBlocks += bool(S.Flags & SF_OtherBlock);
          if (S.File != Checked) {
            checkReference("files of statements that are not strings", S.File,
                           "range", Root);
            Checked = S.File;
          }
        }
      },
      Report);
  checkOtherBlocks(InOtherBlocks);
}

/// \p Found is the number of statements that have SF_OtherBlock.
void Verifier::checkOtherBlocks(uint64_t Found) {
  uint64_t Count = 0;
  if (Error E = visitOtherBlocks(A, [&](uint64_t) { ++Count; })) {
    std::string Text = toString(std::move(E));
    note("damaged blocks of the source", [&] { return Text; });
  }
  if (Count != Found)
    note("blocks of the source that have no statement",
         [&] { return utostr(Count - Found); });
}

void Verifier::checkCalls() {
  if (!A.rangeCount() && A.callCount())
    return note("calls without any range", [&] { return std::string(); });
  OpenRanges Around;
  uint64_t Next = 0;
  std::optional<uint64_t> Last;
  for (uint64_t I = 0, E = A.callCount(); I != E; ++I) {
    FunctionCall C = A.call(I);
    auto Name = [&] { return formatv("{0:x}", C.Address).str(); };
    bool IsString =
        checkReference("callees that are not strings", C.Callee, "call", I);
    if (C.Callee == 0 && !C.isTail())
      note("calls without a callee", Name);
    else if (IsString && C.hasTarget() && !callTargetBytes(A.string(C.Callee)))
      note("calls by a pointer with an invalid expression", Name);
    if (Last && C.Address <= *Last) {
      note("calls that are not sorted", Name);
      continue;
    }
    Last = C.Address;
    for (; Next != A.rangeCount() && A.range(Next).VA <= C.Address; ++Next) {
      RangeEntry R = A.range(Next);
      if (R.Length != 0)
        Around.open({Next, R.VA, R.VA + (R.Length - 1), R.Depth});
    }
    if (!Around.innermost(C.Address))
      note("calls outside of all ranges", Name);
  }
}

void Verifier::checkSectionPlaces() {
  SectionPlaces Places(A);
  std::optional<uint64_t> Last;
  for (uint64_t I = 0; I != Places.size(); ++I) {
    SectionPlace P = Places[I];
    auto Name = [&] { return formatv("{0} at {1:x}", I, P.Address).str(); };
    checkReference("names of sections that are not strings", P.Name, "section",
                   I);
    if (P.Size == 0)
      note("sections that are empty", Name);
    else if (P.Address + (P.Size - 1) < P.Address)
      note("sections that reach past the end of the address space", Name);
    else if (Last && P.Address <= *Last)
      note("sections that are not sorted or overlap", Name);
    if (P.Size != 0)
      Last = P.Address + (P.Size - 1);
  }
  if (Places.size())
    checkRangesInSections(Places);
}

void Verifier::checkUnwindRows() {
  Expected<UnwindTable> Table = A.unwindTable();
  auto Broken = [&](Error E) {
    note("unwind rows that are damaged",
         [&] { return toString(std::move(E)); });
  };
  if (!Table)
    return Broken(Table.takeError());
  for (uint32_t Number = 1; Number <= Table->ruleCount(); ++Number)
    if (!Table->rules(Number))
      note("unwind rules that are invalid",
           [&] { return Twine(Number).str(); });
  if (Error E = Table->forEachRow([](const UnwindRow &) {}))
    Broken(std::move(E));
}

void Verifier::checkVariables() {
  Expected<std::optional<VariableTable>> Table = A.variables();
  if (!Table)
    return note("variables that are damaged",
                [&] { return toString(Table.takeError()); });
  if (!*Table)
    return;
  for (uint32_t I = 0; I < (*Table)->size(); ++I) {
    uint64_t Address = (*Table)->address(I);
    SmallVector<Frame, 8> Frames;
    A.lookup(Address, Frames);
    bool IsFunction =
        !Frames.empty() && A.range(Frames.back().Range).VA == Address;
    if (!IsFunction && !(*Table)->isUnit(I))
      note("variables of functions that are not in the archive",
           [&] { return formatv("{0:x}", Address).str(); });
  }
}

void Verifier::checkLoadSegments() {
  LoadSegments Segments(A);
  std::optional<uint64_t> Last;
  for (uint64_t I = 0; I != Segments.size(); ++I) {
    LoadSegment S = Segments[I];
    auto Name = [&] { return formatv("{0} at {1:x}", I, S.Address).str(); };
    if (S.Size == 0)
      note("segments that are empty", Name);
    else if (S.Address + (S.Size - 1) < S.Address ||
             S.Offset + (S.Size - 1) < S.Offset)
      note("segments that reach past the end of the address space or of any "
           "file",
           Name);
    else if (Last && S.Address <= *Last)
      note("segments that are not sorted or overlap", Name);
    if (S.Size != 0)
      Last = S.Address + (S.Size - 1);
  }
}

void Verifier::checkLayout() {
  Expected<BinaryLayout> Layout = BinaryLayout::read(A);
  if (!Layout)
    note("layouts that are damaged",
         [&] { return toString(Layout.takeError()); });
}

void Verifier::checkRangesInSections(const SectionPlaces &Places) {
  // A function whose pieces meet at the border of two sections has one range.
  std::vector<SectionPlace> Areas;
  for (uint64_t I = 0; I != Places.size(); ++I) {
    SectionPlace P = Places[I];
    if (!Areas.empty() && P.Address == Areas.back().Address + Areas.back().Size)
      Areas.back().Size += P.Size;
    else
      Areas.push_back(P);
  }
  auto Area = Areas.begin();
  for (uint64_t I = 0, E = A.rangeCount(); I != E; ++I) {
    RangeEntry R = A.range(I);
    if (R.Depth != 0 || R.Length == 0)
      continue;
    while (Area != Areas.end() && R.VA >= Area->Address &&
           !Area->contains(R.VA))
      ++Area;
    if (Area == Areas.end() || !Area->contains(R.VA) ||
        !Area->contains(R.VA + (R.Length - 1)))
      note("ranges that are not inside a section",
           [&] { return rangeName(I, R.VA); });
  }
}

Error lidia::verify(const Archive &A,
                    function_ref<void(const Issue &)> Report) {
  if (A.hasNamesOnly())
    return make_error<UnsupportedError>(
        A.name(), "names only were read from it, and are in no archive");
  // The verifier reads the whole archive, partly without the archive's methods.
  if (Error E = A.unpackAll())
    return E;
  Verifier V(A);
  V.run();
  uint64_t Count = 0;
  for (const Issue &I : V.issues()) {
    Report(I);
    Count += I.Count;
  }
  if (Count == 0)
    return Error::success();
  std::string Kinds;
  if (V.issues().size() > 1)
    Kinds = " of " + utostr(V.issues().size()) + " kinds";
  return make_error<DamagedError>(
      A.name(), Twine(Count) + (Count == 1 ? " error" : " errors") + Kinds);
}

Error lidia::verify(const Archive &A) {
  std::string First;
  Error E = verify(A, [&](const Issue &I) {
    if (First.empty())
      First = (I.Clause + (I.First.empty() ? "" : " (" + I.First.front() + ")"))
                  .str();
  });
  if (!E)
    return E;
  std::unique_ptr<LidiaError> Damage = toLidiaError(std::move(E));
  Damage->addDetail(": " + First);
  return Error(std::move(Damage));
}
