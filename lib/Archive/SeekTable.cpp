//===- SeekTable.cpp - Where the frames of a zstd file are ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SeekTable.h"
#include "lidia/Error.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <memory>
#include <zstd.h>

using namespace lidia;
using namespace llvm;

static constexpr uint32_t SkippableMagic = 0x184d2a5e;
static constexpr uint32_t SeekableMagic = 0x8f92eab1;
/// Magic and size of the skippable frame.
static constexpr uint64_t HeadSize = 8;
/// Number of frames, descriptor, magic.
static constexpr uint64_t FooterSize = 9;
/// Bits of the descriptor.
static constexpr uint8_t ChecksumFlag = 0x80, ReservedBits = 0x7c;
/// The maximum that zstd's own reader accepts.
static constexpr uint32_t MaxFrames = 0x8000000;

uint32_t lidia::frameChecksum(StringRef Content) {
  return uint32_t(xxHash64(Content));
}

namespace {
struct Footer {
  uint32_t FrameCount;
  uint8_t Descriptor;

  bool hasChecksums() const { return Descriptor & ChecksumFlag; }
  uint64_t entrySize() const {
    return hasChecksums() ? SeekTable::EntrySize : SeekTable::EntrySize - 4;
  }
  uint64_t tableSize() const {
    return HeadSize + FrameCount * entrySize() + FooterSize;
  }
};
} // namespace

static Error error(const RandomAccessReader &File, const Twine &Message) {
  return make_error<DamagedError>(File.name(), Message);
}

/// None if the end of the file is not that of a seek table.
static Expected<std::optional<Footer>>
readFooter(const RandomAccessReader &File) {
  if (File.size() < HeadSize + FooterSize)
    return std::nullopt;
  SmallVector<char, 0> Storage;
  Expected<StringRef> Bytes =
      File.read(File.size() - FooterSize, FooterSize, Storage);
  if (!Bytes)
    return Bytes.takeError();
  const char *P = Bytes->data();
  if (support::endian::read32le(P + 5) != SeekableMagic)
    return std::nullopt;
  Footer F = {support::endian::read32le(P), uint8_t(P[4])};
  if (F.Descriptor & ReservedBits)
    return make_error<UnsupportedError>(
        File.name(), "its seek table is of a kind that is not supported");
  if (F.FrameCount > MaxFrames || F.tableSize() > File.size())
    return error(File, formatv("its seek table of {0} frames is larger than "
                               "the file ({1} bytes)",
                               F.FrameCount, File.size()));
  return F;
}

/// Reads the frame \p F of \p File, the first one.
static Error checkFrame(const RandomAccessReader &File,
                        const SeekTable::Frame &F, bool HasChecksums) {
  constexpr uint32_t LargestFrame = 4 << 20;
  if (F.Size > LargestFrame || F.PackedSize > ZSTD_compressBound(LargestFrame))
    return error(File, "its first frame is too large for so many of them");
  SmallVector<char, 0> Storage;
  Expected<StringRef> Packed = File.read(0, F.PackedSize, Storage);
  if (!Packed)
    return Packed.takeError();
  std::unique_ptr<char[]> Content(new char[F.Size]);
  size_t Size =
      ZSTD_decompress(Content.get(), F.Size, Packed->data(), Packed->size());
  if (ZSTD_isError(Size) || Size != F.Size ||
      (HasChecksums && frameChecksum({Content.get(), Size}) != F.Checksum))
    return error(File, "its first frame is not what its seek table says");
  return Error::success();
}

static SeekTable::Frame readEntry(const char *P, bool HasChecksums) {
  SeekTable::Frame Entry;
  Entry.PackedSize = support::endian::read32le(P);
  Entry.Size = support::endian::read32le(P + 4);
  if (HasChecksums)
    Entry.Checksum = support::endian::read32le(P + 8);
  return Entry;
}

/// Checks that a file with a large table begins as the table says, before
/// memory is allocated for the table. Ordinary files have no large tables.
static Error checkLargeTable(const RandomAccessReader &File, const Footer &F) {
  constexpr uint64_t Large = 1 << 20;
  if (F.tableSize() <= Large)
    return Error::success();
  SmallVector<char, 0> Storage;
  Expected<StringRef> Bytes =
      File.read(File.size() - F.tableSize(), HeadSize + F.entrySize(), Storage);
  if (!Bytes)
    return Bytes.takeError();
  SeekTable::Frame First =
      readEntry(Bytes->data() + HeadSize, F.hasChecksums());
  if (support::endian::read32le(Bytes->data()) != SkippableMagic ||
      First.PackedSize > File.size())
    return error(File, "its seek table is damaged");
  return checkFrame(File, First, F.hasChecksums());
}

Expected<std::optional<SeekTable>>
SeekTable::read(const RandomAccessReader &File) {
  Expected<std::optional<Footer>> Found = readFooter(File);
  if (!Found)
    return Found.takeError();
  if (!*Found)
    return std::nullopt;
  const Footer &F = **Found;
  if (Error E = checkLargeTable(File, F))
    return E;
  const uint64_t Start = File.size() - F.tableSize();
  SmallVector<char, 0> Storage;
  Expected<StringRef> Bytes = File.read(Start, F.tableSize(), Storage);
  if (!Bytes)
    return Bytes.takeError();
  const char *P = Bytes->data();
  if (support::endian::read32le(P) != SkippableMagic ||
      support::endian::read32le(P + 4) != F.tableSize() - HeadSize)
    return error(File, "its seek table is damaged");

  SeekTable T = parse(Bytes->drop_front(HeadSize).drop_back(FooterSize),
                      F.hasChecksums());
  if (T.framesSize() != Start)
    return error(File, formatv("its seek table has frames of {0} bytes, but "
                               "there are {1} bytes before it",
                               T.framesSize(), Start));
  return T;
}

SeekTable SeekTable::parse(StringRef Entries, bool HasChecksums) {
  SeekTable T;
  T.HasChecksums = HasChecksums;
  const uint64_t Step =
      Footer{0, HasChecksums ? ChecksumFlag : uint8_t(0)}.entrySize();
  T.Frames.resize(Entries.size() / Step);
  uint64_t Offset = 0;
  const char *P = Entries.data();
  for (Frame &Entry : T.Frames) {
    Entry = readEntry(P, HasChecksums);
    Entry.Offset = Offset;
    // 2^27 frames of 2^32 bytes: neither sum overflows.
    Offset += Entry.PackedSize;
    T.Size += Entry.Size;
    P += Step;
  }
  if (T.Frames.size() > 2 && T.Frames[1].Size == 0) {
    T.Opening = T.Frames[1];
    T.Frames.erase(T.Frames.begin() + 1);
  }
  return T;
}

uint64_t SeekTable::framesSize() const {
  return Frames.empty() ? 0 : Frames.back().Offset + Frames.back().PackedSize;
}

uint64_t SeekTable::fileSize() const {
  return framesSize() +
         Footer{uint32_t(entryCount()), ChecksumFlag}.tableSize();
}

void SeekTable::writeEntries(raw_ostream &OS) const {
  support::endian::Writer W(OS, llvm::endianness::little);
  auto Write = [&](const Frame &Entry) {
    W.write(Entry.PackedSize);
    W.write(Entry.Size);
    W.write(Entry.Checksum);
  };
  for (const Frame &Entry : Frames) {
    Write(Entry);
    if (Opening && &Entry == &Frames.front())
      Write(*Opening);
  }
}

void SeekTable::write(raw_ostream &OS) const {
  support::endian::Writer W(OS, llvm::endianness::little);
  Footer F = {uint32_t(entryCount()), ChecksumFlag};
  W.write(SkippableMagic);
  W.write(uint32_t(F.tableSize() - HeadSize));
  writeEntries(OS);
  W.write(F.FrameCount);
  W.write(F.Descriptor);
  W.write(SeekableMagic);
}

std::optional<uint64_t> SeekTable::commonSize() const {
  if (Frames.empty())
    return std::nullopt;
  uint64_t Common = Frames.front().Size;
  if (Frames.size() == 1)
    Common = PowerOf2Ceil(Common);
  if (!isPowerOf2_64(Common))
    return std::nullopt;
  for (const Frame &Entry : ArrayRef(Frames).drop_back())
    if (Entry.Size != Common)
      return std::nullopt;
  if (Frames.back().Size > Common || Frames.back().Size == 0)
    return std::nullopt;
  return Common;
}
