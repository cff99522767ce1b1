//===- Compression.cpp - Archives compressed by zstd ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Compression.h"
#include "OpeningFrame.h"
#include "PackedParts.h"
#include "SeekTable.h"
#include "Support/Threads.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Threading.h"
#include <atomic>
#include <zstd.h>

using namespace lidia;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Compressing
//===----------------------------------------------------------------------===//

namespace {
/// A stream that collects some frames, compresses them at once and writes them
/// in order.
class CompressedStream : public raw_ostream {
public:
  CompressedStream(raw_ostream &OS, const CompressionOptions &Options)
      : raw_ostream(/*unbuffered=*/true), OS(OS), Options(Options),
        Threads(Options.Threads
                    ? Options.Threads
                    : hardware_concurrency().compute_thread_count()),
        Packed(size_t(Threads) * FramesPerThread), Failures(Packed.size()) {
    Plain.reserve(Packed.size() * Options.FrameSize);
  }

  /// Writes what is left, and the seek table. The error is zstd's.
  Error finish();

private:
  /// A thread compresses this many frames in about 20 ms.
  static constexpr size_t FramesPerThread = 16;

  void write_impl(const char *Bytes, size_t Size) override;
  uint64_t current_pos() const override { return Position; }
  void compress(ZSTD_CCtx *Context, StringRef Content, PackedFrame &F,
                size_t &Failure) const;
  /// Compresses what is in Plain.
  void packFrames();
  void write(const PackedFrame &F);
  /// Writes the frames that wait for the opening frame, and \p Opening.
  void writeHeld(StringRef Opening);

  raw_ostream &OS;
  const CompressionOptions Options;
  const unsigned Threads;
  /// What packFrames() makes, and zstd's errors, or zero.
  std::vector<PackedFrame> Packed;
  std::vector<size_t> Failures;
  std::vector<char> Plain;
  /// All frames so far, unless they are too many for an opening frame, which
  /// has copies of some of them and comes before.
  std::vector<PackedFrame> Held;
  bool IsHolding = true;
  SeekTable Table;
  uint64_t Position = 0;
  /// zstd's first error, or zero.
  size_t Failure = 0;
};
} // namespace

void CompressedStream::write_impl(const char *Bytes, size_t Size) {
  Position += Size;
  StringRef Rest(Bytes, Size);
  while (!Rest.empty()) {
    StringRef Now = Rest.take_front(Plain.capacity() - Plain.size());
    Plain.insert(Plain.end(), Now.begin(), Now.end());
    Rest = Rest.drop_front(Now.size());
    if (Plain.size() == Plain.capacity())
      packFrames();
  }
}

void CompressedStream::compress(ZSTD_CCtx *Context, StringRef Content,
                                PackedFrame &F, size_t &Failure) const {
  SmallVector<char, 0> Bytes;
  Bytes.resize_for_overwrite(ZSTD_compressBound(Content.size()));
  size_t Size = ZSTD_compress2(Context, Bytes.data(), Bytes.size(),
                               Content.data(), Content.size());
  Failure = ZSTD_isError(Size) ? Size : 0;
  Bytes.truncate(Failure ? 0 : Size);
  F.Bytes.assign(Bytes.begin(), Bytes.end());
  F.Entry = {0, uint32_t(Bytes.size()), uint32_t(Content.size()),
             frameChecksum(Content)};
}

void CompressedStream::packFrames() {
  StringRef All(Plain.data(), Plain.size());
  size_t Count = divideCeil(All.size(), Options.FrameSize);
  auto Content = [&](size_t I) {
    return All.substr(I * Options.FrameSize, Options.FrameSize);
  };
  std::atomic<size_t> Next{0};
  runOnThreads(unsigned(std::min<size_t>(Threads, Count)), [&] {
    std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> Context(
        ZSTD_createCCtx(), ZSTD_freeCCtx);
    if (!Context)
      report_bad_alloc_error("no memory to compress");
    // zstd -t verifies the checksums in frames, but not those in the seek
    // table.
    ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_compressionLevel,
                           Options.Level);
    for (size_t I; (I = Next++) < Count;)
      compress(Context.get(), Content(I), Packed[I], Failures[I]);
  });
  Plain.clear();
  for (size_t I = 0; I != Count; ++I) {
    if (!Failure)
      Failure = Failures[I];
    if (IsHolding)
      Held.push_back(std::move(Packed[I]));
    else
      write(Packed[I]);
  }
  if (IsHolding && Held.size() > OpeningFrame::MaxFrames) {
    writeHeld("");
    IsHolding = false;
  }
}

void CompressedStream::write(const PackedFrame &F) {
  OS << StringRef(F.Bytes.data(), F.Bytes.size());
  Table.Frames.push_back(F.Entry);
}

void CompressedStream::writeHeld(StringRef Opening) {
  for (PackedFrame &F : Held) {
    write(F);
    // Let go of what is written.
    F.Bytes = {};
    if (&F == &Held.front())
      OS << Opening;
  }
  if (!Opening.empty())
    Table.Opening = OpeningFrame::entry(Opening.size());
  Held.clear();
}

Error CompressedStream::finish() {
  packFrames();
  writeHeld(IsHolding ? OpeningFrame::make(Held) : "");
  Table.write(OS);
  if (Failure)
    return make_error<SystemError>(
        std::make_error_code(std::errc::not_enough_memory), "",
        Twine("cannot compress the archive: ") + ZSTD_getErrorName(Failure));
  return Error::success();
}

Error lidia::writeCompressed(raw_ostream &OS, const CompressionOptions &Options,
                             function_ref<Error(raw_ostream &)> Write) {
  CompressedStream Stream(OS, Options);
  if (Error E = Write(Stream))
    return E;
  return Stream.finish();
}

//===----------------------------------------------------------------------===//
// Unpacking
//===----------------------------------------------------------------------===//

bool lidia::hasOpeningFrame(StringRef Head, uint64_t FileSize) {
  return OpeningFrame::read(Head, FileSize).has_value();
}

bool lidia::isZstd(StringRef Bytes) {
  return Bytes.starts_with("\x28\xb5\x2f\xfd");
}

namespace {
/// Unpacks a file piece by piece.
class Unpacker {
public:
  Unpacker(StringRef Name, uint64_t Size, raw_ostream &OS)
      : Name(Name), Max(maxUnpacked(Size)), OS(OS) {}

  Error run(function_ref<Expected<StringRef>()> Next);

private:
  Error error(const Twine &Message) const {
    return make_error<DamagedError>(Name, Message);
  }
  /// Unpacks the bytes of \p In. \p Left is zero at the end of a frame.
  Error unpack(ZSTD_DStream *Stream, ZSTD_inBuffer In, size_t &Left);
  Error take(StringRef Bytes);

  StringRef Name;
  uint64_t Max;
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
    return make_error<NotAnArchiveError>(Name, "does not contain an archive");
  Written += Bytes.size();
  if (Written > Max)
    return make_error<LimitError>(
        Name, "unpacks to more than " + Twine(Max) +
                  " bytes, the limit for an archive of its size");
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

Error Unpacker::run(function_ref<Expected<StringRef>()> Next) {
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> Stream(
      ZSTD_createDStream(), ZSTD_freeDStream);
  if (!Stream)
    return make_error<SystemError>(
        std::make_error_code(std::errc::not_enough_memory), Name,
        "cannot start zstd");
  size_t Left = 1;
  while (true) {
    Expected<StringRef> Piece = Next();
    if (!Piece)
      return Piece.takeError();
    if (Piece->empty())
      break;
    Read += Piece->size();
    // A file with holes can have any number of empty blocks.
    if (Read > (1 << 20) + 2 * Written)
      return error("cannot be unpacked: it has too many empty blocks");
    if (Error E = unpack(Stream.get(), {Piece->data(), Piece->size(), 0}, Left))
      return E;
  }
  return Left ? error("cannot be unpacked: it ends too early")
              : Error::success();
}

Error lidia::unpackArchive(StringRef Name, uint64_t Size,
                           function_ref<Expected<StringRef>()> Next,
                           raw_ostream &OS) {
  return Unpacker(Name, Size, OS).run(Next);
}

Error lidia::unpackArchive(const RandomAccessReader &File, raw_ostream &OS) {
  constexpr uint64_t Step = 128 * 1024;
  uint64_t Offset = 0;
  SmallVector<char, 0> Storage;
  auto Next = [&]() -> Expected<StringRef> {
    uint64_t From = Offset;
    Offset += std::min(Step, File.size() - Offset);
    return File.read(From, Offset - From, Storage);
  };
  return unpackArchive(File.name(), File.size(), Next, OS);
}
