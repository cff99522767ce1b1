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

class UnitBudgets;
namespace dwarf {
class FunctionNames;
} // namespace dwarf

/// A split unit that was found.
struct SplitUnit {
  /// The .dwo file; null if the unit is in the package.
  std::unique_ptr<Binary> File;
  /// The contents of sections of one name, joined.
  std::vector<std::unique_ptr<std::string>> Joined;
  /// The sections of the .dwo file or the unit's contributions to the package,
  /// plus those of the main file that its DIEs refer to.
  dwarf::Sections S;
  /// The units of S, and the index of the wanted one.
  std::vector<dwarf::UnitHeader> Headers;
  size_t Index = 0;
  const dwarf::UnitHeader &header() const { return Headers[Index]; }
};

/// Finds the split units of skeletons, by ID: in the package, or else in the
/// .dwo file, in the given folders, at the skeleton's path or beside the
/// binary. Thread-safe.
class SplitFiles {
public:
  /// Opens the package, if there is one. \p Main are the sections with the
  /// skeletons. Fails if a requested package cannot be opened; errors in other
  /// packages are reported to \p Report.
  static llvm::Expected<std::unique_ptr<SplitFiles>>
  create(const dwarf::Sections &Main, const SplitOptions &Options,
         llvm::function_ref<void(llvm::Error)> Report);

  /// Called with a file that may contain the unit, its size in bytes, and the
  /// number of those bytes that would be the unit's.
  using FoundFile = llvm::function_ref<void(
      llvm::StringRef File, uint64_t FileBytes, uint64_t UnitBytes)>;

  /// The split unit of \p Skeleton. A .dwo file stays open as long as the
  /// result. The search is charged to \p Budget. The error names the file.
  llvm::Expected<SplitUnit> open(const dwarf::Unit &Skeleton,
                                 dwarf::WorkBudget &Budget, FoundFile Found);

  using ReadFunction = llvm::function_ref<void(
      const dwarf::Unit &, dwarf::FunctionNames &, dwarf::TypeUnits &)>;

  /// Calls \p Read with the split unit of \p Skeleton, which is unit \p Index
  /// of \p Budgets, and with the names in it and the types it can refer to, all
  /// open until it returns. Fails as open() does.
  llvm::Error read(const dwarf::Unit &Skeleton, size_t Index,
                   UnitBudgets &Budgets, dwarf::WorkBudget &Budget,
                   ReadFunction Read);

  /// The types that \p U can refer to; \p U must outlive them.
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
