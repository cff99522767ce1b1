//===- ArchiveContents.cpp - Compares the contents of archives ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveContents.h"
#include "lidia/Archive/LoadSegments.h"
#include "lidia/Archive/Verify.h"
#include "lidia/Error.h"
#include "lidia/Store/OpenArchive.h"
#include <tuple>

using namespace lidia;
using namespace llvm;

/// The contents of \p A as a tuple, for comparison with other archives.
static auto contentsOf(const Archive &A) {
  unsigned FromBinary = bool(LoadSegments(A).size()) +
                        bool(A.returnPadCount()) +
                        A.findExtensionSection(format::ET_Unwind).has_value();
  bool IsWhole = A.leftOut() == MissCode::None;
  return std::tuple(A.rowCount(), A.rangeCount(), IsWhole, FromBinary);
}

static bool isMissing(const ErrorInfoBase &Why) {
  return Why.convertToErrorCode() == std::errc::no_such_file_or_directory;
}

Expected<std::optional<bool>> lidia::hasLess(SymbolStore &Store,
                                             ArrayRef<uint8_t> BuildID,
                                             const Archive &New) {
  Expected<std::string> Where = Store.find(BuildID);
  Expected<Archive> Old =
      Where ? openArchiveAt(*Where) : Expected<Archive>(Where.takeError());
  if (Old)
    return contentsOf(*Old) < contentsOf(New);
  std::unique_ptr<LidiaError> Why = toLidiaError(Old.takeError());
  const ErrorInfoBase &Base = *Why;
  if (isMissing(Base))
    return std::nullopt;
  if (Base.isA<DamagedError>() || Base.isA<NotAnArchiveError>())
    return true;
  return Error(std::move(Why));
}

Expected<SmallVector<uint8_t, 20>> lidia::verifyArchive(StringRef Path) {
  Expected<Archive> A = openWholeArchiveAt(Path);
  if (!A)
    return A.takeError();
  if (!A->info() || !whyNotABuildID(A->info()->BuildID).empty())
    return make_error<MissingInformationError>(
        Path, "it has no build ID, by which a store finds archives");
  if (A->hasChecksums())
    if (Error E = A->verifyChecksums())
      return E;
  if (Error E = verify(*A))
    return E;
  return SmallVector<uint8_t, 20>(A->info()->BuildID);
}
