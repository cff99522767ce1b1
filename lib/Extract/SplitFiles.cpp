//===- SplitFiles.cpp - Finds the units of split DWARF --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitFiles.h"
#include "DWARF/Abbreviations.h"
#include "DWARF/FunctionNames.h"
#include "DWARFFile.h"
#include "UnitBudgets.h"
#include "lidia/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

/// The sections of split units; those of locations if \p Locations.
static Expected<dwarf::Sections> openSplitSections(Binary &File,
                                                   bool Locations) {
  dwarf::Sections S;
  S.LittleEndian = File.isLittleEndian();
  S.FileName = File.path();
  const std::pair<StringRef, StringRef *> Wanted[] = {
      {".debug_info.dwo", &S.Info},
      {".debug_types.dwo", &S.Types},
      {".debug_abbrev.dwo", &S.Abbrev},
      {".debug_str.dwo", &S.Str},
      {".debug_str_offsets.dwo", &S.StrOffsets},
      {".debug_rnglists.dwo", &S.RngLists},
      {".debug_loc.dwo", &S.Loc},
      {".debug_loclists.dwo", &S.LocLists}};
  for (const auto &[Name, Slot] :
       ArrayRef(Wanted).drop_back(Locations ? 0 : 2)) {
    const Section *Found = File.findSection(Name);
    if (!Found)
      continue;
    if (Error E = File.contents(*Found).moveInto(*Slot))
      return E;
  }
  return S;
}

Expected<std::unique_ptr<SplitFiles>>
SplitFiles::create(const dwarf::Sections &Main, const SplitOptions &Options,
                   function_ref<void(Error)> Report) {
  std::unique_ptr<SplitFiles> Result(new SplitFiles(Main, Options));
  if (!Options.Package.empty()) {
    if (Error E = Result->openPackage(Options.Package, Report))
      return E;
    return Result;
  }
  for (const std::string &Binary : Options.Binaries) {
    std::string Path = Binary + ".dwp";
    if (!sys::fs::is_regular_file(Path))
      continue;
    if (Error E = Result->openPackage(Path, Report))
      Report(std::move(E));
    else
      break;
  }
  return Result;
}

/// One of a package's two indices; none if the package lacks it.
static Expected<std::optional<dwarf::PackageIndex>> openIndex(Binary &File,
                                                              StringRef Name) {
  const Section *Found = File.findSection(Name);
  if (!Found)
    return std::nullopt;
  StringRef Contents;
  if (Error E = File.contents(*Found).moveInto(Contents))
    return E;
  Expected<dwarf::PackageIndex> Index =
      dwarf::PackageIndex::parse(Contents, File.isLittleEndian());
  if (!Index)
    return addPrefix(File.path(), addWhere(Name, Index.takeError()));
  return std::move(*Index);
}

Error SplitFiles::openPackage(StringRef Path,
                              function_ref<void(Error)> Report) {
  std::unique_ptr<Binary> File;
  if (Error E = Binary::open(Path).moveInto(File))
    return E;
  std::optional<dwarf::PackageIndex> Units;
  if (Error E = openIndex(*File, ".debug_cu_index").moveInto(Units))
    return E;
  if (!Units)
    return make_error<DamagedError>(Path, "has no .debug_cu_index");
  // Without it, the types' names are lost.
  if (Error E = openIndex(*File, ".debug_tu_index").moveInto(TypeIndex))
    Report(std::move(E));
  if (Error E =
          openSplitSections(*File, Options.Locations).moveInto(PackageSections))
    return E;
  Index = std::move(*Units);
  Package = std::move(File);
  return Error::success();
}

/// Addresses, DWARF 4 ranges and lines stay in the linked file.
void SplitFiles::addMain(dwarf::Sections &S) const {
  S.Addr = Main.Addr;
  S.Ranges = Main.Ranges;
}

/// Finds the unit of \p Skeleton among those of \p U.
Error SplitFiles::findUnit(SplitUnit &U, const dwarf::Unit &Skeleton,
                           dwarf::WorkBudget &Budget) {
  // A header that cannot be read is not that of the wanted unit.
  U.Headers = dwarf::readUnitHeaders(U.S, consumeError);
  Budget.charge(U.Headers.size() * 16);
  dwarf::AbbreviationCache Abbreviations(U.S, Budget);
  for (U.Index = 0; U.Index < U.Headers.size(); ++U.Index) {
    const dwarf::UnitHeader &H = U.header();
    if (H.Type != llvm::dwarf::DW_UT_compile &&
        H.Type != llvm::dwarf::DW_UT_split_compile)
      continue;
    uint64_t ID = H.SplitID;
    if (H.Sizes.Version < 5) {
      // GNU's form has the ID in the root DIE.
      Expected<dwarf::Unit> Candidate =
          dwarf::Unit::open(U.S, H, Abbreviations, Budget);
      if (!Candidate) {
        consumeError(Candidate.takeError());
        continue;
      }
      ID = Candidate->splitID();
    }
    if (Budget.exhausted())
      break;
    if (ID != Skeleton.splitID())
      continue;
    Budget.charge(H.End - H.Offset);
    return Error::success();
  }
  return make_error<DamagedError>(
      U.S.FileName,
      formatv("has no split unit {0:x}", Skeleton.splitID()).str());
}

Expected<SplitUnit> SplitFiles::openFile(StringRef Path,
                                         const dwarf::Unit &Skeleton,
                                         dwarf::WorkBudget &Budget,
                                         FoundFile Found) {
  SplitUnit U;
  if (Error E = Binary::open(Path).moveInto(U.File))
    return E;
  if (Error E = openSplitSections(*U.File, Options.Locations).moveInto(U.S))
    return E;
  if (Error E = joinSections(*U.File, ".debug_info.dwo", U.S.Info, U.Joined))
    return E;
  if (Error E = joinSections(*U.File, ".debug_types.dwo", U.S.Types, U.Joined))
    return E;
  Found(Path, U.S.totalSize(), U.S.totalSize());
  addMain(U.S);
  if (Error E = findUnit(U, Skeleton, Budget))
    return E;
  return U;
}

/// All possible paths of the .dwo file of \p Skeleton, best first.
SmallVector<std::string, 8>
SplitFiles::candidates(const dwarf::Unit &Skeleton) {
  StringRef Name = Skeleton.splitName();
  SmallVector<std::string, 8> Result;
  if (Options.OnlyMain)
    return Result;
  auto AddIn = [&](StringRef Directory, StringRef Path) {
    SmallString<128> Joined(Directory);
    sys::path::append(Joined, Path);
    if (!is_contained(Result, Joined))
      Result.push_back(Joined.str().str());
  };
  for (const std::string &Directory : Options.Directories) {
    AddIn(Directory, Name);
    AddIn(Directory, sys::path::filename(Name));
  }
  if (sys::path::is_absolute(Name))
    Result.push_back(Name.str());
  else
    AddIn(Skeleton.compilationDirectory(), Name);
  for (const std::string &Binary : Options.Binaries) {
    AddIn(sys::path::parent_path(Binary), Name);
    AddIn(sys::path::parent_path(Binary), sys::path::filename(Name));
  }
  return Result;
}

std::unique_ptr<dwarf::TypeUnits>
SplitFiles::typeUnits(const SplitUnit &U) const {
  if (!U.File && TypeIndex)
    return std::make_unique<dwarf::TypeUnits>(PackageSections, *TypeIndex);
  return std::make_unique<dwarf::TypeUnits>(U.S, U.Headers);
}

Expected<SplitUnit> SplitFiles::open(const dwarf::Unit &Skeleton,
                                     dwarf::WorkBudget &Budget,
                                     FoundFile Found) {
  std::string WrongFile;
  if (Index) {
    Expected<std::optional<dwarf::Sections>> Part =
        Index->find(Skeleton.splitID(), PackageSections);
    if (!Part)
      return addPrefix(Package->path(), Part.takeError());
    if (*Part) {
      SplitUnit U;
      U.S = **Part;
      Found(Package->path(), PackageSections.totalSize(), U.S.totalSize());
      addMain(U.S);
      if (Error E = findUnit(U, Skeleton, Budget))
        return E;
      return U;
    }
  }
  for (StringRef Path : candidates(Skeleton)) {
    if (!sys::fs::is_regular_file(Path))
      continue;
    Expected<SplitUnit> U = openFile(Path, Skeleton, Budget, Found);
    if (U)
      return U;
    std::string Why = toString(U.takeError());
    if (WrongFile.empty())
      WrongFile = std::move(Why);
  }
  if (!WrongFile.empty())
    return make_error<DamagedError>("", WrongFile);
  return make_error<DamagedError>(
      "", "its split unit's file " + Skeleton.splitName() + " was not found");
}

Error SplitFiles::read(const dwarf::Unit &Skeleton, size_t Index,
                       UnitBudgets &Budgets, dwarf::WorkBudget &Budget,
                       ReadFunction Read) {
  auto Found = [&](StringRef File, uint64_t FileBytes, uint64_t UnitBytes) {
    Budget.raise(Budgets.addSplit(Index, File, FileBytes, UnitBytes));
  };
  Expected<SplitUnit> Split = open(Skeleton, Budget, Found);
  if (!Split)
    return Split.takeError();
  dwarf::AbbreviationCache Abbreviations(Split->S, Budget);
  Expected<dwarf::Unit> U = dwarf::Unit::openSplit(
      Split->S, Split->header(), Abbreviations, Budget, Skeleton);
  if (!U)
    return U.takeError();
  std::unique_ptr<dwarf::TypeUnits> Types = typeUnits(*Split);
  dwarf::FunctionNames Names(Split->S, Split->Headers, {}, *Types,
                             Abbreviations, Budget);
  Read(*U, Names, *Types);
  return Error::success();
}

} // namespace lidia
