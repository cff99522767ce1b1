//===- CachedArchive.h - Archives of binaries, made once --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Making entries of binaries needs the converter, so it is in a library of its
/// own, LidiaCachedArchive. Programs that only read entries need not link it.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_CACHE_CACHEDARCHIVE_H
#define LIDIA_CACHE_CACHEDARCHIVE_H

#include "lidia/Cache/CachedFiles.h"
#include "lidia/Extract/Convert.h"

namespace lidia {

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
/// An archive that is made with a warning, or after servers did not have the
/// debug file, lacks something that may come later: a .dwo file, a
/// supplementary file. It is kept for ten minutes, for this path of the binary.
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

} // namespace lidia

#endif // LIDIA_CACHE_CACHEDARCHIVE_H
