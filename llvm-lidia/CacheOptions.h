//===- CacheOptions.h - The cache of a command ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_CACHEOPTIONS_H
#define LLVM_LIDIA_CACHEOPTIONS_H

#include "Options.h"
#include "Progress.h"
#include "lidia/Cache/Cache.h"

namespace lidia {

/// The cache that a command line selects.
struct CacheOptions {
  /// If empty, the user's cache.
  std::string Folder;
  bool UseCache = true;
};

CacheOptions readCacheOptions(const CommandLine &Line);

/// The cache of a command that makes archives. It prints warnings through the
/// command's Progress, and removes unfinished files if a signal ends the
/// command.
class CommandCache : public Cache {
public:
  /// \p Observer must outlive this object.
  CommandCache(const CacheOptions &O, Progress &Observer);
};

} // namespace lidia

#endif // LLVM_LIDIA_CACHEOPTIONS_H
