//===- CachedFiles.h - Archives and their DWARF in the cache ----*- C++ -*-===//
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

/// A file in the cache.
struct CachedFile {
  /// Exists until another process removes it or, if it is a private temporary
  /// file (Cache::isPrivate), until the cache object is destroyed.
  std::string Path;
  /// Whether this call made the file.
  bool Made = false;
  /// The seconds that finding or making the file took.
  double Seconds = 0;
};

/// The archives in \p C of the binary with \p BuildID, the newest first, for
/// callers that do not have the binary. Each archive's info() tells which
/// binary with that build ID it belongs to, and the options it was made with.
/// Archives that may be incomplete are left out.
std::vector<Archive> cachedArchivesOf(Cache &C,
                                      llvm::ArrayRef<uint8_t> BuildID);

/// Like cachedArchivesOf(), for the file with the hash \p FileHash
/// (CacheKey::setFileHash). Only the names of entries contain the hash.
std::vector<Archive> cachedArchivesOfFile(Cache &C,
                                          llvm::ArrayRef<uint8_t> FileHash);

/// The archive that \p Path, compressed by zstd, unpacks to.
///
/// The entry's key covers path, size, time and inode of the file. Fails if the
/// file is not a compressed archive, or unpacks to more than 16 MiB plus a
/// hundred times its size. The error names the file.
llvm::Expected<CachedFile> cachedUnpacked(Cache &C, llvm::StringRef Path);

/// A small ELF file with DWARF made from \p A (lidia/Export/DWARFExport.h), for
/// readers that do not know archives.
///
/// The entry's key covers \p Options and the checksums of \p A, which are
/// verified when the entry is made, or the whole contents of \p A if it has
/// none. Fails as exportDWARF does.
llvm::Expected<CachedFile> cachedDWARF(Cache &C, const Archive &A,
                                       const DWARFExportOptions &Options = {});

/// The path of what cachedDWARF() would make, if it was made. Reads only the
/// beginnings of the archive and of the file.
std::optional<std::string> findCachedDWARF(Cache &C, const Archive &A);

/// The same for a distribution's LLDB, which reads \p A for the binary at
/// \p Binary: as cachedDWARF() with ForLLDB and, if that file can be read, its
/// sections and symbols.
llvm::Expected<CachedFile> cachedDWARFForLLDB(Cache &C, const Archive &A,
                                              llvm::StringRef Binary);

} // namespace lidia

#endif // LIDIA_CACHE_CACHEDFILES_H
