//===- Hint.cpp - Hints about available debug information -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hint.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;

namespace lidia {

/// The folder in which elfutils' client, which gdb uses, stores downloads
/// (debuginfod_find_debuginfo(3)). Empty if there is none.
static SmallString<256> clientCache() {
  SmallString<256> Folder;
  const char *Named = std::getenv("DEBUGINFOD_CACHE_PATH");
  const char *XDG = std::getenv("XDG_CACHE_HOME");
  if (Named && *Named) {
    Folder = Named;
  } else if (XDG && *XDG) {
    Folder = XDG;
    sys::path::append(Folder, "debuginfod_client");
  } else if (sys::path::home_directory(Folder)) {
    sys::path::append(Folder, ".cache", "debuginfod_client");
  }
  return Folder;
}

std::string hintFor(StringRef ModulePath, ArrayRef<uint8_t> BuildID,
                    bool LLDBAsksServers) {
  SmallString<256> Cached = clientCache();
  sys::path::append(Cached, toHex(BuildID, /*LowerCase=*/true), "debuginfo");
  if (sys::fs::is_regular_file(Cached))
    return (ModulePath +
            ": debuginfod's client has downloaded its debug "
            "information: 'target symbols add " +
            Cached + "' adds it")
        .str();
  const char *Servers = std::getenv("DEBUGINFOD_URLS");
  if (!LLDBAsksServers && Servers && *Servers)
    return (ModulePath + ": the servers of DEBUGINFOD_URLS may have its debug "
                         "information: 'lidia create' asks them")
        .str();
  return std::string();
}

} // namespace lidia
