//===- ProfileModule.cpp - The archive of a module in a profile -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileModule.h"
#include "ADT/NilBuildID.h"
#include "Object/FileHash.h"
#include "Process/ELFHeaders.h"
#include "lidia/Archive/SectionPlaces.h"
#include "lidia/Profile/ProfileSymbolizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/BuildID.h"
#include <tuple>

using namespace llvm;

namespace lidia {

/// A build ID is better evidence, and does not change when a file is stripped.
static ModuleArchives::Result archiveOf(const LoadedModule &M,
                                        ArrayRef<uint8_t> FileHash,
                                        ModuleArchives &Archives) {
  if (!M.File && M.BuildID.empty())
    return Archives.getByFileHash(FileHash);
  ModuleArchives::Result A =
      Archives.get(M.File ? M.File->path() : StringRef(), M.BuildID,
                   M.File ? M.File->version() : "");
  if (A || M.File || FileHash.empty())
    return A;
  ModuleArchives::Result ByHash = Archives.getByFileHash(FileHash);
  if (!ByHash) {
    consumeError(ByHash.takeError());
    return A;
  }
  consumeError(A.takeError());
  return ByHash;
}

static std::vector<uint64_t> beginsOf(const Profile &P,
                                      const Profile::Mapping &Module) {
  std::vector<uint64_t> Begins;
  for (const Profile::Mapping &M : P.Mappings)
    if (M.File == Module.File && M.BuildID == Module.BuildID && M.Offset == 0)
      Begins.push_back(M.Start);
  llvm::sort(Begins);
  return Begins;
}

bool ProfileModule::isFile(const Profile &P, const Profile::Mapping &M,
                           const ModuleFinder &Files) {
  StringRef File = P.Strings[M.File];
  // ModuleFinder knows the file of the kernel's vdso.
  bool IsVDSO = File == "[vdso]" && M.BuildID != 0 && Files.isOfThisSystem();
  return IsVDSO || !isWithoutFile(File);
}

ProfileModule ProfileModule::open(const Profile &P, const Profile::Mapping &M,
                                  bool IsProgram, ModuleFinder &Files,
                                  ModuleArchives &Archives) {
  StringRef File = P.Strings[M.File];
  // Profilers also write other IDs than GNU's build IDs.
  object::BuildID BuildID = object::parseBuildID(P.Strings[M.BuildID]);
  if (isNilBuildID(BuildID))
    BuildID.clear();
  object::BuildID FileHash = object::parseBuildID(P.Strings[M.FileHash]);
  if (FileHash.size() != std::tuple_size<lidia::FileHash>::value)
    FileHash.clear();
  ProfileModule Result;
  LoadedModule &Loaded = Result.Loaded;
  Loaded = Files.open({File, BuildID, FileHash, IsProgram});
  // The caller already prints the name.
  StringRef WhyNoFile = Loaded.WhyNoFile;
  WhyNoFile.consume_front((File + ": ").str());
  Result.WhyNoFile = WhyNoFile.str();
  if (!Loaded.File && Loaded.BuildID.empty() && FileHash.empty()) {
    Result.WhyNot = Result.WhyNoFile;
    return Result;
  }
  ModuleArchives::Result A = archiveOf(Loaded, FileHash, Archives);
  if (!A) {
    std::string Why = toString(A.takeError());
    Result.WhyNot = WhyNoFile.empty() ? Why : Result.WhyNoFile;
    return Result;
  }
  Result.TheArchive = std::move(*A);
  if (!Loaded.Headers)
    Loaded.Headers = headersOf(*Result.TheArchive);
  if (!Loaded.Headers)
    Result.Begins = beginsOf(P, M);
  return Result;
}

bool ProfileModule::isKernelModule() const {
  return TheArchive && SectionPlaces(*TheArchive).size() != 0;
}

std::string ProfileModule::whyNoAddress() const {
  if (isKernelModule())
    return "no section has the address";
  return Loaded.Headers
             ? "no segment has the address"
             : "has an archive, but its segments are not known: " + WhyNoFile;
}

/// The address in the archive of the byte \p Offset bytes after the beginning
/// of a kernel module; none for its initialization code, which is loaded
/// elsewhere.
static std::optional<uint64_t> addressInModule(const SectionPlaces &Places,
                                               uint64_t Offset) {
  for (uint64_t I = 0; I != Places.size(); ++I)
    if (Places[I].contains(Offset))
      return Places.name(I).starts_with(".init") ? std::nullopt
                                                 : std::optional(Offset);
  return std::nullopt;
}

std::optional<uint64_t> ProfileModule::addressOf(const Profile::Mapping &Its,
                                                 uint64_t Address) const {
  const Archive &A = *TheArchive;
  // A mapping of all addresses: some profilers have already converted
  // addresses.
  if (Its.Start == 0 && Its.Offset == 0 &&
      (Its.Limit == 0 || Its.Limit == UINT64_MAX))
    return Address;
  if (Address < Its.Start || (Its.Limit != 0 && Address >= Its.Limit))
    return std::nullopt;
  if (SectionPlaces Places(A); Places.size() != 0)
    return addressInModule(Places, Address - Its.Start);
  if (Loaded.Headers) {
    Mapping Place;
    Place.Begin = Its.Start;
    Place.Offset = Its.Offset;
    Place.Executable = true;
    return Loaded.addressOf(Place, Address);
  }
  // Programs that are not position-independent keep their addresses at run
  // time. Others usually begin at zero, but the addresses of their code may
  // differ from its offsets in the file (LLD), so the load address must be
  // known.
  if (A.info() && A.info()->Type == ELF::ET_EXEC)
    return Address;
  // OpenTelemetry's profiler stores addresses in the file: systems load
  // position-independent 64-bit code above 4 GiB.
  if (A.info() && A.info()->Class == ELF::ELFCLASS64 &&
      Its.Limit - 1 < UINT32_MAX)
    return Address;
  auto After = llvm::upper_bound(Begins, Address);
  if (After == Begins.begin())
    return std::nullopt;
  return Address - *std::prev(After);
}

Profile::Mapping PackedMappings::resolve(Profile &P, Profile::Mapping M,
                                         ModuleFinder &Files) {
  std::string File = P.Strings[M.File].str();
  if (!isNamedAsPackage(File) || File.size() > ProfileModule::LongestPath)
    return M;
  auto [It, New] = Zips.try_emplace(M.File);
  if (New)
    if (LoadedModule Zip = Files.open({File, {}}); Zip.File)
      It->second = storedModules(*Zip.File);
  for (const StoredModule &S : It->second)
    if (S.contains(M.Offset)) {
      M.File = P.Strings.intern(File + "!" + S.Name);
      M.Offset -= S.Offset;
      break;
    }
  return M;
}

} // namespace lidia
