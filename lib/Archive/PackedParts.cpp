//===- PackedParts.cpp - The frames of a compressed archive ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedParts.h"
#include "OpeningFrame.h"
#include "lidia/Archive/Compression.h"
#include "lidia/Error.h"
#include "lidia/Support/ForkLocal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include <zstd.h>

using namespace lidia;
using namespace llvm;

namespace {
/// Decompression contexts for any number of threads. Contexts are large, and
/// thousands of archives may be open, so all archives share them.
class Decompressors {
public:
  using Context = std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx *)>;

  /// Returns a context that no other thread uses; null if memory could not be
  /// allocated.
  Context take() {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Free.empty())
      return {ZSTD_createDCtx(), ZSTD_freeDCtx};
    Context Last = std::move(Free.back());
    Free.pop_back();
    return Last;
  }
  void give(Context C) {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Free.size() != MaxFree)
      Free.push_back(std::move(C));
  }
  static Decompressors &shared() {
    static ForkLocal<Decompressors> All;
    return All.get();
  }

private:
  static constexpr size_t MaxFree = 16;

  std::mutex Mutex;
  std::vector<Context> Free;
};

class PackedParts : public PartReader {
public:
  PackedParts(std::shared_ptr<const RandomAccessReader> File,
              OpeningFrame Opened)
      : File(std::move(File)), Table(std::move(Opened.Table)),
        Copies(std::move(Opened.Copies)), Common(*this->Table.commonSize()) {}

  uint64_t partSize() const override { return std::max(Common, SmallestPart); }
  uint64_t size() const override { return Table.Size; }
  Error read(uint64_t Index, MutableArrayRef<char> Out) override;
  Error checkRest() const override {
    return isFar() || !Table.Opening ? Error::success()
                                     : checkOpeningFrame(*File);
  }
  bool isFar() const override { return File->isFar(); }
  void prefetch(ArrayRef<uint64_t> Indices) override;

  /// Reading smaller parts would cost more than unpacking their bytes.
  static constexpr uint64_t SmallestPart = 4096;
  /// Each part must fit into the cache, and takes about 0.1 ms of a lookup for
  /// 64 KiB.
  static constexpr uint64_t LargestPart = 4 << 20;

private:
  Error damaged(uint64_t Index, const Twine &Why) const;
  Error unpack(uint64_t Index, StringRef Packed, MutableArrayRef<char> Out);
  /// The copy of frame \p Index; empty if there is none.
  StringRef copyOf(uint64_t Index) const;

  std::shared_ptr<const RandomAccessReader> File;
  const SeekTable Table;
  /// Frames that were fetched with the table, ascending.
  const std::vector<std::pair<uint32_t, std::string>> Copies;
  const uint64_t Common;
};
} // namespace

Error PackedParts::damaged(uint64_t Index, const Twine &Why) const {
  return make_error<DamagedError>(File->name(), Why,
                                  "zstd frame " + Twine(Index) + " of " +
                                      Twine(Table.Frames.size()));
}

Error PackedParts::unpack(uint64_t Index, StringRef Packed,
                          MutableArrayRef<char> Out) {
  // zstd would unpack several frames to one buffer.
  size_t FirstFrame =
      ZSTD_findFrameCompressedSize(Packed.data(), Packed.size());
  if (ZSTD_isError(FirstFrame))
    return damaged(Index, Twine("cannot be unpacked: ") +
                              ZSTD_getErrorName(FirstFrame));
  if (FirstFrame != Packed.size())
    return damaged(Index, formatv("is {0} bytes, not the {1} of the seek table",
                                  FirstFrame, Packed.size()));
  Decompressors::Context Context = Decompressors::shared().take();
  if (!Context)
    return damaged(Index, "cannot be unpacked: no memory");
  // With all of the output in one buffer, zstd needs no window of its own,
  // whatever window size the frame claims.
  size_t Size = ZSTD_decompressDCtx(Context.get(), Out.data(), Out.size(),
                                    Packed.data(), Packed.size());
  Decompressors::shared().give(std::move(Context));
  if (ZSTD_isError(Size))
    return damaged(Index,
                   Twine("cannot be unpacked: ") + ZSTD_getErrorName(Size));
  if (Size != Out.size())
    return damaged(Index,
                   formatv("has {0} bytes, not the {1} of the seek table", Size,
                           Out.size()));
  return Error::success();
}

StringRef PackedParts::copyOf(uint64_t Index) const {
  auto It = partition_point(
      Copies, [&](const auto &Copy) { return Copy.first < Index; });
  return It != Copies.end() && It->first == Index ? StringRef(It->second) : "";
}

/// The checksum at the end of \p Frame, if it has one. zstd has compared it
/// with the content, and it is the same function as that of the seek table (RFC
/// 8878, 3.1.1).
static std::optional<uint32_t> verifiedChecksum(StringRef Frame) {
  constexpr size_t DescriptorPlace = 4;
  constexpr uint8_t HasChecksum = 0x04;
  if (Frame.size() < DescriptorPlace + sizeof(uint32_t) ||
      !(Frame[DescriptorPlace] & HasChecksum))
    return std::nullopt;
  return support::endian::read32le(Frame.end() - sizeof(uint32_t));
}

Error PackedParts::read(uint64_t Index, MutableArrayRef<char> Out) {
  const SeekTable::Frame &Frame = Table.Frames[Index];
  SmallVector<char, 0> Storage;
  StringRef Copy = copyOf(Index);
  Expected<StringRef> Packed =
      Copy.empty() ? File->read(Frame.Offset, Frame.PackedSize, Storage)
                   : Expected<StringRef>(Copy);
  if (!Packed)
    return Packed.takeError();
  if (Error E = unpack(Index, *Packed, Out))
    return E;
  if (Table.HasChecksums && verifiedChecksum(*Packed) != Frame.Checksum &&
      frameChecksum({Out.data(), Out.size()}) != Frame.Checksum)
    return damaged(Index, "does not match its checksum in the seek table");
  return Error::success();
}

void PackedParts::prefetch(ArrayRef<uint64_t> Indices) {
  SmallVector<FileRange, 64> Ranges;
  for (uint64_t Index : Indices)
    if (copyOf(Index).empty())
      Ranges.push_back(
          {Table.Frames[Index].Offset, Table.Frames[Index].PackedSize});
  File->prefetch(Ranges);
}

/// Reads the seek table of \p File, and what is copied beside it if it is far.
static Expected<std::optional<OpeningFrame>>
readTable(const RandomAccessReader &File) {
  if (File.isFar()) {
    SmallVector<char, 0> Storage;
    uint64_t HeadSize = std::min<uint64_t>(File.size(), FirstFetch);
    Expected<StringRef> Head = File.read(0, HeadSize, Storage);
    if (!Head)
      return Head.takeError();
    if (std::optional<OpeningFrame> O = OpeningFrame::read(*Head, File.size()))
      return O;
  }
  Expected<std::optional<SeekTable>> Table = SeekTable::read(File);
  if (!Table)
    return Table.takeError();
  if (!*Table)
    return std::nullopt;
  return OpeningFrame{std::move(**Table), {}};
}

Expected<std::unique_ptr<PartReader>>
lidia::openPackedParts(std::shared_ptr<const RandomAccessReader> File) {
  Expected<std::optional<OpeningFrame>> Opened = readTable(*File);
  if (!Opened)
    return Opened.takeError();
  if (!*Opened)
    return nullptr;
  const SeekTable &Table = (*Opened)->Table;
  std::optional<uint64_t> Common = Table.commonSize();
  uint64_t Page = sys::Process::getPageSizeEstimate();
  bool IsOne = Table.Frames.size() == 1;
  // Without checksums of frames, an archive that is read in parts could not be
  // verified.
  if (!Common || !Table.HasChecksums || (!IsOne && *Common < Page) ||
      *Common > PackedParts::LargestPart)
    return nullptr;
  if (Table.Size > maxUnpacked(File->size()))
    return make_error<LimitError>(
        File->name(), formatv("unpacks to {0} bytes, more than the limit for "
                              "an archive of its size ({1} bytes)",
                              Table.Size, File->size())
                          .str());
  return std::make_unique<PackedParts>(std::move(File), std::move(**Opened));
}
