//===- RemoveArchive.cpp - Remove one archive from a store ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/RemoveArchive.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Error.h"
#include "lidia/Store/BinaryNames.h"
#include "lidia/Store/BuildIDLists.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lidia;
using namespace llvm;

static Error checkUnpinned(SymbolStore &Store, ArrayRef<uint8_t> BuildID) {
  Expected<std::vector<StorePin>> Pins = readPins(Store);
  if (!Pins)
    return Pins.takeError();
  for (const StorePin &Pin : *Pins)
    if (is_contained(Pin.IDs, StoreBuildID(BuildID)))
      return make_error<ArgumentError>("", "the pin '" + Pin.Name +
                                               "' keeps this archive (see "
                                               "llvm-lidia store unpin)");
  return Error::success();
}

Error lidia::removeArchive(SymbolStore &Store, ArrayRef<uint8_t> BuildID) {
  std::string Digits = toHex(BuildID, /*LowerCase=*/true);
  if (StringRef Why = whyNotABuildID(BuildID); !Why.empty())
    return make_error<ArgumentError>(Digits, Why);
  // A server cannot be listed, and does the same itself.
  if (Store.objects().keepsBetter())
    return Store.objects().remove(Store.objectPrefix() + Digits.substr(0, 2) +
                                  "/" + Digits.substr(2) +
                                  CompressedArchiveExtension);
  if (Error E = checkUnpinned(Store, BuildID))
    return E;
  // Build IDs that begin with this one come after it.
  constexpr size_t Max = 2;
  Expected<std::vector<StoredArchive>> Found = Store.list(Digits, Max);
  if (!Found)
    return Found.takeError();
  erase_if(*Found, [&](const StoredArchive &A) {
    return ArrayRef<uint8_t>(A.BuildID) != BuildID;
  });
  if (Found->empty())
    return make_error<SystemError>(
        std::make_error_code(std::errc::no_such_file_or_directory), Digits,
        "no archive of this build ID in " + Store.name());
  for (const StoredArchive &A : *Found)
    if (Error E = Store.remove(A))
      return E;
  Store.forget(BuildID);
  return removeBinaryNames(Store, BuildID);
}
