//===- DebugFileSearch.h - Where debug files are looked for -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_OBJECT_DEBUGFILESEARCH_H
#define LIDIA_OBJECT_DEBUGFILESEARCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lidia {

/// Where debug files are looked for.
struct DebugFileSearch {
  /// Paths of debug files and supplementary files that are tried first, by
  /// their build IDs in lower-case hexadecimal digits; may be null. As with
  /// those that are found, their build IDs are checked.
  std::shared_ptr<const llvm::StringMap<std::string>> Known;
  /// Opens no others, nor files of split units: for binaries of strangers, who
  /// must not choose the files that are read.
  bool OnlyKnown = false;
  /// Folders that hold ".build-id/xx/yyyy.debug" and, by their paths, the debug
  /// files that debug links name. Empty: /usr/lib/debug.
  std::vector<std::string> Directories;
  /// For debug links, instead of Directories.
  std::string FallbackPath;
  /// Queries servers for the debug file of a build ID; returns the path of a
  /// local copy, empty if they have none. Null: no server is queried. A
  /// callback, so that embedders need not link an HTTP client.
  std::function<std::string(llvm::ArrayRef<uint8_t> BuildID,
                            llvm::function_ref<void(const llvm::Twine &)> Warn)>
      Fetch;
};

} // namespace lidia

#endif // LIDIA_OBJECT_DEBUGFILESEARCH_H
