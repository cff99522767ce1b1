//===- DebuginfodOptions.cpp - debuginfod's environment variables ---------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/Debuginfod.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace lidia;
using namespace llvm;

static StringRef variable(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

/// The rules of debuginfod_find_debuginfo(3).
static std::string cacheFolder() {
  if (StringRef Named = variable("DEBUGINFOD_CACHE_PATH"); !Named.empty())
    return Named.str();
  SmallString<256> Home;
  bool HasHome = sys::path::home_directory(Home);
  if (HasHome) {
    SmallString<256> Old(Home);
    sys::path::append(Old, ".debuginfod_client_cache");
    if (sys::fs::is_directory(Old))
      return Old.str().str();
  }
  SmallString<256> Folder(variable("XDG_CACHE_HOME"));
  if (Folder.empty() && HasHome) {
    Folder = Home;
    sys::path::append(Folder, ".cache");
  }
  sys::path::append(Folder, "debuginfod_client");
  return Folder.str().str();
}

DebuginfodOptions DebuginfodOptions::fromEnvironment() {
  DebuginfodOptions O;
  SmallVector<StringRef, 4> Servers;
  SplitString(variable("DEBUGINFOD_URLS"), Servers);
  for (StringRef Server : Servers)
    O.Servers.push_back(Server.str());
  O.CacheFolder = cacheFolder();
  O.HeadersFile = variable("DEBUGINFOD_HEADERS_FILE").str();
  constexpr long Day = 24 * 60 * 60;
  long Seconds;
  if (to_integer(variable("DEBUGINFOD_TIMEOUT"), Seconds, 10) && Seconds > 0)
    O.StallSeconds = std::min(Seconds, Day);
  if (to_integer(variable("DEBUGINFOD_MAXTIME"), Seconds, 10) && Seconds > 0)
    O.MaxSeconds = std::min(Seconds, Day);
  uint64_t Size;
  if (to_integer(variable("DEBUGINFOD_MAXSIZE"), Size, 10))
    O.MaxSize = Size;
  return O;
}
