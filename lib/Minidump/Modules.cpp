//===- Modules.cpp - The modules of a minidump ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MinidumpReader.h"
#include "Modules/ForeignFile.h"
#include "Support/NilBuildID.h"
#include "Support/WindowsNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace llvm::minidump;

namespace lidia {

namespace {
/// Records that identify a module's symbols.
enum class CodeView : uint32_t {
  /// A GUID, an age and the name of a PDB: microsoft-pdb's PDB70.
  RSDS = 0x53445352,
  /// A time, an age and the name of a PDB, used before 2002.
  NB10 = 0x3031424e,
  /// Breakpad's MDCVInfoELF: a build ID.
  ELF = 0x4270454c,
};

struct RSDSRecord {
  support::ulittle32_t Signature;
  uint8_t GUID[16];
  support::ulittle32_t Age;
};

struct NB10Record {
  support::ulittle32_t Signature;
  support::ulittle32_t Offset;
  support::ulittle32_t Time;
  support::ulittle32_t Age;
};

struct UnloadedModule {
  support::ulittle64_t BaseOfImage;
  support::ulittle32_t SizeOfImage;
  support::ulittle32_t Checksum;
  support::ulittle32_t TimeDateStamp;
  support::ulittle32_t ModuleNameRVA;
};

struct UnloadedModuleListHeader {
  support::ulittle32_t SizeOfHeader;
  support::ulittle32_t SizeOfEntry;
  support::ulittle32_t NumberOfEntries;
};
} // namespace

StringRef MinidumpModule::name() const { return baseNameOfWindows(Path); }

static std::string nameIn(ArrayRef<uint8_t> Bytes) {
  return toStringRef(Bytes).take_until([](char C) { return C == 0; }).str();
}

static void readRSDS(ArrayRef<uint8_t> Bytes, const MinidumpSystem &System,
                     MinidumpModule &M) {
  RSDSRecord Record;
  if (Bytes.size() < sizeof(Record))
    return;
  std::memcpy(&Record, Bytes.data(), sizeof(Record));
  M.HasPDBRecord = true;
  M.DebugFile = nameIn(Bytes.drop_front(sizeof(Record)));
  if (isNilBuildID(Record.GUID))
    return;
  DebugID ID = DebugID::ofGUID(Record.GUID, Record.Age);
  M.ID = ID;
  // Only the first bytes of an ELF file's build ID are known.
  if (System.isLinux())
    return;
  if (System.isApple()) {
    M.BuildID.assign(ID.UUID.begin(), ID.UUID.end());
    M.CodeID = toHex(ID.UUID, /*LowerCase=*/true);
    return;
  }
  M.BuildID = ID.buildIDOfPE();
}

static void readNB10(ArrayRef<uint8_t> Bytes, MinidumpModule &M) {
  NB10Record Record;
  if (Bytes.size() < sizeof(Record))
    return;
  std::memcpy(&Record, Bytes.data(), sizeof(Record));
  M.HasPDBRecord = true;
  M.DebugFile = nameIn(Bytes.drop_front(sizeof(Record)));
}

/// No linker writes longer build IDs. Any number of modules can share a record.
static constexpr size_t MaxOfBuildID = 64;

static void readELF(ArrayRef<uint8_t> Bytes, MinidumpModule &M) {
  M.DebugFile = M.Path;
  ArrayRef<uint8_t> BuildID = Bytes.drop_front(sizeof(uint32_t));
  // Breakpad also writes modules that are not ELF files, such as fonts.
  if (isNilBuildID(BuildID) || BuildID.size() > MaxOfBuildID)
    return;
  M.BuildID = BuildID.vec();
  M.CodeID = toHex(BuildID, /*LowerCase=*/true);
  M.ID = DebugID::ofGUID(BuildID);
}

static void readCodeView(ArrayRef<uint8_t> Bytes, const MinidumpSystem &System,
                         MinidumpModule &M) {
  if (Bytes.size() < sizeof(uint32_t))
    return;
  switch (CodeView(support::endian::read32le(Bytes.data()))) {
  case CodeView::RSDS:
    return readRSDS(Bytes, System, M);
  case CodeView::NB10:
    return readNB10(Bytes, M);
  case CodeView::ELF:
    return readELF(Bytes, M);
  }
}

static std::string versionOf(const VSFixedFileInfo &V,
                             const MinidumpSystem &System) {
  if (V.Signature != 0xfeef04bd || V.StructVersion != 0x00010000)
    return "";
  std::string Text;
  raw_string_ostream OS(Text);
  uint32_t High = V.FileVersionHigh, Low = V.FileVersionLow;
  if (System.isApple() || System.OS == MinidumpOS::Windows)
    OS << (High >> 16) << '.' << (High & 0xffff) << '.' << (Low >> 16) << '.'
       << (Low & 0xffff);
  else
    OS << High << '.' << Low << '.' << V.ProductVersionHigh << '.'
       << V.ProductVersionLow;
  return Text;
}

/// Whether the module's file is identified by its time and size: on Windows,
/// and for writers that store an ELF file's build ID as that of a PDB.
static bool identifiesByTime(const MinidumpModule &M,
                             const MinidumpSystem &System) {
  return System.OS == MinidumpOS::Windows ||
         (!System.isApple() && M.HasPDBRecord);
}

static void setAddresses(MinidumpModule &M, uint64_t Begin, uint64_t Size) {
  M.Begin = Begin;
  M.End = Begin + std::min(Size, UINT64_MAX - Begin);
}

void readModules(MinidumpReader &R, Minidump &To) {
  // The record has a build ID, or the path of a PDB.
  constexpr size_t MaxOfRecord = 1 << 12;
  for (const Module &Raw : R.list<Module>(StreamType::ModuleList, "modules")) {
    MinidumpModule M;
    setAddresses(M, Raw.BaseOfImage, Raw.SizeOfImage);
    M.Path = R.text(Raw.ModuleNameRVA);
    readCodeView(R.bytes(Raw.CvRecord, MaxOfRecord), To.System, M);
    if (M.CodeID.empty() && identifiesByTime(M, To.System))
      M.CodeID = codeIDOfPE(Raw.TimeDateStamp, Raw.SizeOfImage);
    M.Version = versionOf(Raw.VersionInfo, To.System);
    To.Modules.push_back(std::move(M));
  }

  std::vector<uint8_t> Bytes = R.stream(StreamType::UnloadedModuleList);
  UnloadedModuleListHeader H;
  if (Bytes.size() < sizeof(H))
    return;
  std::memcpy(&H, Bytes.data(), sizeof(H));
  ArrayRef<uint8_t> Entries = ArrayRef(Bytes).drop_front(
      std::min<size_t>(H.SizeOfHeader, Bytes.size()));
  for (const UnloadedModule &Raw : R.entries<UnloadedModule>(
           Entries, H.NumberOfEntries, H.SizeOfEntry, "unloaded modules")) {
    MinidumpModule M;
    setAddresses(M, Raw.BaseOfImage, Raw.SizeOfImage);
    M.Path = R.text(Raw.ModuleNameRVA);
    M.CodeID = codeIDOfPE(Raw.TimeDateStamp, Raw.SizeOfImage);
    To.UnloadedModules.push_back(std::move(M));
  }
}

} // namespace lidia
