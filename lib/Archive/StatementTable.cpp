//===- StatementTable.cpp - Statements of a new archive -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementTable.h"
#include "StatementCodec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

/// The approximate size of a block in bytes. Reading a function requires
/// unpacking all functions of its block, but small blocks compress badly.
static constexpr size_t FullBlock = 64 * 1024;

/// Level 6 takes twice as long and makes the section 6 % smaller.
static constexpr int Level = 3;

/// The number of \p Name in the block.
uint32_t StatementTable::number(StringOffset Name) {
  auto [It, New] = Numbers.try_emplace(Name, Names.size());
  if (New)
    Names.push_back(Name);
  return It->second;
}

void StatementTable::addOtherBlocks(ArrayRef<Statement> Statements) {
  for (const Statement &S : Statements)
    // Several rows at one address have one entry.
    if (S.Flags & SF_OtherBlock && S.Address > LastOtherBlock) {
      appendULEB(OtherBlocks, S.Address - LastOtherBlock);
      LastOtherBlock = S.Address;
    }
}

static uint64_t totalSize(const StatementColumnBytes &Columns) {
  uint64_t Size = 0;
  for (const std::string &Column : Columns)
    Size += Column.size();
  return Size;
}

void StatementTable::encode(uint64_t Root, const FunctionHead &Head,
                            const FieldArray &VAs,
                            ArrayRef<Statement> Statements,
                            ArrayRef<CallNote> Notes,
                            ArrayRef<FunctionLine> Lines) {
  auto Number = [&](StringOffset Name) { return number(Name); };
  Head.encode(Columns[SC_Functions]);
  StatementCoder Coder(VAs[Root], Lines, Head.HasColumns);
  for (const Statement &S : Statements)
    Coder.encode(S, Number, Columns);
  auto StartOf = [&](uint32_t Range) {
    return VAs[std::min(Root + Range, VAs.size() - 1)];
  };
  encodeNotes(Notes, StartOf, Number, Columns);
}

/// Forgets the function that was encoded last, before which columns had
/// \p Sizes and the block \p NameCount names.
void StatementTable::leaveOut(const std::array<size_t, SC_Count> &Sizes,
                              size_t NameCount) {
  for (unsigned C = 0; C != SC_Count; ++C)
    Columns[C].resize(Sizes[C]);
  for (StringOffset Name : ArrayRef(Names).drop_front(NameCount))
    Numbers.erase(Name);
  Names.resize(NameCount);
  ++LeftOut;
}

void StatementTable::add(uint64_t Root, const FieldArray &VAs,
                         ArrayRef<Statement> Statements,
                         ArrayRef<CallNote> Notes,
                         ArrayRef<FunctionLine> Lines) {
  std::array<size_t, SC_Count> Sizes;
  for (unsigned C = 0; C != SC_Count; ++C)
    Sizes[C] = Columns[C].size();
  size_t SizeBefore = totalSize(Columns), NamesBefore = Names.size();
  if (FunctionCount == 0)
    FirstRoot = LastRoot = Root;
  FunctionHead Head;
  Head.Step = Root - LastRoot;
  Head.RowCount = Statements.size();
  Head.UsesLines = !Lines.empty();
  Head.HasColumns =
      any_of(Statements, [](const Statement &S) { return S.Column != 0; });
  Head.NoteCount = Notes.size();
  encode(Root, Head, VAs, Statements, Notes, Lines);
  size_t Size = totalSize(Columns) - SizeBefore +
                (Names.size() - NamesBefore) * LongestLEB;
  if (Size > MaxStatementBlock / 2 || Statements.size() > MaxStatementRows)
    return leaveOut(Sizes, NamesBefore);
  LastRoot = Root;
  ++FunctionCount;
  addOtherBlocks(Statements);
  if (totalSize(Columns) >= FullBlock)
    endBlock();
}

/// Packs \p Column. Fails, which should never happen, by returning it.
StringRef StatementTable::pack(StringRef Column) {
  if (!Context)
    Context.reset(ZSTD_createCCtx());
  if (!Context || Column.empty())
    return Column;
  Packed.resize_for_overwrite(ZSTD_compressBound(Column.size()));
  size_t Size = ZSTD_compressCCtx(Context.get(), Packed.data(), Packed.size(),
                                  Column.data(), Column.size(), Level);
  return ZSTD_isError(Size) ? Column : StringRef(Packed.data(), Size);
}

/// The bytes of the block, with columns packed if \p MayPack and if they become
/// smaller.
std::string StatementTable::blockOfColumns(bool MayPack) {
  std::string Sizes, Bytes;
  for (StringRef Column : Columns) {
    StringRef Packed = MayPack ? pack(Column) : Column;
    StringRef Stored = Packed.size() < Column.size() ? Packed : Column;
    appendULEB(Sizes, Column.size());
    appendULEB(Sizes, Stored.size());
    Bytes += Stored;
  }
  return Sizes + Bytes;
}

void StatementTable::endBlock() {
  StringOffset Last = 0;
  for (StringOffset Name : Names) {
    appendSLEB(Columns[SC_Names], int64_t(Name - Last));
    Last = Name;
  }
  StatementBlock B;
  B.FirstRange = uint32_t(FirstRoot);
  B.Size = uint32_t(totalSize(Columns));
  B.Offset = Blocks.size();
  Directory.push_back(B);
  std::string Block = blockOfColumns(/*MayPack=*/true);
  // A block that compresses better than a reader allows is not packed.
  if (B.Size / StatementRatio > Block.size())
    Block = blockOfColumns(/*MayPack=*/false);
  Blocks += Block;
  for (std::string &Column : Columns)
    Column.clear();
  Numbers.clear();
  Names.clear();
  FunctionCount = 0;
}

std::string StatementTable::bytes() {
  if (FunctionCount)
    endBlock();
  StatementsHeader H = {};
  H.BlockCount = uint32_t(Directory.size());
  uint64_t Start = sizeof(H) + (Directory.size() + 1) * sizeof(StatementBlock);
  StatementBlock End = {};
  End.Offset = Blocks.size();
  Directory.push_back(End);
  std::string Bytes(reinterpret_cast<const char *>(&H), sizeof(H));
  for (StatementBlock &B : Directory) {
    B.Offset = B.Offset + Start;
    Bytes.append(reinterpret_cast<const char *>(&B), sizeof(B));
  }
  return Bytes + Blocks;
}
