//===- ModuleResolver.cpp - From a module to its archive ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Modules/ModuleResolver.h"
#include "ELFHeaders.h"
#include "Support/WindowsNames.h"
#include "lidia/Error.h"
#include "lidia/MissError.h"
#include "lidia/Modules/ForeignDebugFiles.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// Looks for the debug files of PE and Mach-O files in \p Folders.
static Error searchForeign(ArrayRef<std::string> Folders,
                           DebugFileSearch &Search) {
  std::vector<RootFolder> Opened;
  for (const std::string &Path : Folders) {
    Expected<RootFolder> Folder = RootFolder::open(Path);
    if (!Folder)
      return Folder.takeError();
    Opened.push_back(std::move(*Folder));
  }
  auto Files = std::make_shared<ForeignDebugFiles>(std::move(Opened));
  Search.FindForeign = [Files](const ForeignDebugFile &Wanted) {
    return Files->find(Wanted);
  };
  return Error::success();
}

/// The path of the file \p Name with the identifier \p ID in \p Folder, which
/// may be a store in the layout of symbol servers; empty if there is none.
static std::string findInSymbolFolder(StringRef Folder, StringRef Name,
                                      StringRef ID,
                                      function_ref<bool(StringRef)> IsRight) {
  std::string Packed = packedName(Name);
  for (StringRef Below : {(Name + "/" + ID + "/").str(), std::string()})
    for (StringRef File : {Name, StringRef(Packed)}) {
      std::string Path = (Folder + "/" + Below + File).str();
      if (IsRight(Path))
        return Path;
    }
  return std::string();
}

/// Finds files in the folders and on the servers of \p Search; empty if there
/// are none.
static SymbolFileSource symbolFiles(const DebugFileSearch &Search,
                                    ConvertObserver &Observer) {
  if (Search.SymbolFolders.empty() && !Search.FetchPDB)
    return nullptr;
  return [Folders = Search.SymbolFolders, Fetch = Search.FetchPDB,
          &Observer](StringRef Name, StringRef ID,
                     function_ref<bool(StringRef)> IsRight) {
    for (const std::string &Folder : Folders)
      if (std::string Path = findInSymbolFolder(Folder, Name, ID, IsRight);
          !Path.empty())
        return Path;
    auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
    return Fetch ? Fetch(Name, ID, IsRight, Warn) : std::string();
  };
}

Expected<std::unique_ptr<ModuleResolver>>
ModuleResolver::create(SymbolSources S, Cache &C, ConvertObserver &Observer) {
  Expected<std::unique_ptr<ModuleFinder>> Files = ModuleFinder::create(S);
  if (!Files)
    return Files.takeError();
  bool IsElsewhere = !S.Folders.empty() || (!S.Root.empty() && S.Root != "/");
  keepAllForLookup(S.Archives.Conversion);
  DebugFileSearch &Search = S.Archives.Conversion.Search;
  SymbolFileSource FindSymbolFile = symbolFiles(Search, Observer);
  S.Archives.Beside &= !IsElsewhere;
  Search.ModuleFolders = S.Folders;
  if (Search.Directories.empty() && !S.Root.empty() && S.Root != "/")
    Search.Directories = {S.Root + "/usr/lib/debug", "/usr/lib/debug"};
  if (!S.Folders.empty())
    if (Error E = searchForeign(S.Folders, Search))
      return E;
  auto Own =
      std::make_unique<ModuleArchives>(C, std::move(S.Archives), Observer);
  ModuleArchives &Archives = *Own;
  std::unique_ptr<ModuleResolver> Result(
      new ModuleResolver(std::move(*Files), std::move(Own), Archives));
  Result->FindBuildID = std::move(S.FindBuildID);
  Result->FindSymbolFile = std::move(FindSymbolFile);
  Result->HasUnaskedServers = S.HasUnaskedServers;
  return Result;
}

Expected<std::unique_ptr<ModuleResolver>>
ModuleResolver::sharing(ModuleArchives &Shared, const FileSources &Sources) {
  Expected<std::unique_ptr<ModuleFinder>> Files = ModuleFinder::create(Sources);
  if (!Files)
    return Files.takeError();
  return std::unique_ptr<ModuleResolver>(
      new ModuleResolver(std::move(*Files), nullptr, Shared));
}

ModuleResolver::ModuleResolver(std::unique_ptr<ModuleFinder> Files,
                               std::unique_ptr<ModuleArchives> Own,
                               ModuleArchives &Archives)
    : Files(std::move(Files)), Own(std::move(Own)), Archives(Archives) {}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// A build ID is better evidence than the hash of a file, and does not change
/// when a file is stripped.
static ModuleArchives::Result archiveOf(const LoadedModule &L,
                                        const ModuleIdentity &M,
                                        ModuleArchives &Archives) {
  if (L.File) {
    // The build ID of a compressed kernel module is not known yet.
    bool IsUnknown = L.BuildID.empty() && M.IsKernelModule;
    return Archives.get(L.File->path(),
                        IsUnknown ? M.BuildID : ArrayRef<uint8_t>(L.BuildID),
                        L.File->version());
  }
  if (L.BuildID.empty() && M.FileHash.empty())
    return make_error<MissError>(L.WhyNoFile);
  if (L.BuildID.empty())
    return Archives.getByFileHash(M.FileHash);
  ModuleArchives::Result A = Archives.get("", L.BuildID);
  // A store knows the hash only by the build ID.
  if (A || M.FileHash.empty() || Archives.usesOnlyStore())
    return A;
  ModuleArchives::Result ByHash = Archives.getByFileHash(M.FileHash);
  if (!ByHash) {
    consumeError(ByHash.takeError());
    return A;
  }
  consumeError(A.takeError());
  return ByHash;
}

/// Servers know modules by their build IDs.
bool ModuleResolver::mayServersKnow(const LoadedModule &L) const {
  return HasUnaskedServers && !L.BuildID.empty();
}

ResolvedModule ModuleResolver::resolve(LoadedModule Loaded,
                                       const ModuleIdentity &M) {
  ResolvedModule Result;
  Result.Loaded = std::move(Loaded);
  LoadedModule &L = Result.Loaded;
  ModuleArchives::Result A = archiveOf(L, M, Archives);
  if (!A) {
    Miss Why = missOf(A.takeError());
    Result.Reason = L.WhyNoFile.empty() ? Why : L.WhyNoFile;
    if (mayServersKnow(L) && (Result.Reason.Code == MissCode::NoFile ||
                              Result.Reason.Code == MissCode::NoSymbols))
      Result.Reason.Code = MissCode::NetworkNotAsked;
    return Result;
  }
  Result.A = std::move(*A);
  Result.LeftOut = Result.A->leftOut();
  if (Result.LeftOut == MissCode::None && !Result.A->rowCount() &&
      mayServersKnow(L))
    Result.LeftOut = MissCode::NetworkNotAsked;
  if (!L.Headers)
    L.Headers = headersOf(*Result.A);
  return Result;
}

ResolvedModule ModuleResolver::resolve(const ModuleIdentity &M) {
  return resolve(Files->open(M), M);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The preferred address of the first byte of the binary of \p Module; none if
/// the binary cannot be loaded elsewhere. An archive has no image base: that of
/// a PE or Mach-O file follows from its lowest code, because linkers put code
/// first, and images at multiples of a power of two. Anything else is assumed
/// to be linked at zero, unless an ELF file's headers say otherwise.
static std::optional<uint64_t> imageBaseOf(const ResolvedModule &Module) {
  const ArchiveInfo *Info = Module.A ? Module.A->info() : nullptr;
  const ELFHeaders *Headers = Module.Loaded.Headers.get();
  if (Info && Info->Format != BinaryFormat::ELF) {
    bool IsPE = Info->Format == BinaryFormat::PE;
    uint64_t Align = IsPE ? uint64_t(1) << 16 : uint64_t(1) << 32;
    uint64_t Base =
        Module.A->rangeCount() ? Module.A->range(0).VA & ~(Align - 1) : 0;
    // The archive of a symbol file counts from 0, and no linker's default is
    // less than this.
    return Base < 0x400000 ? 0 : Base;
  }
  if (Headers ? Headers->Identity.Type == ELF::ET_EXEC
              : Info && Info->Type == ELF::ET_EXEC)
    return std::nullopt;
  // Headers from an archive have only code.
  if (Headers && !Headers->OnlyCode)
    for (const ELFSegment &S : Headers->Segments)
      if (S.Type == ELF::PT_LOAD)
        return S.Address & ~uint64_t(0xfff);
  return 0;
}

std::optional<uint64_t> ResolvedModule::addressOf(const ModulePlace &Place,
                                                  uint64_t Address) const {
  if (Place.IsImage) {
    std::optional<uint64_t> Base = imageBaseOf(*this);
    return Base ? Address - (Place.Begin - Place.Offset) + *Base : Address;
  }
  if (Loaded.Headers)
    return Loaded.Headers->addressAt(Address - Place.Begin + Place.Offset,
                                     Place.Executable);
  // Without segments, a program that is not position-independent has its own
  // addresses at run time. Anything else is linked to begin at zero, which the
  // first byte of the file is loaded at; the file offset is not sufficient:
  // with LLD, the address of code is one or more pages above its offset.
  if (A && A->info() && A->info()->Type == ELF::ET_EXEC)
    return Address;
  if (!Place.FirstByte)
    return std::nullopt;
  return Address - *Place.FirstByte;
}

Miss ResolvedModule::whyNoAddress() const {
  if (Loaded.Headers)
    return {MissCode::NotMapped, "no segment has the address"};
  return {Loaded.WhyNoFile.Code,
          "has an archive, but its segments are not known: " +
              Loaded.WhyNoFile.Text};
}

} // namespace lidia
