//===- UserCache.h - The user's folder for caches ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_USERCACHE_H
#define LIDIA_LIB_SUPPORT_USERCACHE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <string>

namespace lidia {

/// The folder \p Name in $XDG_CACHE_HOME or ~/.cache; empty if there is no home
/// directory.
inline std::string userCacheFolder(llvm::StringRef Name) {
  llvm::SmallString<128> Path;
  const char *XDG = std::getenv("XDG_CACHE_HOME");
  // The XDG Base Directory Specification: relative paths are ignored.
  if (XDG && llvm::sys::path::is_absolute(XDG)) {
    Path = XDG;
  } else {
    if (!llvm::sys::path::home_directory(Path) ||
        !llvm::sys::path::is_absolute(Path))
      return std::string();
    llvm::sys::path::append(Path, ".cache");
  }
  llvm::sys::path::append(Path, Name);
  return Path.str().str();
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_USERCACHE_H
