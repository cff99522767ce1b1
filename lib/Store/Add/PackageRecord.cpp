//===- PackageRecord.cpp - Records of the contents of packages ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackageRecord.h"
#include "Store/PutText.h"
#include "lidia/Error.h"
#include "lidia/Store/AddToStore.h"
#include "lidia/Store/OpenArchive.h"
#include "lidia/Support/Interrupt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"

using namespace lidia;
using namespace llvm;

static constexpr StringLiteral FirstLine = "lidia package 1";
static constexpr StringLiteral RecordFolder = ".packages/";
/// The size of a record for a package with the maximum number of members.
static constexpr uint64_t LargestRecord = uint64_t(160) << 20;

Expected<std::string> PackageRecords::nameOf(sys::fs::file_t FD,
                                             StringRef Path) const {
  if (Store.options().Layout != StoreLayout::BuildID)
    return std::string();
  BLAKE3 Hash;
  Hash.update(sys::path::filename(Path));
  Hash.update(StringRef("\0", 1));
  std::vector<char> Buffer(1 << 20);
  uint64_t Size = 0;
  while (true) {
    if (isInterrupted())
      return cancelledError(Path);
    Expected<size_t> Count = sys::fs::readNativeFileSlice(FD, Buffer, Size);
    if (!Count)
      return make_error<SystemError>(errorToErrorCode(Count.takeError()), Path);
    if (*Count == 0)
      break;
    Hash.update(StringRef(Buffer.data(), *Count));
    Size += *Count;
  }
  uint8_t Bytes[8];
  support::endian::write64le(Bytes, Size);
  Hash.update(Bytes);
  std::string Digits = toHex(Hash.final(), /*LowerCase=*/true);
  return (RecordFolder + Digits.substr(0, 2) + "/" + Digits.substr(2)).str();
}

static std::optional<PackageRecord> parse(StringRef Text) {
  PackageRecord R;
  auto [First, Rest] = Text.split('\n');
  uint64_t Count;
  if (First != FirstLine || !Rest.consume_front("skipped ") ||
      Rest.consumeInteger(10, R.Skipped) ||
      !Rest.consume_front("\nbuild IDs ") || Rest.consumeInteger(10, Count) ||
      !Rest.consume_front("\n"))
    return std::nullopt;
  while (!Rest.empty()) {
    auto [Digits, Next] = Rest.split('\n');
    std::string Bytes;
    if (Digits.size() % 2 || !tryGetFromHex(Digits, Bytes) ||
        !whyNotABuildID(arrayRefFromStringRef(Bytes)).empty())
      return std::nullopt;
    R.BuildIDs.emplace_back(arrayRefFromStringRef(Bytes));
    Rest = Next;
  }
  if (R.BuildIDs.size() != Count)
    return std::nullopt;
  return R;
}

/// The text of the record \p Name.
static Expected<std::string> readText(SymbolStore &Store, StringRef Name) {
  std::string Text;
  if (Error E = readWhole(
          Store.objects().location(Name),
          [&](StringRef Piece) { Text += Piece; }, LargestRecord))
    return E;
  return Text;
}

std::optional<PackageRecord> PackageRecords::read(StringRef Name) const {
  if (Name.empty())
    return std::nullopt;
  Expected<std::string> Text = readText(Store, Name);
  if (Text)
    return parse(*Text);
  consumeError(Text.takeError());
  return std::nullopt;
}

Error lidia::removeUselessRecords(
    SymbolStore &Store,
    function_ref<bool(ArrayRef<uint8_t> BuildID)> HasArchive) {
  std::vector<std::string> Names;
  if (Error E = Store.objects().list(RecordFolder, [&](const StoredObject &O) {
        Names.push_back(O.Name);
        return Error::success();
      }))
    return E;
  return Store.objects().forEachIndex(Names.size(), [&](size_t I) -> Error {
    Expected<std::string> Text = readText(Store, Names[I]);
    if (!Text)
      return Text.takeError();
    std::optional<PackageRecord> Record = parse(*Text);
    if (Record && all_of(Record->BuildIDs, HasArchive))
      return Error::success();
    return Store.objects().remove(Names[I]);
  });
}

void PackageRecords::write(StringRef Name, const PackageRecord &Record) const {
  if (Name.empty())
    return;
  auto Write = [&](raw_ostream &OS) {
    OS << FirstLine << "\nskipped " << Record.Skipped << "\nbuild IDs "
       << Record.BuildIDs.size() << '\n';
    for (ArrayRef<uint8_t> ID : Record.BuildIDs)
      OS << toHex(ID, /*LowerCase=*/true) << '\n';
  };
  consumeError(putText(Store, Name, PutMode::Replace, Write, Folder));
}
