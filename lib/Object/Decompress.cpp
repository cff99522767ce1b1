//===- Decompress.cpp - Unpacks a compressed section ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Object/Decompress.h"
#include "llvm/Support/FormatVariadic.h"
#include <vector>
#include <zlib.h>
#include <zstd.h>

using namespace llvm;

namespace lidia {

/// What is unpacked at a time: large enough that the system calls do not show,
/// small enough to stay in the second-level cache.
static constexpr size_t ChunkSize = 256 * 1024;

/// The most bytes that a byte of input can become: a zlib match of 258 bytes
/// takes two bits at least; a zstd block of 128 KiB takes four bytes.
static uint64_t maxRatio(Compression How) {
  return How == Compression::Zlib ? 1040 : 128 * 1024 / 4;
}

static Error corrupt(const Twine &Why) {
  return createStringError("compressed data are corrupt: " + Why);
}

static Error inflateInto(TemporaryMapping &Out, StringRef Packed,
                         uint64_t Size) {
  std::vector<uint8_t> Chunk(ChunkSize);
  z_stream Stream = {};
  if (inflateInit(&Stream) != Z_OK)
    return createStringError("cannot start zlib");
  Error E = Error::success();
  int Status = Z_OK;
  while (Status == Z_OK && !E) {
    if (!Stream.avail_in) {
      // avail_in has 32 bits.
      StringRef Next = Packed.take_front(1u << 30);
      Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Next.data()));
      Stream.avail_in = Next.size();
      Packed = Packed.drop_front(Next.size());
    }
    Stream.next_out = Chunk.data();
    Stream.avail_out = Chunk.size();
    Status = inflate(&Stream, Z_NO_FLUSH);
    size_t Produced = Chunk.size() - Stream.avail_out;
    if (Out.size() + Produced > Size)
      E = corrupt("more bytes than the header says");
    else if (Status == Z_OK && !Produced && !Stream.avail_in && Packed.empty())
      E = corrupt("they end too early");
    else
      E = Out.append(ArrayRef(Chunk).take_front(Produced));
  }
  inflateEnd(&Stream);
  if (E)
    return E;
  if (Status != Z_STREAM_END)
    return corrupt(Status == Z_BUF_ERROR ? "they end too early"
                                         : "not a zlib stream");
  return Error::success();
}

static Error unzstdInto(TemporaryMapping &Out, StringRef Packed,
                        uint64_t Size) {
  std::vector<uint8_t> Chunk(ChunkSize);
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> Stream(
      ZSTD_createDStream(), ZSTD_freeDStream);
  if (!Stream)
    return createStringError("cannot start zstd");
  ZSTD_inBuffer In = {Packed.data(), Packed.size(), 0};
  size_t Left = 1;
  while (Left) {
    ZSTD_outBuffer Buffer = {Chunk.data(), Chunk.size(), 0};
    Left = ZSTD_decompressStream(Stream.get(), &Buffer, &In);
    if (ZSTD_isError(Left))
      return corrupt(ZSTD_getErrorName(Left));
    if (Left && !Buffer.pos && In.pos == In.size)
      return corrupt("they end too early");
    if (Out.size() + Buffer.pos > Size)
      return corrupt("more bytes than the header says");
    if (Error E = Out.append(ArrayRef(Chunk).take_front(Buffer.pos)))
      return E;
  }
  return Error::success();
}

Expected<std::unique_ptr<TemporaryMapping>>
decompress(StringRef Packed, Compression How, uint64_t Size) {
  if (Size / maxRatio(How) > Packed.size())
    return createStringError(
        formatv("claims that {0} bytes unpack to {1}", Packed.size(), Size)
            .str());
  Expected<std::unique_ptr<TemporaryMapping>> Out = TemporaryMapping::create();
  if (!Out)
    return Out;
  if (Error E = How == Compression::Zlib ? inflateInto(**Out, Packed, Size)
                                         : unzstdInto(**Out, Packed, Size))
    return E;
  if ((*Out)->size() != Size)
    return corrupt("fewer bytes than the header says");
  if (Error E = (*Out)->map())
    return E;
  return Out;
}

} // namespace lidia
