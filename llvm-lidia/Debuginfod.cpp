//===- Debuginfod.cpp - Debug files from servers --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Debuginfod.h"
#include "Object/Binary.h"

using namespace llvm;

namespace lidia {

/// Checks the build ID, because servers may send anything.
static bool hasBuildID(StringRef Path, ArrayRef<uint8_t> BuildID) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (File)
    return (*File)->buildID() == BuildID;
  consumeError(File.takeError());
  return false;
}

std::function<std::string(ArrayRef<uint8_t>, function_ref<void(const Twine &)>)>
debuginfodFetcher(DebuginfodOptions Options) {
  Options.Output.RemoveOnSignals = true;
  auto Client = std::make_shared<DebuginfodClient>(std::move(Options));
  return [Client](ArrayRef<uint8_t> BuildID,
                  function_ref<void(const Twine &)> Warn) {
    return Client->debugFile(
        BuildID, [&](StringRef Path) { return hasBuildID(Path, BuildID); },
        Warn);
  };
}

} // namespace lidia
