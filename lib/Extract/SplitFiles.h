//===- SplitFiles.h - Finds the units of split DWARF ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_SPLITFILES_H
#define LIDIA_LIB_EXTRACT_SPLITFILES_H

#include "DWARF/PackageIndex.h"
#include "DWARF/TypeUnits.h"
#include "DWARF/Unit.h"
#include "DWARFSourceOptions.h"
#include "Object/Binary.h"
#include <map>
#include <mutex>

namespace lidia {

/// A split unit, found.
struct SplitUnit {
  /// The .dwo file; null when the unit is in the package.
  std::unique_ptr<Binary> File;
  /// Of the .dwo file or the unit's part of the package, with those of the
  /// main file that its DIEs refer to.
  dwarf::Sections S;
  /// The units of S, and the one that was looked for.
  std::vector<dwarf::UnitHeader> Headers;
  size_t Index = 0;
  const dwarf::UnitHeader &header() const { return Headers[Index]; }
};

/// Finds the units that skeletons stand for, by their ID: in the package, or
/// else in the .dwo file, in the given folders, where the skeleton says and
/// beside the binary. Safe to use from several threads.
class SplitFiles {
public:
  /// Opens the package, if there is one. \p Main are the sections that have the
  /// skeletons. Fails when a package that was asked for cannot be opened; what
  /// is wrong with another is given to \p Report.
  static llvm::Expected<std::unique_ptr<SplitFiles>>
  create(const dwarf::Sections &Main, const SplitOptions &Options,
         llvm::function_ref<void(llvm::Error)> Report);

  /// Called with a file that the unit may be in, its bytes, and those of them
  /// that would be the unit's.
  using FoundFile = llvm::function_ref<void(
      llvm::StringRef File, uint64_t FileBytes, uint64_t UnitBytes)>;

  /// The unit that \p Skeleton stands for. A .dwo file stays open as long as
  /// the result. Looking for it is charged to \p Budget. The error names the
  /// file.
  llvm::Expected<SplitUnit> open(const dwarf::Unit &Skeleton,
                                 dwarf::WorkBudget &Budget, FoundFile Found);

  /// The types that \p U, which has to outlive them, can refer to.
  std::unique_ptr<dwarf::TypeUnits> typeUnits(const SplitUnit &U) const;

private:
  SplitFiles(const dwarf::Sections &Main, const SplitOptions &Options)
      : Main(Main), Options(Options) {}

  llvm::Error openPackage(llvm::StringRef Path,
                          llvm::function_ref<void(llvm::Error)> Report);
  llvm::SmallVector<std::string, 8> candidates(const dwarf::Unit &Skeleton);
  llvm::Expected<SplitUnit> openFile(llvm::StringRef Path,
                                     const dwarf::Unit &Skeleton,
                                     dwarf::WorkBudget &Budget,
                                     FoundFile Found);
  static llvm::Error findUnit(SplitUnit &U, const dwarf::Unit &Skeleton,
                              dwarf::WorkBudget &Budget);
  void addMain(dwarf::Sections &S) const;

  const dwarf::Sections &Main;
  const SplitOptions &Options;
  std::unique_ptr<Binary> Package;
  dwarf::Sections PackageSections;
  std::optional<dwarf::PackageIndex> Index;
  std::optional<dwarf::PackageIndex> TypeIndex;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_SPLITFILES_H
