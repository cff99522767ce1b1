//===- CachedFiles.h - Archives that are made once --------------*- C++ -*-===//
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
#include "lidia/Extract/Convert.h"

namespace lidia {

/// A file that the cache has.
struct CachedFile {
  /// There as long as no other process removes it, and if it is a private
  /// temporary file (Cache::isPrivate) as long as the cache object.
  std::string Path;
  /// Whether it was made just now.
  bool Made = false;
  /// What it took to find or to make it.
  double Seconds = 0;
};

/// The archive of the ELF file \p Binary, made with \p Options if \p C has
/// none, and opened. Where another process removes it before it is open, it is
/// made again; from then on it stays readable. \p File, if not null, says where
/// it came from.
///
/// The entry belongs to
///  - the build ID with the list of sections and the binary's identity
///    (lidia/Object/BinaryIdentity.h), or the file's content where there is no
///    build ID (a build ID with the same identity is believed: nothing else of
///    the file is read);
///  - everything in \p Options but the number of threads;
///  - place, size, time and inode of the debug files and packages that are
///    where convert() looks (inputCandidates), so that one that is installed
///    later is noticed;
///  - the archive format's version and that of what we make of binaries.
///
/// What is made with a warning, or after servers did not have the debug file,
/// lacks something that may come later: a .dwo file, a supplementary file. It
/// is kept for ten minutes, for this path of the binary.
///
/// An entry is made anew if it is damaged, as far as its size, its header and
/// the extension's directory tell, or if the build ID and identity in it are
/// not the binary's.
///
/// Fails as convert() does.
llvm::Expected<Archive> openCachedArchive(Cache &C, llvm::StringRef Binary,
                                          const ConvertOptions &Options,
                                          ConvertObserver &Observer,
                                          CachedFile *File = nullptr);

/// The same for a reader that wants a path. The archive could be opened.
llvm::Expected<CachedFile> cachedArchive(Cache &C, llvm::StringRef Binary,
                                         const ConvertOptions &Options,
                                         ConvertObserver &Observer);

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
