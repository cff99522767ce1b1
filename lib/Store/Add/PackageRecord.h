//===- PackageRecord.h - Records of the contents of packages ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_PACKAGERECORD_H
#define LIDIA_LIB_STORE_PACKAGERECORD_H

#include "lidia/Store/SymbolStore.h"
#include "llvm/Support/FileSystem.h"
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// The contents of a package that was read to its end.
struct PackageRecord {
  std::vector<llvm::SmallVector<uint8_t, 20>> BuildIDs;
  /// Binaries without a build ID or code.
  uint64_t Skipped = 0;
};

/// The records of packages. They are kept in the store, so that a package need
/// not be unpacked to find out that the store has all of it, as objects
/// `.packages/ab/cdef...`, named by a hash of the package's name, size and
/// contents. The layout Pyroscope has no records. A record that is missing,
/// damaged or cannot be written costs time, and is not an error. Thread-safe.
class PackageRecords {
public:
  /// \p Folder is for temporary files.
  PackageRecords(SymbolStore &Store, std::string Folder)
      : Store(Store), Folder(std::move(Folder)) {}

  /// The name of the record of the open package \p Path; empty if it cannot
  /// have one. Reads the whole package, and does not change the file's offset.
  llvm::Expected<std::string> nameOf(llvm::sys::fs::file_t FD,
                                     llvm::StringRef Path) const;
  std::optional<PackageRecord> read(llvm::StringRef Name) const;
  void write(llvm::StringRef Name, const PackageRecord &Record) const;

private:
  SymbolStore &Store;
  const std::string Folder;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_PACKAGERECORD_H
