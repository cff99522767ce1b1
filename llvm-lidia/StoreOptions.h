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
#include "lidia/Modules/ModuleArchives.h"
#include "lidia/Store/SymbolStore.h"

namespace lidia {

/// The part of the store that must exist before an action begins.
enum class StoreNeed : uint8_t {
  Nothing,
  /// The folder. The action itself queries a bucket.
  Place,
  Archives,
};

/// Opens the store of an action with --layout, --tenant and the options for
/// opening archives. The action must have read its other options before: errors
/// in any of them are returned.
llvm::Expected<std::unique_ptr<SymbolStore>>
openStore(CommandLine &Line, llvm::StringRef Where, StoreNeed Need);

/// Whether the action \p Name prints JSON (--format=json).
bool readsJSONFormat(CommandLine &Line, llvm::StringRef Name);

/// Fails if there are operands after the store (\p More).
void expectNothing(CommandLine &Line, llvm::ArrayRef<std::string> More);

/// Reads --store for commands that find modules.
void readStoreOfModules(CommandLine &Line, ModuleArchivesOptions &O);

/// Returns a function that finds the build ID for a debug ID in --store, if the
/// store exists. The function opens the store when it is first called. Empty
/// without the option.
std::function<llvm::SmallVector<uint8_t, 20>(const DebugID &)>
debugIDsOfStore(CommandLine &Line);

/// Parses a build ID as users write it, with or without the prefix "BUILDID:";
/// empty if \p Text is not a build ID.
llvm::SmallVector<uint8_t, 20> parseBuildIDText(llvm::StringRef Text);

/// Parses a debug ID as in symbol files; none if \p Text is a build ID.
std::optional<DebugID> parseDebugIDText(llvm::StringRef Text);

/// Whether \p Text is a build ID or a debug ID.
bool isIDText(llvm::StringRef Text);

/// The build ID \p Text, or that of the archive in \p Store with the debug ID
/// \p Text.
llvm::Expected<llvm::SmallVector<uint8_t, 20>> resolveID(SymbolStore &Store,
                                                         llvm::StringRef Text);

/// The actions of `store`. \p More are the operands after the store.
llvm::Error tryStore(CommandLine &Line, llvm::StringRef Where,
                     std::vector<std::string> More);
llvm::Error addToStore(CommandLine &Line, llvm::StringRef Where,
                       std::vector<std::string> Inputs);
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
