//===- UnpackedArchive.cpp - Archives compressed by zstd ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "lidia/Cache/CachedFiles.h"
#include "llvm/Support/FileSystem.h"
#include <zstd.h>

using namespace llvm;

namespace lidia {

/// Increment it when the same compressed file gives another archive.
static constexpr uint64_t UnpackedRevision = 1;

namespace {
/// Unpacks a file piece by piece. Trusts nothing that the file says.
class Unpacker {
public:
  Unpacker(StringRef Path, sys::fs::file_t File, uint64_t Size, raw_ostream &OS)
      : Path(Path), File(File), Most((16 << 20) + 100 * Size), OS(OS) {}

  Error run();

private:
  Error error(const Twine &Message) const {
    return createStringError(Path + ": " + Message);
  }
  /// Unpacks the bytes of \p In. \p Left is zero at the end of a frame.
  Error unpack(ZSTD_DStream *Stream, ZSTD_inBuffer In, size_t &Left);
  Error take(StringRef Bytes);

  StringRef Path;
  sys::fs::file_t File;
  uint64_t Most;
  uint64_t Read = 0;
  uint64_t Written = 0;
  raw_ostream &OS;
  std::vector<char> Out = std::vector<char>(ZSTD_DStreamOutSize());
};
} // namespace

Error Unpacker::take(StringRef Bytes) {
  if (Bytes.empty())
    return Error::success();
  if (!Written && !Archive::hasMagic(Bytes))
    return error("does not contain an archive");
  Written += Bytes.size();
  if (Written > Most)
    return error("unpacks to more than " + Twine(Most) +
                 " bytes, which no archive of its size does");
  OS << Bytes;
  return Error::success();
}

Error Unpacker::unpack(ZSTD_DStream *Stream, ZSTD_inBuffer In, size_t &Left) {
  ZSTD_outBuffer Buffer;
  do {
    Buffer = {Out.data(), Out.size(), 0};
    Left = ZSTD_decompressStream(Stream, &Buffer, &In);
    if (ZSTD_isError(Left))
      return error(Twine("cannot be unpacked: ") + ZSTD_getErrorName(Left));
    if (Error E = take(StringRef(Out.data(), Buffer.pos)))
      return E;
    // A full buffer may mean that more output is waiting.
  } while (In.pos != In.size || Buffer.pos == Out.size());
  return Error::success();
}

Error Unpacker::run() {
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> Stream(
      ZSTD_createDStream(), ZSTD_freeDStream);
  if (!Stream)
    return error("cannot start zstd");
  std::vector<char> Chunk(ZSTD_DStreamInSize());
  size_t Left = 1;
  while (true) {
    Expected<size_t> Count = sys::fs::readNativeFile(File, Chunk);
    if (!Count)
      return error(toString(Count.takeError()));
    if (!*Count)
      break;
    Read += *Count;
    // A file with holes can have any number of empty blocks.
    if (Read > (1 << 20) + 2 * Written)
      return error("cannot be unpacked: it has too many empty blocks");
    if (Error E = unpack(Stream.get(), {Chunk.data(), *Count, 0}, Left))
      return E;
  }
  return Left ? error("cannot be unpacked: it ends too early")
              : Error::success();
}

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
    return createFileError(Path, EC);
  // A pipe would never end, or never begin.
  if (!sys::fs::is_regular_file(Status))
    return createStringError(Path + ": not a regular file");
  auto Write = [&](raw_ostream &OS) -> Error {
    Expected<sys::fs::file_t> File = sys::fs::openNativeFileForRead(Path);
    if (!File)
      return createFileError(Path, File.takeError());
    Error E = Unpacker(Path, *File, Status.getSize(), OS).run();
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
