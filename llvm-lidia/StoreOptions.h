//===- StoreOptions.h - Stores on the command line --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_STOREOPTIONS_H
#define LLVM_LIDIA_STOREOPTIONS_H

#include "Options.h"
#include "lidia/Cache/ModuleArchives.h"
#include "lidia/Store/SymbolStore.h"

namespace lidia {

/// --layout, --tenant and those for opening archives.
SymbolStoreOptions readStoreOptions(CommandLine &Line);

/// --store of commands that find modules.
void readStoreOfModules(CommandLine &Line, ModuleArchivesOptions &O);

/// A build ID as users write it, with or without "BUILDID:" before it; empty if
/// it is none.
llvm::SmallVector<uint8_t, 20> parseBuildIDText(llvm::StringRef Text);

/// The actions of `store`, each with the operands behind the store. Each is to
/// read its options before it calls takeErrors().
llvm::Error addToStore(CommandLine &Line, llvm::StringRef Where,
                       std::vector<std::string> Inputs);
llvm::Error lookUpInStore(CommandLine &Line, llvm::StringRef Where,
                          std::vector<std::string> Words);

} // namespace lidia

#endif // LLVM_LIDIA_STOREOPTIONS_H
