//===- CachedFiles.cpp - Archives and their DWARF in the cache ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Cache/CachedFiles.h"
#include "Entries.h"
#include "Object/Binary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lidia {

/// Increment it when the ELF file made from the same archive changes.
static constexpr uint64_t DWARFRevision = 23;

static constexpr char DWARFExtension[] = ".debug";

double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

CacheKey keyOfKind(StringRef Kind, uint64_t Revision) {
  CacheKey Key(Kind);
  Key.add(LIDIA_VERSION_STRING).add(Revision);
  return Key;
}

void addContent(CacheKey &Key, StringRef Content) {
  XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(Content));
  Key.add(Content.size()).add(Hash.low64).add(Hash.high64);
}

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

std::optional<Archive> openWhole(StringRef Where) {
  Expected<Archive> A = Archive::open(Where);
  Error E = A ? A->verifySmallParts() : A.takeError();
  if (!E)
    return std::move(*A);
  consumeError(std::move(E));
  return std::nullopt;
}

std::vector<Archive> cachedArchivesOf(Cache &C, ArrayRef<uint8_t> BuildID) {
  std::vector<Archive> Archives;
  for (const CacheEntry &E : C.entriesOf(BuildID, ArchiveExtension)) {
    std::optional<Archive> A = openWhole(E.Path);
    if (A && A->info() && A->info()->BuildID == BuildID)
      Archives.push_back(std::move(*A));
  }
  return Archives;
}

std::vector<Archive> cachedArchivesOfFile(Cache &C,
                                          ArrayRef<uint8_t> FileHash) {
  std::vector<Archive> Archives;
  for (const CacheEntry &E : C.entriesOfFile(FileHash, ArchiveExtension))
    if (std::optional<Archive> A = openWhole(E.Path))
      Archives.push_back(std::move(*A));
  return Archives;
}

//===----------------------------------------------------------------------===//
// DWARF
//===----------------------------------------------------------------------===//

/// Adds the section headers, which differ between programs with the same build
/// ID if one of them is stripped. For dynamic symbols, which stripping does not
/// change, their number is enough.
static void addModule(CacheKey &Key, const ModuleSymbols *Module) {
  if (!Module)
    return;
  Key.add("module").add(Module->Sections.size());
  for (const ModuleSection &S : Module->Sections)
    Key.add(S.Name).add(S.Flags).add(S.Address).add(S.Size).add(S.Alignment);
  Key.add(Module->Symbols.size());
}

static CacheKey dwarfKey(const Archive &A, const DWARFExportOptions &Options) {
  CacheKey Key = keyOfKind("dwarf", DWARFRevision);
  const auto &[SymbolTable, Module, ForLLDB, BinarySections, Warn] = Options;
  // It does not change the file.
  (void)Warn;
  Key.add(SymbolTable).add(ForLLDB).add(BinarySections);
  addModule(Key, Module);
  if (A.info())
    Key.setBuildID(A.info()->BuildID);
  if (!A.hasChecksums()) {
    addContent(Key.add("content"), A.buffer().getBuffer());
    return Key;
  }
  // The header has the checksums of the tables, and the extension's directory
  // those of its sections.
  Key.add("checksums");
  Key.add(A.buffer().getBuffer().take_front(sizeof(format::Header)));
  Key.add(A.extension().take_front(sizeof(format::ExtensionHeader) +
                                   A.extensionSections().size() *
                                       sizeof(format::ExtensionSection)));
  return Key;
}

/// A truncated file lacks the section headers, which are at its end.
static bool isWhole(StringRef Path, const Archive &A) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (!File) {
    consumeError(File.takeError());
    return false;
  }
  return !A.info() || (*File)->buildID() == A.info()->BuildID;
}

Expected<CachedFile> cachedDWARF(Cache &C, const Archive &A,
                                 const DWARFExportOptions &Options) {
  Clock::time_point Start = Clock::now();
  if (Error E = A.unpackAll())
    return E;
  CacheKey Key = dwarfKey(A, Options);
  auto Write = [&](raw_ostream &OS) -> Expected<CacheKey> {
    // Otherwise the cache would keep damage under the key of the intact
    // archive.
    if (A.hasChecksums())
      if (Error E = A.verifyChecksums())
        return E;
    if (Error E = exportDWARF(A, OS, Options))
      return E;
    return Key;
  };
  CachedFile File;
  std::optional<std::string> Found = C.find(Key, DWARFExtension);
  if (Found && isWhole(*Found, A)) {
    File.Path = std::move(*Found);
  } else {
    File.Made = true;
    if (Error E = C.put(DWARFExtension, Write).moveInto(File.Path))
      return E;
  }
  File.Seconds = secondsSince(Start);
  return File;
}

std::optional<std::string> findCachedDWARF(Cache &C, const Archive &A) {
  // The key has the hash of all contents then.
  if (!A.hasChecksums())
    return std::nullopt;
  std::optional<std::string> Found = C.find(dwarfKey(A, {}), DWARFExtension);
  if (Found && !isWhole(*Found, A))
    Found.reset();
  return Found;
}

/// The number of section headers in the file \p Path; zero if it cannot be
/// read.
static uint32_t countSectionHeaders(StringRef Path) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (!File) {
    consumeError(File.takeError());
    return 0;
  }
  uint32_t Count = 0;
  for (const Section &S : (*File)->sections())
    Count = std::max(Count, S.Index + 1);
  return Count;
}

Expected<CachedFile> cachedDWARFForLLDB(Cache &C, const Archive &A,
                                        StringRef Binary) {
  std::optional<ModuleSymbols> Symbols;
  // The binary may be on another machine.
  if (Error E = ModuleSymbols::read(Binary).moveInto(Symbols))
    consumeError(std::move(E));
  DWARFExportOptions Options;
  Options.SymbolTable = Symbols.has_value();
  Options.Module = Symbols ? &*Symbols : nullptr;
  Options.ForLLDB = true;
  Options.BinarySections = countSectionHeaders(Binary);
  return cachedDWARF(C, A, Options);
}

} // namespace lidia
