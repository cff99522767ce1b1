//===- StatementTable.cpp - Statements of a new archive -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementTable.h"
#include "StatementCodec.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

/// The approximate size of a block in bytes. Reading a function requires
/// unpacking all functions before it in the block, but small blocks compress
/// badly.
static constexpr size_t FullBlock = 64 * 1024;

/// Level 5 takes twice as long and makes blocks only 4 % smaller.
static constexpr int Level = 1;

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

void StatementTable::add(uint64_t Root, uint64_t Start,
                         ArrayRef<Statement> Statements,
                         ArrayRef<CallNote> Notes) {
  size_t NamesBefore = Names.size();
  Bytes.clear();
  StatementCodec Codec(Start);
  StringOffset File = 0;
  std::optional<uint32_t> Number;
  for (Statement S : Statements) {
    if (!Number || S.File != File) {
      File = S.File;
      Number = number(File);
    }
    S.File = *Number;
    S.Flags &= ~SF_OtherBlock;
    Codec.encode(S, Bytes);
  }
  if (!Notes.empty()) {
    Bytes.push_back(char(CallNotesFollow));
    std::vector<CallNote> Numbered = Notes.vec();
    for (CallNote &N : Numbered) {
      if (N.Kind != CallNote::Empty)
        continue;
      N.Function = number(N.Function);
      N.CallFile = number(N.CallFile);
    }
    std::string NoteBytes;
    encodeCallNotes(Numbered, Start, NoteBytes);
    append_range(Bytes, NoteBytes);
  }
  if (Bytes.size() > MaxStatementBlock / 2) {
    for (StringOffset Name : ArrayRef(Names).drop_front(NamesBefore))
      Numbers.erase(Name);
    Names.resize(NamesBefore);
    ++LeftOut;
    return;
  }
  addOtherBlocks(Statements);
  if (Records.empty())
    FirstRoot = LastRoot = Root;
  appendULEB(Records, Root - LastRoot);
  appendULEB(Records, Bytes.size());
  Records.append(Bytes.begin(), Bytes.end());
  LastRoot = Root;
  if (Records.size() >= FullBlock)
    endBlock();
}

void StatementTable::endBlock() {
  std::string Block;
  appendULEB(Block, Names.size());
  for (StringOffset Name : Names)
    appendULEB(Block, Name);
  Block += Records;

  StatementBlock B;
  B.FirstRange = uint32_t(FirstRoot);
  B.Size = uint32_t(Block.size());
  B.Offset = Blocks.size();
  Directory.push_back(B);
  SmallVector<uint8_t, 0> Packed;
  if (compression::zstd::isAvailable())
    compression::zstd::compress(arrayRefFromStringRef(Block), Packed, Level);
  // A block that compresses better than a reader allows is stored uncompressed.
  bool IsPacked = !Packed.empty() && Packed.size() < Block.size() &&
                  Block.size() <= Packed.size() * StatementRatio;
  Blocks += IsPacked ? toStringRef(Packed) : StringRef(Block);

  Records.clear();
  Numbers.clear();
  Names.clear();
}

std::string StatementTable::bytes() {
  if (!Records.empty())
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
