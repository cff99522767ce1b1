//===- SharedModuleFinder.cpp - Finds the files of mappings ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedModuleFinder.h"
#include "lidia/Error.h"

using namespace llvm;

namespace lidia {

static ModuleFinderOptions optionsFor(std::vector<RootFolder> Folders,
                                      std::optional<RootFolder> Root) {
  ModuleFinderOptions O;
  O.Folders = std::move(Folders);
  if (Root)
    O.Root.emplace(std::move(*Root));
  return O;
}

SharedModuleFinder::SharedModuleFinder(std::vector<RootFolder> Folders,
                                       std::optional<RootFolder> Root)
    : Modules(optionsFor(std::move(Folders), std::move(Root))) {}

Expected<std::unique_ptr<OpenedFile>>
SharedModuleFinder::open(const WantedModule &Wanted) {
  std::lock_guard<std::mutex> Lock(Mutex);
  LoadedModule Found = Modules.open(Wanted);
  if (Found.File)
    return std::move(Found.File);
  return make_error<MissingInformationError>("", Found.WhyNoFile);
}

} // namespace lidia
