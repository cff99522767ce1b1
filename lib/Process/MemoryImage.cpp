//===- MemoryImage.cpp - A module as it is in memory ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryImage.h"
#include "Object/Binary.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lidia {

static constexpr uint64_t MaxOfImage = uint64_t(256) << 20;

namespace {
class ImageMaker {
public:
  ImageMaker(const ELFHeaders &Headers, uint64_t Bias)
      : Headers(Headers), Bias(Bias) {}

  void read(const ByteReader &Bytes, const ELFSegment &S);
  void dropSectionHeaders();
  void fixDynamic(const ELFSegment &S);

  ArrayRef<uint8_t> image() const { return Image; }

private:
  unsigned wordSize() const { return Headers.is64() ? 8 : 4; }
  uint64_t word(uint64_t Offset) const;
  void setWord(uint64_t Offset, uint64_t Value);
  bool isLoaded(uint64_t Address) const;

  const ELFHeaders &Headers;
  const uint64_t Bias;
  std::vector<uint8_t> Image;
  /// The numbers of bytes that were read, and that could not be read.
  uint64_t Read = 0;
  uint64_t Missing = 0;
};
} // namespace

uint64_t ImageMaker::word(uint64_t Offset) const {
  const uint8_t *At = Image.data() + Offset;
  return Headers.is64() ? support::endian::read<uint64_t>(At, Headers.order())
                        : support::endian::read<uint32_t>(At, Headers.order());
}

void ImageMaker::setWord(uint64_t Offset, uint64_t Value) {
  uint8_t *At = Image.data() + Offset;
  if (Headers.is64())
    support::endian::write<uint64_t>(At, Value, Headers.order());
  else
    support::endian::write<uint32_t>(At, uint32_t(Value), Headers.order());
}

bool ImageMaker::isLoaded(uint64_t Address) const {
  return any_of(Headers.Segments, [&](const ELFSegment &S) {
    return S.Type == ELF::PT_LOAD && Address >= S.Address &&
           Address - S.Address < S.FileSize;
  });
}

/// Reads a segment page by page, because some may not have been dumped. The
/// image grows only with what is there: the headers may claim anything.
void ImageMaker::read(const ByteReader &Bytes, const ELFSegment &S) {
  constexpr uint64_t Page = 4096, Hole = 16 << 20;
  std::vector<uint8_t> Piece(256 * 1024);
  uint64_t End = S.Offset + std::min(S.FileSize, MaxOfImage - S.Offset);
  for (uint64_t At = S.Offset; At < End;) {
    size_t Got =
        Bytes.read(At, MutableArrayRef(Piece).take_front(
                           std::min<uint64_t>(Piece.size(), End - At)));
    if (Got == 0) {
      At = alignDown(At, Page) + Page;
      if ((Missing += Page) > Hole)
        return;
      continue;
    }
    Read += Got;
    if (At + Got > Image.size()) {
      if (At + Got > Hole + 8 * Read)
        return;
      Image.resize(At + Got);
    }
    llvm::copy(ArrayRef(Piece).take_front(Got), Image.begin() + At);
    At += Got;
  }
}

/// Section headers are not loaded.
void ImageMaker::dropSectionHeaders() {
  if (Headers.is64()) {
    auto *H = reinterpret_cast<ELF::Elf64_Ehdr *>(Image.data());
    H->e_shoff = H->e_shnum = H->e_shstrndx = 0;
  } else {
    auto *H = reinterpret_cast<ELF::Elf32_Ehdr *>(Image.data());
    H->e_shoff = H->e_shnum = H->e_shstrndx = 0;
  }
}

/// Some dynamic linkers add the load address to the pointers in the dynamic
/// segment.
void ImageMaker::fixDynamic(const ELFSegment &S) {
  uint64_t Entry = 2 * wordSize();
  for (uint64_t Done = 0;
       Done + Entry <= S.FileSize && S.Offset + Done + Entry <= Image.size();
       Done += Entry) {
    uint64_t Tag = word(S.Offset + Done);
    uint64_t At = S.Offset + Done + wordSize();
    if (Tag == ELF::DT_NULL)
      return;
    bool IsTable = Tag == ELF::DT_HASH || Tag == ELF::DT_GNU_HASH ||
                   Tag == ELF::DT_STRTAB || Tag == ELF::DT_SYMTAB;
    uint64_t Own = word(At) - Bias;
    if (!Headers.is64())
      Own = uint32_t(Own);
    if (IsTable && !isLoaded(word(At)) && isLoaded(Own))
      setWord(At, Own);
  }
}

/// Whether anything in \p Image tells functions or callers.
static bool isUseful(ArrayRef<uint8_t> Image) {
  Expected<std::unique_ptr<Binary>> File = Binary::create(
      MemoryBuffer::getMemBuffer(toStringRef(Image), "",
                                 /*RequiresNullTerminator=*/false),
      "image");
  if (File)
    return !(*File)->sections().empty();
  consumeError(File.takeError());
  return false;
}

Expected<std::unique_ptr<OpenedFile>> imageInMemory(const ByteReader &Bytes,
                                                    const ELFHeaders &Headers,
                                                    uint64_t Bias,
                                                    const Twine &Name) {
  ImageMaker Maker(Headers, Bias);
  // Segments of a hostile file may overlap.
  uint64_t Left = 2 * MaxOfImage;
  for (const ELFSegment &S : Headers.Segments)
    if (S.Type == ELF::PT_LOAD && S.Offset < MaxOfImage && S.FileSize <= Left) {
      Maker.read(Bytes, S);
      Left -= S.FileSize;
    }
  if (Maker.image().size() < sizeof(ELF::Elf64_Ehdr))
    return make_error<MissingInformationError>(Name, "is not in memory");
  Maker.dropSectionHeaders();
  for (const ELFSegment &S : Headers.Segments)
    if (S.Type == ELF::PT_DYNAMIC && S.Offset < MaxOfImage) {
      Maker.fixDynamic(S);
      break;
    }
  if (!isUseful(Maker.image()))
    return make_error<MissingInformationError>(
        Name, "its memory has neither symbols nor rows for unwinding");
  return OpenedFile::ofImage(Maker.image(), Name);
}

} // namespace lidia
