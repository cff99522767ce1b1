//===- CachedFiles.h - Archives and DWARF, made once ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_CACHE_CACHEDFILES_H
#define LIDIA_CACHE_CACHEDFILES_H

#include "lidia/Archive/Archive.h"
#include "lidia/Cache/Cache.h"
#include "lidia/Export/DWARFExport.h"

namespace lidia {

/// A file that the cache has.
struct CachedFile {
  /// There as long as no other process removes it, and if it is a private
  /// temporary file (Cache::isPrivate) as long as the cache object.
  std::string Path;
  /// Whether it was made just now.
  bool Made = false;
  /// Seconds to find or to make it.
  double Seconds = 0;
};

/// The archives of the binary with \p BuildID that \p C has, the last made
/// first, for a reader that has no binary. Of which binary of that build ID
/// each is, and what was asked for when it was made, is in its info(). Those
/// that may lack something are not among them.
std::vector<Archive> cachedArchivesOf(Cache &C,
                                      llvm::ArrayRef<uint8_t> BuildID);

/// A slim ELF file with DWARF made of \p A (lidia/Export/DWARFExport.h), for
/// readers that know no archives.
///
/// The entry belongs to \p Options and the checksums of \p A, which are checked
/// when it is made, or to its whole content when it has none. Fails as
/// exportDWARF does.
llvm::Expected<CachedFile> cachedDWARF(Cache &C, const Archive &A,
                                       const DWARFExportOptions &Options = {});

} // namespace lidia

#endif // LIDIA_CACHE_CACHEDFILES_H
