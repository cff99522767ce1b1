//===- CachedArchive.cpp - Cached archives of binaries --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Modules/CachedArchive.h"
#include "Cache/Entries.h"
#include "Extract/ConvertBinary.h"
#include "Extract/InputFiles.h"
#include "Object/BinaryIdentity.h"
#include "Object/FileHash.h"
#include "lidia/Error.h"
#include "lidia/Modules/ArchiveLog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>

using namespace llvm;

namespace lidia {

/// Increment it when the archive made from the same binary changes.
static constexpr uint64_t ArchiveRevision = 9;

/// How long an archive that may be incomplete is kept.
static constexpr std::chrono::minutes IncompleteLifetime(10);

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Adds the binary. A stripped program has the same build ID as the unstripped
/// one, but other sections. A program with a copied build ID has another
/// identity.
static void addBinary(CacheKey &Key, const Binary &Main,
                      ArrayRef<uint8_t> Identity) {
  if (Main.buildID().empty() || Main.asSymbolFile())
    return addContent(Key.add("content"), Main.buffer().getBuffer());
  Key.add("build ID").add(toStringRef(Main.buildID())).add(Main.size());
  Key.add(toStringRef(Identity));
  for (const Section &S : Main.sections())
    Key.add(S.Name).add(S.Type).add(S.Flags).add(S.Address).add(S.Size);
}

static void addStrings(CacheKey &Key, ArrayRef<std::string> Strings) {
  Key.add(Strings.size());
  for (const std::string &S : Strings)
    Key.add(S);
}

/// Adds everything that affects the contents. The names below are all members
/// of each structure, so adding a member breaks the build until somebody
/// decides whether it belongs to the key. A missing one would yield wrong
/// archives.
static void addOptions(CacheKey &Key, const ConvertOptions &Options) {
  const auto &[Archive, Files, Lines, EmbeddedSources, FileHashAsID,
               IdentityScheme, UnwindRows, Variables, Sources, Extractors,
               ExtractorsLast, Architecture, DebugFile, FindDebugFile, Search,
               SplitDirectories, SplitPackage, FindReturnPads, Transform,
               NamesOnly, Require, WarnWithoutLines, HasDebugFileOption,
               Threads, Compress, Output] = Options;
  (void)Extractors;
  (void)ExtractorsLast;
  // These do not affect the contents.
  (void)Require;
  (void)WarnWithoutLines;
  (void)HasDebugFileOption;
  (void)Threads;
  (void)Compress;
  (void)Output;
  const auto &[Checksums, Extension, Columns, Statements, Strings] = Archive;
  Key.add(Checksums)
      .add(Extension)
      .add(Columns)
      .add(Statements)
      .add(uint64_t(Strings));
  Key.add(Files)
      .add(Lines)
      .add(EmbeddedSources)
      .add(IdentityScheme)
      .add(UnwindRows);
  // Without variables, keys are those of before there were any.
  if (Variables)
    Key.add("variables");
  if (FileHashAsID)
    Key.add("htlhash as ID");
  Key.add(Sources.size());
  for (SourceKind Kind : Sources)
    Key.add(uint64_t(Kind));
  Key.add(Architecture).add(DebugFile).add(FindDebugFile);
  const auto &[Known, OnlyKnown, Directories, ModuleFolders, FallbackPath,
               Fetch, SymbolFolders, FetchPDB, FindForeign] = Search;
  // addOtherInputs() adds a debug file among these, as it is a candidate.
  (void)Known;
  (void)FindForeign;
  addStrings(Key, Directories);
  if (!ModuleFolders.empty())
    addStrings(Key, ModuleFolders);
  Key.add(FallbackPath).add(bool(Fetch));
  addStrings(Key, SymbolFolders);
  Key.add(bool(FetchPDB));
  if (OnlyKnown)
    Key.add("only known");
  addStrings(Key, SplitDirectories);
  Key.add(SplitPackage).add(bool(FindReturnPads));
  Key.add(Transform ? Transform->fingerprint() : std::string());
  if (NamesOnly)
    Key.add("names only");
}

/// Adds the files that convert() would find now, without opening them. A file's
/// position among the candidates counts, but not the spelling of its path: the
/// binary's path may be relative.
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

static CacheKey archiveKey(Binary &Main, ArrayRef<uint8_t> Identity,
                           const ConvertOptions &Options) {
  CacheKey Key = keyOfKind("archive", ArchiveRevision);
  Key.add(format::Version).add(format::ExtensionVersion);
  // An archive of a symbol file is not found for the binary, because it may
  // lack functions and have other addresses.
  if (!Main.asSymbolFile())
    Key.setBuildID(Main.buildID())
        .setFileHash(hashFile(Main.buffer().getBuffer()));
  addBinary(Key, Main, Identity);
  addOptions(Key, Options);
  addOtherInputs(Key, Main, Options);
  return Key;
}

CacheKey archiveKeyOf(Binary &Main, const ConvertOptions &Options) {
  std::optional<BinaryIdentity> Identity = identifyBinary(Main);
  CacheKey Key = archiveKey(
      Main, Identity ? ArrayRef<uint8_t>(*Identity) : ArrayRef<uint8_t>(),
      Options);
  // Archives that lack information that is now required must be made again.
  Key.add(uint64_t(Options.Require));
  if (Options.Compress)
    Key.add("zstd")
        .add(uint64_t(Options.Compress->Level))
        .add(Options.Compress->FrameSize);
  return Key;
}

/// .dwo files are also looked for beside the binary, so the path is part of the
/// key. The entry must not be found by its build ID or hash alone.
static CacheKey incompleteKey(CacheKey Key, const Binary &Main) {
  Key.setBuildID({}).setFileHash({});
  SmallString<128> Path(Main.path());
  sys::fs::make_absolute(Path);
  Key.add("incomplete").add(Path);
  return Key;
}

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

namespace {

/// A request for an archive.
class ArchiveMaker {
public:
  ArchiveMaker(Cache &C, std::unique_ptr<Binary> TheMain,
               const ConvertOptions &Options, ConvertObserver &Observer)
      : C(C), Options(Options), Observer(Observer), Main(std::move(TheMain)),
        Identity(identifyBinary(*Main)),
        Key(archiveKey(*Main, identity(), Options)),
        IfIncomplete(incompleteKey(Key, *Main)), Path(Main->path()),
        BuildID(Main->buildID()), Machine(Main->identity().Machine) {}

  /// None if the cache has no intact archive.
  std::optional<Archive> find(std::string &Where);
  /// Writes the archive into the cache and returns its path.
  Expected<std::string> make() {
    return C.put(ArchiveExtension,
                 [this](raw_ostream &OS) { return write(OS); });
  }

private:
  std::optional<Archive> open(StringRef Where) const;
  bool isOurs(const ArchiveInfo &Info) const;
  Expected<CacheKey> write(raw_ostream &OS);
  /// Empty if the binary has no identity.
  ArrayRef<uint8_t> identity() const {
    return Identity ? ArrayRef<uint8_t>(*Identity) : ArrayRef<uint8_t>();
  }

  Cache &C;
  const ConvertOptions &Options;
  ConvertObserver &Observer;
  std::unique_ptr<Binary> Main;
  std::optional<BinaryIdentity> Identity;
  CacheKey Key, IfIncomplete;
  std::string Path;
  SmallVector<uint8_t, 20> BuildID;
  uint16_t Machine;
};

} // namespace

bool ArchiveMaker::isOurs(const ArchiveInfo &Info) const {
  return Info.BuildID == ArrayRef<uint8_t>(BuildID) &&
         Info.Machine == Machine && Info.Identity == identity();
}

/// None if the archive is damaged, so that it is made again.
std::optional<Archive> ArchiveMaker::open(StringRef Where) const {
  std::optional<Archive> A = openWhole(Where);
  if (A && Options.Archive.Extension && (!A->info() || !isOurs(*A->info())))
    return std::nullopt;
  return A;
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
  // Main was consumed if this is called again, for a private file without a
  // key, because the cache's disk is full.
  if (!Main)
    if (Error E = Binary::open(Path, Options.Architecture).moveInto(Main))
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
  if (Options.Search.FetchPDB)
    O.Search.FetchPDB = [&](StringRef Name, StringRef ID,
                            function_ref<bool(StringRef)> IsRight,
                            function_ref<void(const Twine &)> Warn) {
      std::string Path = Options.Search.FetchPDB(Name, ID, IsRight, Warn);
      Incomplete |= Path.empty();
      return Path;
    };
  Expected<ConvertStatistics> Statistics =
      convert(std::move(Main), OS, O, Observer);
  if (!Statistics)
    return Statistics.takeError();
  return Incomplete || Statistics->Warnings ? IfIncomplete : Key;
}

/// Makes the archive, and makes it again if it is removed before it is opened.
static Expected<Archive> openOrMake(Cache &C, StringRef BinaryPath,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer,
                                    CachedFile &File) {
  if (!Options.Extractors.empty())
    return make_error<ArgumentError>(
        BinaryPath,
        "archives with functions of a caller's extractor cannot be cached");
  Clock::time_point Start = Clock::now();
  for (unsigned Attempt = 0;; ++Attempt) {
    Expected<std::unique_ptr<Binary>> Main =
        Binary::open(BinaryPath, Options.Architecture);
    if (!Main)
      return Main.takeError();
    ArchiveMaker Maker(C, std::move(*Main), Options, Observer);
    std::optional<Archive> Found = Maker.find(File.Path);
    File.Seconds = secondsSince(Start);
    if (Found)
      return std::move(*Found);
    // Another process keeps emptying the cache.
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
  // The file is mapped and needs no name, so nothing remains after a crash.
  if (!File)
    C.removePrivate(Ours.Path);
  return A;
}

namespace {
/// For an ArchiveMaker that only finds.
class NoObserver final : public ConvertObserver {
  void warning(const Twine &) override {}
  void progress(StringRef, uint64_t, uint64_t) override {}
};
} // namespace

std::optional<Archive> findCachedArchive(Cache &C, StringRef BinaryPath,
                                         const ConvertOptions &Options) {
  Expected<std::unique_ptr<Binary>> Main =
      Binary::open(BinaryPath, Options.Architecture);
  if (!Main) {
    consumeError(Main.takeError());
    return std::nullopt;
  }
  NoObserver Observer;
  std::string Path;
  return ArchiveMaker(C, std::move(*Main), Options, Observer).find(Path);
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

} // namespace lidia
