//===- Lines.cpp - Line tables from an archive ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolFileLidia.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/LineTable.h"

using namespace lldb;
using namespace lldb_private;

namespace lidia {

/// Creates the line table of a unit.
class SymbolFileLidia::LineTableBuilder {
public:
  /// Returns the number of a file in the unit's list, or none.
  using Numbering = llvm::function_ref<std::optional<size_t>(StringOffset)>;

  /// Appends \p Rows, which belong to one function.
  void append(llvm::ArrayRef<Statement> Rows, Numbering NumberOf);

  LineTable *take(CompileUnit &Unit) {
    return new LineTable(&Unit, std::move(Sequences));
  }

private:
  static bool isKnown(std::optional<size_t> Number) {
    // LLDB stores 16 bits of a file's number; higher ones have no lines.
    return Number && *Number < UINT16_MAX;
  }

  std::vector<std::unique_ptr<LineSequence>> Sequences;
};

void SymbolFileLidia::LineTableBuilder::append(llvm::ArrayRef<Statement> Rows,
                                               Numbering NumberOf) {
  std::unique_ptr<LineSequence> Sequence;
  Statement Shown;
  uint16_t ShownNumber = 0;
  // The file of the previous row, because most rows have the same file.
  std::optional<StringOffset> File;
  std::optional<size_t> Number;
  for (const Statement &S : Rows) {
    bool Ends = S.Flags & SF_Unknown;
    if (!Ends && File != S.File) {
      File = S.File;
      Number = NumberOf(S.File);
    }
    Ends |= !isKnown(Number);
    if (Ends && !Sequence)
      continue;
    if (!Sequence)
      Sequence = LineTable::CreateLineSequenceContainer();
    // An entry that ends a sequence repeats the previous line, as in DWARF:
    // another line would end the prologue, if it has not ended yet.
    if (!Ends) {
      Shown = S;
      ShownNumber = uint16_t(*Number);
    }
    LineTable::AppendLineEntryToSequence(
        Sequence.get(), S.Address, Shown.Line,
        uint16_t(std::min<uint32_t>(Shown.Column, UINT16_MAX)), ShownNumber,
        /*is_start_of_statement=*/Shown.Flags & SF_IsStmt,
        /*is_start_of_basic_block=*/false,
        /*is_prologue_end=*/Shown.Flags & SF_PrologueEnd,
        /*is_epilogue_begin=*/Shown.Flags & SF_EpilogueBegin,
        /*is_terminal_entry=*/Ends);
    if (Ends)
      Sequences.push_back(std::move(Sequence));
  }
}

bool SymbolFileLidia::ParseSupportFiles(CompileUnit &Unit,
                                        SupportFileList &Files) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (!isOurs(Unit))
    return reader() && reader()->ParseSupportFiles(Unit, Files);
  Timer Time(*this, ParseTime);
  const Archive &A = *archive();
  // ParseLineTable() needs both, so that rows are decoded once.
  LineTableBuilder *Lines = std::exchange(LinesToMake, nullptr);
  llvm::DenseMap<StringOffset, size_t> Numbers;
  auto Add = [&](StringOffset File) -> std::optional<size_t> {
    auto [It, New] = Numbers.try_emplace(File, Files.GetSize());
    if (New)
      Files.Append(supportFile(File));
    return It->second;
  };
  // The unit's primary file comes first.
  Add(Units.lookup(Unit.GetID()).File);
  for (uint64_t Root : index().functions(Unit.GetID())) {
    for (uint64_t I = Root, End = functionEnd(A, Root); I != End; ++I)
      Add(A.range(I).File);
    llvm::ArrayRef<Statement> Rows = rows(Root);
    copies().keep(Root, Rows);
    if (Lines) {
      Lines->append(Rows, Add);
      continue;
    }
    for (const Statement &S : Rows)
      if (!(S.Flags & SF_Unknown))
        Add(S.File);
  }
  for (uint64_t Root : index().copies(Unit.GetID())) {
    if (Lines)
      Lines->append(copiedRows(Root), Add);
    else
      for (StringOffset File : copies().files(Root))
        Add(File);
  }
  return true;
}

/// Appends the rows of \p Unit, whose list of files has been made, to \p Lines.
void SymbolFileLidia::appendLines(CompileUnit &Unit, LineTableBuilder &Lines) {
  const SupportFileList &Files = Unit.GetSupportFiles();
  llvm::DenseMap<const SupportFile *, size_t> Numbers;
  for (size_t I = 0; I < Files.GetSize(); ++I)
    Numbers[Files.GetSupportFileAtIndex(I).get()] = I;
  auto NumberOf = [&](StringOffset File) -> std::optional<size_t> {
    auto It = Numbers.find(supportFile(File).get());
    return It == Numbers.end() ? std::nullopt : std::optional(It->second);
  };
  for (uint64_t Root : index().functions(Unit.GetID()))
    Lines.append(rows(Root), NumberOf);
  for (uint64_t Root : index().copies(Unit.GetID()))
    Lines.append(copiedRows(Root), NumberOf);
}

bool SymbolFileLidia::ParseLineTable(CompileUnit &Unit) {
  std::lock_guard<std::recursive_mutex> Guard(GetModuleMutex());
  if (!isOurs(Unit))
    return reader() && reader()->ParseLineTable(Unit);
  Timer Time(*this, ParseTime);
  LineTableBuilder Lines;
  LinesToMake = &Lines;
  (void)Unit.GetSupportFiles();
  // LLDB already had the list of files.
  if (std::exchange(LinesToMake, nullptr))
    appendLines(Unit, Lines);
  Unit.SetLineTable(Lines.take(Unit));
  return true;
}

StatementReader &SymbolFileLidia::statements() {
  if (!Reader)
    Reader.emplace(*archive());
  return *Reader;
}

llvm::ArrayRef<Statement> SymbolFileLidia::rows(uint64_t Root) {
  if (RowsOf != Root) {
    // Without statements, the lines are used. verify reports the damage.
    llvm::consumeError(statements().readForDebugger(Root, Rows));
    RowsOf = Root;
  }
  return Rows;
}

bool SymbolFileLidia::isInOtherBlock(uint64_t Root, uint64_t Address) {
  llvm::ArrayRef<Statement> Rows = rows(Root);
  const auto *Next = llvm::partition_point(
      Rows, [&](const Statement &S) { return S.Address <= Address; });
  return Next != Rows.begin() && std::prev(Next)->Address == Address &&
         std::prev(Next)->Flags & SF_OtherBlock;
}

CopiedRows &SymbolFileLidia::copies() {
  if (!CopyReader)
    CopyReader.emplace(*archive(), statements());
  return *CopyReader;
}

llvm::ArrayRef<Statement> SymbolFileLidia::copiedRows(uint64_t Root) {
  copies().read(Root, RowsOfCopy);
  return RowsOfCopy;
}

bool SymbolFileLidia::findLineEntry(uint64_t Root, uint64_t Address,
                                    LineEntry &Entry) {
  llvm::ArrayRef<Statement> Rows = rows(Root);
  const auto *Next = llvm::partition_point(
      Rows, [&](const Statement &S) { return S.Address <= Address; });
  if (Next == Rows.begin() || Next == Rows.end())
    return false;
  const Statement &S = *std::prev(Next);
  if (S.Flags & SF_Unknown)
    return false;
  Entry.Clear();
  Entry.range = addressRange(S.Address, Next->Address - S.Address);
  Entry.file_sp = Entry.original_file_sp = supportFile(S.File);
  Entry.line = S.Line;
  Entry.column = uint16_t(std::min<uint32_t>(S.Column, UINT16_MAX));
  Entry.is_start_of_statement = S.Flags & SF_IsStmt;
  return true;
}

} // namespace lidia
