//===- PackedModules.cpp - Modules in zip files ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedModules.h"
#include "ELFHeaders.h"
#include "ForeignFile.h"
#include "Object/ZipFile.h"
#include "lidia/Error.h"
#include "lidia/Object/FileKind.h"
#include "lidia/Process/AddressSpace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace lidia {

namespace {
/// A zip file and its table.
struct OpenedZip {
  std::unique_ptr<MemoryBuffer> Bytes;
  ZipFile Table;
};
} // namespace

/// \p IsVolatile: whether the file may be truncated at any time, so that it
/// must be read and not mapped.
static Expected<OpenedZip> openZip(const OpenedFile &File, StringRef Path,
                                   bool IsVolatile) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Bytes = MemoryBuffer::getOpenFile(
      sys::fs::convertFDToNativeFile(File.descriptor()), Path, File.size(),
      /*RequiresNullTerminator=*/false, IsVolatile);
  if (!Bytes)
    return make_error<SystemError>(Bytes.getError(), Path);
  Expected<ZipFile> Table = ZipFile::open((*Bytes)->getBuffer(), Path);
  if (!Table)
    return Table.takeError();
  return OpenedZip{std::move(*Bytes), std::move(*Table)};
}

static Expected<OpenedZip> openZip(const RootFolder &Root, StringRef Path) {
  Expected<std::unique_ptr<OpenedFile>> File = Root.openFile(Path);
  if (!File)
    return File.takeError();
  return openZip(**File, Path, /*IsVolatile=*/false);
}

bool isNamedAsPackage(StringRef Path) {
  return Path.ends_with(".apk") || Path.ends_with(".aab") ||
         Path.ends_with(".aar") || Path.ends_with(".zip") ||
         Path.ends_with(".jar");
}

std::vector<std::string> librariesIn(const RootFolder &Root, StringRef Path) {
  std::vector<std::string> Paths;
  if (!Path.ends_with(".apk") && !Path.ends_with(".aab") &&
      !Path.ends_with(".aar"))
    return Paths;
  Expected<OpenedZip> Zip = openZip(Root, Path);
  if (!Zip) {
    consumeError(Zip.takeError());
    return Paths;
  }
  for (const ZipFile::Entry &E : Zip->Table.libraries())
    Paths.push_back((Path + "!" + E.Name).str());
  return Paths;
}

Expected<std::unique_ptr<OpenedFile>> openIn(const RootFolder &Root,
                                             StringRef Path) {
  std::optional<ZipPath> InZip = splitZipPath(Path);
  if (!InZip)
    return Root.openFile(Path);
  Expected<OpenedZip> Zip = openZip(Root, InZip->Zip);
  if (!Zip)
    return Zip.takeError();
  const ZipFile::Entry *E = Zip->Table.find(InZip->Entry);
  if (!E)
    return make_error<ArgumentError>(InZip->Zip, "has no file " + InZip->Entry);
  Expected<std::unique_ptr<MemoryBuffer>> Bytes = Zip->Table.read(*E, Path);
  if (!Bytes)
    return Bytes.takeError();
  return OpenedFile::ofImage(arrayRefFromStringRef((*Bytes)->getBuffer()),
                             Path);
}

std::vector<StoredModule> storedModules(const OpenedFile &File) {
  std::vector<StoredModule> Result;
  char Magic[2];
  if (!File.readAll(0, {reinterpret_cast<uint8_t *>(Magic), sizeof(Magic)}) ||
      StringRef(Magic, 2) != "PK")
    return Result;
  Expected<OpenedZip> Zip = openZip(File, File.path(), /*IsVolatile=*/true);
  if (!Zip) {
    consumeError(Zip.takeError());
    return Result;
  }
  for (const ZipFile::Entry &E : Zip->Table.entries()) {
    std::optional<StringRef> Bytes = Zip->Table.storedBytes(E);
    if (Bytes && fileKind(*Bytes) == FileKind::ELF)
      Result.push_back({E.Name.str(),
                        uint64_t(Bytes->data() - Zip->Bytes->getBufferStart()),
                        Bytes->size()});
  }
  return Result;
}

Expected<std::unique_ptr<OpenedFile>> copyPart(const OpenedFile &File,
                                               uint64_t Offset, uint64_t Size,
                                               const Twine &Name) {
  uint64_t All = File.size();
  std::vector<uint8_t> Bytes(Offset < All ? std::min(Size, All - Offset) : 0);
  if (Bytes.empty() || !File.readAll(Offset, Bytes))
    return make_error<DamagedError>(Name, "is cut off");
  return OpenedFile::ofImage(Bytes, Name);
}

//===----------------------------------------------------------------------===//
// Address spaces
//===----------------------------------------------------------------------===//

/// A part of a file is copied.
Expected<std::unique_ptr<OpenedFile>>
AddressSpace::openSource(const Mapping &M) const {
  const MappedFile &Source = List.file(M);
  if (Source.What == MappedFile::Kind::Image)
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
  if (List.files()[File].What != MappedFile::Kind::File)
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
