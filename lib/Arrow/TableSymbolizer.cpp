//===- TableSymbolizer.cpp - Symbolizes columns of addresses --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Arrow/TableSymbolizer.h"
#include "lidia/Error.h"
#include "lidia/MissError.h"
#include "lidia/Symbolize/SymbolizedFrame.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/STLExtras.h"

using namespace lidia;
using namespace lidia::arrow;
using namespace llvm;

namespace {

/// Distinct texts, numbered in the order in which they were added.
class TextNumbers {
public:
  /// The number of \p Text; none if the total size would exceed 32-bit offsets.
  std::optional<int32_t> number(StringRef Text) {
    CachedHashStringRef Key(Text);
    if (auto It = Numbers.find(Key); It != Numbers.end())
      return It->second;
    if (Result.Bytes.size() + Text.size() > size_t(INT32_MAX))
      return std::nullopt;
    // The archive that owns the text may be closed before the others are read.
    Text = StringSaver(Allocator).save(Text);
    auto It = Numbers
                  .try_emplace(CachedHashStringRef(Text, Key.hash()),
                               int32_t(Result.size()))
                  .first;
    Result.Bytes.insert(Result.Bytes.end(), Text.begin(), Text.end());
    Result.Offsets.push_back(int32_t(Result.Bytes.size()));
    return It->second;
  }

  Texts take() { return std::move(Result); }

private:
  BumpPtrAllocator Allocator;
  DenseMap<CachedHashStringRef, int32_t> Numbers;
  Texts Result;
};

/// The number of null.
constexpr int32_t None = -1;

/// A row of the table of frames: numbers of its texts.
struct FrameRow {
  int32_t Function = None;
  int32_t File = None;
  uint32_t Line = 0;
  bool IsInlined = false;
};

/// The answer for a row: frames, or a reason, or neither.
struct Answer {
  uint64_t FirstFrame = 0;
  uint32_t FrameCount = 0;
  int32_t Reason = None;
  MissCode Miss = MissCode::None;
  NameOrigin Origin = NameOrigin::Unknown;
};

/// The address of a row.
struct AskedAddress {
  uint64_t Address;
  uint64_t Row;

  bool operator<(const AskedAddress &O) const { return Address < O.Address; }
};

class TableSymbolizer {
public:
  explicit TableSymbolizer(const TableRequest &Request) : Request(Request) {}

  Expected<FrameTable> run(AnswersFinder Find);

private:
  Error checkCancelled();
  void groupRows();
  Error answer(ArrayRef<AskedAddress> Asked, uint32_t Number,
               AnswersFinder Find);
  Error tryAnswer(ArrayRef<AskedAddress> Asked, uint32_t Number,
                  AnswersFinder Find, bool &IsFound);
  Expected<std::shared_ptr<ArchiveAnswers>> find(uint32_t Number,
                                                 AnswersFinder Find) const;
  void charge(uint64_t Size);
  Error lookUp(ArrayRef<AskedAddress> Asked, ArchiveAnswers &Archive);
  Error addFrames(ArrayRef<Frame> Found, ArchiveAnswers &Archive);
  Answer noFrames(MissCode Code, StringRef Reason);
  Answer noFrames(Error E);
  Error addChunk(size_t FirstRow, size_t Rows);

  const TableRequest &Request;
  bool IsCancelled = false;
  /// Bytes that the result may still have, and whether it would have more.
  uint64_t BytesLeft = 0;
  bool IsTooLarge = false;
  /// The requested addresses, by the number of their build ID.
  std::vector<std::vector<AskedAddress>> Groups;
  /// Index in Answers, by row.
  std::vector<uint32_t> AnswerOfRow;
  std::vector<Answer> Answers;
  std::vector<FrameRow> Frames;
  /// For the current archive.
  DenseMap<StringOffset, int32_t> FunctionNumbers;
  DenseMap<StringOffset, int32_t> FileNumbers;
  TextNumbers FunctionNames;
  TextNumbers FileNames;
  TextNumbers ReasonTexts;
  FrameTable Result;
};

} // namespace

/// Crafted archives may have a thousand frames at each address, which would
/// turn few rows into gigabytes. In real programs, most addresses have at most
/// ten.
static constexpr uint64_t MaxFramesPerRow = 256, SpareFrames = 1 << 20;

/// The indices of the names, and the line.
static constexpr uint64_t BytesPerFrame = 12;

static Error tooManyFrames(const Archive &A) {
  return make_error<LimitError>(
      A.name(), "has more than " + Twine(MaxFramesPerRow) +
                    " functions inlined into each other at most addresses");
}

Error TableSymbolizer::checkCancelled() {
  IsCancelled |= Request.GoOn && !Request.GoOn();
  if (!IsCancelled)
    return Error::success();
  return cancelledError("");
}

void TableSymbolizer::groupRows() {
  const BuildIDColumn &IDs = Request.BuildIDs;
  Groups.resize(IDs.values().size());
  if (!IDs.isConstant()) {
    std::vector<size_t> Sizes(Groups.size());
    for (size_t Row = 0; Row != IDs.length(); ++Row)
      ++Sizes[IDs[Row]];
    for (size_t I = 0; I != Groups.size(); ++I)
      Groups[I].reserve(I == BuildIDColumn::Null ? 0 : Sizes[I]);
  }
  size_t Row = 0;
  for (const AddressArray &Chunk : Request.Addresses)
    for (size_t I = 0; I != Chunk.Length; ++I, ++Row)
      if (uint32_t ID = IDs[Row]; ID != BuildIDColumn::Null && !Chunk.isNull(I))
        Groups[ID].push_back({Chunk[I], Row});
}

Answer TableSymbolizer::noFrames(MissCode Code, StringRef Reason) {
  return {0, 0, ReasonTexts.number(Reason).value_or(None), Code,
          NameOrigin::Unknown};
}

Answer TableSymbolizer::noFrames(Error E) {
  std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
  Miss Found = missOf(*Why);
  return noFrames(Found.Code, Request.ReasonText
                                  ? Request.ReasonText(Error(std::move(Why)))
                                  : Found.Text);
}

/// Notes that the result has \p Size more bytes.
void TableSymbolizer::charge(uint64_t Size) {
  IsTooLarge |= Size > BytesLeft;
  BytesLeft -= std::min(Size, BytesLeft);
}

/// Appends \p Found to Frames.
Error TableSymbolizer::addFrames(ArrayRef<Frame> Found,
                                 ArchiveAnswers &Archive) {
  auto Number = [&](DenseMap<StringOffset, int32_t> &Known, TextNumbers &Texts,
                    StringOffset Key, auto GetText) -> Expected<int32_t> {
    if (Key == 0 || Key >= Archive.archive().size())
      return None;
    auto It = Known.find(Key);
    if (It != Known.end())
      return It->second;
    std::optional<StringRef> Text = GetText();
    if (!Text)
      return Archive.textError();
    std::optional<int32_t> New = None;
    if (!Text->empty()) {
      charge(Text->size());
      New = Texts.number(*Text);
    }
    if (!New)
      return make_error<LimitError>(
          "", "all names together have more than two gigabytes: symbolize "
              "fewer rows at once");
    return Known[Key] = *New;
  };
  for (const Frame &F : Found) {
    FrameRow New;
    if (Error E = Number(FunctionNumbers, FunctionNames, F.Function, [&] {
                    return Archive.function(F);
                  }).moveInto(New.Function))
      return E;
    if (Error E = Number(FileNumbers, FileNames, F.File, [&] {
                    return Archive.file(F);
                  }).moveInto(New.File))
      return E;
    New.Line = F.Line;
    New.IsInlined = &F != &Found.back();
    Frames.push_back(New);
  }
  return Error::success();
}

/// Sets the answers of \p Asked, which is sorted.
Error TableSymbolizer::lookUp(ArrayRef<AskedAddress> Asked,
                              ArchiveAnswers &Archive) {
  // As many addresses as fit into the processor's caches.
  constexpr size_t BatchSize = 4096;
  std::vector<uint64_t> Addresses;
  std::optional<uint32_t> Unknown;
  MissCode LeftOut = Archive.archive().leftOut();
  uint64_t FramesOfRows = 0;
  uint64_t MaxFrames = SpareFrames + MaxFramesPerRow * Asked.size();
  while (!Asked.empty()) {
    Addresses.clear();
    const AskedAddress *End = Asked.begin();
    for (; End != Asked.end(); ++End)
      if (Addresses.empty() || Addresses.back() != End->Address) {
        if (Addresses.size() == BatchSize)
          break;
        Addresses.push_back(End->Address);
      }
    const AskedAddress *Next = Asked.begin();
    Error Failure = Error::success();
    Archive.visitAll(
        Addresses, Request.ReturnAddresses,
        [&](size_t I, ArrayRef<Frame> Found) {
          if (Failure)
            return;
          uint32_t Number = uint32_t(Answers.size());
          if (Found.empty()) {
            if (!Unknown) {
              Unknown = Number;
              Answers.push_back(noFrames(missOfAnswer(false, false, LeftOut),
                                         "no information about the address"));
            }
            Number = *Unknown;
          } else {
            Answers.push_back({Frames.size(), uint32_t(Found.size()), None,
                               missOfAnswer(Found.back().Function,
                                            Found.front().Line, LeftOut),
                               Request.CountOrigins
                                   ? Archive.origin(Found.back())
                                   : NameOrigin::Unknown});
            Failure = addFrames(Found, Archive);
          }
          for (; Next != End && Next->Address == Addresses[I]; ++Next) {
            AnswerOfRow[Next->Row] = Number;
            FramesOfRows += Found.size();
            charge(BytesPerFrame * Found.size());
          }
          if (!Failure && (FramesOfRows > MaxFrames || IsTooLarge))
            Failure = tooManyFrames(Archive.archive());
        });
    if (Failure)
      return Failure;
    if (Error E = checkCancelled())
      return E;
    Asked = Asked.drop_front(size_t(End - Asked.begin()));
  }
  return Archive.archive().damage();
}

Expected<std::shared_ptr<ArchiveAnswers>>
TableSymbolizer::find(uint32_t Number, AnswersFinder Find) const {
  const std::string &Problem = Request.BuildIDs.values()[Number].Problem;
  if (!Problem.empty())
    return make_error<ArgumentError>("", Problem);
  return Find(Number);
}

/// Finds the archive and looks up \p Asked in it.
Error TableSymbolizer::tryAnswer(ArrayRef<AskedAddress> Asked, uint32_t Number,
                                 AnswersFinder Find, bool &IsFound) {
  Expected<std::shared_ptr<ArchiveAnswers>> Found = find(Number, Find);
  IsFound = bool(Found);
  if (!Found)
    return Found.takeError();
  FunctionNumbers.clear();
  FileNumbers.clear();
  return lookUp(Asked, **Found);
}

/// Sets the answers of \p Asked, the addresses with the build ID \p Number.
/// Fails only with an OutageError, if that is requested.
Error TableSymbolizer::answer(ArrayRef<AskedAddress> Asked, uint32_t Number,
                              AnswersFinder Find) {
  size_t FirstAnswer = Answers.size(), FirstFrame = Frames.size();
  bool IsFound;
  Error Failure = tryAnswer(Asked, Number, Find, IsFound);
  // The archive was opened, but its server failed since or has another one now.
  if (Failure.isA<SystemError>() && IsFound && !IsCancelled) {
    consumeError(std::move(Failure));
    Answers.resize(FirstAnswer);
    Frames.resize(FirstFrame);
    Failure = tryAnswer(Asked, Number, Find, IsFound);
  }
  if (!Failure || (Request.FailOnOutage && Failure.isA<OutageError>()))
    return Failure;
  Answers.resize(FirstAnswer);
  Frames.resize(FirstFrame);
  for (const AskedAddress &A : Asked)
    AnswerOfRow[A.Row] = uint32_t(FirstAnswer);
  Answers.push_back(noFrames(std::move(Failure)));
  return Error::success();
}

/// Appends a chunk with \p Rows rows, starting with \p FirstRow, to the result.
Error TableSymbolizer::addChunk(size_t FirstRow, size_t Rows) {
  auto AnswerOf = [&](size_t I) -> const Answer & {
    return Answers[AnswerOfRow[FirstRow + I]];
  };
  uint64_t Count = 0;
  for (size_t I = 0; I != Rows; ++I)
    Count += AnswerOf(I).FrameCount;
  if (Count > uint64_t(INT32_MAX))
    return make_error<LimitError>(
        "", Twine(Rows) + " rows would have " + Twine(Count) +
                " frames, which is more than an Arrow array can have: "
                "symbolize fewer rows at once, or a chunked array");
  FrameTable::Chunk &C = Result.Chunks.emplace_back();
  C.Rows = Rows;
  C.Offsets.resize(Rows);
  C.Offsets.Values.push_back(0);
  C.Reasons.resize(Rows);
  C.Misses.resize(Rows);
  C.Functions.resize(size_t(Count));
  C.Files.resize(size_t(Count));
  C.Lines.resize(size_t(Count));
  C.Inlined.assign(size_t(Count + 7) / 8, 0);
  size_t Next = 0;
  for (size_t I = 0; I != Rows; ++I) {
    const Answer &A = AnswerOf(I);
    if (A.FrameCount == 0)
      C.Offsets.setNull(I);
    if (A.Reason == None)
      C.Reasons.setNull(I);
    else
      C.Reasons.Values[I] = A.Reason;
    C.Misses.Values[I] = int32_t(A.Miss);
    if (A.Miss == MissCode::None)
      C.Misses.setNull(I);
    if (A.FrameCount != 0 || A.Miss != MissCode::None)
      Result.Answers.add(A.Origin, A.Miss);
    for (const FrameRow &F :
         ArrayRef(Frames).slice(A.FirstFrame, A.FrameCount)) {
      if (F.Function == None)
        C.Functions.setNull(Next);
      else
        C.Functions.Values[Next] = F.Function;
      if (F.File == None)
        C.Files.setNull(Next);
      else
        C.Files.Values[Next] = F.File;
      if (F.Line == 0)
        C.Lines.setNull(Next);
      C.Lines.Values[Next] = F.Line;
      C.Inlined[Next / 8] |= uint8_t(F.IsInlined << (Next % 8));
      ++Next;
    }
    C.Offsets.Values[I + 1] = int32_t(Next);
  }
  return Error::success();
}

static Texts missNames() {
  TextNumbers Names;
  for (unsigned Code = 0; Code != MissCodeCount; ++Code)
    Names.number(toString(MissCode(Code)));
  return Names.take();
}

Expected<FrameTable> TableSymbolizer::run(AnswersFinder Find) {
  size_t Rows = 0;
  for (const AddressArray &Chunk : Request.Addresses)
    Rows += Chunk.Length;
  const BuildIDColumn &IDs = Request.BuildIDs;
  if (!IDs.isConstant() && IDs.length() != Rows)
    return make_error<ArgumentError>("", "there are " + Twine(IDs.length()) +
                                             " build IDs and " + Twine(Rows) +
                                             " addresses");
  if (Rows > UINT32_MAX - IDs.values().size() - 2)
    return make_error<LimitError>("", Twine(Rows) +
                                          " rows are too many for one call");
  groupRows();
  BytesLeft = Request.MaxBytes;
  // The answer for rows that are null.
  Answers.emplace_back();
  AnswerOfRow.resize(Rows);
  for (size_t Number = 0; Number != Groups.size(); ++Number) {
    std::vector<AskedAddress> &Asked = Groups[Number];
    if (Asked.empty())
      continue;
    llvm::sort(Asked);
    if (Error E = answer(Asked, uint32_t(Number), Find))
      return E;
    Asked = {};
    if (IsTooLarge)
      return make_error<LimitError>(
          "", "the answer would be too large: ask for fewer addresses");
    if (Error E = checkCancelled())
      return E;
  }
  size_t FirstRow = 0;
  for (const AddressArray &Chunk : Request.Addresses) {
    if (Error E = addChunk(FirstRow, Chunk.Length))
      return E;
    FirstRow += Chunk.Length;
  }
  Result.FunctionNames = FunctionNames.take();
  Result.FileNames = FileNames.take();
  Result.ReasonTexts = ReasonTexts.take();
  Result.MissNames = missNames();
  return std::move(Result);
}

Expected<FrameTable> arrow::symbolize(const TableRequest &Request,
                                      AnswersFinder Find) {
  return TableSymbolizer(Request).run(Find);
}
