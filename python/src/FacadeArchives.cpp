//===- FacadeArchives.cpp - Archives behind the facade --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FacadeArchives.h"
#include "FacadeErrors.h"
#include "Modules/ELFHeaders.h"
#include "WarningList.h"
#include "lidia/Archive/Verify.h"
#include "lidia/Extract/NamesArchive.h"
#include "lidia/Store/OpenArchive.h"
#include "lidia/Support/ForkLocal.h"
#include "lidia/Support/RandomAccessReader.h"
#include "lidia/Symbolize/ArchiveSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace lidia;
using namespace lidia::python;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

ArrowColumn::~ArrowColumn() {
  for (ArrowArray &Chunk : Chunks)
    if (Chunk.release)
      Chunk.release(&Chunk);
  if (Type.release)
    Type.release(&Type);
}

void ArrowColumn::take(ArrowSchema &FromType, ArrowArray &FromArray) {
  Type = FromType;
  FromType.release = nullptr;
  Chunks.push_back(FromArray);
  FromArray.release = nullptr;
}

static Failure streamFailure(ArrowArrayStream &Stream, int Code) {
  const char *Text = Stream.get_last_error(&Stream);
  return {"OSError", Text ? Text : "the stream of Arrow arrays failed", "",
          Code};
}

Result<Nothing> ArrowColumn::takeAll(ArrowArrayStream &Stream) {
  IsChunked = true;
  struct Releaser {
    ArrowArrayStream &Stream;
    ~Releaser() { Stream.release(&Stream); }
  } Releaser{Stream};
  if (int Code = Stream.get_schema(&Stream, &Type))
    return streamFailure(Stream, Code);
  while (true) {
    ArrowArray Next = {};
    if (int Code = Stream.get_next(&Stream, &Next))
      return streamFailure(Stream, Code);
    if (!Next.release)
      return Nothing();
    Chunks.push_back(Next);
  }
}

static Error readAddressColumn(const ArrowColumn &From,
                               std::vector<arrow::AddressArray> &To) {
  if (Error E = arrow::checkAddressType(From.type()))
    return E;
  for (const ArrowArray &Chunk : From.chunks()) {
    Expected<arrow::AddressArray> A = arrow::readAddresses(Chunk);
    if (!A)
      return A.takeError();
    To.push_back(*A);
  }
  return Error::success();
}

Result<FrameTablePointer> python::symbolizeColumns(
    const ArrowColumn &Addresses, const arrow::BuildIDColumn &IDs,
    const ColumnOptions &How, const Interest &GoOn, arrow::AnswersFinder Find) {
  arrow::TableRequest Request{{}, IDs, How.AreReturns, GoOn};
  Request.FailOnOutage = How.FailOnOutage;
  if (Error E = readAddressColumn(Addresses, Request.Addresses))
    return columnFailure("addresses", std::move(E));
  Expected<arrow::FrameTable> Table = arrow::symbolize(Request, Find);
  if (!Table)
    return failure(Table.takeError());
  return std::make_shared<const arrow::FrameTable>(std::move(*Table));
}

size_t python::chunkCount(const FrameTablePointer &Table) {
  return Table->Chunks.size();
}

size_t python::rowCount(const FrameTablePointer &Table) {
  return std::accumulate(Table->Chunks.begin(), Table->Chunks.end(), size_t(0),
                         [](size_t Sum, const arrow::FrameTable::Chunk &C) {
                           return Sum + C.Rows;
                         });
}

static arrow::Column columnOf(AnswerColumn C) {
  switch (C) {
  case AnswerColumn::Frames:
    return arrow::Column::Frames;
  case AnswerColumn::Reasons:
    return arrow::Column::Reasons;
  case AnswerColumn::Misses:
    return arrow::Column::Misses;
  }
  llvm_unreachable("no other column");
}

std::vector<std::pair<const char *, uint64_t>>
python::missCounts(const FrameTablePointer &Table) {
  std::vector<std::pair<const char *, uint64_t>> Counts;
  // The first is that of addresses with a name and a line.
  for (size_t Code = 1; Code != Table->Answers.ByMiss.size(); ++Code)
    if (uint64_t Rows = Table->Answers.ByMiss[Code])
      Counts.emplace_back(lidia::toString(MissCode(Code)), Rows);
  return Counts;
}

void python::exportType(AnswerColumn C, ArrowSchema &To) {
  arrow::exportType(columnOf(C), To);
}

void python::exportArray(const FrameTablePointer &Table, AnswerColumn C,
                         size_t Chunk, ArrowArray &To) {
  arrow::exportArray(Table, columnOf(C), Chunk, To);
}

void python::exportStream(const FrameTablePointer &Table, AnswerColumn C,
                          ArrowArrayStream &To) {
  arrow::exportStream(Table, columnOf(C), To);
}

//===----------------------------------------------------------------------===//
// Lookups
//===----------------------------------------------------------------------===//

Result<std::vector<FrameList>>
python::lookUp(arrow::ArchiveAnswers &Archive,
               const std::vector<uint64_t> &Addresses, bool AreReturns) {
  std::vector<uint64_t> Sorted = Addresses;
  llvm::sort(Sorted);
  Sorted.erase(llvm::unique(Sorted), Sorted.end());
  std::vector<FrameList> Answers(Sorted.size());
  bool HasAll = true;
  Archive.visitAll(Sorted, AreReturns, [&](size_t I, ArrayRef<Frame> Found) {
    Answers[I].reserve(Found.size());
    for (const Frame &F : Found) {
      std::optional<StringRef> Function = Archive.function(F);
      std::optional<StringRef> File = Archive.file(F);
      HasAll &= Function && File;
      SymbolizedFrame &To = Answers[I].emplace_back();
      To.Function = Function.value_or("").str();
      To.File = File.value_or("").str();
      To.Line = F.Line;
      To.Column = F.Column;
      To.IsInlined = &F != &Found.back();
      if (F.Range >= Archive.archive().rangeCount())
        continue;
      RangeEntry Range = Archive.archive().range(F.Range);
      To.StartAddress = Range.VA;
      To.FunctionSize = Range.Length;
      To.FunctionOffset = Sorted[I] - Range.VA;
    }
  });
  if (!HasAll)
    return failure(Archive.textError());
  if (Error E = Archive.archive().damage())
    return failure(std::move(E));
  if (Sorted == Addresses)
    return Answers;
  std::vector<FrameList> InOrder;
  InOrder.reserve(Addresses.size());
  for (uint64_t Address : Addresses)
    InOrder.push_back(
        Answers[size_t(llvm::lower_bound(Sorted, Address) - Sorted.begin())]);
  return InOrder;
}

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

namespace {

class OpenedArchive final : public ArchiveHandle {
public:
  OpenedArchive(std::shared_ptr<const Archive> A, const ArchiveOptions &Options,
                std::shared_ptr<const void> Owner)
      : Owner(std::move(Owner)), A(std::move(A)), Options(Options) {}

  ArchiveText describe() const override;
  Result<std::vector<FrameList>> lookup(const std::vector<uint64_t> &Addresses,
                                        bool AreReturns) override {
    return lookUp(*answers(), Addresses, AreReturns);
  }
  Result<FrameTablePointer> symbolize(const ArrowColumn &Addresses,
                                      bool AreReturns,
                                      const Interest &GoOn) override;
  Result<std::vector<FunctionText>> functions(const std::string *Name) override;
  std::optional<uint64_t> addressOf(uint64_t FileOffset) const override;
  Result<std::vector<std::string>> files() override;
  Result<Nothing> verify() override;

  std::shared_ptr<arrow::ArchiveAnswers> answers() const {
    return AnswersOfProcess.get(A, Options).Answers;
  }

private:
  /// They have a lock, and what they change while it is held.
  struct SharedAnswers {
    SharedAnswers(std::shared_ptr<const Archive> A,
                  const ArchiveOptions &Options)
        : Answers(std::make_shared<arrow::ArchiveAnswers>(
              std::move(A), answersOptions(Options))) {}

    std::shared_ptr<arrow::ArchiveAnswers> Answers;
  };

  const Archive &archive() const { return *A; }

  /// Keeps the bytes of the archive alive; released after the archive.
  std::shared_ptr<const void> Owner;
  const std::shared_ptr<const Archive> A;
  const ArchiveOptions Options;
  mutable ForkLocal<SharedAnswers> AnswersOfProcess;
};

/// A file that is read by the caller's function.
class CallerReader final : public RandomAccessReader {
public:
  explicit CallerReader(CallerFile File) : File(std::move(File)) {}

  StringRef name() const override { return File.Name; }
  uint64_t size() const override { return File.Size; }
  Expected<StringRef> read(uint64_t Offset, size_t Size,
                           SmallVectorImpl<char> &Storage) const override {
    Storage.resize_for_overwrite(Size);
    std::string Problem = File.Read(Offset, Storage.data(), Size);
    if (!Problem.empty())
      return make_error<SystemError>(std::make_error_code(std::errc::io_error),
                                     File.Name, Problem);
    return StringRef(Storage.data(), Size);
  }

private:
  CallerFile File;
};

} // namespace

std::shared_ptr<arrow::ArchiveAnswers>
python::answersOf(ArchiveHandle &Handle) {
  return static_cast<OpenedArchive &>(Handle).answers();
}

static OpenOptions openOptions(const ArchiveOptions &Options) {
  return Options.Copy ? FileAccess::Copy : FileAccess::Map;
}

static Result<ArchiveHandle::Pointer>
give(Expected<Archive> A, const ArchiveOptions &Options,
     std::shared_ptr<const void> Owner = nullptr) {
  if (!A)
    return failure(A.takeError());
  return std::make_shared<OpenedArchive>(
      std::make_shared<const Archive>(std::move(*A)), Options,
      std::move(Owner));
}

Result<ArchiveHandle::Pointer>
ArchiveHandle::open(const std::string &Where, const ArchiveOptions &Options) {
  return give(openArchiveAt(Where, openOptions(Options)), Options);
}

Result<ArchiveHandle::Pointer>
ArchiveHandle::open(CallerFile File, const ArchiveOptions &Options) {
  return give(Archive::create(std::make_shared<CallerReader>(std::move(File))),
              Options);
}

Result<ArchiveHandle::Pointer>
ArchiveHandle::open(CallerBytes Bytes, const ArchiveOptions &Options) {
  return give(Archive::create(MemoryBuffer::getMemBuffer(
                  StringRef(Bytes.Data, Bytes.Size), Bytes.Name,
                  /*RequiresNullTerminator=*/false)),
              Options, std::move(Bytes.Owner));
}

Result<ArchiveHandle::Pointer>
ArchiveHandle::openNames(const std::string &Path, const ArchiveOptions &Options,
                         std::vector<std::string> &Warnings) {
  WarningList Observer(Warnings);
  return give(lidia::openNames(Path, ConvertOptions(), Observer), Options);
}

ArchiveText OpenedArchive::describe() const {
  ArchiveText Text;
  const Archive &A = archive();
  Text.Name = A.name().str();
  Text.Size = A.size();
  Text.Ranges = A.rangeCount();
  Text.HasLines = A.rowCount() != 0;
  if (const ArchiveInfo *Info = A.info()) {
    Text.BuildID = toHex(Info->BuildID, /*LowerCase=*/true);
    Text.HasColumns = Info->Options & format::IO_Columns;
  }
  return Text;
}

Result<FrameTablePointer> OpenedArchive::symbolize(const ArrowColumn &Addresses,
                                                   bool AreReturns,
                                                   const Interest &GoOn) {
  auto Table = symbolizeColumns(
      Addresses, arrow::BuildIDColumn::all({}), {AreReturns, true}, GoOn,
      [&](uint32_t) {
        return Expected<std::shared_ptr<arrow::ArchiveAnswers>>(answers());
      });
  // Without other archives, damage makes the call fail.
  if (Error E = archive().damage())
    return failure(std::move(E));
  return Table;
}

std::optional<uint64_t> OpenedArchive::addressOf(uint64_t FileOffset) const {
  std::unique_ptr<ELFHeaders> Segments = headersOf(archive());
  return Segments ? Segments->addressAt(FileOffset, /*Executable=*/true)
                  : std::nullopt;
}

Result<std::vector<FunctionText>>
OpenedArchive::functions(const std::string *Given) {
  if (Error E = archive().unpackAll())
    return failure(std::move(E));
  std::shared_ptr<arrow::ArchiveAnswers> Answers = answers();
  std::vector<FunctionText> All;
  bool HasAll = true;
  auto Add = [&](const ListedFunction &F) {
    Frame Named;
    Named.Function = F.Name;
    Named.File = F.File;
    std::optional<StringRef> Name = Answers->function(Named);
    std::optional<StringRef> File = Answers->file(Named);
    HasAll &= Name && File;
    All.push_back({Name.value_or("").str(), File.value_or("").str(),
                   std::vector<uint64_t>(F.Entries.begin(), F.Entries.end()),
                   F.InlinedRanges});
  };
  if (Given)
    findFunctions(archive(), *Given, Add);
  else
    archive().forEachFunction(Add);
  if (!HasAll)
    return failure(Answers->textError());
  return All;
}

Result<std::vector<std::string>> OpenedArchive::files() {
  if (Error E = archive().unpackAll())
    return failure(std::move(E));
  std::shared_ptr<arrow::ArchiveAnswers> Answers = answers();
  std::vector<std::string> All;
  bool HasAll = true;
  archive().forEachFile([&](StringOffset File) {
    Frame Named;
    Named.File = File;
    std::optional<StringRef> Path = Answers->file(Named);
    HasAll &= Path.has_value();
    All.push_back(Path.value_or("").str());
  });
  if (!HasAll)
    return failure(Answers->textError());
  return All;
}

Result<Nothing> OpenedArchive::verify() {
  const Archive &A = archive();
  if (A.hasChecksums())
    if (Error E = A.verifyChecksums())
      return failure(std::move(E));
  if (Error E = lidia::verify(A))
    return failure(std::move(E));
  return Nothing();
}
