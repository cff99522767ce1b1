//===- Decompress.cpp - Decompresses sections -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompress.h"
#include "llvm/Support/FormatVariadic.h"
#include <lzma.h>
#include <vector>
#if LIDIA_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif
#include <zstd.h>

using namespace llvm;

namespace lidia {

/// Bytes decompressed at a time: enough to hide the cost of system calls, few
/// enough to stay in the second-level cache.
static constexpr size_t ChunkSize = 256 * 1024;

/// The maximum number of bytes that a byte of input can expand to: a zlib match
/// of 258 bytes takes two bits at least; a zstd block of 128 KiB takes four
/// bytes.
static uint64_t maxRatio(Compression How) {
  return How == Compression::Zlib ? 1040 : 128 * 1024 / 4;
}

/// Sections that expand to no more than this may have any compression ratio.
static constexpr uint64_t MostUnlikely = 16 << 20;

static Error corrupt(const Twine &Why) {
  return createStringError("compressed data are corrupt: " + Why);
}

namespace {

/// A zlib stream being decompressed. ISA-L takes half of zlib's time, which was
/// a third of the total for a file with 170 MB of compressed .debug_info.
class Inflater {
public:
  enum Status { More, End, Broken };

  explicit Inflater(StringRef Packed) : Packed(Packed) { start(); }
  ~Inflater() { finish(); }
  Inflater(const Inflater &) = delete;
  Inflater &operator=(const Inflater &) = delete;

  /// Decompresses the next bytes into \p Chunk and stores their number in
  /// \p Produced. More with none produced means that the input ends
  /// prematurely.
  Status next(MutableArrayRef<uint8_t> Chunk, size_t &Produced) {
    if (!Stream.avail_in) {
      // avail_in has 32 bits.
      StringRef Part = Packed.take_front(1u << 30);
      Stream.next_in = const_cast<uint8_t *>(Part.bytes_begin());
      Stream.avail_in = Part.size();
      Packed = Packed.drop_front(Part.size());
    }
    Stream.next_out = Chunk.data();
    Stream.avail_out = Chunk.size();
    Status S = step();
    Produced = Chunk.size() - Stream.avail_out;
    return S;
  }

  bool inputLeft() const { return Stream.avail_in || !Packed.empty(); }

private:
#if LIDIA_HAVE_ISAL
  void start() {
    isal_inflate_init(&Stream);
    Stream.crc_flag = ISAL_ZLIB;
  }
  void finish() {}
  Status step() {
    if (isal_inflate(&Stream) != ISAL_DECOMP_OK)
      return Broken;
    return Stream.block_state == ISAL_BLOCK_FINISH ? End : More;
  }
  inflate_state Stream;
#else
  void start() { inflateInit(&Stream); }
  void finish() { inflateEnd(&Stream); }
  Status step() {
    int Result = inflate(&Stream, Z_NO_FLUSH);
    if (Result == Z_STREAM_END)
      return End;
    return Result == Z_OK || Result == Z_BUF_ERROR ? More : Broken;
  }
  z_stream Stream = {};
#endif

  StringRef Packed;
};

} // namespace

static Error inflateInto(TemporaryMapping &Out, StringRef Packed,
                         uint64_t Size) {
  std::vector<uint8_t> Chunk(ChunkSize);
  auto Stream = std::make_unique<Inflater>(Packed); // ISA-L's has 80 kB
  while (true) {
    size_t Produced;
    Inflater::Status Status = Stream->next(Chunk, Produced);
    if (Status == Inflater::Broken)
      return corrupt("not a zlib stream");
    if (Out.size() + Produced > Size)
      return corrupt("more bytes than the header says");
    if (Error E = Out.append(ArrayRef(Chunk).take_front(Produced)))
      return E;
    if (Status == Inflater::End)
      return Error::success();
    if (!Produced && !Stream->inputLeft())
      return corrupt("they end too early");
  }
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
  bool Impossible = Size / maxRatio(How) > Packed.size();
  // Debug information shrinks to a third, or a tenth. Data that shrank to less
  // than a hundredth is repetition.
  bool Bomb = Size > MostUnlikely && Size / 100 > Packed.size();
  if (Impossible || Bomb)
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

/// Symbol tables compress to a quarter; a hundredth leaves a margin for
/// padding.
static uint64_t maxXzSize(StringRef Packed) {
  return (16 << 20) + 100 * uint64_t(Packed.size());
}

static const char *describe(lzma_ret Result) {
  switch (Result) {
  case LZMA_MEMLIMIT_ERROR:
    return "they need too much memory";
  case LZMA_FORMAT_ERROR:
    return "not an xz stream";
  case LZMA_BUF_ERROR:
    return "they end too early";
  case LZMA_OPTIONS_ERROR:
    return "made with unknown options";
  default:
    return "damaged xz stream";
  }
}

static Error unxzInto(TemporaryMapping &Out, StringRef Packed,
                      lzma_stream &Stream) {
  std::vector<uint8_t> Chunk(ChunkSize);
  Stream.next_in = Packed.bytes_begin();
  Stream.avail_in = Packed.size();
  lzma_ret Result = LZMA_OK;
  while (Result == LZMA_OK) {
    Stream.next_out = Chunk.data();
    Stream.avail_out = Chunk.size();
    Result = lzma_code(&Stream, LZMA_FINISH);
    size_t Produced = Chunk.size() - Stream.avail_out;
    if (Out.size() + Produced > maxXzSize(Packed))
      return createStringError(formatv("{0} bytes unpack to more than {1}",
                                       Packed.size(), maxXzSize(Packed))
                                   .str());
    if (Error E = Out.append(ArrayRef(Chunk).take_front(Produced)))
      return E;
  }
  return Result == LZMA_STREAM_END ? Error::success()
                                   : corrupt(describe(Result));
}

Expected<std::unique_ptr<TemporaryMapping>> decompressXz(StringRef Packed) {
  constexpr uint64_t MemoryLimit = 80 << 20;
  Expected<std::unique_ptr<TemporaryMapping>> Out = TemporaryMapping::create();
  if (!Out)
    return Out;
  lzma_stream Stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&Stream, MemoryLimit, 0) != LZMA_OK)
    return createStringError("cannot start liblzma");
  Error E = unxzInto(**Out, Packed, Stream);
  lzma_end(&Stream);
  if (E)
    return E;
  if (Error E = (*Out)->map())
    return E;
  return Out;
}

} // namespace lidia
