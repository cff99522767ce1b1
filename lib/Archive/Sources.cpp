//===- Sources.cpp - Source code in archives ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Sources.h"
#include "SectionEntry.h"
#include "SourceTable.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void SourceTable::add(StringOffset File, StringRef Text) {
  if (Text.empty() || Text.size() > MaxSource)
    return;
  auto [It, New] = Texts.try_emplace(File);
  if (!New)
    return;
  SmallVector<uint8_t, 0> Packed;
  if (compression::zstd::isAvailable())
    compression::zstd::compress(arrayRefFromStringRef(Text), Packed);
  // Text that compresses better than a reader allows is stored uncompressed.
  bool IsPacked = !Packed.empty() && Packed.size() < Text.size() &&
                  Text.size() <= Packed.size() * SourceRatio;
  It->second = {Text.size(), (IsPacked ? toStringRef(Packed) : Text).str()};
}

std::string SourceTable::bytes() const {
  SourcesHeader H = {};
  H.FileCount = uint32_t(Texts.size());
  uint64_t Offset = sizeof(H) + (Texts.size() + 1) * sizeof(SourceBlock);
  std::string Out(reinterpret_cast<const char *>(&H), sizeof(H));
  auto Add = [&](StringOffset File, uint64_t Size) {
    SourceBlock B = {};
    B.File = File;
    B.Offset = Offset;
    B.Size = Size;
    Out.append(reinterpret_cast<const char *>(&B), sizeof(B));
  };
  for (const auto &[File, Text] : Texts) {
    Add(File, Text.Size);
    Offset += Text.Bytes.size();
  }
  Add(0, 0);
  for (const auto &[File, Text] : Texts)
    Out += Text.Bytes;
  return Out;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

EmbeddedSources::EmbeddedSources(const Archive &A) : A(A) {
  Section = A.findExtensionSection(ET_Sources).value_or(StringRef());
  SourcesHeader H;
  if (Section.size() < sizeof(H) + sizeof(SourceBlock)) {
    Section = StringRef();
    return;
  }
  SmallVector<char, sizeof(H)> Copy;
  memcpy(&H, A.read(Section.take_front(sizeof(H)), Copy).data(), sizeof(H));
  uint64_t Max = (Section.size() - sizeof(H)) / sizeof(SourceBlock) - 1;
  Count = std::min<uint64_t>(H.FileCount, Max);
}

SourceBlock EmbeddedSources::block(uint64_t Index) const {
  return readEntry<SourceBlock>(A, Section, sizeof(SourcesHeader), Index);
}

StringOffset EmbeddedSources::file(uint64_t Index) const {
  return block(Index).File;
}

uint64_t EmbeddedSources::textSize(uint64_t Index) const {
  return block(Index).Size;
}

std::optional<uint64_t> EmbeddedSources::find(StringOffset File) const {
  uint64_t Index =
      lowerBound(Count, [&](uint64_t I) { return file(I) < File; });
  if (Index == Count || file(Index) != File)
    return std::nullopt;
  return Index;
}

Error EmbeddedSources::damaged(uint64_t Index, const Twine &Why) const {
  return make_error<DamagedError>(A.name(), Why,
                                  "file " + Twine(Index) + " of section SRCE");
}

Expected<std::string> EmbeddedSources::text(uint64_t Index) const {
  SourceBlock B = block(Index);
  uint64_t Begin = B.Offset, End = block(Index + 1).Offset, Size = B.Size;
  if (Begin > End || End > Section.size())
    return damaged(Index, "lies outside the section");
  if (End - Begin > MaxSource || Size > MaxSource)
    return damaged(Index, "is larger than any file");
  SmallVector<char, 0> Copy;
  StringRef Packed = A.read(Section.slice(Begin, End), Copy);
  if (Size == Packed.size())
    return Packed.str();
  if (Size / SourceRatio > Packed.size())
    return damaged(Index, "claims to unpack to more than it can");
  if (!compression::zstd::isAvailable())
    return damaged(Index,
                   "is packed by zstd, which this LLVM is built without");
  SmallVector<uint8_t, 0> Text;
  if (Error E = compression::zstd::decompress(arrayRefFromStringRef(Packed),
                                              Text, Size))
    return damaged(Index, "cannot be unpacked: " + toString(std::move(E)));
  if (Text.size() != Size)
    return damaged(Index, "does not have its declared size");
  return toStringRef(Text).str();
}
