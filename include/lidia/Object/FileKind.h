//===- FileKind.h - What a file is, by its first bytes ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_OBJECT_FILEKIND_H
#define LIDIA_OBJECT_FILEKIND_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lidia {

/// The kind of a file, as recognised by its first bytes.
enum class FileKind : uint8_t {
  Unknown,
  /// Binaries that convert() reads.
  ELF,
  PE,
  MachO,
  /// Other tools' symbol files, which convert() also reads.
  Breakpad,
  GSYM,
  PDB,
  SymCache,
  /// An uncompressed Lidia archive.
  Archive,
  /// A compressed file: an archive, a kernel module, a package or another file.
  Zstd,
  Xz,
  Gzip,
  Bzip2,
  /// Packages.
  Debian,
  RPM,
  Tar,
  Zip,
  /// Also binaries that convert() reads: an object file of Microsoft's linker,
  /// for example. A cabinet holds a binary, as name.pd_ in a symbol store does.
  COFFObject,
  WebAssembly,
  Cabinet,
  /// Other object files, which are not read.
  OtherObject,
  /// Another tool's symbol file, which convert() reads.
  Symbfile,
};

/// The number of first bytes that fileKind() needs to recognise all kinds. With
/// eight bytes, it recognises all kinds except Tar.
inline constexpr size_t FileKindBytes = 512;

/// The kind of a file that begins with \p FirstBytes.
FileKind fileKind(llvm::StringRef FirstBytes);

/// The kind of the regular file \p Path. Fails if the file cannot be read or is
/// not regular. Other files are not opened, because that could wait for a
/// writer or have side effects.
llvm::Expected<FileKind> readFileKind(llvm::StringRef Path);

/// What a file that begins with \p FirstBytes is if it is made to be linked,
/// but has no object of its own, and what to name instead; empty for another
/// file.
llvm::StringRef linkerInput(llvm::StringRef FirstBytes);

/// The error that the file \p Path is of another kind.
llvm::Error neitherBinaryNorArchive(llvm::StringRef Path);

/// The kind of the file \p Path; Unknown if it cannot be read or is of no known
/// kind.
FileKind fileKindOf(llvm::StringRef Path);

/// Whether \p K is the kind of another tool's symbol file.
inline bool isSymbolFile(FileKind K) {
  return (K >= FileKind::Breakpad && K <= FileKind::SymCache) ||
         K == FileKind::Symbfile;
}

/// Whether convert() reads files of this kind. It also reads some compressed
/// files, such as kernel modules: see isPackedBinary().
inline bool mayBeBinary(FileKind K) {
  return (K >= FileKind::ELF && K <= FileKind::SymCache) ||
         (K >= FileKind::COFFObject && K <= FileKind::Cabinet) ||
         K == FileKind::Symbfile;
}

inline bool isCompressed(FileKind K) {
  return K >= FileKind::Zstd && K <= FileKind::Bzip2;
}

/// Whether \p K is a kind of file that linkers or debuggers use.
inline bool isObjectFile(FileKind K) {
  return (K >= FileKind::ELF && K <= FileKind::MachO) ||
         (K >= FileKind::COFFObject && K <= FileKind::OtherObject);
}

/// Whether \p Path is an ELF file that is compressed by xz or zstd, as kernel
/// modules are; convert() unpacks such files. False for a file that cannot be
/// read or is not regular.
bool isPackedBinary(llvm::StringRef Path);

/// Whether \p Path is an archive that is compressed by zstd. False for a file
/// that cannot be read or is not regular.
bool isPackedArchive(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_OBJECT_FILEKIND_H
