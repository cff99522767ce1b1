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

Expected<ZipFile> ZipFile::open(StringRef Bytes, StringRef Path) {
  constexpr size_t MaxOfEnd = sizeof(EndRecord) + UINT16_MAX;
  size_t From = Bytes.size() - std::min(Bytes.size(), MaxOfEnd);
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
    if (!Name.ends_with("/"))
      Zip.Entries.push_back(
          {Name, E->Method, E->CRC, E->PackedSize, E->Size, E->Offset});
  }
  return Zip;
}

std::vector<ZipFile::Entry> ZipFile::libraries() const {
  std::vector<Entry> Libraries;
  copy_if(Entries, std::back_inserter(Libraries),
          [](const Entry &E) { return E.Name.ends_with(".so"); });
  llvm::sort(Libraries,
             [](const Entry &A, const Entry &B) { return A.Name < B.Name; });
  return Libraries;
}

const ZipFile::Entry *ZipFile::find(StringRef Name) const {
  auto It = find_if(Entries, [&](const Entry &E) { return E.Name == Name; });
  return It == Entries.end() ? nullptr : &*It;
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

std::optional<StringRef> ZipFile::storedBytes(const Entry &E) const {
  if (E.Method != Stored || E.PackedSize != E.Size)
    return std::nullopt;
  return expectedToOptional(packedBytes(E));
}

//===----------------------------------------------------------------------===//
// Unpacking
//===----------------------------------------------------------------------===//

static constexpr size_t PieceSize = 64 * 1024;

ZipEntryReader::ZipEntryReader(const ZipFile &Zip, const ZipFile::Entry &E)
    : Zip(Zip), E(E) {}

ZipEntryReader::~ZipEntryReader() {
  if (Stream)
    inflateEnd(Stream.get());
}

Error ZipEntryReader::start() {
  IsStarted = true;
  if (E.Method != Stored && E.Method != Deflated)
    return make_error<UnsupportedError>(
        "", "is packed by the method " + Twine(E.Method) +
                ": only stored and deflated files are supported");
  Expected<StringRef> Packed = Zip.packedBytes(E);
  if (!Packed)
    return Packed.takeError();
  if (E.Method == Stored) {
    Piece = *Packed;
    return Error::success();
  }
  auto New = std::make_unique<z_stream>();
  // Negative: raw data without a zlib header.
  if (inflateInit2(New.get(), -MAX_WBITS) != Z_OK)
    return make_error<SystemError>(
        std::make_error_code(std::errc::not_enough_memory), "");
  Stream = std::move(New);
  Stream->next_in =
      reinterpret_cast<Bytef *>(const_cast<char *>(Packed->data()));
  Stream->avail_in = Packed->size();
  Buffer.resize(std::min<size_t>(E.Size, PieceSize - 1) + 1);
  return Error::success();
}

static Error wrongSize(uint32_t Size) {
  return make_error<DamagedError>("",
                                  "is not a file of " + Twine(Size) + " bytes");
}

Error ZipEntryReader::inflatePiece() {
  Stream->next_out = reinterpret_cast<Bytef *>(Buffer.data());
  Stream->avail_out = Buffer.size();
  int Result = inflate(Stream.get(), Z_NO_FLUSH);
  IsStreamAtEnd = Result == Z_STREAM_END;
  Piece = StringRef(Buffer.data(), Buffer.size() - Stream->avail_out);
  if (Result != Z_OK && !IsStreamAtEnd)
    return wrongSize(E.Size);
  // Input that ends too early makes no progress.
  if (Piece.empty() && !IsStreamAtEnd)
    return wrongSize(E.Size);
  return Error::success();
}

Error ZipEntryReader::finish() const {
  if (Unpacked != E.Size)
    return wrongSize(E.Size);
  if (CRC != E.CRC)
    return make_error<DamagedError>("", "does not match its checksum");
  return Error::success();
}

Expected<StringRef> ZipEntryReader::next() {
  if (!IsStarted)
    if (Error Why = start())
      return Why;
  if (Stream && Piece.empty() && !IsStreamAtEnd)
    if (Error Why = inflatePiece())
      return Why;
  StringRef Next = Piece.take_front(PieceSize);
  Piece = Piece.drop_front(Next.size());
  Unpacked += Next.size();
  if (Unpacked > E.Size)
    return wrongSize(E.Size);
  CRC = crc32(CRC, reinterpret_cast<const Bytef *>(Next.data()), Next.size());
  if (Next.empty())
    if (Error Why = finish())
      return Why;
  return Next;
}

Error ZipFile::checkSize(const Entry &E) {
  // Code shrinks to a third, and debug information to a tenth.
  constexpr uint64_t MaxUnlikely = 16 << 20, MaxTimes = 100;
  if (E.Size > MaxUnlikely && E.Size / MaxTimes > E.PackedSize)
    return make_error<LimitError>("", "expands to more than " +
                                          Twine(MaxTimes) + " times its size");
  return Error::success();
}

Expected<std::unique_ptr<MemoryBuffer>> ZipFile::read(const Entry &E,
                                                      const Twine &Path) const {
  auto InFile = [&](Error Why) { return addPrefix(Path, std::move(Why)); };
  if (Error Why = checkSize(E))
    return InFile(std::move(Why));
  std::unique_ptr<WritableMemoryBuffer> Out =
      WritableMemoryBuffer::getNewUninitMemBuffer(E.Size, Path);
  if (!Out)
    return InFile(make_error<SystemError>(
        std::make_error_code(std::errc::not_enough_memory), ""));
  ZipEntryReader Reader(*this, E);
  char *To = Out->getBufferStart();
  while (true) {
    Expected<StringRef> Piece = Reader.next();
    if (!Piece)
      return InFile(Piece.takeError());
    if (Piece->empty())
      return Out;
    To = llvm::copy(*Piece, To);
  }
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
    return make_error<ArgumentError>(Path.Zip, "has no file " + Path.Entry);
  return Zip->read(*E, Path.Zip + "!" + Path.Entry);
}

} // namespace lidia
