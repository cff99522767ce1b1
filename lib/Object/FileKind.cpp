//===- FileKind.cpp - The kind of a file from its first bytes -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Object/FileKind.h"
#include "FileBytes.h"
#include "Support/InputFile.h"
#include "SymbfileFormat.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/Compression.h"
#include "lidia/Error.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MachO.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lidia {

namespace {
/// The bytes that identify a kind of file, and their offset.
struct Signature {
  FileKind Kind;
  StringLiteral Bytes;
  size_t Offset = 0;
};
} // namespace

/// The first match decides.
static constexpr Signature Signatures[] = {
    {FileKind::ELF, "\x7f"
                    "ELF"},
    {FileKind::Breakpad, "MODULE "},
    {FileKind::GSYM, "GSYM"},
    {FileKind::GSYM, "MYSG"},
    {FileKind::Symbfile, symbfile::Magic},
    {FileKind::SymCache, "SYMC"},
    {FileKind::SymCache, "CMYS"},
    {FileKind::Xz, StringLiteral::withInnerNUL("\xfd"
                                               "7zXZ\0")},
    {FileKind::Gzip, "\x1f\x8b"},
    {FileKind::Bzip2, "BZh"},
    {FileKind::Debian, "!<arch>\ndebian-binary"},
    {FileKind::RPM, "\xed\xab\xee\xdb"},
    {FileKind::Zip, "PK\3\4"},
    {FileKind::Cabinet, StringLiteral::withInnerNUL("MSCF\0\0\0\0")},
    {FileKind::Tar, "ustar", 257},
};

/// Whether \p Bytes, which begin with "MZ", may be a PE file: its signature is
/// correct, or beyond the end of \p Bytes.
static bool mayBePE(StringRef Bytes) {
  constexpr uint64_t OffsetOfHeader = 0x3c;
  StringRef Signature(COFF::PEMagic, sizeof(COFF::PEMagic));
  auto Offset = structAt<support::ulittle32_t>(Bytes, OffsetOfHeader);
  std::optional<StringRef> Found =
      Offset ? bytesAt(Bytes, *Offset, Signature.size()) : std::nullopt;
  return !Found || *Found == Signature;
}

/// Whether \p Bytes begin a Mach-O file, or a universal one.
static bool isMachO(StringRef Bytes) {
  auto Magic = structAt<support::ubig32_t>(Bytes, 0);
  if (!Magic)
    return false;
  // Java class files have the same first bytes, followed by their version.
  if (*Magic == MachO::FAT_MAGIC || *Magic == MachO::FAT_MAGIC_64)
    return Bytes.size() < 8 || uint8_t(Bytes[7]) < 43;
  return *Magic == MachO::MH_MAGIC || *Magic == MachO::MH_MAGIC_64 ||
         *Magic == MachO::MH_CIGAM || *Magic == MachO::MH_CIGAM_64;
}

/// The kinds that LLVM recognizes.
static FileKind otherKind(StringRef Bytes) {
  switch (identify_magic(Bytes)) {
  case file_magic::unknown:
    return FileKind::Unknown;
  case file_magic::coff_object:
    return FileKind::COFFObject;
  case file_magic::pdb:
    return FileKind::PDB;
  case file_magic::wasm_object:
    return FileKind::WebAssembly;
  default:
    return FileKind::OtherObject;
  }
}

FileKind fileKind(StringRef FirstBytes) {
  for (const Signature &S : Signatures)
    if (FirstBytes.substr(S.Offset).starts_with(S.Bytes))
      return S.Kind;
  if (Archive::hasMagic(FirstBytes))
    return FileKind::Archive;
  if (isZstd(FirstBytes))
    return FileKind::Zstd;
  if (FirstBytes.starts_with("MZ"))
    return mayBePE(FirstBytes) ? FileKind::PE : FileKind::Unknown;
  return isMachO(FirstBytes) ? FileKind::MachO : otherKind(FirstBytes);
}

StringRef linkerInput(StringRef Bytes) {
  if (fileKind(Bytes) == FileKind::Debian)
    return {};
  if (Bytes.starts_with("!<arch>\n") || Bytes.starts_with("!<thin>\n"))
    return "an archive of object files (.a); name the program linked from it, "
           "or an object file of it, as lib.a(file.o)";
  if (Bytes.starts_with("BC\xc0\xde") || Bytes.starts_with("\xde\xc0\x17\x0b"))
    return "LLVM's intermediate language (bitcode, as of -flto), which has no "
           "code yet; link it, or compile it without -flto";
  return {};
}

/// The first bytes of the regular file \p Path.
static Expected<std::string> readFirstBytes(StringRef Path) {
  Expected<sys::fs::file_t> FD = openRegularFile(Path);
  if (!FD)
    return FD.takeError();
  char Bytes[FileKindBytes];
  Expected<size_t> Size = sys::fs::readNativeFile(*FD, Bytes);
  sys::fs::closeFile(*FD);
  if (!Size)
    return make_error<SystemError>(errorToErrorCode(Size.takeError()), Path);
  return std::string(Bytes, *Size);
}

Expected<FileKind> readFileKind(StringRef Path) {
  Expected<std::string> Bytes = readFirstBytes(Path);
  if (!Bytes)
    return Bytes.takeError();
  return fileKind(*Bytes);
}

Error neitherBinaryNorArchive(StringRef Path) {
  Expected<std::string> Bytes = readFirstBytes(Path);
  if (!Bytes)
    return Bytes.takeError();
  StringRef Why = linkerInput(*Bytes);
  return make_error<NotAnArchiveError>(
      Path, Why.empty() ? "neither a binary nor an archive" : Why);
}

FileKind fileKindOf(StringRef Path) {
  Expected<FileKind> Kind = readFileKind(Path);
  if (Kind)
    return *Kind;
  consumeError(Kind.takeError());
  return FileKind::Unknown;
}

} // namespace lidia
