//===- ArchiveOrigin.cpp - The binary that an archive belongs to ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/ArchiveOrigin.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/Format.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

namespace {
/// Reads parts of an archive.
class OriginReader {
public:
  OriginReader(sys::fs::file_t File, StringRef Path) : File(File), Path(Path) {}

  Expected<std::optional<ArchiveOrigin>> read();
  Expected<std::optional<std::string>> readDirectory();

private:
  Error error(const Twine &Message) const {
    return make_error<DamagedError>(Path, Message);
  }
  /// Reads \p Size bytes at \p Offset into \p Part.
  Error readAt(uint64_t Offset, void *Part, size_t Size);
  template <typename T> Error readAt(uint64_t Offset, T &Part) {
    return readAt(Offset, &Part, sizeof(T));
  }
  /// The archive's header.
  Error readHeader(Header &H);
  /// Reads the header of the extension and its directory; false if the archive
  /// has no extension.
  Expected<bool> readExtension(uint64_t Extension, ExtensionHeader &H,
                               std::vector<ExtensionSection> &Sections);
  Expected<std::optional<ExtensionSection>> findInfo(uint64_t Extension);
  Expected<ArchiveOrigin> readInfo(uint64_t Offset, uint64_t Size);

  sys::fs::file_t File;
  StringRef Path;
};
} // namespace

/// More than any directory or build ID needs.
static constexpr uint64_t MaxBytes = uint64_t(64) << 10;

Error OriginReader::readAt(uint64_t Offset, void *Part, size_t Size) {
  MutableArrayRef<char> Rest(static_cast<char *>(Part), Size);
  while (!Rest.empty()) {
    Expected<size_t> Count = sys::fs::readNativeFileSlice(File, Rest, Offset);
    if (!Count)
      return addPrefix(Path, Count.takeError());
    if (!*Count)
      return error("truncated?");
    Rest = Rest.drop_front(*Count);
    Offset += *Count;
  }
  return Error::success();
}

Error OriginReader::readHeader(Header &H) {
  if (Error E = readAt(0, H))
    return E;
  if (!Archive::hasMagic(StringRef(H.Magic, sizeof(H.Magic))))
    return make_error<NotAnArchiveError>(Path, "not a Lidia archive");
  return Error::success();
}

Expected<bool>
OriginReader::readExtension(uint64_t Extension, ExtensionHeader &H,
                            std::vector<ExtensionSection> &Sections) {
  if (Error E = readAt(Extension, H)) {
    // An archive of version 1 ends here.
    consumeError(std::move(E));
    return false;
  }
  if (StringRef(H.Magic, sizeof(H.Magic)) !=
      StringRef(ExtensionMagic, sizeof(ExtensionMagic)))
    return false;
  if (H.SectionCount > MaxBytes / sizeof(ExtensionSection))
    return error("the extension's directory has too many sections");
  Sections.resize(H.SectionCount);
  if (Error E = readAt(Extension + sizeof(H), Sections.data(),
                       Sections.size() * sizeof(ExtensionSection)))
    return E;
  return true;
}

Expected<std::optional<ExtensionSection>>
OriginReader::findInfo(uint64_t Extension) {
  ExtensionHeader H;
  std::vector<ExtensionSection> Sections;
  Expected<bool> Any = readExtension(Extension, H, Sections);
  if (!Any)
    return Any.takeError();
  auto Found = find_if(
      Sections, [](const ExtensionSection &S) { return S.Tag == ET_Info; });
  if (Found == Sections.end())
    return std::nullopt;
  return *Found;
}

Expected<std::optional<std::string>> OriginReader::readDirectory() {
  Header H;
  if (Error E = readHeader(H))
    return E;
  ExtensionHeader X;
  std::vector<ExtensionSection> Sections;
  Expected<bool> Any = readExtension(alignTo(endOfTables(H), 8), X, Sections);
  if (!Any)
    return Any.takeError();
  // Archives without checksums have zero there.
  if (!*Any || !X.CRC)
    return std::nullopt;
  std::string Bytes(reinterpret_cast<const char *>(&H), sizeof(H));
  Bytes.append(reinterpret_cast<const char *>(&X), sizeof(X));
  Bytes.append(reinterpret_cast<const char *>(Sections.data()),
               Sections.size() * sizeof(ExtensionSection));
  return Bytes;
}

Expected<ArchiveOrigin> OriginReader::readInfo(uint64_t Offset, uint64_t Size) {
  InfoHeader H;
  if (Size < sizeof(H) || Size > MaxBytes)
    return error("section INFO is malformed");
  if (Error E = readAt(Offset, H))
    return E;
  if (H.BuildIDSize > Size - sizeof(H))
    return error("section INFO is malformed");
  ArchiveOrigin Origin;
  static_cast<ELFIdentity &>(Origin) = H.elfIdentity();
  Origin.BuildID.resize(H.BuildIDSize);
  if (Error E = readAt(Offset + sizeof(H), Origin.BuildID.data(),
                       Origin.BuildID.size()))
    return E;
  return Origin;
}

Expected<std::optional<ArchiveOrigin>> OriginReader::read() {
  Header H;
  if (Error E = readHeader(H))
    return E;
  uint64_t Extension = alignTo(endOfTables(H), 8);
  Expected<std::optional<ExtensionSection>> Info = findInfo(Extension);
  if (!Info)
    return Info.takeError();
  if (!*Info)
    return std::nullopt;
  return readInfo(Extension + (*Info)->Offset, (*Info)->Size);
}

/// Calls \p Read with a reader of the file at \p Path.
template <typename T>
static Expected<std::optional<T>>
readParts(StringRef Path, Expected<std::optional<T>> (OriginReader::*Read)()) {
  Expected<sys::fs::file_t> File = sys::fs::openNativeFileForRead(Path);
  if (!File)
    return make_error<SystemError>(errorToErrorCode(File.takeError()), Path);
  OriginReader Reader(*File, Path);
  Expected<std::optional<T>> Result = (Reader.*Read)();
  sys::fs::closeFile(*File);
  return Result;
}

Expected<std::optional<ArchiveOrigin>>
lidia::readArchiveOrigin(StringRef Path) {
  return readParts(Path, &OriginReader::read);
}

Expected<std::optional<std::string>>
lidia::readArchiveDirectory(StringRef Path) {
  return readParts(Path, &OriginReader::readDirectory);
}
