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

} // namespace lidia
