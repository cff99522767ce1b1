//===- ForeignFile.cpp - Files of modules that are not ELF ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignFile.h"
#include "Object/SymbolFile.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"

using namespace llvm;

namespace lidia {

std::string codeIDOfPE(uint32_t Time, uint64_t ImageSize) {
  return utohexstr(Time, /*LowerCase=*/true, 8) + utohexstr(ImageSize, true);
}

FileKind fileKindOf(const ByteReader &File) {
  std::vector<uint8_t> First(FileKindBytes);
  First.resize(File.read(0, First));
  return fileKind(toStringRef(First));
}

static bool isForeign(FileKind K) {
  return K == FileKind::PE || K == FileKind::MachO || K == FileKind::PDB ||
         K == FileKind::Cabinet;
}

bool isForeignFile(const ByteReader &File) {
  return isForeign(fileKindOf(File));
}

template <typename T>
static bool readStruct(const ByteReader &File, uint64_t Offset, T &To) {
  return File.readAll(Offset, {reinterpret_cast<uint8_t *>(&To), sizeof(T)});
}

/// The code ID of a PE file; empty if its headers are cut off.
static std::string readCodeID(const ByteReader &File) {
  object::dos_header DOS;
  object::coff_file_header Header;
  // The size has the same place in the optional headers of 32 and 64 bits.
  object::pe32_header Optional;
  if (!readStruct(File, 0, DOS))
    return {};
  uint64_t Offset = uint64_t(DOS.AddressOfNewExeHeader) + sizeof(COFF::PEMagic);
  if (!readStruct(File, Offset, Header) ||
      !readStruct(File, Offset + sizeof(Header), Optional))
    return {};
  return codeIDOfPE(Header.TimeDateStamp, Optional.SizeOfImage);
}

Expected<ForeignFile> readForeignFile(const OpenedFile &File, StringRef Name,
                                      ArrayRef<uint8_t> Wanted) {
  FileKind Kind = fileKindOf(File);
  if (!isForeign(Kind))
    return make_error<UnsupportedError>(
        Name, "not a PE, Mach-O, PDB or cabinet file");
  Expected<std::unique_ptr<Binary>> Opened =
      Binary::openWithBuildID(File.path(), Wanted);
  if (!Opened)
    return Opened.takeError();
  const SymbolFile *Symbols = (*Opened)->asSymbolFile();
  ForeignFile Result;
  Result.BuildID = (*Opened)->buildID().vec();
  if (Kind == FileKind::PE)
    Result.CodeID = readCodeID(File);
  Result.IsPDB = Symbols && Symbols->format() == FileKind::PDB;
  return Result;
}

} // namespace lidia
