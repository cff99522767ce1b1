//===- Package.cpp - The files in packages --------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opens the streams that libarchive reads. A Debian package is an ar archive
/// that contains a tar archive, an RPM package is a cpio archive after a
/// header, and an Alpine Linux package is a tar archive. ZipPackage.cpp reads
/// zip files.
///
//===----------------------------------------------------------------------===//

#include "Package.h"
#include "PackageLimits.h"
#include "ZipPackage.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#if LIDIA_HAVE_PACKAGES
#include "Object/LibArchive.h"
#endif
#include <array>
#include <optional>
#include <vector>

using namespace lidia;
using namespace llvm;

bool lidia::isSurelyPackage(FileKind K) {
  return K == FileKind::Debian || K == FileKind::RPM || K == FileKind::Zip;
}

bool lidia::mayBePackage(FileKind K) {
  return isSurelyPackage(K) || K == FileKind::Tar || isCompressed(K);
}

bool lidia::isNamedLikePackage(StringRef Path) {
  // Programs for Android and packages of Alpine Linux both end in ".apk".
  return any_of(
      ArrayRef<StringRef>({".deb", ".ddeb", ".udeb", ".rpm", ".apk", ".aab",
                           ".aar", ".whl", ".nupkg", ".snupkg"}),
      [&](StringRef Ending) { return Path.ends_with(Ending); });
}

#if LIDIA_HAVE_PACKAGES

namespace {

/// The limit for a member's header with its name, in bytes: libarchive reads
/// the header as a whole.
constexpr uint64_t LargestHeader = uint64_t(4) << 20;

/// The format with which libarchive reads a stream. The only member of the
/// first two is what a compressed file, or the payload of an RPM package,
/// unpacks to.
enum class StreamKind : uint8_t { Packed, PackedRPM, Ar, Cpio, Tar };

/// A stream of members, which libarchive reads from another stream of bytes.
class MemberStream {
public:
  MemberStream(const LibArchive &L, StringRef Name, PackageLimits Limits,
               PackageBytes From)
      : L(L), Name(Name), Limits(Limits), From(From), A(L.read_new()) {}
  MemberStream(const MemberStream &) = delete;
  ~MemberStream() {
    if (A)
      L.read_free(A);
    consumeError(std::move(Failure));
  }

  Error open(StreamKind Kind);
  /// Returns null at the end.
  Expected<archive_entry *> next();
  /// Returns the next piece of the member; empty at its end.
  Expected<StringRef> nextPiece();

private:
  static la_ssize_t onRead(archive *, void *User, const void **Bytes);
  Error error();
  Error checkFilters();
  Error checkSize();

  const LibArchive &L;
  const StringRef Name;
  const PackageLimits Limits;
  PackageBytes From;
  archive *A;
  uint64_t Members = 0;
  /// In the member: the size of the pieces so far, and the next piece, which
  /// may begin later.
  uint64_t Position = 0;
  StringRef Pending;
  uint64_t PendingAt = 0;
  /// All zeros that nextPiece() has inserted.
  uint64_t Zeros = 0;
  /// The bytes that libarchive has read for the next member's header.
  std::optional<uint64_t> HeaderBytes;
  bool IsAtEnd = true;
  Error Failure = Error::success();
};

} // namespace

/// The last error.
Error MemberStream::error() {
  // An error of the inner stream is more precise.
  if (Failure)
    return std::exchange(Failure, Error::success());
  const char *Text = A ? L.error_string(A) : "out of memory";
  return make_error<DamagedError>(Name, "cannot be read as a package: " +
                                            Twine(Text ? Text : "damaged"));
}

la_ssize_t MemberStream::onRead(archive *, void *User, const void **Bytes) {
  auto &S = *static_cast<MemberStream *>(User);
  Expected<StringRef> Piece = S.From();
  if (!Piece) {
    consumeError(std::move(S.Failure));
    S.Failure = Piece.takeError();
    return -1;
  }
  if (S.HeaderBytes && (*S.HeaderBytes += Piece->size()) > LargestHeader) {
    consumeError(std::move(S.Failure));
    S.Failure =
        make_error<LimitError>(S.Name, "a file in it has a name of more than " +
                                           Twine(LargestHeader >> 20) + " MiB");
    return -1;
  }
  *Bytes = Piece->data();
  return la_ssize_t(Piece->size());
}

Error MemberStream::open(StreamKind Kind) {
  if (!A)
    return error();
  int Result = ARCHIVE_OK;
  // A worse result (ARCHIVE_WARN) means that libarchive would run a program.
  auto Add = [&](int Added) { Result = std::min(Result, Added); };
  bool IsPacked = Kind == StreamKind::Packed || Kind == StreamKind::PackedRPM;
  if (IsPacked) {
    Add(L.read_support_filter_gzip(A));
    Add(L.read_support_filter_bzip2(A));
    Add(L.read_support_filter_xz(A));
    Add(L.read_support_filter_lzma(A));
    Add(L.read_support_filter_zstd(A));
  }
  if (Kind == StreamKind::PackedRPM)
    Add(L.read_support_filter_rpm(A));
  Add(IsPacked                   ? L.read_support_format_raw(A)
      : Kind == StreamKind::Ar   ? L.read_support_format_ar(A)
      : Kind == StreamKind::Cpio ? L.read_support_format_cpio(A)
                                 : L.read_support_format_tar(A));
  if (Result != ARCHIVE_OK)
    return make_error<UnsupportedError>(
        Name, "this libarchive lacks a compression that packages have");
  if (L.read_open(A, this, nullptr, onRead, nullptr) != ARCHIVE_OK)
    return error();
  return checkFilters();
}

/// Refuses several layers of compression: each may unpack to a thousand times
/// its size, and checkSize() only counts the output of the last one.
Error MemberStream::checkFilters() {
  unsigned Layers = 0;
  for (int I = 0, Count = L.filter_count(A); I < Count; ++I)
    Layers += !is_contained({ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_RPM},
                            L.filter_code(A, I));
  if (Layers > 1)
    return make_error<LimitError>(Name, "is compressed several times");
  return Error::success();
}

Error MemberStream::checkSize() {
  return Limits.check(Name, Members, uint64_t(L.filter_bytes(A, 0)) + Zeros);
}

Expected<archive_entry *> MemberStream::next() {
  // libarchive would skip the rest in one call, of any size.
  while (!IsAtEnd) {
    Expected<StringRef> Piece = nextPiece();
    if (!Piece)
      return Piece.takeError();
  }
  archive_entry *Entry = nullptr;
  int Result = ARCHIVE_RETRY;
  HeaderBytes = 0;
  for (unsigned Attempt = 0; Result == ARCHIVE_RETRY && Attempt != 10;
       ++Attempt)
    Result = L.read_next_header(A, &Entry);
  HeaderBytes = std::nullopt;
  if (Result == ARCHIVE_EOF && !Failure)
    return nullptr;
  if (Result != ARCHIVE_OK && Result != ARCHIVE_WARN)
    return error();
  ++Members;
  if (Error E = checkSize())
    return E;
  Position = 0;
  Pending = "";
  IsAtEnd = false;
  return Entry;
}

/// Also returns the zeros of holes between pieces.
Expected<StringRef> MemberStream::nextPiece() {
  static const std::array<char, 64 * 1024> NoBytes = {};
  if (IsAtEnd)
    return StringRef();
  if (Pending.empty()) {
    const void *Bytes = nullptr;
    size_t Size = 0;
    la_int64_t Offset = 0;
    int Result = ARCHIVE_OK;
    // Pieces may be empty; the last one has the size of a file that ends with
    // zeros.
    do {
      if (Error E = checkSize())
        return E;
      Result = L.read_data_block(A, &Bytes, &Size, &Offset);
    } while (Result == ARCHIVE_OK && Size == 0 && uint64_t(Offset) <= Position);
    if (Result == ARCHIVE_EOF) {
      IsAtEnd = true;
      return StringRef();
    }
    if (Result != ARCHIVE_OK && Result != ARCHIVE_WARN)
      return error();
    if (Offset < 0 || uint64_t(Offset) < Position)
      return make_error<DamagedError>(Name, "its pieces are out of order");
    Pending = StringRef(static_cast<const char *>(Bytes), Size);
    PendingAt = uint64_t(Offset);
  }
  if (Error E = checkSize())
    return E;
  if (PendingAt > Position) {
    uint64_t Count = std::min<uint64_t>(PendingAt - Position, NoBytes.size());
    Position += Count;
    Zeros += Count;
    return StringRef(NoBytes.data(), Count);
  }
  Position += Pending.size();
  return std::exchange(Pending, StringRef());
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

using MemberVisitor = function_ref<Error(const PackageMember &, PackageBytes)>;

/// Calls \p Visit for the regular files of \p S.
static Error visitMembers(const LibArchive &L, MemberStream &S,
                          MemberVisitor Visit) {
  for (uint64_t Index = 0;; ++Index) {
    Expected<archive_entry *> Entry = S.next();
    if (!Entry)
      return Entry.takeError();
    if (!*Entry)
      return Error::success();
    la_int64_t Size = L.entry_size(*Entry);
    if (L.entry_filetype(*Entry) != AE_IFREG || Size <= 0)
      continue;
    const char *Name = L.entry_pathname(*Entry);
    PackageMember Member{Name ? Name : "?", Index, uint64_t(Size)};
    if (Error E = Visit(Member, [&] { return S.nextPiece(); }))
      return E;
  }
}

/// Visits the files in \p Bytes, which \p Packed unpacks to the format \p Kind.
static Error visitPacked(const LibArchive &L, StringRef Path,
                         PackageLimits Limits, PackageBytes Bytes,
                         StreamKind Packed, StreamKind Kind,
                         MemberVisitor Visit) {
  MemberStream Outer(L, Path, Limits, Bytes);
  if (Error E = Outer.open(Packed))
    return E;
  Expected<archive_entry *> Entry = Outer.next();
  if (!Entry)
    return Entry.takeError();
  auto Unpacked = [&] { return Outer.nextPiece(); };
  MemberStream Inner(L, Path, Limits, Unpacked);
  if (Error E = Inner.open(Kind))
    return E;
  return visitMembers(L, Inner, Visit);
}

/// Visits the files in the member data.tar.* of a Debian package.
static Error visitDebian(const LibArchive &L, StringRef Path,
                         PackageLimits Limits, PackageBytes File,
                         MemberVisitor Visit) {
  MemberStream Outer(L, Path, Limits, File);
  if (Error E = Outer.open(StreamKind::Ar))
    return E;
  while (true) {
    Expected<archive_entry *> Entry = Outer.next();
    if (!Entry)
      return Entry.takeError();
    if (!*Entry)
      return make_error<DamagedError>(Path, "a package without data.tar");
    const char *Name = L.entry_pathname(*Entry);
    if (!Name || !StringRef(Name).starts_with("data.tar"))
      continue;
    auto Data = [&] { return Outer.nextPiece(); };
    return visitPacked(L, Path, Limits, Data, StreamKind::Packed,
                       StreamKind::Tar, Visit);
  }
}

static Error readOpenPackage(const LibArchive &L, sys::fs::file_t FD,
                             const std::string &Path, MemberVisitor Visit) {
  sys::fs::file_status Status;
  if (std::error_code EC = sys::fs::status(FD, Status))
    return make_error<SystemError>(EC, Path);
  std::vector<char> Buffer(128 * 1024);
  auto ReadFile = [&]() -> Expected<StringRef> {
    Expected<size_t> Count = sys::fs::readNativeFile(FD, Buffer);
    if (!Count)
      return make_error<SystemError>(errorToErrorCode(Count.takeError()), Path);
    return StringRef(Buffer.data(), *Count);
  };
  PackageLimits Limits(Status.getSize());
  // The first bytes determine the kind. The stream must begin with them, too.
  Expected<StringRef> Read = ReadFile();
  if (!Read)
    return Read.takeError();
  StringRef First = *Read;
  auto File = [&]() -> Expected<StringRef> {
    if (!First.empty())
      return std::exchange(First, StringRef());
    return ReadFile();
  };
  FileKind Kind = fileKind(First);
  if (Kind == FileKind::Debian)
    return visitDebian(L, Path, Limits, File, Visit);
  if (Kind == FileKind::RPM)
    return visitPacked(L, Path, Limits, File, StreamKind::PackedRPM,
                       StreamKind::Cpio, Visit);
  return visitPacked(L, Path, Limits, File, StreamKind::Packed, StreamKind::Tar,
                     Visit);
}

/// Reads a package other than a zip file.
static Error readStream(sys::fs::file_t FD, const std::string &Path,
                        MemberVisitor Visit) {
  Expected<const LibArchive &> L = LibArchive::get();
  if (!L)
    return addPrefix(Path, L.takeError());
  return readOpenPackage(*L, FD, Path, Visit);
}

#else

static Error
readStream(sys::fs::file_t, const std::string &Path,
           function_ref<Error(const PackageMember &, PackageBytes)>) {
  return make_error<UnsupportedError>(
      Path, "this program was built without support for packages: "
            "libarchive-dev was missing");
}

#endif

Error lidia::readPackage(
    sys::fs::file_t FD, const std::string &Path,
    function_ref<Error(const PackageMember &, PackageBytes)> Visit) {
  char First[8] = {};
  // An error is reported by the reader.
  consumeError(sys::fs::readNativeFileSlice(FD, First, 0).takeError());
  if (fileKind(StringRef(First, sizeof(First))) == FileKind::Zip)
    return readZipPackage(FD, Path, Visit);
  return readStream(FD, Path, Visit);
}

Error lidia::readPackage(
    const std::string &Path,
    function_ref<Error(const PackageMember &, PackageBytes)> Visit) {
  Expected<sys::fs::file_t> FD = sys::fs::openNativeFileForRead(Path);
  if (!FD)
    return make_error<SystemError>(errorToErrorCode(FD.takeError()), Path);
  Error E = readPackage(*FD, Path, Visit);
  sys::fs::closeFile(*FD);
  return E;
}
