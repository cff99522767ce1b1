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
/// Of the last part of an object's name: that of a file in a folder.
static constexpr size_t LongestPart = 255;

/// How the names of the binaries begin whose build IDs begin with \p Digits.
static std::string prefixOf(StringRef Digits) {
  if (Digits.size() < 2)
    return (NameFolder + Digits).str();
  return (NameFolder + Digits.take_front(2) + "/" + Digits.drop_front(2)).str();
}

/// The name in `.names/ab/cdef-NAME`.
static std::optional<NamedBinary> parse(StringRef Object) {
  if (!Object.consume_front(NameFolder))
    return std::nullopt;
  auto [First, Rest] = Object.split('/');
  auto [Digits, Name] = Rest.split('-');
  std::string Bytes;
  if (First.size() != 2 || Digits.size() % 2 || Name.empty() ||
      !tryGetFromHex((First + Digits).str(), Bytes) ||
      !whyNotABuildID(arrayRefFromStringRef(Bytes)).empty())
    return std::nullopt;
  std::optional<std::string> Decoded = percentDecode(Name);
  if (!Decoded)
    return std::nullopt;
  NamedBinary Found;
  Found.BuildID.assign(Bytes.begin(), Bytes.end());
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
  if (Error E =
          Store.objects().list(NameFolder, [&](const StoredObject &Object) {
            std::optional<NamedBinary> Found = parse(Object.Name);
            if (!Found || !HasArchive(Found->BuildID))
              Useless.push_back(Object.Name);
            return Error::success();
          }))
    return E;
  return Store.objects().removeAll(Useless);
}
