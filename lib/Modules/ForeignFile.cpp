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
#include "lidia/MissError.h"
#include "lidia/Modules/LoadedModule.h"
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

//===----------------------------------------------------------------------===//
// Files of modules
//===----------------------------------------------------------------------===//

Miss isAnotherBuild(StringRef Path, ArrayRef<uint8_t> ItsID,
                    ArrayRef<uint8_t> Wanted) {
  return {MissCode::OtherBuild,
          Path.str() + " is another build: its build ID is " +
              (ItsID.empty() ? std::string("missing") : toHex(ItsID, true)) +
              " instead of " + toHex(Wanted, true)};
}

ForeignFileReader::Result ForeignFileReader::read(const OpenedFile &File,
                                                  StringRef Name,
                                                  ArrayRef<uint8_t> Wanted) {
  Result R;
  if (Error E = readForeignFile(File, Name, Wanted).moveInto(R.File))
    R.Failure = missOf(std::move(E));
  return R;
}

/// Unpacks without the lock: if two threads do, both get the same.
ForeignFileReader::Result
ForeignFileReader::readOnce(const OpenedFile &File, StringRef Name,
                            ArrayRef<uint8_t> Wanted) {
  if (fileKindOf(File) != FileKind::Cabinet)
    return read(File, Name, Wanted);
  std::string Version = File.version();
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto Known = Unpacked.find(Version);
    if (Known != Unpacked.end())
      return Known->second;
  }
  Result R = read(File, Name, Wanted);
  std::lock_guard<std::mutex> Lock(Mutex);
  Unpacked.try_emplace(Version, R);
  return R;
}

void ForeignFileReader::setFile(LoadedModule &M,
                                std::unique_ptr<OpenedFile> Opened,
                                StringRef Path, StringRef CodeID) {
  Result R = readOnce(*Opened, Path, M.BuildID);
  ForeignFile &Its = R.File;
  if (!R.Failure.empty()) {
    M.WhyNoFile = std::move(R.Failure);
    return;
  }
  if (!M.BuildID.empty() && M.BuildID != Its.BuildID) {
    M.WhyNoFile = isAnotherBuild(Path, Its.BuildID, M.BuildID);
    return;
  }
  if (M.BuildID.empty() && !CodeID.empty() && CodeID != Its.CodeID) {
    M.WhyNoFile = {MissCode::OtherBuild,
                   (Path +
                    " is another build: its time and size of image are " +
                    (Its.CodeID.empty() ? "missing" : Its.CodeID) +
                    " instead of " + CodeID)
                       .str()};
    return;
  }
  M.BuildID = std::move(Its.BuildID);
  M.File = std::move(Opened);
  M.WhyNoFile = Miss();
}

} // namespace lidia
