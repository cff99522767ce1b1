//===- Statements.cpp - Reads the rows that debuggers need ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Statements.h"
#include "LineWalk.h"
#include "SectionEntry.h"
#include "StatementCodec.h"
#include "StatementColumns.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

/// Where a function is in the open block.
struct lidia::FunctionRecord {
  uint64_t Root = 0;
  /// In STMT.
  StringRef Bytes;
  /// In STMC: the rest of each column from this function on.
  FunctionHead Head;
  StatementColumnRefs Columns;
};

struct lidia::OpenStatementBlock {
  uint64_t Block = 0;
  /// Set if the block is damaged.
  RememberedError Damage;
  SmallVector<uint8_t, 0> Unpacked;
  /// Of STMC, in Unpacked.
  StatementColumnRefs Columns;
  std::vector<StringOffset> Names;
  std::vector<FunctionRecord> Records;
};

/// How many blocks a reader keeps, and no more than one if they are larger than
/// those of compilers.
static constexpr size_t MaxOpen = 4;
static constexpr uint64_t MaxOpenBytes = 1 << 20;

StatementReader::StatementReader(StatementReader &&) = default;
StatementReader::~StatementReader() = default;

StatementBlock StatementReader::blockAt(uint64_t Block) const {
  return readEntry<StatementBlock>(A, Section, sizeof(StatementsHeader), Block);
}

StatementReader::StatementReader(const Archive &A) : A(A) {
  // Archive::open has checked the size of the directory.
  if (std::optional<StringRef> Found = A.findStatements()) {
    Section = *Found;
    HasColumns = A.statementsTag() == ET_StatementColumns;
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
                                  "block " + Twine(Block) + " of section " +
                                      tagName(A.statementsTag()));
}

uint64_t StatementReader::firstRange(uint64_t Block) const {
  return blockAt(Block).FirstRange;
}

/// The bytes of \p Block in the file; \p Copy may hold them.
Expected<StringRef>
StatementReader::packedBlock(uint64_t Block,
                             SmallVectorImpl<char> &Copy) const {
  StatementBlock B = blockAt(Block);
  uint64_t End = blockAt(Block + 1).Offset;
  if (B.Offset > End || End > Section.size())
    return damaged(Block, "lies outside the section");
  if (End - B.Offset > MaxStatementBlock)
    return damaged(Block, "is larger than any block");
  StringRef Packed = A.read(Section.slice(B.Offset, End), Copy);
  if (B.Size > MaxStatementBlock || B.Size / StatementRatio > Packed.size())
    return damaged(Block, "claims to unpack to more than it can");
  return Packed;
}

static Error unpackFrame(StringRef Packed, MutableArrayRef<uint8_t> To) {
  if (!compression::zstd::isAvailable())
    return make_error<UnsupportedError>(
        "", "it is packed by zstd, which this LLVM is built without");
  size_t Size = To.size();
  if (Error E = compression::zstd::decompress(arrayRefFromStringRef(Packed),
                                              To.data(), Size))
    return E;
  if (Size != To.size())
    return make_error<DamagedError>("", "it does not have its declared size");
  return Error::success();
}

/// Unpacks \p Stored, which is stored as it is if it has the size of \p To.
static Error unpackTo(StringRef Stored, MutableArrayRef<uint8_t> To) {
  if (Stored.size() != To.size())
    return unpackFrame(Stored, To);
  llvm::copy(Stored.bytes(), To.begin());
  return Error::success();
}

/// How many bytes a column has unpacked, and in the file.
struct ColumnSize {
  uint64_t Unpacked = 0;
  uint64_t InFile = 0;
};

/// Removes the sizes of all columns, which have \p Total bytes unpacked, from
/// the front of \p Bytes, whose rest must be these columns.
static bool takeSizes(StringRef &Bytes, uint64_t Total,
                      std::array<ColumnSize, SC_Count> &Sizes) {
  uint64_t Unpacked = 0, InFile = 0;
  for (ColumnSize &S : Sizes) {
    std::optional<uint64_t> Size = takeULEB(Bytes), Stored = takeULEB(Bytes);
    if (!Size || !Stored || *Size > Total - Unpacked ||
        *Stored > MaxStatementBlock)
      return false;
    S = {*Size, *Stored};
    Unpacked += *Size;
    InFile += *Stored;
  }
  return Unpacked == Total && InFile == Bytes.size();
}

Error StatementReader::unpackColumns(uint64_t Block, StringRef Packed) {
  OpenStatementBlock &B = *Open.front();
  std::array<ColumnSize, SC_Count> Sizes;
  if (!takeSizes(Packed, B.Unpacked.size(), Sizes))
    return damaged(Block, "has columns of other sizes than it says");
  MutableArrayRef<uint8_t> To = B.Unpacked;
  for (unsigned C = 0; C != SC_Count; ++C) {
    MutableArrayRef<uint8_t> Column = To.take_front(Sizes[C].Unpacked);
    StringRef Stored = Packed.take_front(Sizes[C].InFile);
    if (Error E = unpackTo(Stored, Column))
      return damaged(Block, "cannot be unpacked: " + toString(std::move(E)));
    B.Columns[C] = toStringRef(Column);
    To = To.drop_front(Column.size());
    Packed = Packed.drop_front(Stored.size());
  }
  return Error::success();
}

Error StatementReader::unpack(uint64_t Block) {
  OpenStatementBlock &B = *Open.front();
  SmallVector<char, 0> Copy;
  Expected<StringRef> Packed = packedBlock(Block, Copy);
  if (!Packed)
    return Packed.takeError();
  B.Unpacked.resize_for_overwrite(blockAt(Block).Size);
  if (HasColumns)
    return unpackColumns(Block, *Packed);
  if (Error E = unpackTo(*Packed, B.Unpacked))
    return damaged(Block, "cannot be unpacked: " + toString(std::move(E)));
  return Error::success();
}

Error StatementReader::parse(uint64_t Block) {
  OpenStatementBlock &B = *Open.front();
  StringRef Rest = toStringRef(B.Unpacked);
  std::optional<uint64_t> Count = takeULEB(Rest);
  if (!Count || *Count > Rest.size())
    return damaged(Block, "has a broken list of files");
  B.Names.reserve(*Count);
  for (uint64_t I = 0; I != *Count; ++I) {
    std::optional<uint64_t> File = takeULEB(Rest);
    if (!File)
      return damaged(Block, "has a broken list of files");
    B.Names.push_back(*File);
  }
  uint64_t Root = firstRange(Block);
  while (!Rest.empty()) {
    std::optional<uint64_t> Step = takeULEB(Rest), Size = takeULEB(Rest);
    if (!Step || !Size || *Size > Rest.size() ||
        *Step >= A.rangeCount() - Root || (*Step == 0 && !B.Records.empty()) ||
        B.Records.size() == MaxStatementFunctions)
      return damaged(Block, "has broken records");
    Root += *Step;
    FunctionRecord R;
    R.Root = Root;
    R.Bytes = Rest.take_front(*Size);
    B.Records.push_back(R);
    Rest = Rest.drop_front(*Size);
  }
  return Error::success();
}

bool StatementReader::parseNames() {
  OpenStatementBlock &B = *Open.front();
  StringOffset Name = 0;
  StringRef Rest = B.Columns[SC_Names];
  while (!Rest.empty()) {
    std::optional<int64_t> Step = takeSLEB(Rest);
    if (!Step)
      return false;
    Name += StringOffset(*Step);
    B.Names.push_back(Name);
  }
  return true;
}

/// Finds where each function begins in each column.
Error StatementReader::parseColumns(uint64_t Block) {
  OpenStatementBlock &B = *Open.front();
  if (!parseNames())
    return damaged(Block, "has a broken list of files");
  FunctionRecord R;
  R.Root = firstRange(Block);
  StatementColumnRefs Rest = B.Columns;
  while (!Rest[SC_Functions].empty()) {
    if (!R.Head.decode(Rest[SC_Functions]) ||
        R.Head.Step >= A.rangeCount() - R.Root ||
        (R.Head.Step == 0 && !B.Records.empty()) ||
        R.Head.RowCount > MaxStatementRows ||
        B.Records.size() == MaxStatementFunctions)
      return damaged(Block, "has broken records");
    R.Root += R.Head.Step;
    R.Columns = Rest;
    B.Records.push_back(R);
    if (!skipStatements(R.Head.RowCount, R.Head.HasColumns, Rest) ||
        !skipNotes(R.Head.NoteCount, Rest))
      return damaged(Block, "has broken records");
  }
  return Error::success();
}

Error StatementReader::readBlock(uint64_t Block) {
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
  return HasColumns ? parseColumns(Block) : parse(Block);
}

bool StatementReader::isOpen(uint64_t Block) const {
  return any_of(Open, [&](const auto &B) { return B->Block == Block; });
}

/// Makes \p Block the first of Open. A damaged block is not read again for each
/// of its functions.
Error StatementReader::openBlock(uint64_t Block) {
  auto Found = find_if(Open, [&](const auto &B) { return B->Block == Block; });
  if (Found != Open.end()) {
    std::rotate(Open.begin(), Found, Found + 1);
    return Open.front()->Damage.get();
  }
  uint64_t Size = 0;
  for (const auto &B : Open)
    Size += B->Unpacked.size();
  if (Size > MaxOpenBytes)
    Open.clear();
  if (Open.size() == MaxOpen)
    Open.pop_back();
  Open.insert(Open.begin(), std::make_unique<OpenStatementBlock>());
  Open.front()->Block = Block;
  if (Error E = readBlock(Block))
    Open.front()->Damage = RememberedError(std::move(E));
  return Open.front()->Damage.get();
}

/// Twice what the writer puts into a block.
static constexpr uint64_t CreditOfRead = 128 * 1024;

/// Subtracts the cost of opening \p Block from Credit.
Error StatementReader::payFor(uint64_t Block) {
  Credit += CreditOfRead;
  if (isOpen(Block))
    return Error::success();
  uint64_t Size = std::min<uint64_t>(blockAt(Block).Size, MaxStatementBlock);
  if (Size > Credit)
    return damaged(Block, "is too large to be unpacked so often");
  Credit -= Size;
  return Error::success();
}

/// Decodes the statements at the front of \p Rest, up to the notes.
bool StatementReader::decodeRows(const FunctionRecord &R, StringRef &Rest,
                                 std::vector<Statement> &Out) const {
  const std::vector<StringOffset> &Names = Open.front()->Names;
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
void StatementReader::markOtherBlocks(const FunctionRecord &R,
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

bool StatementReader::decodeNotes(const FunctionRecord &R, StringRef Bytes,
                                  std::vector<CallNote> &Notes) const {
  const std::vector<StringOffset> &Names = Open.front()->Names;
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

bool StatementReader::decodeRecord(const FunctionRecord &R,
                                   std::vector<Statement> &Out,
                                   std::vector<CallNote> &Notes) const {
  StringRef Rest = R.Bytes;
  return decodeRows(R, Rest, Out) &&
         (Rest.empty() || decodeNotes(R, Rest.drop_front(), Notes));
}

/// Sets Lines to what the statements of \p R refer to.
bool StatementReader::findLines(const FunctionRecord &R) {
  Lines.clear();
  auto Keep = [&](const FunctionLine &L) { Lines.push_back(L); };
  return !R.Head.UsesLines ||
         LineWalk(A, lineBudget(R.Head.RowCount), Keep).run(R.Root);
}

bool StatementReader::decodeColumns(const FunctionRecord &R,
                                    std::vector<Statement> &Out,
                                    std::vector<CallNote> &Notes) {
  if (!findLines(R))
    return false;
  const std::vector<StringOffset> &Names = Open.front()->Names;
  RangeEntry Range = A.range(R.Root);
  StatementColumnRefs Rest = R.Columns;
  StatementCoder Coder(Range.VA, Lines, R.Head.HasColumns);
  Out.reserve(R.Head.RowCount + 1);
  for (uint64_t I = 0; I != R.Head.RowCount; ++I) {
    Statement S;
    if (!Coder.decode(Rest, Names, S) || S.Address - Range.VA >= Range.Length)
      return false;
    Out.push_back(S);
  }
  auto StartOf = [&](uint32_t Index) { return A.range(R.Root + Index).VA; };
  if (!lidia::decodeNotes(R.Head.NoteCount, A.rangeCount() - R.Root, StartOf,
                          Names, Rest, Notes))
    return false;
  return all_of(Notes, [&](const CallNote &N) {
    return N.Address - Range.VA < Range.Length;
  });
}

Error StatementReader::decode(const FunctionRecord &R,
                              std::vector<Statement> &Out,
                              std::vector<CallNote> &Notes) {
  Out.clear();
  Notes.clear();
  if (HasColumns ? decodeColumns(R, Out, Notes) : decodeRecord(R, Out, Notes)) {
    markOtherBlocks(R, Out);
    return Error::success();
  }
  Out.clear();
  Notes.clear();
  return damaged(Open.front()->Block,
                 formatv("has broken rows of range {0}", R.Root).str());
}

/// The record of \p Root; null if there is none.
Expected<const FunctionRecord *> StatementReader::find(uint64_t Root) {
  uint64_t Behind = lowerBound(
      BlockCount, [&](uint64_t Block) { return firstRange(Block) <= Root; });
  if (Behind == 0)
    return nullptr;
  if (Error E = payFor(Behind - 1))
    return E;
  if (Error E = openBlock(Behind - 1))
    return E;
  const std::vector<FunctionRecord> &Records = Open.front()->Records;
  auto Found = partition_point(
      Records, [&](const FunctionRecord &R) { return R.Root < Root; });
  return Found == Records.end() || Found->Root != Root ? nullptr : &*Found;
}

Error StatementReader::read(uint64_t Root, std::vector<Statement> &Out,
                            std::vector<CallNote> *Calls) {
  std::vector<CallNote> Unwanted;
  std::vector<CallNote> &Notes = Calls ? *Calls : Unwanted;
  Out.clear();
  Notes.clear();
  Expected<const FunctionRecord *> R = find(Root);
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
    for (const FunctionRecord &R : Open.front()->Records) {
      if (Error E = decode(R, Statements, Notes))
        Report(std::move(E));
      else
        Visit(R.Root, Statements, Notes);
    }
  }
}
