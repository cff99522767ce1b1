//===- SharedModuleFinder.h - Finds the files of mappings ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROCESS_SHAREDMODULEFINDER_H
#define LIDIA_LIB_PROCESS_SHAREDMODULEFINDER_H

#include "lidia/Process/ModuleFinder.h"
#include <mutex>

namespace lidia {

/// Opens the files of the modules of a core or a minidump, for several threads.
class SharedModuleFinder {
public:
  /// Looks in \p Folders first (ModuleFinderOptions::Folders), then in \p Root,
  /// if it is given.
  SharedModuleFinder(std::vector<RootFolder> Folders,
                     std::optional<RootFolder> Root);

  /// Opens the file of the module \p Wanted. The error is the reason why there
  /// is none.
  llvm::Expected<std::unique_ptr<OpenedFile>> open(const WantedModule &Wanted);

private:
  std::mutex Mutex;
  ModuleFinder Modules;
};

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_SHAREDMODULEFINDER_H
