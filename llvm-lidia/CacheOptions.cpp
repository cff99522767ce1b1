//===- CacheOptions.cpp - The cache of a command --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheOptions.h"

using namespace llvm;

namespace lidia {

CacheOptions readCacheOptions(const CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  return {Args.getLastArgValue(OPT_cache_dir_EQ).str(),
          !Args.hasArg(OPT_no_cache)};
}

CommandCache::CommandCache(const CacheOptions &O, Progress &Observer)
    : Cache(O.Folder) {
  removeOnSignals();
  setWarningHandler(
      [&Observer](const Twine &Message) { Observer.warning(Message); });
  if (!O.UseCache)
    disable();
}

} // namespace lidia
