//===- SymbolFile.cpp - An open symbol file of another tool ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolFile.h"
#include "COFFBinary.h"
#include "FileBytes.h"
#include "GSYMSections.h"
#include "MachineNames.h"
#include "PDBFile.h"
#include "Support/LEB128.h"
#include "SymCacheFormat.h"
#include "SymbfileFormat.h"
#include "lidia/Archive/DebugID.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/DebugInfo/GSYM/Header.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lidia {

StringRef SymbolFile::formatName() const {
  switch (Format) {
  case FileKind::Breakpad:
    return "Breakpad";
  case FileKind::GSYM:
    return "GSYM";
  case FileKind::PDB:
    return "PDB";
  case FileKind::Symbfile:
    return "symbfile";
  case FileKind::SymCache:
    return "SymCache";
  default:
    llvm_unreachable("all formats are handled");
  }
}

std::string SymbolFile::whereDebugInformationIs() const {
  if (IsPartial)
    return (path() + " is partial (/DEBUG:FASTLINK): link with /DEBUG:FULL, or "
                     "complete it with mspdbcmf.exe")
        .str();
  return "make the " + formatName().str() +
         " file from a binary with debug information";
}

void SymbolFile::setDebugID(ArrayRef<uint8_t> Bytes) {
  if (all_of(Bytes, [](uint8_t B) { return B == 0; }))
    return;
  ID.emplace();
  llvm::copy(Bytes.take_front(ID->size()), ID->begin());
}

/// Removes and returns the next word of \p Line.
static StringRef takeWord(StringRef &Line) {
  auto [Word, Rest] = Line.split(' ');
  Line = Rest;
  return Word;
}

/// Removes and returns the next line of \p Text, without its end.
static StringRef takeLine(StringRef &Text) {
  auto [Line, Rest] = Text.split('\n');
  Text = Rest;
  Line.consume_back("\r");
  return Line;
}

/// The bytes of the hexadecimal number \p Digits; none if it is not one, or has
/// an odd number of digits.
static std::optional<std::string> bytesOfHex(StringRef Digits) {
  std::string Bytes;
  if (Digits.size() % 2 || !tryGetFromHex(Digits, Bytes))
    return std::nullopt;
  return Bytes;
}

Error SymbolFile::readBreakpadHeader() {
  StringRef Text = bytes(), Line = takeLine(Text);
  takeWord(Line);
  StringRef System = takeWord(Line), Machine = takeWord(Line);
  StringRef Digits = takeWord(Line);
  std::optional<std::string> Number =
      bytesOfHex(Digits.take_front(2 * sizeof(UUID)));
  if (!Number || Number->size() != sizeof(UUID))
    return make_error<DamagedError>(
        path(), "its MODULE record has no ID of 32 hexadecimal digits");
  if (const MachineNames *M = machineFromBreakpad(Machine)) {
    Identity.Machine = M->Machine;
    Identity.Class = M->Class;
    Identity.Data = M->Data;
  }
  setDebugID(arrayRefFromStringRef(*Number));
  bool IsMachO = System == "mac" || System == "ios";
  bool IsPE = System == "windows";
  if (IsMachO)
    Identity.Format = BinaryFormat::MachO;
  else if (IsPE)
    Identity.Format = BinaryFormat::PE;
  // For Mach-O files, the ID is the build ID itself.
  if (ID && (IsMachO || IsPE))
    BuildID.assign(ID->begin(), ID->end());
  std::optional<DebugID> WithAge = DebugID::parse(Digits);
  if (ID && IsPE && WithAge)
    BuildID = WithAge->buildIDOfPE();
  // The code ID of a PE file is a time and a size.
  bool HasCodeID = !IsPE && BuildID.empty();
  while (HasCodeID && Text.starts_with("INFO ")) {
    StringRef Info = takeLine(Text);
    if (!Info.consume_front("INFO CODE_ID "))
      continue;
    if (std::optional<std::string> CodeID = bytesOfHex(takeWord(Info)))
      BuildID.assign(CodeID->begin(), CodeID->end());
    break;
  }
  return Error::success();
}

/// The UUID of the GSYM file \p Bytes of version 2.
static Expected<ArrayRef<uint8_t>> uuidOfGSYM(StringRef Bytes, StringRef Path,
                                              bool IsBigEndian) {
  Expected<gsymv2::Sections> Sections =
      gsymv2::readSections(Bytes, Path, IsBigEndian);
  if (!Sections)
    return Sections.takeError();
  ArrayRef<uint8_t> UUID = arrayRefFromStringRef((*Sections)[gsymv2::UUID]);
  // More than the build IDs of any linker have.
  constexpr size_t Longest = 64;
  if (UUID.size() > Longest)
    return make_error<DamagedError>(Path, "its UUID has " + Twine(UUID.size()) +
                                              " bytes, not at most 64");
  return UUID;
}

Error SymbolFile::readGSYMHeader() {
  std::optional<gsym::Header> H = structAt<gsym::Header>(bytes(), 0);
  if (!H)
    return make_error<DamagedError>(path(), "ends within the GSYM header");
  IsBigEndian = bytes().starts_with("GSYM");
  Identity.Data = IsBigEndian ? ELF::ELFDATA2MSB : ELF::ELFDATA2LSB;
  uint16_t Version = support::endian::read<uint16_t>(
      &H->Version, IsBigEndian ? endianness::big : endianness::little);
  if (Version == 2) {
    Expected<ArrayRef<uint8_t>> UUID = uuidOfGSYM(bytes(), path(), IsBigEndian);
    if (!UUID)
      return UUID.takeError();
    BuildID.assign(UUID->begin(), UUID->end());
    return Error::success();
  }
  if (Version != gsym::GSYM_VERSION)
    return make_error<UnsupportedError>(
        path(), "a GSYM file of version " + Twine(Version) +
                    "; only versions 1 and 2 are supported");
  if (H->UUIDSize > sizeof(H->UUID))
    return make_error<DamagedError>(path(), "its UUID has " +
                                                Twine(unsigned(H->UUIDSize)) +
                                                " bytes, not at most 20");
  BuildID.assign(H->UUID, H->UUID + H->UUIDSize);
  return Error::success();
}

Error SymbolFile::readPDBHeader() {
  Expected<PDBFile> PDB = PDBFile::open(bytes(), path());
  if (!PDB)
    return PDB.takeError();
  IsPartial = PDB->isPartial();
  setCOFFMachine(PDB->machine(), Identity);
  if (any_of(PDB->guid(), [](uint8_t B) { return B != 0; }))
    BuildID = DebugID::ofGUID(PDB->guid(), PDB->age()).buildIDOfPE();
  return Error::success();
}

/// The header is empty: a symbfile does not say which binary it is of.
Error SymbolFile::readSymbfileHeader() const {
  StringRef Rest = bytes().drop_front(symbfile::Magic.size());
  std::optional<uint64_t> Size = takeULEB(Rest), Type = takeULEB(Rest);
  if (!Size || Type != symbfile::Header || *Size > Rest.size())
    return make_error<DamagedError>(path(), "does not begin with the header "
                                            "of a symbfile");
  return Error::success();
}

Error SymbolFile::readSymCacheHeader() {
  std::optional<symcache::Header> H = structAt<symcache::Header>(bytes(), 0);
  if (!H)
    return make_error<DamagedError>(path(), "ends within the SymCache header");
  IsBigEndian = bytes().starts_with("CMYS");
  auto Read = [&](const symcache::U32 &Field) {
    return support::endian::read<uint32_t>(
        &Field, IsBigEndian ? endianness::big : endianness::little);
  };
  uint32_t Version = Read(H->Version);
  if (Version < symcache::FirstVersion || Version > symcache::LastVersion)
    return make_error<UnsupportedError>(
        path(), "a SymCache of version " + Twine(Version) +
                    "; only versions 7 to 9 are supported");
  if (const MachineNames *M = machineFromSymCache(Read(H->Arch))) {
    Identity.Machine = M->Machine;
    Identity.Class = M->Class;
    Identity.Data = M->Data;
  }
  setDebugID(H->DebugID);
  return Error::success();
}

Error SymbolFile::readHeader() {
  // With relative addresses, the image is treated as if it began at 0.
  if (isRelative())
    Identity.Type = ELF::ET_DYN;
  switch (Format) {
  case FileKind::Breakpad:
    return readBreakpadHeader();
  case FileKind::GSYM:
    return readGSYMHeader();
  case FileKind::PDB:
    return readPDBHeader();
  case FileKind::Symbfile:
    return readSymbfileHeader();
  case FileKind::SymCache:
    return readSymCacheHeader();
  default:
    llvm_unreachable("all formats are handled");
  }
}

std::string SymbolFile::whyNotOf(const Binary &Main) const {
  const ELFIdentity &I = Main.identity();
  if (Identity.Machine && Identity.Machine != I.Machine)
    return "it is for another machine";
  if (!BuildID.empty())
    return Main.buildID() == ArrayRef(BuildID) ? "" : "the build IDs differ";
  if (ID && *ID != debugID(I, Main.buildID()).UUID)
    return "the debug IDs differ";
  return {};
}

Expected<std::unique_ptr<Binary>>
openSymbolFile(std::unique_ptr<MemoryBuffer> Buffer, StringRef Path,
               FileKind Format) {
  auto File = std::make_unique<SymbolFile>(std::move(Buffer), Path, Format);
  if (Error E = File->readHeader())
    return E;
  return File;
}

} // namespace lidia
