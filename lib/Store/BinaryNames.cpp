//===- BinaryNames.cpp - The names of a store's binaries ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/BinaryNames.h"
#include "EndOfList.h"
#include "Location.h"
#include "Support/PercentEncoding.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace lidia;
using namespace llvm;

static constexpr StringLiteral NameFolder = ".names/";
static constexpr StringLiteral HashFolder = ".htlhash/";
/// Of the last part of an object's name: that of a file in a folder.
static constexpr size_t LongestPart = 255;

/// How the objects in \p Folder begin whose keys, such as build IDs, begin with
/// \p Digits.
static std::string prefixOf(StringRef Digits, StringRef Folder = NameFolder) {
  if (Digits.size() < 2)
    return (Folder + Digits).str();
  return (Folder + Digits.take_front(2) + "/" + Digits.drop_front(2)).str();
}

/// The build ID in \p Digits, if it is one that a store can have.
static std::optional<SmallVector<uint8_t, 20>> parseID(const Twine &Digits) {
  std::string Text = Digits.str(), Bytes;
  if (Text.size() % 2 || !tryGetFromHex(Text, Bytes) ||
      !whyNotABuildID(arrayRefFromStringRef(Bytes)).empty())
    return std::nullopt;
  return SmallVector<uint8_t, 20>(arrayRefFromStringRef(Bytes));
}

/// The name in `.names/ab/cdef-NAME`.
static std::optional<NamedBinary> parse(StringRef Object) {
  if (!Object.consume_front(NameFolder))
    return std::nullopt;
  auto [First, Rest] = Object.split('/');
  auto [Digits, Name] = Rest.split('-');
  auto BuildID = parseID(First + Digits);
  if (First.size() != 2 || Name.empty() || !BuildID)
    return std::nullopt;
  std::optional<std::string> Decoded = percentDecode(Name);
  if (!Decoded)
    return std::nullopt;
  NamedBinary Found;
  Found.BuildID = std::move(*BuildID);
  Found.Name = std::move(*Decoded);
  return Found;
}

std::string lidia::binaryName(StringRef Path, ArrayRef<uint8_t> BuildID) {
  StringRef Name = sys::path::filename(Path);
  Name.consume_back(CompressedArchiveExtension);
  Name.consume_back(ArchiveExtension);
  Name.consume_back(".debug");
  std::string Digits = toHex(BuildID, /*LowerCase=*/true);
  // As in folders of debug files, which omit the first byte.
  if (Name.size() >= 8 && StringRef(Digits).contains(Name))
    return "";
  return Name.str();
}

Error lidia::addBinaryName(SymbolStore &Store, ArrayRef<uint8_t> BuildID,
                           StringRef Name) {
  std::string Encoded = percentEncode(Name);
  std::string Object =
      prefixOf(toHex(BuildID, /*LowerCase=*/true)) + "-" + Encoded;
  if (Encoded.empty() || sys::path::filename(Object).size() > LongestPart ||
      !whyNotABuildID(BuildID).empty() ||
      Store.options().Layout == StoreLayout::Pyroscope)
    return Error::success();
  return Store.objects().put(Object, "/dev/null", PutMode::Replace).takeError();
}

Error lidia::visitBinaryNames(SymbolStore &Store, StringRef Digits,
                              function_ref<bool(NamedBinary)> Visit,
                              ArrayRef<uint8_t> After) {
  // "." comes after the "-" that follows a build ID, and before digits.
  std::string Last =
      After.empty() ? "" : prefixOf(toHex(After, /*LowerCase=*/true)) + ".";
  Error E = Store.objects().list(
      prefixOf(Digits),
      [&](const StoredObject &Object) -> Error {
        std::optional<NamedBinary> Found = parse(Object.Name);
        if (Found)
          Found->Written = Object.Written;
        if (Found && !Visit(std::move(*Found)))
          return make_error<EndOfList>();
        return Error::success();
      },
      /*AtOnce=*/0, Last);
  return handleErrors(std::move(E), [](const EndOfList &) {});
}

Error lidia::addFileHash(SymbolStore &Store, ArrayRef<uint8_t> BuildID,
                         ArrayRef<uint8_t> FileHash) {
  if (FileHash.empty() || !whyNotABuildID(BuildID).empty() ||
      Store.options().Layout == StoreLayout::Pyroscope)
    return Error::success();
  std::string Object =
      prefixOf(toHex(FileHash, /*LowerCase=*/true), HashFolder) + "-" +
      toHex(BuildID, /*LowerCase=*/true);
  return Store.objects().put(Object, "/dev/null", PutMode::Replace).takeError();
}

Expected<SmallVector<uint8_t, 20>> lidia::findFileHash(
    ObjectStore &Objects, ArrayRef<uint8_t> FileHash,
    function_ref<Expected<bool>(ArrayRef<uint8_t> BuildID)> HasArchive) {
  // Those who may write may record any number.
  constexpr size_t MaxFound = 16;
  std::string Prefix =
      prefixOf(toHex(FileHash, /*LowerCase=*/true), HashFolder) + "-";
  std::vector<SmallVector<uint8_t, 20>> Found;
  Error E = Objects.list(
      Prefix,
      [&](const StoredObject &Object) -> Error {
        auto BuildID =
            parseID(StringRef(Object.Name).drop_front(Prefix.size()));
        if (BuildID)
          Found.push_back(std::move(*BuildID));
        return Found.size() < MaxFound ? Error::success()
                                       : make_error<EndOfList>();
      },
      /*AtOnce=*/MaxFound);
  if (Error Other = handleErrors(std::move(E), [](const EndOfList &) {}))
    return Other;
  SmallVector<uint8_t, 20> None;
  if (Found.size() == 1)
    return std::move(Found.front());
  // Removed archives leave their hashes until the store is pruned.
  const SmallVector<uint8_t, 20> *Only = nullptr;
  for (const auto &BuildID : Found) {
    Expected<bool> IsThere = HasArchive(BuildID);
    if (!IsThere)
      return IsThere.takeError();
    if (*IsThere && std::exchange(Only, &BuildID))
      return None;
  }
  return Only ? *Only : None;
}

Error lidia::removeBinaryNames(SymbolStore &Store, ArrayRef<uint8_t> BuildID) {
  std::vector<std::string> Names;
  std::string Prefix = prefixOf(toHex(BuildID, /*LowerCase=*/true)) + "-";
  if (Error E = Store.objects().list(Prefix, [&](const StoredObject &Object) {
        Names.push_back(Object.Name);
        return Error::success();
      }))
    return E;
  return Store.objects().removeAll(Names);
}

Error lidia::removeUselessNames(
    SymbolStore &Store,
    function_ref<bool(ArrayRef<uint8_t> BuildID)> HasArchive) {
  std::vector<std::string> Useless;
  Error E = Store.objects().list(NameFolder, [&](const StoredObject &Object) {
    std::optional<NamedBinary> Found = parse(Object.Name);
    if (!Found || !HasArchive(Found->BuildID))
      Useless.push_back(Object.Name);
    return Error::success();
  });
  if (!E)
    E = Store.objects().list(HashFolder, [&](const StoredObject &Object) {
      auto BuildID = parseID(StringRef(Object.Name).rsplit('-').second);
      if (!BuildID || !HasArchive(*BuildID))
        Useless.push_back(Object.Name);
      return Error::success();
    });
  if (E)
    return E;
  return Store.objects().removeAll(Useless);
}
