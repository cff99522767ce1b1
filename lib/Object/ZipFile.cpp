//===- ZipFile.cpp - Files in a zip file ----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZipFile.h"
#include "FileBytes.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include <zlib.h>

using namespace llvm;
using support::ulittle16_t;
using support::ulittle32_t;

namespace lidia {

namespace {

// The structures are those of PKWARE's APPNOTE.TXT.

constexpr StringLiteral EndMagic = "PK\5\6", EntryMagic = "PK\1\2",
                        FileMagic = "PK\3\4";

/// The record at the end of the table. A comment follows it.
struct EndRecord {
  char Magic[4];
  ulittle16_t Disk, TableDisk, EntriesHere, Entries;
  ulittle32_t TableSize, TableOffset;
  ulittle16_t CommentSize;
};
static_assert(sizeof(EndRecord) == 22);

/// An entry of the table. Its name, extra field and comment follow.
struct TableEntry {
  char Magic[4];
  ulittle16_t MadeBy, Needs, Flags, Method, Time, Date;
  ulittle32_t CRC, PackedSize, Size;
  ulittle16_t NameSize, ExtraSize, CommentSize, Disk, Attributes;
  ulittle32_t MoreAttributes, Offset;
};
static_assert(sizeof(TableEntry) == 46);

/// The header of a file's bytes. Its name and extra field follow.
struct FileHeader {
  char Magic[4];
  ulittle16_t Needs, Flags, Method, Time, Date;
  ulittle32_t CRC, PackedSize, Size;
  ulittle16_t NameSize, ExtraSize;
};
static_assert(sizeof(FileHeader) == 30);

enum : uint16_t { Stored = 0, Deflated = 8 };

} // namespace

bool ZipFile::isZip(StringRef Bytes) { return Bytes.starts_with(FileMagic); }

Expected<ZipFile> ZipFile::open(StringRef Bytes, StringRef Path) {
  constexpr size_t MostOfEnd = sizeof(EndRecord) + UINT16_MAX;
  size_t From = Bytes.size() - std::min(Bytes.size(), MostOfEnd);
  size_t EndAt = Bytes.rfind(EndMagic);
  auto End = structAt<EndRecord>(Bytes, EndAt);
  if (EndAt == StringRef::npos || EndAt < From || !End)
    return make_error<DamagedError>(Path, "a zip file without a table at its "
                                          "end");
  std::optional<StringRef> Table =
      bytesAt(Bytes, End->TableOffset, End->TableSize);
  if (!Table)
    return make_error<DamagedError>(Path, "a zip file whose table is beyond "
                                          "its end");
  ZipFile Zip;
  Zip.Bytes = Bytes;
  uint64_t At = 0;
  while (auto E = structAt<TableEntry>(*Table, At)) {
    if (!StringRef(E->Magic, 4).starts_with(EntryMagic))
      break;
    At += sizeof(*E);
    StringRef Name = Table->substr(At, E->NameSize);
    At += uint64_t(E->NameSize) + E->ExtraSize + E->CommentSize;
    if (Name.ends_with(".so"))
      Zip.Libraries.push_back(
          {Name, E->Method, E->PackedSize, E->Size, E->Offset});
  }
  llvm::sort(Zip.Libraries,
             [](const Entry &A, const Entry &B) { return A.Name < B.Name; });
  return Zip;
}

const ZipFile::Entry *ZipFile::find(StringRef Name) const {
  const Entry *E =
      find_if(libraries(), [&](const Entry &E) { return E.Name == Name; });
  return E == libraries().end() ? nullptr : E;
}

Expected<StringRef> ZipFile::packedBytes(const Entry &E) const {
  auto Header = structAt<FileHeader>(Bytes, E.Offset);
  if (!Header || !StringRef(Header->Magic, 4).starts_with(FileMagic))
    return make_error<DamagedError>("", "has no header");
  constexpr uint16_t Encrypted = 1;
  if (Header->Flags & Encrypted)
    return make_error<UnsupportedError>("", "is encrypted");
  std::optional<StringRef> Packed =
      bytesAt(Bytes,
              uint64_t(E.Offset) + sizeof(*Header) + Header->NameSize +
                  Header->ExtraSize,
              E.PackedSize);
  if (!Packed)
    return make_error<DamagedError>("", "is beyond the end of the file");
  return *Packed;
}

/// Inflates \p Packed, which should expand to \p To.
static Error inflateTo(StringRef Packed, MutableArrayRef<char> To) {
  z_stream Stream = {};
  // Negative: raw data without a zlib header.
  if (inflateInit2(&Stream, -MAX_WBITS) != Z_OK)
    return make_error<SystemError>(
        std::make_error_code(std::errc::not_enough_memory), "");
  auto Finish = make_scope_exit([&] { inflateEnd(&Stream); });
  Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Packed.data()));
  Stream.avail_in = Packed.size();
  Stream.next_out = reinterpret_cast<Bytef *>(To.data());
  Stream.avail_out = To.size();
  if (inflate(&Stream, Z_FINISH) != Z_STREAM_END || Stream.avail_out)
    return make_error<DamagedError>("", "is not a deflated file of " +
                                            Twine(To.size()) + " bytes");
  return Error::success();
}

Expected<std::unique_ptr<MemoryBuffer>> ZipFile::read(const Entry &E,
                                                      const Twine &Path) const {
  auto InFile = [&](Error Why) { return addPrefix(Path, std::move(Why)); };
  Expected<StringRef> Packed = packedBytes(E);
  if (!Packed)
    return InFile(Packed.takeError());
  if (E.Method == Stored)
    return MemoryBuffer::getMemBufferCopy(*Packed, Path);
  if (E.Method != Deflated)
    return InFile(make_error<UnsupportedError>(
        "", "is packed by the method " + Twine(E.Method) +
                ": only stored and deflated files are supported"));
  // Code shrinks to a third, and debug information to a tenth.
  constexpr uint64_t MostUnlikely = 16 << 20, MostTimes = 100;
  if (E.Size > MostUnlikely && E.Size / MostTimes > E.PackedSize)
    return InFile(make_error<LimitError>(
        "", "expands to more than " + Twine(MostTimes) + " times its size"));
  std::unique_ptr<WritableMemoryBuffer> Out =
      WritableMemoryBuffer::getNewUninitMemBuffer(E.Size, Path);
  if (!Out)
    return InFile(make_error<SystemError>(
        std::make_error_code(std::errc::not_enough_memory), ""));
  if (Error Why = inflateTo(*Packed, Out->getBuffer()))
    return InFile(std::move(Why));
  return Out;
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

std::optional<ZipPath> splitZipPath(StringRef Path) {
  auto [Zip, Name] = Path.split('!');
  Name.consume_front("/");
  if (Zip.empty() || Name.empty())
    return std::nullopt;
  return ZipPath{Zip, Name};
}

std::optional<ZipPath> existingZipPath(StringRef Path) {
  std::optional<ZipPath> Split = splitZipPath(Path);
  if (!Split || sys::fs::exists(Path) || !sys::fs::is_regular_file(Split->Zip))
    return std::nullopt;
  return Split;
}

Expected<std::unique_ptr<MemoryBuffer>> openZipEntry(const ZipPath &Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFile(Path.Zip, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!File)
    return make_error<SystemError>(File.getError(), Path.Zip);
  Expected<ZipFile> Zip = ZipFile::open((*File)->getBuffer(), Path.Zip);
  if (!Zip)
    return Zip.takeError();
  const ZipFile::Entry *E = Zip->find(Path.Entry);
  if (!E)
    return make_error<ArgumentError>(Path.Zip, "has no library " + Path.Entry);
  return Zip->read(*E, Path.Zip + "!" + Path.Entry);
}

} // namespace lidia
