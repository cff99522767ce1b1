//===- AutoSymbols.h - Archives that are found without a command *- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Modules without debug information get the archives that findArchive() finds
/// for them. The ways in which that happens, each before LLDB uses the module's
/// symbols:
///
///  - An LLDB that exports lldb_private asks the symbol file plugin's locator
///    for each module without debug information (NativeInterface.h).
///  - A distribution's LLDB asks a platform's callback for each module but the
///    main program, which is loaded with its archive before the command that
///    creates a target or attaches to a process.
///  - For targets that no command creates, as in lldb-dap and scripts, LLDB
///    finds the archive as a debug file (ModuleWatch.h).
///  - All others (modules loaded before the plugin, archives that appear later)
///    get theirs before the next command that shows or uses symbols.
///
/// LLDB tells a plugin of new modules by events only, which arrive later, on
/// another thread; nothing here depends on them.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_AUTOSYMBOLS_H
#define LIDIA_LLDBPLUGIN_AUTOSYMBOLS_H

#include "Serve.h"
#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBModule.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lidia {

/// Has LLDB find archives for the modules of \p Debugger's targets, through
/// LLDB's commands and, in ServeMode::Exported, its platforms. Modules that
/// exist already get theirs before the next command.
void installAutoSymbols(lldb::SBDebugger Debugger, ServeMode Mode);

/// For the locator of the symbol file plugin (NativeInterface.h): the archive
/// for a module that LLDB finds no debug information for; empty if there is
/// none. May be called on any thread.
std::string locateArchive(llvm::StringRef ModulePath,
                          llvm::ArrayRef<uint8_t> BuildID,
                          llvm::ArrayRef<std::string> Folders);

/// Gives archives to those modules of the selected target that have not been
/// looked at yet. Returns how many got one.
unsigned serveFoundArchives(lldb::SBDebugger Debugger);

/// Whether archives are looked for. On at first, for the whole process: LLDB
/// shares modules between its debuggers.
bool autoSymbolsOn();
/// Switching on also looks again for archives that were removed.
void setAutoSymbols(bool On);

/// Looks for no archive for \p Module from now on: the user removed it.
void leaveWithoutArchive(lldb::SBModule Module);

/// Looks at all modules once more, because a new process or target begins.
void lookAgain();

/// Whether a new module from the file \p Path would get an archive.
bool wouldFindArchive(llvm::StringRef Path);

/// Before a command creates a target or attaches to a process: loads the
/// programs that the command line \p Words names, by path or process ID, with
/// their archives, so that LLDB uses these modules.
void prepareModules(lldb::SBDebugger Debugger, const char **Words);

/// Whether the words \p Words of `target create`, after its name, give a
/// program that LLDB knows no debug information of, in the program or in a file
/// of its own, and no symbol file.
bool createsWithoutDebugInfo(const char *const *Words);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_AUTOSYMBOLS_H
