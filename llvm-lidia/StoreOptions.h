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

/// What must be there before an action begins.
enum class StoreNeed : uint8_t {
  Nothing,
  /// The folder; a bucket is asked by the action itself.
  Place,
  Archives,
};

/// Opens the store of an action with --layout, --tenant and the options for
/// opening archives. The action has read its other options: what is wrong with
/// any of them is the error.
llvm::Expected<std::unique_ptr<SymbolStore>>
openStore(CommandLine &Line, llvm::StringRef Where, StoreNeed Need);

/// Fails unless \p More, the operands after the store, are none.
void expectNothing(CommandLine &Line, llvm::ArrayRef<std::string> More);

/// --store of commands that find modules.
void readStoreOfModules(CommandLine &Line, ModuleArchivesOptions &O);

/// Finds build IDs in --store by debug IDs, if the store is there; it is opened
/// when it is first asked. Empty without the option.
std::function<llvm::SmallVector<uint8_t, 20>(const DebugID &)>
debugIDsOfStore(CommandLine &Line);

/// A build ID as users write it, with or without "BUILDID:" before it; empty if
/// it is none.
llvm::SmallVector<uint8_t, 20> parseBuildIDText(llvm::StringRef Text);

/// A debug ID as symbol files have it; none for what is a build ID.
std::optional<DebugID> parseDebugIDText(llvm::StringRef Text);

/// Whether \p Text is a build ID or a debug ID.
bool isIDText(llvm::StringRef Text);

/// The build ID that \p Text is, or that of the archive in \p Store that has
/// the debug ID \p Text.
llvm::Expected<llvm::SmallVector<uint8_t, 20>> resolveID(SymbolStore &Store,
                                                         llvm::StringRef Text);

/// The actions of `store`, each with the operands after the store.
llvm::Error tryStore(CommandLine &Line, llvm::StringRef Where,
                     std::vector<std::string> More);
llvm::Error addToStore(CommandLine &Line, llvm::StringRef Where,
                       std::vector<std::string> Inputs);
llvm::Error lookUpInStore(CommandLine &Line, llvm::StringRef Where,
                          std::vector<std::string> Words);
llvm::Error pruneStoreByOptions(CommandLine &Line, llvm::StringRef Where,
                                std::vector<std::string> More);
llvm::Error pinInStore(CommandLine &Line, llvm::StringRef Where,
                       std::vector<std::string> Words);
llvm::Error unpinInStore(CommandLine &Line, llvm::StringRef Where,
                         std::vector<std::string> Words);
llvm::Error listPins(CommandLine &Line, llvm::StringRef Where,
                     std::vector<std::string> More);
llvm::Error noteUse(CommandLine &Line, llvm::StringRef Where,
                    std::vector<std::string> IDs);
llvm::Error printStoreStatistics(CommandLine &Line, llvm::StringRef Where,
                                 std::vector<std::string> More);

} // namespace lidia

#endif // LLVM_LIDIA_STOREOPTIONS_H
