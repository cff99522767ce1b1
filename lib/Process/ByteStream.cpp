//===- ByteStream.cpp - Bytes that can be read once -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteStream.h"
#include "lidia/Error.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Errno.h"
#include <cstring>
#include <dlfcn.h>
#include <lzma.h>
#include <string>
#include <unistd.h>
#include <vector>
#include <zstd.h>

using namespace llvm;

namespace lidia {

// The first bytes of a frame: RFC 8878, lz4's doc/lz4_Frame_format.md and xz's
// doc/xz-file-format.txt.
constexpr uint32_t ZstdMagic = 0xfd2fb528;
constexpr uint32_t LZ4Magic = 0x184d2204;
constexpr uint32_t XzMagic = 0x587a37fd;

static uint32_t magicOf(ArrayRef<uint8_t> Bytes) {
  return Bytes.size() < 4 ? 0 : support::endian::read32le(Bytes.data());
}

bool isPackedStream(ArrayRef<uint8_t> Bytes) {
  uint32_t Magic = magicOf(Bytes);
  return Magic == ZstdMagic || Magic == LZ4Magic || Magic == XzMagic;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

namespace {

class DescriptorStream final : public ByteStream {
public:
  DescriptorStream(int Number, std::string Name)
      : Number(Number), Name(std::move(Name)) {}

  Expected<size_t> read(MutableArrayRef<uint8_t> To) override {
    if (!Begin.empty()) {
      size_t Count = std::min(To.size(), Begin.size());
      std::memcpy(To.data(), Begin.data(), Count);
      Begin.erase(Begin.begin(), Begin.begin() + ptrdiff_t(Count));
      return Count;
    }
    ssize_t Got = sys::RetryAfterSignal(
        -1, ::read, Number, static_cast<void *>(To.data()), To.size());
    if (Got < 0)
      return make_error<SystemError>(errnoAsErrorCode(), Name);
    return size_t(Got);
  }

  /// The first bytes, at most \p Count; read() returns them again.
  Expected<ArrayRef<uint8_t>> peek(size_t Count) {
    std::vector<uint8_t> Bytes(Count);
    size_t Done = 0;
    while (Done != Count) {
      Expected<size_t> Got = read(MutableArrayRef(Bytes).drop_front(Done));
      if (!Got)
        return Got.takeError();
      if (*Got == 0)
        break;
      Done += *Got;
    }
    Bytes.resize(Done);
    Begin = std::move(Bytes);
    return ArrayRef(Begin);
  }

private:
  const int Number;
  const std::string Name;
  std::vector<uint8_t> Begin;
};

/// The base class of the streams below, which read compressed bytes in pieces.
class UnpackedStream : public ByteStream {
public:
  UnpackedStream(std::unique_ptr<ByteStream> Packed, std::string Name)
      : Packed(std::move(Packed)), Name(std::move(Name)) {}

  Expected<size_t> read(MutableArrayRef<uint8_t> To) final {
    while (true) {
      // The decoder may have more output without more input.
      size_t Used = 0;
      Expected<size_t> Got = unpack(ArrayRef(Piece).drop_front(At), Used, To);
      if (!Got)
        return Got.takeError();
      At += Used;
      if (*Got != 0)
        return *Got;
      if (At != Piece.size() && Used == 0)
        return damaged("the decoder makes no progress");
      if (At != Piece.size())
        continue;
      Piece.resize(PieceSize);
      At = 0;
      Expected<size_t> More = Packed->read(Piece);
      if (!More)
        return More.takeError();
      Piece.resize(*More);
      if (*More == 0)
        return 0;
    }
  }

protected:
  /// Unpacks \p From to \p To, sets \p Used to the number of input bytes that
  /// were used, and returns the number of output bytes. At least one of these
  /// is not zero unless \p From is empty.
  virtual Expected<size_t> unpack(ArrayRef<uint8_t> From, size_t &Used,
                                  MutableArrayRef<uint8_t> To) = 0;

  Error damaged(const char *Why) const {
    return make_error<DamagedError>(Name, Twine("cannot be unpacked: ") + Why);
  }

private:
  static constexpr size_t PieceSize = 256 * 1024;

  const std::unique_ptr<ByteStream> Packed;
  const std::string Name;
  std::vector<uint8_t> Piece;
  size_t At = 0;
};

//===----------------------------------------------------------------------===//
// zstd
//===----------------------------------------------------------------------===//

class ZstdStream final : public UnpackedStream {
public:
  using UnpackedStream::UnpackedStream;

private:
  Expected<size_t> unpack(ArrayRef<uint8_t> From, size_t &Used,
                          MutableArrayRef<uint8_t> To) override {
    if (!Decoder)
      return damaged("out of memory");
    ZSTD_inBuffer In = {From.data(), From.size(), 0};
    ZSTD_outBuffer Out = {To.data(), To.size(), 0};
    size_t Left = ZSTD_decompressStream(Decoder.get(), &Out, &In);
    if (ZSTD_isError(Left))
      return damaged(ZSTD_getErrorName(Left));
    Used = In.pos;
    return Out.pos;
  }

  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> Decoder{
      ZSTD_createDStream(), ZSTD_freeDStream};
};

//===----------------------------------------------------------------------===//
// lz4
//===----------------------------------------------------------------------===//

/// The functions of liblz4's frames (lz4frame.h), which are stable since 1.8.
/// The library is loaded on demand, like libcurl, because only cores of older
/// systems are compressed by lz4.
struct LZ4Library {
  unsigned (*CreateContext)(void **Context, unsigned Version) = nullptr;
  size_t (*FreeContext)(void *Context) = nullptr;
  size_t (*Decompress)(void *Context, void *To, size_t *ToSize,
                       const void *From, size_t *FromSize,
                       const void *Options) = nullptr;
  unsigned (*IsError)(size_t Code) = nullptr;
  const char *(*ErrorName)(size_t Code) = nullptr;
  std::string Failure;

  LZ4Library() {
    void *Library = ::dlopen("liblz4.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!Library) {
      Failure = ::dlerror();
      return;
    }
    load(Library, "LZ4F_createDecompressionContext", CreateContext);
    load(Library, "LZ4F_freeDecompressionContext", FreeContext);
    load(Library, "LZ4F_decompress", Decompress);
    load(Library, "LZ4F_isError", IsError);
    load(Library, "LZ4F_getErrorName", ErrorName);
  }

  static Expected<const LZ4Library &> get() {
    static const LZ4Library Library;
    if (Library.Failure.empty())
      return Library;
    return make_error<UnsupportedError>(
        "", "files compressed by lz4 need liblz4, which cannot be loaded: " +
                Library.Failure + " (install Debian's package liblz4-1)");
  }

private:
  template <typename T> void load(void *Library, const char *Name, T &To) {
    To = reinterpret_cast<T>(::dlsym(Library, Name));
    if (!To)
      Failure = Twine(Name).concat(" is missing").str();
  }
};

class LZ4Stream final : public UnpackedStream {
public:
  LZ4Stream(const LZ4Library &Library, std::unique_ptr<ByteStream> Packed,
            std::string Name)
      : UnpackedStream(std::move(Packed), std::move(Name)), Library(Library) {
    constexpr unsigned Version = 100;
    if (Library.IsError(Library.CreateContext(&Context, Version)))
      Context = nullptr;
  }
  ~LZ4Stream() override {
    if (Context)
      Library.FreeContext(Context);
  }

private:
  Expected<size_t> unpack(ArrayRef<uint8_t> From, size_t &Used,
                          MutableArrayRef<uint8_t> To) override {
    if (!Context)
      return damaged("out of memory");
    size_t ToSize = To.size(), FromSize = From.size();
    size_t Left = Library.Decompress(Context, To.data(), &ToSize, From.data(),
                                     &FromSize, nullptr);
    if (Library.IsError(Left))
      return damaged(Library.ErrorName(Left));
    Used = FromSize;
    return ToSize;
  }

  const LZ4Library &Library;
  void *Context = nullptr;
};

//===----------------------------------------------------------------------===//
// xz
//===----------------------------------------------------------------------===//

class XzStream final : public UnpackedStream {
public:
  XzStream(std::unique_ptr<ByteStream> Packed, std::string Name)
      : UnpackedStream(std::move(Packed), std::move(Name)) {
    start();
  }
  ~XzStream() override { lzma_end(&In); }

private:
  void start() {
    // xz -9 needs 65 MiB.
    constexpr uint64_t MaxMemory = 128 << 20;
    HasStarted = lzma_stream_decoder(&In, MaxMemory, 0) == LZMA_OK;
    HasEnded = false;
  }

  Expected<size_t> unpack(ArrayRef<uint8_t> From, size_t &Used,
                          MutableArrayRef<uint8_t> To) override {
    if (HasEnded) {
      // There may be zero bytes between streams.
      while (Used != From.size() && From[Used] == 0)
        ++Used;
      if (Used == From.size())
        return 0;
      start();
    }
    if (!HasStarted)
      return damaged("out of memory");
    From = From.drop_front(Used);
    In.next_in = From.data();
    In.avail_in = From.size();
    In.next_out = To.data();
    In.avail_out = To.size();
    lzma_ret Result = lzma_code(&In, LZMA_RUN);
    Used += From.size() - In.avail_in;
    HasEnded = Result == LZMA_STREAM_END;
    if (Result == LZMA_MEMLIMIT_ERROR)
      return damaged("it needs more than 128 MiB of memory");
    // Without input there is no progress, which is not an error.
    if (Result != LZMA_OK && Result != LZMA_STREAM_END &&
        Result != LZMA_BUF_ERROR)
      return damaged("the xz stream is damaged");
    return To.size() - In.avail_out;
  }

  lzma_stream In = LZMA_STREAM_INIT;
  bool HasStarted = false;
  bool HasEnded = false;
};

} // namespace

Expected<std::unique_ptr<ByteStream>> openByteStream(int Number,
                                                     const Twine &Name) {
  auto Plain = std::make_unique<DescriptorStream>(Number, Name.str());
  Expected<ArrayRef<uint8_t>> Begin = Plain->peek(4);
  if (!Begin)
    return Begin.takeError();
  uint32_t Magic = magicOf(*Begin);
  if (Magic == ZstdMagic)
    return std::make_unique<ZstdStream>(std::move(Plain), Name.str());
  if (Magic == XzMagic)
    return std::make_unique<XzStream>(std::move(Plain), Name.str());
  if (Magic != LZ4Magic)
    return Plain;
  Expected<const LZ4Library &> Library = LZ4Library::get();
  if (!Library)
    return Library.takeError();
  return std::make_unique<LZ4Stream>(*Library, std::move(Plain), Name.str());
}

} // namespace lidia
