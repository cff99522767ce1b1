//===- UnpackedArchive.cpp - Unpacks compressed archives to the cache -----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "Support/InputFile.h"
#include "lidia/Archive/Compression.h"
#include "lidia/Cache/CachedFiles.h"
#include "lidia/Error.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace lidia {

/// Increment it when the archive unpacked from the same file changes.
static constexpr uint64_t UnpackedRevision = 1;

static CacheKey unpackedKey(StringRef Path, const sys::fs::file_status &S) {
  sys::fs::UniqueID File = S.getUniqueID();
  CacheKey Key = keyOfKind("unpacked", UnpackedRevision);
  return Key.add(Path)
      .add(S.getSize())
      .add(S.getLastModificationTime().time_since_epoch().count())
      .add(File.getDevice())
      .add(File.getFile());
}

Expected<CachedFile> cachedUnpacked(Cache &C, StringRef Path) {
  Clock::time_point Start = Clock::now();
  sys::fs::file_status Status;
  if (std::error_code EC = sys::fs::status(Path, Status))
    return make_error<SystemError>(EC, Path);
  // Reading a pipe may never end, or never begin.
  if (!sys::fs::is_regular_file(Status))
    return make_error<UnsupportedError>(Path, "not a regular file");
  auto Write = [&](raw_ostream &OS) -> Error {
    Expected<sys::fs::file_t> File = openRegularFile(Path);
    if (!File)
      return File.takeError();
    // The file is not mapped, because another program may truncate it.
    std::vector<char> Piece(128 * 1024);
    auto Next = [&]() -> Expected<StringRef> {
      Expected<size_t> Count = sys::fs::readNativeFile(*File, Piece);
      if (!Count)
        return addPrefix(Path, Count.takeError());
      return StringRef(Piece.data(), *Count);
    };
    Error E = unpackArchive(Path, Status.getSize(), Next, OS);
    sys::fs::closeFile(*File);
    return E;
  };
  CachedFile Unpacked;
  if (Error E = C.get(unpackedKey(Path, Status), ArchiveExtension, Write,
                      &Unpacked.Made)
                    .moveInto(Unpacked.Path))
    return E;
  Unpacked.Seconds = secondsSince(Start);
  return Unpacked;
}

} // namespace lidia
