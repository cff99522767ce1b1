//===- FramesArrow.cpp - Arrow tables for /v1/frames ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FramesRequest.h"
#include "JSONBody.h"
#include "lidia/Arrow/IPC.h"
#include "lidia/Arrow/TableSymbolizer.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// The request
//===----------------------------------------------------------------------===//

Expected<std::vector<WantedModule>> readArrowModules(StringRef Stream,
                                                     uint64_t MaxAddresses) {
  Expected<arrow::IPCColumns> Columns =
      arrow::readIPCStream(Stream, MaxAddresses);
  if (!Columns)
    return Columns.takeError();
  std::vector<WantedModule> Wanted;
  constexpr uint32_t Null = arrow::BuildIDColumn::Null;
  uint32_t Last = Null;
  size_t Row = 0;
  for (const arrow::AddressArray &Batch : Columns->Addresses)
    for (size_t I = 0; I != Batch.Length; ++I, ++Row) {
      uint32_t ID = Batch.isNull(I) ? Null : Columns->BuildIDs[Row];
      if (Wanted.empty() || ID != Last) {
        const auto &Value = Columns->BuildIDs.values()[ID];
        WantedModule &M = Wanted.emplace_back();
        M.BuildID = toHex(Value.Bytes, /*LowerCase=*/true);
        M.Problem = Value.Problem;
        M.IsNull = ID == Null;
        Last = ID;
      }
      Wanted.back().Addresses.push_back(ID == Null ? 0 : Batch[I]);
    }
  return Wanted;
}

//===----------------------------------------------------------------------===//
// The answer
//===----------------------------------------------------------------------===//

namespace {

/// The rows of the answer, and the modules to which they belong.
class WantedRows {
public:
  explicit WantedRows(ArrayRef<WantedModule> Wanted);

  const arrow::BuildIDColumn &modules() const { return Numbers; }
  arrow::AddressArray addresses() const {
    arrow::AddressArray Rows;
    Rows.Values = reinterpret_cast<const char *>(Addresses.data());
    Rows.Length = Addresses.size();
    return Rows;
  }
  /// The archive of the module \p Number. Must be called with ascending
  /// numbers: finds several modules at the same time.
  Expected<std::shared_ptr<arrow::ArchiveAnswers>>
  find(Service &S, const HTTPRequest &Request, uint32_t Number);

  /// What upstream servers may have of the modules that find() did not find.
  std::vector<UpstreamWish> Wishes;

private:
  uint32_t number(const WantedModule &M);

  /// The distinct modules, each with all of its addresses.
  std::vector<WantedModule> Modules;
  StringMap<uint32_t> Known;
  /// Has only the numbers of modules; that of Modules[0] is FirstNumber.
  arrow::BuildIDColumn Numbers;
  static constexpr uint32_t FirstNumber = arrow::BuildIDColumn::Null + 1;
  std::vector<uint64_t> Addresses;
  /// Modules that were found, the first with the index FirstFound.
  std::vector<std::optional<FoundModule>> Found;
  size_t FirstFound = 0;
};

} // namespace

WantedRows::WantedRows(ArrayRef<WantedModule> Wanted) {
  for (const WantedModule &M : Wanted) {
    if (M.Addresses.empty())
      continue;
    Numbers.addRows(M.IsNull ? arrow::BuildIDColumn::Null : number(M),
                    M.Addresses.size());
    Addresses.insert(Addresses.end(), M.Addresses.begin(), M.Addresses.end());
  }
}

uint32_t WantedRows::number(const WantedModule &M) {
  std::string Key = M.BuildID + " " + M.DebugIDText + " " + M.Problem;
  auto [It, IsNew] =
      Known.try_emplace(Key, FirstNumber + uint32_t(Modules.size()));
  if (IsNew) {
    Modules.push_back(M);
    Numbers.addValue({});
  } else {
    std::vector<uint64_t> &All = Modules[It->second - FirstNumber].Addresses;
    All.insert(All.end(), M.Addresses.begin(), M.Addresses.end());
  }
  return It->second;
}

Expected<std::shared_ptr<arrow::ArchiveAnswers>>
WantedRows::find(Service &S, const HTTPRequest &Request, uint32_t Number) {
  size_t Index = Number - FirstNumber;
  if (Index >= FirstFound + Found.size()) {
    FirstFound = Index;
    Found = findModules(S, Request,
                        ArrayRef(Modules).drop_front(Index).take_front(
                            ServedModules::MaxThreads));
  }
  FoundModule M = std::move(*Found[Index - FirstFound]);
  if (!M)
    return noteWishes(M.takeError(), Wishes);
  // The names are those of the answer in JSON.
  arrow::ArchiveAnswers::Options O;
  O.Rust = OlderRust::AsCXX;
  return std::make_shared<arrow::ArchiveAnswers>((*M)->sharedArchive(), O);
}

/// Why a row has no frames, without the names of the server's files.
static std::string reasonText(Error E) {
  std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
  const ErrorInfoBase &Base = *Why;
  if (Why->convertToErrorCode() == std::errc::no_such_file_or_directory)
    return "the store has no such archive";
  if (Base.isA<ArgumentError>() && Why->file().empty())
    return Why->message();
  return "the archive cannot be read now";
}

Answer answerArrow(Service &S, const HTTPRequest &Request,
                   ArrayRef<WantedModule> Wanted) {
  WantedRows Rows(Wanted);
  arrow::TableRequest Asked{{Rows.addresses()}, Rows.modules()};
  Asked.ReasonText = reasonText;
  Asked.MaxBytes = S.Options.Limits.MaxAnswer;
  Asked.CountOrigins = true;
  Expected<arrow::FrameTable> Table = arrow::symbolize(
      Asked, [&](uint32_t Number) { return Rows.find(S, Request, Number); });
  if (!Rows.Wishes.empty()) {
    consumeError(Table.takeError());
    return make_error<MissingFilesError>(std::move(Rows.Wishes));
  }
  if (!Table)
    return Table.takeError();
  S.Statistics.Addresses += Table->Chunks.front().Rows;
  S.Statistics.Frames += Table->Chunks.front().Lines.Values.size();
  S.Statistics.count(Table->Answers);
  HTTPResponse R;
  R.ContentType = ArrowMediaType.str();
  R.Body = arrow::writeIPCStream(*Table);
  return R;
}

} // namespace lidia
