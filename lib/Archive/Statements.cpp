//===- Statements.cpp - Reads the rows that debuggers need ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Statements.h"
#include "SectionEntry.h"
#include "StatementCodec.h"
#include "lidia/Archive/FunctionLines.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

StatementBlock StatementReader::blockAt(uint64_t Block) const {
  return readEntry<StatementBlock>(A, Section, sizeof(StatementsHeader), Block);
}

StatementReader::StatementReader(const Archive &A) : A(A) {
  // Archive::open has checked the size of the directory.
  if (std::optional<StringRef> Found = A.findExtensionSection(ET_Statements)) {
    Section = *Found;
    BlockCount = A.statementBlocks();
  }
  Credit = Section.size() * StatementRatio + MaxStatementBlock;
}

Error lidia::visitOtherBlocks(const Archive &A,
                              function_ref<void(uint64_t)> Visit) {
  StringRef Bytes = A.extensionSection(ET_OtherBlocks).value_or(StringRef());
  uint64_t Address = 0;
  while (!Bytes.empty()) {
    std::optional<uint64_t> Step = takeULEB(Bytes);
    if (!Step || *Step == 0 || *Step > UINT64_MAX - Address)
      return make_error<DamagedError>(
          A.name(), formatv("is damaged after address {0:x}", Address).str(),
          "section BLCK");
    Address += *Step;
    Visit(Address);
  }
  return Error::success();
}

Error StatementReader::damaged(uint64_t Block, const Twine &Why) const {
  return make_error<DamagedError>(A.name(), Why,
                                  "block " + Twine(Block) + " of section STMT");
}

uint64_t StatementReader::firstRange(uint64_t Block) const {
  return blockAt(Block).FirstRange;
}

Error StatementReader::unpack(uint64_t Block) {
  StatementBlock B = blockAt(Block);
  uint64_t End = blockAt(Block + 1).Offset;
  if (B.Offset > End || End > Section.size())
    return damaged(Block, "lies outside the section");
  if (End - B.Offset > MaxStatementBlock)
    return damaged(Block, "is larger than any block");
  SmallVector<char, 0> Copy;
  StringRef Packed = A.read(Section.slice(B.Offset, End), Copy);
  if (B.Size > MaxStatementBlock || B.Size / StatementRatio > Packed.size())
    return damaged(Block, "claims to unpack to more than it can");
  if (B.Size == Packed.size()) {
    Unpacked.assign(Packed.bytes_begin(), Packed.bytes_end());
    return Error::success();
  }
  if (!compression::zstd::isAvailable())
    return damaged(Block,
                   "is packed by zstd, which this LLVM is built without");
  if (Error E = compression::zstd::decompress(arrayRefFromStringRef(Packed),
                                              Unpacked, B.Size))
    return damaged(Block, "cannot be unpacked: " + toString(std::move(E)));
  if (Unpacked.size() != B.Size)
    return damaged(Block, "does not have its declared size");
  return Error::success();
}

Error StatementReader::parse(uint64_t Block) {
  StringRef Rest = toStringRef(Unpacked);
  std::optional<uint64_t> Count = takeULEB(Rest);
  if (!Count || *Count > Rest.size())
    return damaged(Block, "has a broken list of files");
  Names.reserve(*Count);
  for (uint64_t I = 0; I != *Count; ++I) {
    std::optional<uint64_t> File = takeULEB(Rest);
    if (!File)
      return damaged(Block, "has a broken list of files");
    Names.push_back(*File);
  }
  uint64_t Root = firstRange(Block);
  while (!Rest.empty()) {
    std::optional<uint64_t> Step = takeULEB(Rest), Size = takeULEB(Rest);
    if (!Step || !Size || *Size > Rest.size() ||
        *Step >= A.rangeCount() - Root || (*Step == 0 && !Records.empty()))
      return damaged(Block, "has broken records");
    Root += *Step;
    Records.push_back({Root, Rest.take_front(*Size)});
    Rest = Rest.drop_front(*Size);
  }
  return Error::success();
}

Error StatementReader::readBlock(uint64_t Block) {
  Names.clear();
  Records.clear();
  if (firstRange(Block) >= A.rangeCount())
    return damaged(Block, "refers to a range that does not exist");
  if (Error E = unpack(Block))
    return E;
  if (!OtherBlocks) {
    OtherBlocks.emplace();
    // verify() reports damage.
    consumeError(visitOtherBlocks(
        A, [&](uint64_t Address) { OtherBlocks->push_back(Address); }));
  }
  return parse(Block);
}

/// A damaged block is not read again for each of its functions.
Error StatementReader::openBlock(uint64_t Block) {
  if (OpenBlock != Block) {
    Error E = readBlock(Block);
    Damage = E ? RememberedError(std::move(E)) : RememberedError();
    OpenBlock = Block;
  }
  return Damage.get();
}

/// Twice what the writer puts into a block.
static constexpr uint64_t CreditOfRead = 128 * 1024;

/// Subtracts the cost of opening \p Block from Credit.
Error StatementReader::payFor(uint64_t Block) {
  Credit += CreditOfRead;
  if (OpenBlock == Block)
    return Error::success();
  uint64_t Size = std::min<uint64_t>(blockAt(Block).Size, MaxStatementBlock);
  if (Size > Credit)
    return damaged(Block, "is too large to be unpacked so often");
  Credit -= Size;
  return Error::success();
}

/// Decodes the statements at the front of \p Rest, up to the notes.
bool StatementReader::decodeRows(const Record &R, StringRef &Rest,
                                 std::vector<Statement> &Out) const {
  RangeEntry Range = A.range(R.Root);
  StatementCodec Codec(Range.VA);
  while (!Rest.empty() && uint8_t(Rest.front()) != CallNotesFollow) {
    Statement S;
    if (!Codec.decode(Rest, S) || S.Address - Range.VA >= Range.Length ||
        S.File >= Names.size() || S.Flags & SF_OtherBlock)
      return false;
    S.File = Names[S.File];
    Out.push_back(S);
  }
  return true;
}

/// Sets SF_OtherBlock for those of \p Out, the rows of \p R, that have it.
void StatementReader::markOtherBlocks(const Record &R,
                                      std::vector<Statement> &Out) const {
  auto Next = lower_bound(*OtherBlocks, A.range(R.Root).VA);
  for (size_t I = 0; I < Out.size(); ++I) {
    if (I + 1 < Out.size() && Out[I + 1].Address == Out[I].Address)
      continue;
    while (Next != OtherBlocks->end() && *Next < Out[I].Address)
      ++Next;
    if (Next == OtherBlocks->end())
      return;
    if (*Next == Out[I].Address)
      Out[I].Flags |= SF_OtherBlock;
  }
}

bool StatementReader::decodeNotes(const Record &R, StringRef Bytes,
                                  std::vector<CallNote> &Notes) const {
  RangeEntry Range = A.range(R.Root);
  if (!decodeCallNotes(Bytes, Range.VA, A.rangeCount() - R.Root, Notes))
    return false;
  for (CallNote &N : Notes) {
    if (N.Address - Range.VA >= Range.Length)
      return false;
    if (N.Kind != CallNote::Empty)
      continue;
    if (N.Function >= Names.size() || N.CallFile >= Names.size())
      return false;
    N.Function = Names[N.Function];
    N.CallFile = Names[N.CallFile];
  }
  return true;
}

Error StatementReader::decode(const Record &R, std::vector<Statement> &Out,
                              std::vector<CallNote> &Notes) const {
  Out.clear();
  Notes.clear();
  StringRef Rest = R.Bytes;
  bool IsSound = decodeRows(R, Rest, Out);
  if (IsSound && !Rest.empty())
    IsSound = decodeNotes(R, Rest.drop_front(), Notes);
  if (IsSound) {
    markOtherBlocks(R, Out);
    return Error::success();
  }
  Out.clear();
  Notes.clear();
  return damaged(*OpenBlock,
                 formatv("has broken rows of range {0}", R.Root).str());
}

/// The record of \p Root; null if there is none.
Expected<const StatementReader::Record *> StatementReader::find(uint64_t Root) {
  uint64_t Behind = lowerBound(
      BlockCount, [&](uint64_t Block) { return firstRange(Block) <= Root; });
  if (Behind == 0)
    return nullptr;
  if (Error E = payFor(Behind - 1))
    return E;
  if (Error E = openBlock(Behind - 1))
    return E;
  auto Found =
      partition_point(Records, [&](const Record &R) { return R.Root < Root; });
  return Found == Records.end() || Found->Root != Root ? nullptr : &*Found;
}

Error StatementReader::read(uint64_t Root, std::vector<Statement> &Out,
                            std::vector<CallNote> *Calls) {
  std::vector<CallNote> Unwanted;
  std::vector<CallNote> &Notes = Calls ? *Calls : Unwanted;
  Out.clear();
  Notes.clear();
  Expected<const Record *> R = find(Root);
  if (!R)
    return R.takeError();
  return *R ? decode(**R, Out, Notes) : Error::success();
}

Error StatementReader::readForDebugger(uint64_t Root,
                                       std::vector<Statement> &Out,
                                       std::vector<CallNote> *Calls) {
  Error Damaged = read(Root, Out, Calls);
  if (Out.empty()) {
    visitFunctionLines(A, Root, [&](const FunctionLine &L) {
      uint8_t Flags = L.isUnknown() ? SF_Unknown : SF_IsStmt;
      Out.push_back({L.Address, L.Line, L.Column, L.File, Flags});
    });
    return Damaged;
  }
  Statement End;
  RangeEntry R = A.range(Root);
  End.Address = R.VA + std::min(R.Length, UINT64_MAX - R.VA);
  End.Flags = SF_Unknown;
  Out.push_back(End);
  return Damaged;
}

/// Checks that \p Block is after the previous blocks, which end at \p Taken in
/// the section. Blocks that share bytes could unpack to any multiple of these.
Error StatementReader::checkOrder(uint64_t Block, uint64_t &Taken) const {
  if (Block && firstRange(Block) <= firstRange(Block - 1))
    return damaged(Block, "is not in the order of ranges");
  if (blockAt(Block).Offset < Taken)
    return damaged(Block, "overlaps another");
  uint64_t End = blockAt(Block + 1).Offset;
  if (End <= Section.size())
    Taken = std::max(Taken, End);
  return Error::success();
}

void StatementReader::forEach(
    function_ref<void(uint64_t, ArrayRef<Statement>, ArrayRef<CallNote>)> Visit,
    function_ref<void(Error)> Report) {
  std::vector<Statement> Statements;
  std::vector<CallNote> Notes;
  uint64_t Taken = 0;
  for (uint64_t Block = 0; Block != BlockCount; ++Block) {
    Error E = checkOrder(Block, Taken);
    if (!E)
      E = openBlock(Block);
    if (E) {
      Report(std::move(E));
      continue;
    }
    for (const Record &R : Records) {
      if (Error E = decode(R, Statements, Notes))
        Report(std::move(E));
      else
        Visit(R.Root, Statements, Notes);
    }
  }
}
