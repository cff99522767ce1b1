//===- WorkFolder.cpp - Members of packages on the disk -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkFolder.h"
#include "lidia/Archive/Compression.h"
#include "lidia/Error.h"
#include "lidia/Store/OpenArchive.h"

using namespace lidia;
using namespace llvm;

Expected<WorkFilePointer> WorkFolder::write(StringRef Name, StringRef First,
                                            uint64_t Size, PackageBytes Bytes) {
  ErrorOr<UnfinishedFile> File =
      UnfinishedFile::create(Path, "member-", "", 0600, Output);
  if (!File)
    return make_error<SystemError>(File.getError(), Path);
  File->os() << First;
  uint64_t Written = First.size();
  while (true) {
    Expected<StringRef> Piece = Bytes();
    if (!Piece)
      return Piece.takeError();
    if (Piece->empty())
      break;
    Written += Piece->size();
    if (Written > Size)
      return make_error<DamagedError>(Name, "is longer than its package says");
    File->os() << *Piece;
  }
  if (std::error_code EC = File->close())
    return make_error<SystemError>(
        EC, Name, "cannot be written to " + Path + ": " + EC.message());
  Used += Size;
  return std::make_shared<WorkFile>(std::move(*File), Used, Size);
}

Expected<WorkFilePointer> WorkFolder::compress(StringRef From) {
  ErrorOr<UnfinishedFile> File =
      UnfinishedFile::create(Path, "archive-", "", 0600, Output);
  if (!File)
    return make_error<SystemError>(File.getError(), Path);
  auto Write = [&](raw_ostream &OS) -> Error {
    return readWhole(From, [&](StringRef Piece) { OS << Piece; });
  };
  if (Error E = writeCompressed(File->os(), CompressionOptions(), Write))
    return E;
  if (std::error_code EC = File->close())
    return make_error<SystemError>(
        EC, From, "cannot be written to " + Path + ": " + EC.message());
  uint64_t Size = 0;
  (void)sys::fs::file_size(File->path(), Size);
  Used += Size;
  return std::make_shared<WorkFile>(std::move(*File), Used, Size);
}
