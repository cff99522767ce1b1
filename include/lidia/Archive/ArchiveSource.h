//===- ArchiveSource.h - Archives by the IDs of binaries --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_ARCHIVESOURCE_H
#define LIDIA_ARCHIVE_ARCHIVESOURCE_H

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>

namespace lidia {

/// Where archives are found by the IDs of binaries, such as a store
/// (openArchiveSource()). Called by several threads at once.
struct ArchiveSource {
  /// Returns the archive of a build ID, or an error with the code
  /// std::errc::no_such_file_or_directory if there is none.
  std::function<llvm::Expected<std::shared_ptr<const Archive>>(
      llvm::ArrayRef<uint8_t> BuildID)>
      ByBuildID;
  /// If set, returns the build ID of the file with an htlhash, or such an
  /// error.
  std::function<llvm::Expected<llvm::SmallVector<uint8_t, 20>>(
      llvm::ArrayRef<uint8_t> FileHash)>
      BuildIDOfFile;

  explicit operator bool() const { return bool(ByBuildID); }
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_ARCHIVESOURCE_H
