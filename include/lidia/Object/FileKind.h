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

/// What a file is, as far as its first bytes say.
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
  /// An archive of this project that is not compressed.
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
  /// A file of linkers that is not read.
  COFFObject,
  /// A binary, too.
  WebAssembly,
  /// Other files of linkers that are not read.
  OtherObject,
};

/// The number of first bytes by which all kinds are recognised. With fewer, but
/// at least eight, all kinds but Tar are.
inline constexpr size_t FileKindBytes = 512;

/// The kind of a file that begins with \p FirstBytes.
FileKind fileKind(llvm::StringRef FirstBytes);

/// The kind of the regular file \p Path. An error if it cannot be read or is
/// not a regular file, which is not opened: that could wait for a writer, or
/// have effects.
llvm::Expected<FileKind> readFileKind(llvm::StringRef Path);

/// The kind of the file \p Path; Unknown if it has none.
FileKind fileKindOf(llvm::StringRef Path);

/// Whether it is another tool's symbol file.
inline bool isSymbolFile(FileKind K) {
  return K >= FileKind::Breakpad && K <= FileKind::SymCache;
}

/// Whether convert() reads files of this kind. Kernel modules are compressed,
/// so it reads some of other kinds, too: see isPackedBinary().
inline bool mayBeBinary(FileKind K) {
  return (K >= FileKind::ELF && K <= FileKind::SymCache) ||
         K == FileKind::WebAssembly;
}

inline bool isCompressed(FileKind K) {
  return K >= FileKind::Zstd && K <= FileKind::Bzip2;
}

/// Whether linkers or debuggers know the kind.
inline bool isObjectFile(FileKind K) {
  return (K >= FileKind::ELF && K <= FileKind::MachO) ||
         K >= FileKind::COFFObject;
}

/// Whether \p Path is an ELF file that was compressed by xz or zstd, as kernel
/// modules are; convert() unpacks it. False for a file that cannot be read or
/// is not regular.
bool isPackedBinary(llvm::StringRef Path);

/// The same for an archive that was compressed by zstd.
bool isPackedArchive(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_OBJECT_FILEKIND_H
