//===- ProfileModule.cpp - The archive of a module in a profile -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileModule.h"
#include "Object/FileHash.h"
#include "Support/NilBuildID.h"
#include "lidia/Archive/ImageBase.h"
#include "lidia/Archive/SectionPlaces.h"
#include "lidia/Profile/ProfileSymbolizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/BuildID.h"
#include <tuple>

using namespace llvm;

namespace lidia {

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
                                  bool IsProgram, ModuleResolver &Modules) {
  StringRef File = P.Strings[M.File];
  // Profilers also write other IDs than GNU's build IDs.
  object::BuildID BuildID = object::parseBuildID(P.Strings[M.BuildID]);
  if (isNilBuildID(BuildID))
    BuildID.clear();
  object::BuildID FileHash = object::parseBuildID(P.Strings[M.FileHash]);
  if (FileHash.size() != std::tuple_size<lidia::FileHash>::value)
    FileHash.clear();
  ProfileModule Result{Modules.resolve({File, BuildID, FileHash, IsProgram}),
                       {}};
  // The caller already prints the name.
  for (std::string *Text : {&Result.Loaded.WhyNoFile.Text, &Result.Reason.Text})
    if (StringRef(*Text).starts_with((File + ": ").str()))
      Text->erase(0, File.size() + 2);
  if (Result.A && !Result.Loaded.Headers)
    Result.Begins = beginsOf(P, M);
  return Result;
}

bool ProfileModule::isKernelModule() const {
  return A && SectionPlaces(*A).size() != 0;
}

Miss ProfileModule::whyNoAddress() const {
  if (isKernelModule())
    return {MissCode::NotMapped, "no section has the address"};
  return ResolvedModule::whyNoAddress();
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
  // A mapping of all addresses: some profilers have already converted
  // addresses.
  if (Its.Start == 0 && Its.Offset == 0 && !Its.IsRelative &&
      (Its.Limit == 0 || Its.Limit == UINT64_MAX))
    return Address;
  if (Address < Its.Start || (Its.Limit != 0 && Address >= Its.Limit))
    return std::nullopt;
  if (SectionPlaces Places(*A); Places.size() != 0)
    return addressInModule(Places, Address - Its.Start);
  if (Its.IsRelative)
    return Address + imageBase(*A);
  // OpenTelemetry's profiler stores addresses in the file: systems load
  // position-independent 64-bit code above 4 GiB.
  if (!Loaded.Headers && A->info() && A->info()->Class == ELF::ELFCLASS64 &&
      Its.Limit - 1 < UINT32_MAX)
    return Address;
  ModulePlace Place;
  Place.Begin = Its.Start;
  Place.Offset = Its.Offset;
  auto After = llvm::upper_bound(Begins, Address);
  if (After != Begins.begin())
    Place.FirstByte = *std::prev(After);
  return ResolvedModule::addressOf(Place, Address);
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
