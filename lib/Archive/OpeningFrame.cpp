//===- OpeningFrame.cpp - Copies of what opening reads --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpeningFrame.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/Compression.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/xxhash.h"
#include <mutex>
#include <set>
#include <zstd.h>

using namespace lidia;
using namespace llvm;
using support::endian::read32le;
using support::endian::read64le;

static constexpr uint32_t OpeningMagic = 0x184d2a5d;
static constexpr StringLiteral ContentMagic = "LIDIACPY";
/// Magic and size of the skippable frame.
static constexpr uint64_t FrameHeadSize = 8;
/// Magic, number of frames, number of copies.
static constexpr uint64_t ContentHeadSize = 16;
static constexpr uint64_t HashSize = 8;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Returns the content of the skippable frame after the first frame, without
/// its hash; empty if there is none.
static StringRef openingContent(StringRef Head) {
  size_t First = ZSTD_findFrameCompressedSize(Head.data(), Head.size());
  if (ZSTD_isError(First))
    return {};
  StringRef Frame = Head.drop_front(First);
  if (Frame.size() < FrameHeadSize || read32le(Frame.data()) != OpeningMagic)
    return {};
  uint64_t Size = read32le(Frame.data() + 4);
  if (Size > Frame.size() - FrameHeadSize || Size < ContentHeadSize + HashSize)
    return {};
  StringRef Content = Frame.substr(FrameHeadSize, Size - HashSize);
  if (!Content.starts_with(ContentMagic) ||
      read64le(Content.end()) != xxHash64(Content))
    return {};
  return Content;
}

std::optional<OpeningFrame> OpeningFrame::read(StringRef Head,
                                               uint64_t FileSize) {
  StringRef Rest = openingContent(Head);
  if (Rest.empty())
    return std::nullopt;
  const uint64_t FrameCount = read32le(Rest.data() + 8);
  const uint64_t CopyCount = read32le(Rest.data() + 12);
  Rest = Rest.drop_front(ContentHeadSize);
  const uint64_t TableSize = FrameCount * SeekTable::EntrySize;
  if (TableSize > Rest.size() || CopyCount > (Rest.size() - TableSize) / 4)
    return std::nullopt;
  OpeningFrame O;
  O.Table = SeekTable::parse(Rest.take_front(TableSize), /*HasChecksums=*/true);
  if (!O.Table.Opening || O.Table.fileSize() != FileSize)
    return std::nullopt;
  Rest = Rest.drop_front(TableSize);
  StringRef Indices = Rest.take_front(4 * CopyCount);
  Rest = Rest.drop_front(4 * CopyCount);
  for (; !Indices.empty(); Indices = Indices.drop_front(4)) {
    uint32_t Index = read32le(Indices.data());
    if (Index >= O.Table.Frames.size() ||
        (!O.Copies.empty() && Index <= O.Copies.back().first) ||
        O.Table.Frames[Index].PackedSize > Rest.size())
      return std::nullopt;
    uint32_t Size = O.Table.Frames[Index].PackedSize;
    O.Copies.emplace_back(Index, Rest.take_front(Size).str());
    Rest = Rest.drop_front(Size);
  }
  if (!Rest.empty())
    return std::nullopt;
  return O;
}

static bool isEqual(const SeekTable::Frame &A, const SeekTable::Frame &B) {
  return A.PackedSize == B.PackedSize && A.Size == B.Size &&
         A.Checksum == B.Checksum;
}

Error lidia::checkOpeningFrame(const RandomAccessReader &File) {
  Expected<std::optional<SeekTable>> Table = SeekTable::read(File);
  if (!Table)
    return Table.takeError();
  if (!*Table || !(*Table)->Opening)
    return Error::success();
  auto Damaged = [&](const Twine &Why) {
    return make_error<DamagedError>(File.name(), Why, "the opening frame");
  };
  SmallVector<char, 0> Storage;
  uint64_t HeadSize = std::min<uint64_t>(File.size(), FirstFetch);
  Expected<StringRef> Head = File.read(0, HeadSize, Storage);
  if (!Head)
    return Head.takeError();
  std::optional<OpeningFrame> O = OpeningFrame::read(*Head, File.size());
  if (!O)
    return Damaged("is damaged");
  if (!std::equal(O->Table.Frames.begin(), O->Table.Frames.end(),
                  (*Table)->Frames.begin(), (*Table)->Frames.end(), isEqual))
    return Damaged("has another seek table than the end of the file");
  for (const auto &[Index, Bytes] : O->Copies) {
    const SeekTable::Frame &Frame = (*Table)->Frames[Index];
    Expected<StringRef> Original =
        File.read(Frame.Offset, Frame.PackedSize, Storage);
    if (!Original)
      return Original.takeError();
    if (*Original != Bytes)
      return Damaged("has another copy of frame " + Twine(Index));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static StringRef bytesOf(const PackedFrame &F) {
  return {F.Bytes.data(), F.Bytes.size()};
}

namespace {
/// Pretends that frames are a file on another machine, and notes which of them
/// are read or requested.
class FrameRecorder : public RandomAccessReader {
public:
  explicit FrameRecorder(ArrayRef<PackedFrame> Frames);

  StringRef name() const override { return "frames"; }
  uint64_t size() const override { return Starts.back() + Tail.size(); }
  Expected<StringRef> read(uint64_t Offset, size_t Size,
                           SmallVectorImpl<char> &Storage) const override;
  bool isFar() const override { return true; }
  void prefetch(ArrayRef<FileRange> Ranges) const override;

  /// The indices of the frames that were read or requested.
  std::set<uint32_t> noted() const;

private:
  /// The index of the frame with the byte at \p Offset; the number of frames
  /// for the seek table.
  size_t note(uint64_t Offset) const;

  ArrayRef<PackedFrame> Frames;
  /// Where each frame begins, and the seek table.
  std::vector<uint64_t> Starts;
  SmallString<0> Tail;
  mutable std::mutex Mutex;
  mutable std::set<uint32_t> Noted;
};
} // namespace

FrameRecorder::FrameRecorder(ArrayRef<PackedFrame> Frames) : Frames(Frames) {
  SeekTable Table;
  uint64_t Offset = 0;
  for (const PackedFrame &F : Frames) {
    Starts.push_back(Offset);
    Offset += F.Bytes.size();
    Table.Frames.push_back(F.Entry);
  }
  Starts.push_back(Offset);
  raw_svector_ostream OS(Tail);
  Table.write(OS);
}

size_t FrameRecorder::note(uint64_t Offset) const {
  size_t Index = size_t(upper_bound(Starts, Offset) - Starts.begin()) - 1;
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Index != Frames.size())
    Noted.insert(uint32_t(Index));
  return Index;
}

Expected<StringRef> FrameRecorder::read(uint64_t Offset, size_t Size,
                                        SmallVectorImpl<char> &Storage) const {
  Storage.clear();
  // Only the search for an opening frame reads more than one frame.
  size_t Index = note(Offset);
  while (Storage.size() != Size) {
    StringRef Piece =
        Index == Frames.size() ? Tail.str() : bytesOf(Frames[Index]);
    Piece = Piece.drop_front(Offset + Storage.size() - Starts[Index++])
                .take_front(Size - Storage.size());
    Storage.append(Piece.begin(), Piece.end());
  }
  return StringRef(Storage.data(), Size);
}

void FrameRecorder::prefetch(ArrayRef<FileRange> Ranges) const {
  for (const FileRange &R : Ranges)
    note(R.Offset);
}

std::set<uint32_t> FrameRecorder::noted() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Noted;
}

/// The frames that opening the archive reads, except the first one.
static std::vector<uint32_t> framesToOpen(ArrayRef<PackedFrame> Frames) {
  auto Recorder = std::make_shared<FrameRecorder>(Frames);
  Expected<Archive> A = Archive::create(Recorder);
  if (!A) {
    consumeError(A.takeError());
    return {};
  }
  std::set<uint32_t> Noted = Recorder->noted();
  Noted.erase(0);
  return {Noted.begin(), Noted.end()};
}

SeekTable::Frame OpeningFrame::entry(uint64_t Size) {
  return {0, uint32_t(Size), 0, frameChecksum("")};
}

std::string OpeningFrame::make(ArrayRef<PackedFrame> Frames) {
  SeekTable Table;
  uint64_t FileSize = 0;
  for (const PackedFrame &F : Frames) {
    Table.Frames.push_back(F.Entry);
    FileSize += F.Bytes.size();
  }
  if (FileSize <= FirstFetch || Frames.size() > MaxFrames)
    return {};
  std::vector<uint32_t> Copied = framesToOpen(Frames);
  uint64_t Size = ContentHeadSize + (Frames.size() + 1) * SeekTable::EntrySize +
                  4 * Copied.size() + HashSize;
  for (uint32_t Index : Copied)
    Size += Frames[Index].Bytes.size();
  if (Copied.empty() ||
      Frames.front().Bytes.size() + FrameHeadSize + Size > FirstFetch)
    return {};
  Table.Opening = entry(FrameHeadSize + Size);

  SmallString<0> Bytes;
  raw_svector_ostream OS(Bytes);
  support::endian::Writer W(OS, llvm::endianness::little);
  W.write(OpeningMagic);
  W.write(uint32_t(Size));
  OS << ContentMagic;
  W.write(uint32_t(Table.entryCount()));
  W.write(uint32_t(Copied.size()));
  Table.writeEntries(OS);
  for (uint32_t Index : Copied)
    W.write(Index);
  for (uint32_t Index : Copied)
    OS << bytesOf(Frames[Index]);
  W.write(xxHash64(Bytes.str().drop_front(FrameHeadSize)));
  return Bytes.str().str();
}
