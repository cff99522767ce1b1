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
#include "lidia/Minidump/MinidumpSpace.h"

namespace lidia {

/// Stores in \p O the options of Options.td for the sources of a binary's
/// functions.
void readSourceOptions(CommandLine &Line, ConvertOptions &O);

/// The same for a command whose input selects the modules and build IDs: it
/// queries servers only if the user asks for it.
void readModuleSourceOptions(CommandLine &Line, ConvertOptions &O);

/// Lets \p Search find the debug files of PE and Mach-O files anywhere in
/// \p Folders, those of --modules-from, which may also be symbol stores.
/// Folders that cannot be opened are left out.
void findDebugFilesIn(llvm::ArrayRef<std::string> Folders,
                      DebugFileSearch &Search);

/// Finds files in the folders and on the servers of \p Search, those of
/// --symbol-path; empty if there are none. \p Observer, which receives the
/// servers' failures, must outlive the result.
SymbolFileSource symbolFileSource(const DebugFileSearch &Search,
                                  ConvertObserver &Observer);

} // namespace lidia

#endif // LLVM_LIDIA_SOURCEOPTIONS_H
