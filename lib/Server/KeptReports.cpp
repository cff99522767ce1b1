//===- KeptReports.cpp - Answers that links show again --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptReports.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;

namespace lidia {

static constexpr StringLiteral Extension = ".report";
static constexpr std::chrono::hours MaxAge(24);

static CacheKey keyOf(StringRef Hash) { return CacheKey("report").add(Hash); }

/// Reads what a former server has kept.
void KeptReports::readFolder() {
  IsRead = true;
  Expected<std::vector<CacheEntry>> Entries = Files.list();
  if (!Entries)
    return consumeError(Entries.takeError());
  llvm::sort(*Entries, [](const CacheEntry &A, const CacheEntry &B) {
    return A.Made < B.Made;
  });
  for (const CacheEntry &E : *Entries)
    if (StringRef(E.Path).ends_with(Extension))
      add({E.Path, E.Size, E.Made});
}

/// Removes what is too old or too much.
void KeptReports::add(Kept New) {
  Size += New.Size;
  Reports.push_back(std::move(New));
  auto Oldest = std::chrono::system_clock::now() - MaxAge;
  while (!Reports.empty() &&
         (Size > MaxSize || Reports.front().Made < Oldest)) {
    (void)sys::fs::remove(Reports.front().Path);
    Size -= Reports.front().Size;
    Reports.pop_front();
  }
}

std::string KeptReports::keep(StringRef Report) {
  std::string Hash =
      toHex(SHA256::hash(arrayRefFromStringRef(Report)), /*LowerCase=*/true);
  std::lock_guard<std::mutex> Lock(Mutex);
  if (!IsRead)
    readFolder();
  Expected<std::string> Path =
      Files.put(Extension, [&](raw_ostream &OS) -> Expected<CacheKey> {
        OS << Report;
        return keyOf(Hash);
      });
  if (!Path) {
    consumeError(Path.takeError());
    return "";
  }
  // The cache has reported why it cannot be used.
  if (Files.isPrivate(*Path)) {
    Files.removePrivate(*Path);
    return "";
  }
  llvm::erase_if(Reports, [&](const Kept &Old) {
    bool IsSame = Old.Path == *Path;
    Size -= IsSame ? Old.Size : 0;
    return IsSame;
  });
  add({std::move(*Path), Report.size(), std::chrono::system_clock::now()});
  return Hash;
}

std::optional<std::string> KeptReports::find(StringRef Hash) {
  return Files.find(keyOf(Hash), Extension, MaxAge);
}

} // namespace lidia
