//===- CachedFiles.cpp - Archives that are made once ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Cache/CachedFiles.h"
#include "lidia/Export/DWARFExport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"
#include <chrono>

using namespace llvm;

namespace lidia {

/// Raise them when the same input gives another archive or another ELF file
/// than before.
static constexpr uint64_t ArchiveRevision = 1;
static constexpr uint64_t DWARFRevision = 2;

/// How long an archive is kept that may lack something.
static constexpr std::chrono::minutes IncompleteLifetime(10);

static constexpr char ArchiveExtension[] = ".lidia";
static constexpr char DWARFExtension[] = ".debug";

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static CacheKey keyOfKind(StringRef Kind, uint64_t Revision) {
  CacheKey Key(Kind);
  Key.add(LIDIA_VERSION_STRING).add(Revision);
  return Key;
}

static void addContent(CacheKey &Key, StringRef Content) {
  XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(Content));
  Key.add(Content.size()).add(Hash.low64).add(Hash.high64);
}

/// A stripped program has the build ID of the whole one; its sections differ.
static void addBinary(CacheKey &Key, const Binary &Main) {
  if (Main.buildID().empty())
    return addContent(Key.add("content"), Main.buffer().getBuffer());
  Key.add("build ID").add(toStringRef(Main.buildID())).add(Main.size());
  for (const Section &S : Main.sections())
    Key.add(S.Name).add(S.Type).add(S.Flags).add(S.Address).add(S.Size);
}

static void addStrings(CacheKey &Key, ArrayRef<std::string> Strings) {
  Key.add(Strings.size());
  for (const std::string &S : Strings)
    Key.add(S);
}

/// Everything that changes what is made.
static void addOptions(CacheKey &Key, const ConvertOptions &O) {
  Key.add(O.Archive.Checksums).add(O.Archive.Extension).add(O.Archive.Columns);
  Key.add(uint64_t(O.Archive.Strings)).add(O.Files).add(O.Lines);
  Key.add(O.Sources.size());
  for (SourceKind Kind : O.Sources)
    Key.add(uint64_t(Kind));
  Key.add(O.DebugFile).add(O.FindDebugFile);
  addStrings(Key, O.Search.Directories);
  Key.add(O.Search.FallbackPath).add(bool(O.Search.Fetch));
  addStrings(Key, O.SplitDirectories);
  Key.add(O.SplitPackage).add(bool(O.FindReturnPads));
}

/// The files that convert would find now, without a look into them. Which of
/// its places a file is at counts, but not how the place is spelt: the binary's
/// path may be relative.
static void addOtherInputs(CacheKey &Key, Binary &Main,
                           const ConvertOptions &Options) {
  for (const auto &[Place, Path] : enumerate(inputCandidates(Main, Options))) {
    sys::fs::file_status Status;
    if (sys::fs::status(Path, Status) || !sys::fs::is_regular_file(Status))
      continue;
    sys::fs::UniqueID ID = Status.getUniqueID();
    Key.add(Place).add(Status.getSize()).add(ID.getDevice()).add(ID.getFile());
    Key.add(Status.getLastModificationTime().time_since_epoch().count());
  }
}

static CacheKey archiveKey(Binary &Main, const ConvertOptions &Options) {
  CacheKey Key = keyOfKind("archive", ArchiveRevision);
  Key.add(format::Version).add(format::ExtensionVersion);
  addBinary(Key, Main);
  addOptions(Key, Options);
  addOtherInputs(Key, Main, Options);
  return Key;
}

/// .dwo files are looked for beside the binary, too.
static CacheKey incompleteKey(CacheKey Key, const Binary &Main) {
  SmallString<128> Path(Main.path());
  sys::fs::make_absolute(Path);
  Key.add("incomplete").add(Path);
  return Key;
}

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

namespace {

/// One request for an archive.
class ArchiveMaker {
public:
  ArchiveMaker(Cache &C, std::unique_ptr<Binary> TheMain,
               const ConvertOptions &Options, ConvertObserver &Observer)
      : C(C), Options(Options), Observer(Observer), Main(std::move(TheMain)),
        Key(archiveKey(*Main, Options)),
        IfIncomplete(incompleteKey(Key, *Main)), Path(Main->path()),
        BuildID(Main->buildID()), Machine(Main->identity().Machine) {}

  /// None when the cache has none that is whole.
  std::optional<Archive> find(std::string &Where);
  /// Writes it into the cache and says where.
  Expected<std::string> make() {
    return C.put(ArchiveExtension,
                 [this](raw_ostream &OS) { return write(OS); });
  }

private:
  std::optional<Archive> open(StringRef Where) const;
  Expected<CacheKey> write(raw_ostream &OS);

  Cache &C;
  const ConvertOptions &Options;
  ConvertObserver &Observer;
  std::unique_ptr<Binary> Main;
  CacheKey Key, IfIncomplete;
  std::string Path;
  SmallVector<uint8_t, 20> BuildID;
  uint16_t Machine;
};

} // namespace

/// None for a damaged one, which will be made anew.
std::optional<Archive> ArchiveMaker::open(StringRef Where) const {
  Expected<Archive> A = Archive::open(Where);
  if (!A) {
    consumeError(A.takeError());
    return std::nullopt;
  }
  if (Options.Archive.Extension &&
      (!A->info() || A->info()->BuildID != ArrayRef<uint8_t>(BuildID) ||
       A->info()->Machine != Machine))
    return std::nullopt;
  return std::move(*A);
}

std::optional<Archive> ArchiveMaker::find(std::string &Where) {
  for (bool Incomplete : {false, true}) {
    std::optional<std::string> Found =
        Incomplete ? C.find(IfIncomplete, ArchiveExtension, IncompleteLifetime)
                   : C.find(Key, ArchiveExtension);
    if (!Found)
      continue;
    if (std::optional<Archive> A = open(*Found)) {
      Where = std::move(*Found);
      return A;
    }
  }
  return std::nullopt;
}

Expected<CacheKey> ArchiveMaker::write(raw_ostream &OS) {
  // Asked again because the cache's disk is full, for a file that has no key.
  if (!Main)
    if (Error E = Binary::open(Path).moveInto(Main))
      return E;
  bool Incomplete = false;
  ConvertOptions O = Options;
  if (Options.Search.Fetch)
    O.Search.Fetch = [&](ArrayRef<uint8_t> ID,
                         function_ref<void(const Twine &)> Warn) {
      std::string Path = Options.Search.Fetch(ID, Warn);
      Incomplete |= Path.empty();
      return Path;
    };
  Expected<ConvertStatistics> Statistics =
      convert(std::move(Main), OS, O, Observer);
  if (!Statistics)
    return Statistics.takeError();
  return Incomplete || Statistics->Warnings ? IfIncomplete : Key;
}

/// Makes the archive until it is there long enough to be opened.
static Expected<Archive> openOrMake(Cache &C, StringRef BinaryPath,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer,
                                    CachedFile &File) {
  Clock::time_point Start = Clock::now();
  for (unsigned Attempt = 0;; ++Attempt) {
    Expected<std::unique_ptr<Binary>> Main = Binary::open(BinaryPath);
    if (!Main)
      return Main.takeError();
    ArchiveMaker Maker(C, std::move(*Main), Options, Observer);
    std::optional<Archive> Found = Maker.find(File.Path);
    File.Seconds = secondsSince(Start);
    if (Found)
      return std::move(*Found);
    // Somebody empties the cache again and again.
    if (Attempt == 2)
      C.disable();
    if (Error E = Maker.make().moveInto(File.Path))
      return E;
    File.Made = true;
    Expected<Archive> A = Archive::open(File.Path);
    File.Seconds = secondsSince(Start);
    if (A || Attempt == 2)
      return A;
    consumeError(A.takeError());
  }
}

Expected<Archive> openCachedArchive(Cache &C, StringRef BinaryPath,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer,
                                    CachedFile *File) {
  CachedFile Ours;
  Expected<Archive> A =
      openOrMake(C, BinaryPath, Options, Observer, File ? *File : Ours);
  // It is mapped and needs no name: nothing is left of it however we end.
  if (!File)
    C.removePrivate(Ours.Path);
  return A;
}

Expected<CachedFile> cachedArchive(Cache &C, StringRef BinaryPath,
                                   const ConvertOptions &Options,
                                   ConvertObserver &Observer) {
  CachedFile File;
  Expected<Archive> A = openOrMake(C, BinaryPath, Options, Observer, File);
  if (!A)
    return A.takeError();
  return File;
}

//===----------------------------------------------------------------------===//
// DWARF
//===----------------------------------------------------------------------===//

static CacheKey dwarfKey(const Archive &A, const DWARFExportOptions &Options) {
  CacheKey Key = keyOfKind("dwarf", DWARFRevision);
  Key.add(Options.SymbolTable);
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

/// A file that was cut off has no section headers, which stand at its end.
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
  CacheKey Key = dwarfKey(A, Options);
  auto Write = [&](raw_ostream &OS) -> Expected<CacheKey> {
    // Or damage would be kept under the name of the sound archive.
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

} // namespace lidia
