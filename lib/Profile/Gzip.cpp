//===- Gzip.cpp - Gzip files ----------------------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gzip.h"
#include "lidia/Error.h"
#include "lidia/Object/FileKind.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <zlib.h>

using namespace llvm;

namespace lidia {

/// Selects a gzip header instead of zlib's.
static constexpr int GzipWindowBits = 15 + 16;
static constexpr size_t PartSize = 256 * 1024;

Expected<std::unique_ptr<MemoryBuffer>> unpackGzip(MemoryBufferRef Packed,
                                                   uint64_t Max) {
  StringRef Name = Packed.getBufferIdentifier();
  z_stream Stream = {};
  if (inflateInit2(&Stream, GzipWindowBits) != Z_OK)
    return make_error<SystemError>(
        std::make_error_code(std::errc::not_enough_memory), Name,
        "not enough memory to unpack it");
  StringRef Left = Packed.getBuffer();
  SmallVector<char, 0> Bytes;
  int Status = Z_OK;
  while (Status == Z_OK ||
         (Status == Z_STREAM_END && fileKind(Left) == FileKind::Gzip)) {
    if (Status == Z_STREAM_END)
      inflateReset(&Stream);
    size_t Done = Bytes.size();
    Bytes.resize_for_overwrite(Done + std::max(PartSize, Done / 2));
    size_t Taken = std::min<size_t>(Left.size(), 1 << 30);
    size_t Room = std::min<size_t>(Bytes.size() - Done, 1 << 30);
    Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Left.data()));
    Stream.avail_in = uInt(Taken);
    Stream.next_out = reinterpret_cast<Bytef *>(&Bytes[Done]);
    Stream.avail_out = uInt(Room);
    Status = inflate(&Stream, Z_NO_FLUSH);
    Left = Left.drop_front(Taken - Stream.avail_in);
    Bytes.truncate(Done + Room - Stream.avail_out);
    if (Bytes.size() > Max)
      break;
  }
  inflateEnd(&Stream);
  if (Bytes.size() > Max)
    return make_error<LimitError>(
        Name, "unpacks to more than " + Twine(Max) +
                  " bytes, the limit for a profile of its size");
  if (Status != Z_STREAM_END)
    return make_error<DamagedError>(Name, Status == Z_BUF_ERROR
                                              ? "its end is missing"
                                              : "its gzip data are damaged");
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(Bytes), Name, /*RequiresNullTerminator=*/false);
}

Expected<std::unique_ptr<MemoryBuffer>>
unpackProfile(std::unique_ptr<MemoryBuffer> File) {
  if (fileKind(File->getBuffer()) != FileKind::Gzip)
    return File;
  // Profiles are packed to about a tenth; gzip packs zeros to a thousandth.
  constexpr uint64_t Max = uint64_t(2) << 30;
  return unpackGzip(
      File->getMemBufferRef(),
      std::min(Max, (uint64_t(16) << 20) + 64 * File->getBufferSize()));
}

GzipStream::GzipStream(raw_ostream &OS)
    : OS(OS), Stream(std::make_unique<z_stream_s>()) {
  SetBufferSize(PartSize);
  *Stream = {};
  // Like pprof, because such files are often read and written again.
  if (deflateInit2(Stream.get(), Z_BEST_SPEED, Z_DEFLATED, GzipWindowBits,
                   /*memLevel=*/8, Z_DEFAULT_STRATEGY) != Z_OK)
    report_bad_alloc_error("no memory to pack a profile");
}

GzipStream::~GzipStream() {
  // An unfinished file must not be used.
  flush();
  deflateEnd(Stream.get());
}

void GzipStream::pack(const char *Data, size_t Size, int Flush) {
  char Packed[16 * 1024];
  Stream->next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Data));
  Stream->avail_in = uInt(Size);
  do {
    Stream->next_out = reinterpret_cast<Bytef *>(&Packed[0]);
    Stream->avail_out = sizeof(Packed);
    deflate(Stream.get(), Flush);
    OS.write(Packed, sizeof(Packed) - Stream->avail_out);
  } while (Stream->avail_out == 0);
}

void GzipStream::write_impl(const char *Data, size_t Size) {
  Position += Size;
  for (; Size > 1 << 30; Size -= 1 << 30, Data += 1 << 30)
    pack(Data, 1 << 30, Z_NO_FLUSH);
  pack(Data, Size, Z_NO_FLUSH);
}

void GzipStream::finish() {
  flush();
  pack(nullptr, 0, Z_FINISH);
}

} // namespace lidia
