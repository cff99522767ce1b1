//===- StableArchive.cpp - Archives that cannot change while in use -------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Cache/StableArchive.h"
#include "Entries.h"
#include "lidia/Archive/ArchiveOrigin.h"
#include "lidia/Archive/Verify.h"
#include "lidia/Cache/Cache.h"
#include "lidia/Error.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace lidia {

/// Increment it when existing copies must not be used.
static constexpr uint64_t CopyRevision = 1;

/// Not ArchiveExtension, because a copy must only be found for its original,
/// not by its build ID.
static constexpr char CopyExtension[] = ".copy";

/// Copying smaller archives takes less time than finding their copies.
static constexpr uint64_t SmallestCopy = uint64_t(4) << 20;

/// The key of the copy of the archive at \p Path. None if no copy is kept,
/// because only checksums show that it is the same archive.
static std::optional<CacheKey> copyKey(StringRef Path) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) || !sys::fs::is_regular_file(Status) ||
      Status.getSize() < SmallestCopy)
    return std::nullopt;
  Expected<std::optional<std::string>> Directory = readArchiveDirectory(Path);
  if (!Directory) {
    // Archive::open reports the error.
    consumeError(Directory.takeError());
    return std::nullopt;
  }
  if (!*Directory)
    return std::nullopt;
  CacheKey Key = keyOfKind("copy", CopyRevision);
  Key.add(Status.getSize()).add(**Directory);
  return Key;
}

/// Maps the archive at \p Where, with \p Name as its name.
static Expected<Archive> mapAs(StringRef Where, StringRef Name) {
  Expected<sys::fs::file_t> File = sys::fs::openNativeFileForRead(Where);
  if (!File)
    return make_error<SystemError>(errorToErrorCode(File.takeError()), Where);
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getOpenFile(
      *File, Name, /*FileSize=*/-1, /*RequiresNullTerminator=*/false);
  sys::fs::closeFile(*File);
  if (!Buffer)
    return make_error<SystemError>(Buffer.getError(), Where);
  return Archive::create(std::move(*Buffer));
}

/// The intact copy with \p Key; none if there is none.
static std::optional<Archive> findCopy(Cache &C, const CacheKey &Key,
                                       StringRef Path) {
  std::optional<std::string> Found = C.find(Key, CopyExtension);
  if (!Found)
    return std::nullopt;
  Expected<Archive> A = mapAs(*Found, Path);
  Error E = A ? A->verifySmallParts() : A.takeError();
  if (!E)
    return std::move(*A);
  consumeError(std::move(E));
  return std::nullopt;
}

static Error verifyWhole(const Archive &A) {
  // Users of verified archives read all parts of them.
  if (Error E = A.unpackAll())
    return E;
  return A.hasChecksums() ? A.verifyChecksums() : verify(A);
}

/// Stores the verified archive \p A in the cache, and maps the copy. Returns
/// \p A if the cache cannot be used.
static Archive keepCopy(Cache &C, const CacheKey &Key, Archive A) {
  auto Write = [&](raw_ostream &OS) -> Expected<CacheKey> {
    OS << A.buffer().getBuffer();
    return Key;
  };
  Expected<std::string> Where = C.put(CopyExtension, Write);
  if (!Where) {
    consumeError(Where.takeError());
    return A;
  }
  Expected<Archive> Copy = mapAs(*Where, A.name());
  if (Copy)
    return std::move(*Copy);
  consumeError(Copy.takeError());
  return A;
}

Expected<Archive> openStableArchive(StringRef Path) {
  Cache C;
  if (C.isEntry(Path))
    return Archive::open(Path, FileAccess::Map);
  if (std::optional<CacheKey> Key = copyKey(Path))
    if (std::optional<Archive> Copy = findCopy(C, *Key, Path))
      return std::move(*Copy);
  return Archive::open(Path, FileAccess::Copy);
}

Expected<Archive> openVerifiedArchive(StringRef Path) {
  Cache C;
  bool IsEntry = C.isEntry(Path);
  std::optional<CacheKey> Key;
  if (!IsEntry && (Key = copyKey(Path)))
    if (std::optional<Archive> Copy = findCopy(C, *Key, Path))
      return std::move(*Copy);
  Expected<Archive> A =
      Archive::open(Path, IsEntry ? FileAccess::Map : FileAccess::Copy);
  if (!A)
    return A;
  // Entries were verified, or made by this program, before they were stored.
  if (Error E = IsEntry && A->hasChecksums() ? A->verifySmallParts()
                                             : verifyWhole(*A))
    return E;
  return Key ? keepCopy(C, *Key, std::move(*A)) : std::move(A);
}

} // namespace lidia
