//===- SourceOptions.h - Options for the sources ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_SOURCEOPTIONS_H
#define LLVM_LIDIA_SOURCEOPTIONS_H

#include "Options.h"
#include "lidia/Extract/Convert.h"
#include "lidia/Modules/ModuleResolver.h"
#include "lidia/Store/Debuginfod.h"

namespace lidia {

/// Stores in \p O the options of Options.td for the sources of a binary's
/// functions.
void readSourceOptions(CommandLine &Line, ConvertOptions &O);

/// The same for a command whose input selects the modules and build IDs: it
/// queries servers only if the user asks for it.
void readModuleSourceOptions(CommandLine &Line, ConvertOptions &O);

/// Whether an archive beside a binary may be used: no option says which parts
/// of the binary to read.
bool mayBeBeside(CommandLine &Line);

/// Whether the environment names debuginfod servers that \p O does not ask.
bool hasUnaskedServers(const ConvertOptions &O);

/// Reads the options that say where the symbols of modules come from, for
/// commands whose input names modules. The default of --sysroot is \p Root.
SymbolSources readSymbolSources(CommandLine &Line, llvm::StringRef Root = "");

/// The servers that have source files, if the user asks for them; otherwise
/// null.
std::shared_ptr<DebuginfodClient> serversOfSources(CommandLine &Line);

} // namespace lidia

#endif // LLVM_LIDIA_SOURCEOPTIONS_H
