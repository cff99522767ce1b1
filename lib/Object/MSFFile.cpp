//===- MSFFile.cpp - The streams of a multi-stream file -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MSFFile.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/MSF/MSFCommon.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// A stream
//===----------------------------------------------------------------------===//

/// Merges adjacent blocks into one run.
void MSFStream::append(StringRef Block) {
  if (!Runs.empty() && Runs.back().Bytes.end() == Block.begin()) {
    StringRef &Before = Runs.back().Bytes;
    Before = StringRef(Before.data(), Before.size() + Block.size());
  } else {
    Runs.push_back({Size, Block});
  }
  Size += Block.size();
}

std::optional<StringRef> MSFStream::read(uint64_t Offset, uint64_t Count,
                                         SmallVectorImpl<char> &Memory) const {
  if (Offset > Size || Size - Offset < Count)
    return std::nullopt;
  if (!Count)
    return StringRef();
  auto Run = std::prev(upper_bound(
      Runs, Offset, [](uint64_t O, const auto &R) { return O < R.Start; }));
  StringRef Part = Run->Bytes.drop_front(Offset - Run->Start);
  if (Part.size() >= Count)
    return Part.take_front(Count);
  Memory.clear();
  Memory.reserve(Count);
  for (;; Part = (++Run)->Bytes) {
    Part = Part.take_front(Count - Memory.size());
    Memory.append(Part.begin(), Part.end());
    if (Memory.size() == Count)
      return StringRef(Memory.data(), Memory.size());
  }
}

//===----------------------------------------------------------------------===//
// The directory
//===----------------------------------------------------------------------===//

namespace {

/// Reads the directory.
class DirectoryReader {
public:
  DirectoryReader(StringRef Bytes, StringRef Path) : Bytes(Bytes), Path(Path) {}

  Error openDirectory();
  Expected<uint32_t> number();
  /// Calls \p Add with each block of a stream of \p Size bytes, truncated at
  /// its end.
  Error readBlocks(uint64_t Size, function_ref<void(StringRef)> Add);
  Error error(const Twine &Message) const {
    return make_error<DamagedError>(Path, Message);
  }
  uint64_t fileSize() const { return Bytes.size(); }

private:
  std::optional<StringRef> block(uint32_t Index, uint64_t Size) const {
    return bytesAt(Bytes, uint64_t(Index) * BlockSize, Size);
  }

  StringRef Bytes;
  StringRef Path;
  uint32_t BlockSize = 0;
  SmallVector<char, 0> Directory;
  uint64_t At = 0;
};

} // namespace

/// Copies the directory, which consists of blocks whose numbers are in a list.
Error DirectoryReader::openDirectory() {
  auto Header = structAt<msf::SuperBlock>(Bytes, 0);
  if (!Header)
    return error("a PDB file that ends within its header");
  BlockSize = Header->BlockSize;
  if (BlockSize < 512 || BlockSize > 65536 || !isPowerOf2_32(BlockSize))
    return error("a PDB file with blocks of " + Twine(BlockSize) + " bytes");
  uint64_t Size = Header->NumDirectoryBytes;
  if (Size > Bytes.size())
    return error("a PDB file that is shorter than its header says");
  uint64_t ListAt = uint64_t(Header->BlockMapAddr) * BlockSize;
  Directory.reserve(Size);
  while (Directory.size() != Size) {
    auto Index = structAt<support::ulittle32_t>(Bytes, ListAt);
    uint64_t Rest = std::min<uint64_t>(BlockSize, Size - Directory.size());
    std::optional<StringRef> Part = Index ? block(*Index, Rest) : std::nullopt;
    if (!Part)
      return error("a PDB file whose directory is beyond its end");
    Directory.append(Part->begin(), Part->end());
    ListAt += sizeof(*Index);
  }
  return Error::success();
}

Expected<uint32_t> DirectoryReader::number() {
  auto Number = structAt<support::ulittle32_t>(
      StringRef(Directory.data(), Directory.size()), At);
  if (!Number)
    return error("a PDB file whose directory ends too early");
  At += sizeof(*Number);
  return *Number;
}

Error DirectoryReader::readBlocks(uint64_t Size,
                                  function_ref<void(StringRef)> Add) {
  while (Size) {
    Expected<uint32_t> Index = number();
    if (!Index)
      return Index.takeError();
    uint64_t Count = std::min<uint64_t>(BlockSize, Size);
    std::optional<StringRef> Part = block(*Index, Count);
    if (!Part)
      return error("a PDB file with a stream beyond its end");
    Add(*Part);
    Size -= Count;
  }
  return Error::success();
}

const MSFStream &MSFFile::stream(uint32_t Index) const {
  static const MSFStream None;
  return Index < Streams.size() ? Streams[Index] : None;
}

Expected<MSFFile> MSFFile::open(StringRef Bytes, StringRef Path) {
  DirectoryReader Reader(Bytes, Path);
  if (Error E = Reader.openDirectory())
    return E;
  Expected<uint32_t> Count = Reader.number();
  if (!Count)
    return Count.takeError();
  std::vector<uint32_t> Sizes;
  // Each block belongs to one stream. Many streams that share blocks could be a
  // thousand times as large as the file.
  uint64_t Total = 0;
  for (uint32_t I = 0; I != *Count; ++I) {
    Expected<uint32_t> Size = Reader.number();
    if (!Size)
      return Size.takeError();
    constexpr uint32_t Deleted = UINT32_MAX;
    Sizes.push_back(*Size == Deleted ? 0 : *Size);
    Total += Sizes.back();
  }
  if (Total > Reader.fileSize())
    return Reader.error("a PDB file whose streams are larger than the file");
  MSFFile File;
  File.Streams.resize(Sizes.size());
  for (auto [Stream, Size] : zip_equal(File.Streams, Sizes))
    if (Error E = Reader.readBlocks(
            Size, [&Stream = Stream](StringRef Part) { Stream.append(Part); }))
      return E;
  return File;
}

} // namespace lidia
