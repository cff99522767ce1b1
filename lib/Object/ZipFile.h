//===- ZipFile.h - Files in a zip file --------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Zip files contain the libraries of Android programs (an APK has
/// "lib/arm64-v8a/libx.so", stored or deflated), the extension modules of
/// Python's wheels, and the PDB files of NuGet's packages. The path of such a
/// file is "base.apk!lib/arm64-v8a/libx.so", optionally with a slash after the
/// "!", as Android's tools and Java's URLs write it.
///
/// The table at the end of the file counts, not the headers of the entries,
/// whose sizes are often missing: libarchive cannot read those from a stream.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_ZIPFILE_H
#define LIDIA_LIB_OBJECT_ZIPFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <optional>
#include <vector>

struct z_stream_s;

namespace lidia {

/// The table of a zip file of at most 4 GiB.
class ZipFile {
public:
  /// A file in the zip file. Nothing is checked before the file is read.
  struct Entry {
    llvm::StringRef Name;
    uint16_t Method = 0;
    uint32_t CRC = 0;
    uint32_t PackedSize = 0;
    uint32_t Size = 0;
    /// The offset of its header.
    uint32_t Offset = 0;
  };

  /// \p Bytes is the whole file and must outlive the result; \p Path is for
  /// messages.
  static llvm::Expected<ZipFile> open(llvm::StringRef Bytes,
                                      llvm::StringRef Path);

  /// The files, without folders, in the order of the table.
  llvm::ArrayRef<Entry> entries() const { return Entries; }
  /// The shared libraries, sorted by name.
  std::vector<Entry> libraries() const;
  /// The file \p Name; null if there is none.
  const Entry *find(llvm::StringRef Name) const;

  /// Fails if \p E expands more than any library does. Does not name the file.
  static llvm::Error checkSize(const Entry &E);

  /// The contents of \p E: a copy, named \p Path. Fails if checkSize() does.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  read(const Entry &E, const llvm::Twine &Path) const;

  /// The bytes of \p E in the file, if they are stored without compression.
  std::optional<llvm::StringRef> storedBytes(const Entry &E) const;

private:
  friend class ZipEntryReader;
  llvm::Expected<llvm::StringRef> packedBytes(const Entry &E) const;

  llvm::StringRef Bytes;
  std::vector<Entry> Entries;
};

/// Unpacks a file in a zip file, piece by piece. Errors do not name the file.
class ZipEntryReader {
public:
  /// \p Zip and \p E must outlive the reader.
  ZipEntryReader(const ZipFile &Zip, const ZipFile::Entry &E);
  ZipEntryReader(const ZipEntryReader &) = delete;
  ~ZipEntryReader();

  /// The next piece; empty at the end, when as many bytes as the table says
  /// were unpacked and their checksum matches. Valid until the next call.
  llvm::Expected<llvm::StringRef> next();

private:
  llvm::Error start();
  llvm::Error inflatePiece();
  llvm::Error finish() const;

  const ZipFile &Zip;
  const ZipFile::Entry &E;
  bool IsStarted = false;
  /// Of a stored file, all of it; of a deflated one, the current piece.
  llvm::StringRef Piece;
  std::unique_ptr<z_stream_s> Stream;
  std::vector<char> Buffer;
  bool IsStreamAtEnd = false;
  uint64_t Unpacked = 0;
  uint32_t CRC = 0;
};

/// The parts of the path of a file in a zip file.
struct ZipPath {
  llvm::StringRef Zip;
  llvm::StringRef Entry;
};

/// Splits \p Path ("a.apk!lib/x.so"); none if it is not such a path.
std::optional<ZipPath> splitZipPath(llvm::StringRef Path);

/// The same, if the zip file exists but the file \p Path itself does not.
std::optional<ZipPath> existingZipPath(llvm::StringRef Path);

/// Opens the file \p Path, which is in a zip file.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openZipEntry(const ZipPath &Path);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_ZIPFILE_H
