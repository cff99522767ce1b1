//===- CachedArchive.h - Cached archives of binaries ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Making a cache entry of a binary needs the converter, so this is a separate
/// library, LidiaModules. Programs that only read entries need not link
/// it.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MODULES_CACHEDARCHIVE_H
#define LIDIA_MODULES_CACHEDARCHIVE_H

#include "lidia/Cache/CachedFiles.h"
#include "lidia/Extract/Convert.h"

namespace lidia {

/// Opens the archive of \p Binary in \p C, and makes it with \p Options if \p C
/// does not have it. If another process removes the archive before it is open,
/// it is made again; once open, it stays readable. \p File, if not null,
/// receives the cached file.
///
/// The entry's key covers
///  - the build ID with the list of sections and the binary's identity
///    (docs/Format.md, "IDEN"), or the file's contents if there is no
///    build ID (a build ID with the same identity is trusted: nothing else of
///    the file is read);
///  - everything in \p Options but the number of threads;
///  - path, size, time and inode of the debug files and packages that exist in
///    the places where convert() looks (inputCandidates), so that installing
///    one later changes the key;
///  - the version of the archive format and that of the conversion.
///
/// An archive made with a warning, or without a debug file that servers did not
/// have, lacks something that may become available later: a .dwo file, a
/// supplementary file. It is kept for ten minutes, and only for this path of
/// the binary.
///
/// An entry is made anew if its size, its header or the extension's directory
/// show damage, or if the build ID and identity in it are not the binary's.
///
/// Fails as convert() does.
llvm::Expected<Archive> openCachedArchive(Cache &C, llvm::StringRef Binary,
                                          const ConvertOptions &Options,
                                          ConvertObserver &Observer,
                                          CachedFile *File = nullptr);

/// The same archive if \p C has it; none otherwise, and after an error.
std::optional<Archive> findCachedArchive(Cache &C, llvm::StringRef Binary,
                                         const ConvertOptions &Options);

/// Like openCachedArchive(), for callers that need a path. The archive was
/// opened successfully.
llvm::Expected<CachedFile> cachedArchive(Cache &C, llvm::StringRef Binary,
                                         const ConvertOptions &Options,
                                         ConvertObserver &Observer);

} // namespace lidia

#endif // LIDIA_MODULES_CACHEDARCHIVE_H
