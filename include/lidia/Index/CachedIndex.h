//===- CachedIndex.h - Debug files with an index, in the cache --*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_INDEX_CACHEDINDEX_H
#define LIDIA_INDEX_CACHEDINDEX_H

#include "lidia/Cache/CachedFiles.h"
#include "lidia/Index/DWARFIndex.h"
#include <optional>

namespace lidia {

/// A copy of \p Path with an index (IndexedFile). Its sections are not
/// compressed, because debuggers would unpack them each time.
///
/// The entry's key covers path, size, time and inode of the file. Fails as
/// IndexedFile::read() does, and also if the file has an index or uses .dwo
/// files, which debuggers look for beside it.
llvm::Expected<CachedFile>
cachedIndexed(Cache &C, llvm::StringRef Path, unsigned Threads,
              llvm::function_ref<void(llvm::StringRef Message)> Warn);

/// The copy of \p Path that \p C has; none if it has not been made.
std::optional<std::string> findCachedIndexed(Cache &C, llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_INDEX_CACHEDINDEX_H
