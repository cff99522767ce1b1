//===- PackedMappings.cpp - Mappings of modules in zip files --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules/ELFHeaders.h"
#include "Modules/ForeignFile.h"
#include "Modules/PackedModules.h"
#include "lidia/Process/AddressSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

/// A part of a file is copied.
Expected<std::unique_ptr<OpenedFile>>
AddressSpace::openSource(const Mapping &M) const {
  const MappedFile &Source = List.file(M);
  if (Source.Type == MappedFile::Kind::Image)
    return openImage(M);
  Expected<std::unique_ptr<OpenedFile>> File = openFile(M);
  // It was found by its name in the zip file.
  if (!File || !Source.PartSize || fileKindOf(**File) == FileKind::ELF)
    return File;
  return copyPart(**File, Source.PartOffset, Source.PartSize, Source.Path);
}

/// Whether \p File is mapped as code, and may be a zip file. A loader maps the
/// beginning of any other module.
bool AddressSpace::mayBePackage(uint32_t File) const {
  if (List.files()[File].Type != MappedFile::Kind::File)
    return false;
  bool IsCode = false, HasBegin = false;
  for (uint32_t Index : List.mappingsOf(File)) {
    const Mapping &M = List.mappings()[Index];
    if (M.IsImage)
      return false;
    IsCode |= M.Executable && !M.IsMoved;
    HasBegin |= M.Offset == 0;
  }
  return IsCode && (!HasBegin || isNamedAsPackage(List.files()[File].Path));
}

namespace {
/// The memory of one mapping, by offsets in it.
class MappingBytes final : public ByteReader {
public:
  MappingBytes(const AddressSpace &Space, const Mapping &M)
      : Space(Space), M(M) {}

  size_t read(uint64_t Offset, MutableArrayRef<uint8_t> To) const override {
    uint64_t Size = M.End - M.Begin;
    uint64_t Left = Offset < Size ? Size - Offset : 0;
    return Space.readMemory(M.Begin + Offset,
                            To.take_front(std::min<uint64_t>(To.size(), Left)));
  }

private:
  const AddressSpace &Space;
  const Mapping &M;
};
} // namespace

/// The module that begins with \p M, if memory tells.
std::optional<MappedFile> AddressSpace::moduleInMemory(const Mapping &M) const {
  if (M.Offset == 0)
    return std::nullopt;
  Expected<ELFHeaders> Headers = readELFHeaders(MappingBytes(*this, M), "");
  if (!Headers) {
    consumeError(Headers.takeError());
    return std::nullopt;
  }
  MappedFile Part = List.file(M);
  Part.PartOffset = M.Offset;
  for (const ELFSegment &S : Headers->Segments)
    if (S.Type == ELF::PT_LOAD && S.FileSize < UINT64_MAX - S.Offset)
      Part.PartSize = std::max(Part.PartSize, S.Offset + S.FileSize);
  Part.Path += "!0x" + utohexstr(M.Offset, /*LowerCase=*/true);
  return Part;
}

void AddressSpace::findPackedModules() {
  bool IsChanged = false;
  for (uint32_t F = 0, E = uint32_t(List.files().size()); F != E; ++F) {
    if (!mayBePackage(F))
      continue;
    std::vector<StoredModule> Stored;
    Expected<std::unique_ptr<OpenedFile>> File =
        openFile(List.mappings()[List.mappingsOf(F).front()]);
    if (File)
      Stored = storedModules(**File);
    else
      consumeError(File.takeError());
    std::optional<MappedFile> Part;
    for (uint32_t Index : List.mappingsOf(F)) {
      const Mapping &M = List.mappings()[Index];
      auto In = find_if(
          Stored, [&](const StoredModule &S) { return S.contains(M.Offset); });
      if (In != Stored.end()) {
        Part = List.files()[F];
        Part->PartOffset = In->Offset;
        Part->PartSize = In->Size;
        Part->Path += "!" + In->Name;
      } else if (std::optional<MappedFile> Begin = moduleInMemory(M)) {
        Part = std::move(Begin);
      }
      if (!Part || M.Offset - Part->PartOffset >= Part->PartSize)
        continue;
      List.setPart(Index, *Part);
      IsChanged = true;
    }
  }
  if (IsChanged)
    List.indexFiles();
}

} // namespace lidia
