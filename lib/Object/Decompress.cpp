//===- Decompress.cpp - Decompresses sections and files -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompress.h"
#include "lidia/Error.h"
#include "lidia/Object/FileKind.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>
#include <lzma.h>
#include <optional>
#include <zlib.h>
#include <zstd.h>
#if LIDIA_HAVE_ISAL
#include <dlfcn.h>
#include <isa-l/igzip_lib.h>
// Defined in programs that link ISA-L.
#pragma weak isal_inflate
#pragma weak isal_inflate_init
#endif

using namespace llvm;

namespace lidia {

/// The number of bytes decompressed to memory in one step. ISA-L copies about
/// 100 KiB in each call.
static constexpr size_t StepSize = 2 << 20;

/// The maximum number of output bytes for each input byte: a zlib match of 258
/// bytes takes at least two bits; a zstd block of 128 KiB takes four bytes.
static uint64_t maxRatio(Compression How) {
  return How == Compression::Zlib ? 1040 : 128 * 1024 / 4;
}

/// Sections that expand to at most this size may have any compression ratio.
static constexpr uint64_t MaxUnlikely = 16 << 20;
/// Larger sections may expand to at most this multiple of their size. Debug
/// information shrinks to a third or a tenth; data that shrinks more is
/// repetitive.
static constexpr uint64_t MaxTimes = 100;

static Error corrupt(const Twine &Why) {
  return make_error<DamagedError>("", "compressed data are corrupt: " + Why);
}

class Unpacker::Stream {
public:
  enum Status { More, End };

  virtual ~Stream() = default;
  /// Decompresses the next bytes to \p To and sets \p Produced to their number.
  /// Status More without output and without input left means that the input is
  /// truncated.
  virtual Expected<Status> next(MutableArrayRef<uint8_t> To,
                                size_t &Produced) = 0;
  virtual uint64_t inputLeft() const = 0;
};

namespace {

struct ZlibInflater {
  using State = z_stream;

  void start(State &S) {
    S = {};
    inflateInit(&S);
  }
  void finish(State &S) { inflateEnd(&S); }
  std::optional<Unpacker::Stream::Status> step(State &S) {
    int Result = inflate(&S, Z_NO_FLUSH);
    if (Result == Z_STREAM_END)
      return Unpacker::Stream::End;
    if (Result == Z_OK || Result == Z_BUF_ERROR)
      return Unpacker::Stream::More;
    return std::nullopt;
  }
};

#if LIDIA_HAVE_ISAL
/// ISA-L needs half of zlib's time, which was a third of the total for a file
/// with 170 MB of compressed .debug_info. Unless the program links it, it is
/// loaded here: to bind its 200 functions takes a third of the time of the
/// dynamic linker, and lookups do not need it.
struct ISALInflater {
  using State = inflate_state;

  ISALInflater();
  bool isLoaded() const { return Init && Inflate; }

  void start(State &S) {
    Init(&S);
    S.crc_flag = ISAL_ZLIB;
  }
  void finish(State &) {}
  std::optional<Unpacker::Stream::Status> step(State &S) {
    if (Inflate(&S) != ISAL_DECOMP_OK)
      return std::nullopt;
    return S.block_state == ISAL_BLOCK_FINISH ? Unpacker::Stream::End
                                              : Unpacker::Stream::More;
  }

  decltype(&isal_inflate_init) Init = &isal_inflate_init;
  decltype(&isal_inflate) Inflate = &isal_inflate;
};

ISALInflater::ISALInflater() {
  if (isLoaded())
    return;
  void *Library = ::dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!Library)
    return;
  Init =
      reinterpret_cast<decltype(Init)>(::dlsym(Library, "isal_inflate_init"));
  Inflate =
      reinterpret_cast<decltype(Inflate)>(::dlsym(Library, "isal_inflate"));
}
#endif

template <typename Inflater> class ZlibStream final : public Unpacker::Stream {
public:
  ZlibStream(StringRef Packed, Inflater How) : How(How), Packed(Packed) {
    How.start(Stream);
  }
  ~ZlibStream() override { How.finish(Stream); }
  ZlibStream(const ZlibStream &) = delete;
  ZlibStream &operator=(const ZlibStream &) = delete;

  Expected<Status> next(MutableArrayRef<uint8_t> To,
                        size_t &Produced) override {
    if (!Stream.avail_in) {
      // avail_in has 32 bits.
      StringRef Part = Packed.take_front(1u << 30);
      Stream.next_in = const_cast<uint8_t *>(Part.bytes_begin());
      Stream.avail_in = Part.size();
      Packed = Packed.drop_front(Part.size());
    }
    Stream.next_out = To.data();
    Stream.avail_out = To.size();
    std::optional<Status> S = How.step(Stream);
    Produced = To.size() - Stream.avail_out;
    if (!S)
      return corrupt("not a zlib stream");
    return *S;
  }

  uint64_t inputLeft() const override {
    return Stream.avail_in + Packed.size();
  }

private:
  Inflater How;
  typename Inflater::State Stream;
  StringRef Packed;
};

/// Without ISA-L, zlib serves.
std::unique_ptr<Unpacker::Stream> makeZlibStream(StringRef Packed) {
#if LIDIA_HAVE_ISAL
  static const ISALInflater ISAL;
  if (ISAL.isLoaded())
    return std::make_unique<ZlibStream<ISALInflater>>(Packed, ISAL);
#endif
  return std::make_unique<ZlibStream<ZlibInflater>>(Packed, ZlibInflater());
}

class ZstdStream final : public Unpacker::Stream {
public:
  explicit ZstdStream(StringRef Packed)
      : In{Packed.data(), Packed.size(), 0},
        Context(ZSTD_createDStream(), ZSTD_freeDStream) {}

  Expected<Status> next(MutableArrayRef<uint8_t> To,
                        size_t &Produced) override {
    if (!Context)
      return make_error<SystemError>(
          std::make_error_code(std::errc::not_enough_memory), "",
          "cannot start zstd");
    ZSTD_outBuffer Buffer = {To.data(), To.size(), 0};
    size_t Left = ZSTD_decompressStream(Context.get(), &Buffer, &In);
    if (ZSTD_isError(Left))
      return corrupt(ZSTD_getErrorName(Left));
    Produced = Buffer.pos;
    return Left ? More : End;
  }

  uint64_t inputLeft() const override { return In.size - In.pos; }

private:
  ZSTD_inBuffer In;
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> Context;
};

} // namespace

Unpacker::Unpacker(StringRef Packed, uint64_t Size,
                   std::unique_ptr<TemporaryMapping> Out,
                   std::unique_ptr<Stream> In)
    : Packed(Packed), Size(Size), Out(std::move(Out)), In(std::move(In)) {}
Unpacker::~Unpacker() = default;

StringRef Unpacker::consumed() const {
  return Packed.drop_back(In->inputLeft());
}

Expected<std::unique_ptr<Unpacker>> Unpacker::create(StringRef Packed,
                                                     Compression How,
                                                     uint64_t Size,
                                                     bool AnySize) {
  bool Impossible = Size / maxRatio(How) > Packed.size();
  bool Bomb = Size > MaxUnlikely && Size / MaxTimes > Packed.size();
  if (Impossible || Bomb)
    return make_error<LimitError>(
        "", formatv("declares that {0} bytes unpack to {1}; above {2} MiB, the "
                    "limit is {3} times the packed size",
                    Packed.size(), Size, MaxUnlikely >> 20, MaxTimes)
                .str());
  std::unique_ptr<TemporaryMapping> Out;
  if (AnySize)
    Out = TemporaryMapping::createInMemory(Size);
  if (!Out)
    if (Error E = TemporaryMapping::createFor(Size).moveInto(Out))
      return E;
  std::unique_ptr<Stream> In;
  if (How == Compression::Zlib)
    In = makeZlibStream(Packed);
  else
    In = std::make_unique<ZstdStream>(Packed);
  return std::unique_ptr<Unpacker>(
      new Unpacker(Packed, Size, std::move(Out), std::move(In)));
}

Error Unpacker::step() {
  size_t Produced = 0;
  MutableArrayRef<uint8_t> Room = Out->room();
  Expected<Stream::Status> Status =
      In->next(Room.take_front(std::min(Room.size(), StepSize)), Produced);
  if (!Status)
    return Status.takeError();
  if (Out->size() + Produced > Size)
    return corrupt("more bytes than the header says");
  if (Error E = Out->append(Produced))
    return E;
  if (*Status == Stream::More)
    return Produced || In->inputLeft() ? Error::success()
                                       : corrupt("they end too early");
  if (Out->size() != Size)
    return corrupt("fewer bytes than the header says");
  AtEnd = true;
  return Out->map();
}

Expected<std::unique_ptr<TemporaryMapping>>
decompress(StringRef Packed, Compression How, uint64_t Size) {
  Expected<std::unique_ptr<Unpacker>> U = Unpacker::create(Packed, How, Size);
  if (!U)
    return U.takeError();
  while (!(*U)->atEnd())
    if (Error E = (*U)->step())
      return E;
  return (*U)->takeOutput();
}

//===----------------------------------------------------------------------===//
// Files, whose size is unknown
//===----------------------------------------------------------------------===//

/// Symbol tables and debug information compress to a quarter. A hundredth
/// leaves a margin for padding.
uint64_t maxUnpackedSize(StringRef Packed) {
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

namespace {

class XzStream final : public Unpacker::Stream {
public:
  explicit XzStream(StringRef Packed) {
    constexpr uint64_t MemoryLimit = 80 << 20;
    HasStarted = lzma_stream_decoder(&In, MemoryLimit, 0) == LZMA_OK;
    In.next_in = Packed.bytes_begin();
    In.avail_in = Packed.size();
  }
  ~XzStream() override { lzma_end(&In); }
  XzStream(const XzStream &) = delete;
  XzStream &operator=(const XzStream &) = delete;

  Expected<Status> next(MutableArrayRef<uint8_t> To,
                        size_t &Produced) override {
    if (!HasStarted)
      return make_error<SystemError>(
          std::make_error_code(std::errc::not_enough_memory), "",
          "cannot start liblzma");
    In.next_out = To.data();
    In.avail_out = To.size();
    lzma_ret Result = lzma_code(&In, LZMA_FINISH);
    Produced = To.size() - In.avail_out;
    if (Result != LZMA_OK && Result != LZMA_STREAM_END)
      return corrupt(describe(Result));
    return Result == LZMA_OK ? More : End;
  }

  uint64_t inputLeft() const override { return In.avail_in; }

private:
  lzma_stream In = LZMA_STREAM_INIT;
  bool HasStarted;
};

} // namespace

/// Decompresses \p In, whose input is \p Packed. With \p IsSequence, the input
/// may be several streams in sequence.
static Expected<std::unique_ptr<TemporaryMapping>>
unpackAll(Unpacker::Stream &In, StringRef Packed, bool IsSequence) {
  Expected<std::unique_ptr<TemporaryMapping>> Out = TemporaryMapping::create();
  if (!Out)
    return Out;
  while (true) {
    size_t Produced = 0;
    uint64_t Before = In.inputLeft();
    Expected<Unpacker::Stream::Status> Status =
        In.next((*Out)->room(), Produced);
    if (!Status)
      return Status.takeError();
    if ((*Out)->size() + Produced > maxUnpackedSize(Packed))
      return make_error<LimitError>(
          "", formatv("{0} bytes unpack to more than {1}", Packed.size(),
                      maxUnpackedSize(Packed))
                  .str());
    if (Error E = (*Out)->append(Produced))
      return E;
    if (*Status == Unpacker::Stream::End &&
        (!IsSequence || In.inputLeft() == 0))
      break;
    if (Produced == 0 && In.inputLeft() == Before)
      return corrupt("they end too early");
  }
  if (Error E = (*Out)->map())
    return E;
  return Out;
}

Expected<std::unique_ptr<TemporaryMapping>> decompressXz(StringRef Packed) {
  XzStream In(Packed);
  return unpackAll(In, Packed, /*IsSequence=*/false);
}

Expected<std::unique_ptr<TemporaryMapping>> decompressZstd(StringRef Packed) {
  ZstdStream In(Packed);
  return unpackAll(In, Packed, /*IsSequence=*/true);
}

/// The first four bytes of the content of \p Packed; none if it does not begin
/// as an xz or a zstd file.
static Expected<std::string> unpackStart(StringRef Packed) {
  std::unique_ptr<Unpacker::Stream> In;
  FileKind Kind = fileKind(Packed);
  if (Kind == FileKind::Xz)
    In = std::make_unique<XzStream>(Packed);
  else if (Kind == FileKind::Zstd)
    In = std::make_unique<ZstdStream>(Packed);
  else
    return std::string();
  std::array<uint8_t, 4> Bytes;
  size_t Produced = 0;
  Expected<Unpacker::Stream::Status> Status = In->next(Bytes, Produced);
  if (!Status)
    return Status.takeError();
  return toStringRef(ArrayRef(Bytes).take_front(Produced)).str();
}

bool isPackedELF(StringRef Packed) {
  Expected<std::string> Start = unpackStart(Packed);
  if (Start)
    return fileKind(*Start) == FileKind::ELF;
  consumeError(Start.takeError());
  return false;
}

Error checkPackedStart(StringRef Packed) {
  return unpackStart(Packed).takeError();
}

/// Whether the decompressed file at \p Path begins like a file of kind \p K.
static bool isPacked(StringRef Path, FileKind K) {
  if (!sys::fs::is_regular_file(Path))
    return false;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      MemoryBuffer::getFile(Path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return false;
  Expected<std::string> Start = unpackStart((*Buffer)->getBuffer());
  if (Start)
    return fileKind(*Start) == K;
  consumeError(Start.takeError());
  return false;
}

bool isPackedBinary(StringRef Path) { return isPacked(Path, FileKind::ELF); }

bool isPackedArchive(StringRef Path) {
  return isPacked(Path, FileKind::Archive);
}

Expected<std::unique_ptr<MemoryBuffer>> unpackFile(StringRef Packed) {
  Expected<std::unique_ptr<TemporaryMapping>> Mapping =
      fileKind(Packed) == FileKind::Xz ? decompressXz(Packed)
                                       : decompressZstd(Packed);
  if (!Mapping)
    return Mapping.takeError();
  return asBuffer(std::move(*Mapping));
}

} // namespace lidia
