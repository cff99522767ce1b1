//===- AutoSymbols.h - Finds archives without a command ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Modules without debug information get the archives that findArchive() finds
/// for them. There are several ways, each of which acts before LLDB uses the
/// module's symbols:
///
///  - An LLDB that exports lldb_private calls the symbol file plugin's locator
///    for each module without debug information (NativeInterface.h).
///  - A distribution's LLDB calls a platform's callback for each module except
///    the main program. The main program is loaded with its archive before the
///    command that creates a target or attaches to a process.
///  - For targets that no command creates, as in lldb-dap and scripts, LLDB
///    finds the archive as a debug file (ModuleWatch.h).
///  - All other modules (those loaded before the plugin, or whose archives
///    appear later) get theirs before the next command that shows or uses
///    symbols.
///
/// LLDB only notifies a plugin of new modules by events, which arrive later, on
/// another thread. Nothing here depends on them.
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

/// Lets LLDB find archives for the modules of \p Debugger's targets, through
/// LLDB's commands and, in ServeMode::Exported, its platforms. Existing modules
/// get theirs before the next command.
void installAutoSymbols(lldb::SBDebugger Debugger, ServeMode Mode);

/// For the locator of the symbol file plugin (NativeInterface.h): the archive
/// of a module for which LLDB finds no debug information; empty if there is
/// none. May be called on any thread.
std::string locateArchive(llvm::StringRef ModulePath,
                          llvm::ArrayRef<uint8_t> BuildID,
                          llvm::ArrayRef<std::string> Folders);

/// Adds archives to those modules of the selected target that have not been
/// checked yet. Returns how many got one.
unsigned serveFoundArchives(lldb::SBDebugger Debugger);

/// Whether the plugin looks for archives. Initially on. The value applies to
/// the whole process, because LLDB shares modules between its debuggers.
bool autoSymbolsOn();
/// Switching on also makes archives eligible again that were removed.
void setAutoSymbols(bool On);

/// Stops looking for an archive of \p Module, because the user removed it.
void leaveWithoutArchive(lldb::SBModule Module);

/// Checks all modules again, because a new process or target begins.
void lookAgain();

/// Whether a new module from the file \p Path would get an archive.
bool wouldFindArchive(llvm::StringRef Path);

/// Before a command creates a target or attaches to a process: loads the
/// programs that the command line \p Words names, by path or process ID, with
/// their archives, so that LLDB uses these modules.
void prepareModules(lldb::SBDebugger Debugger, const char **Words);

/// Whether the arguments \p Words of `target create` specify a program for
/// which LLDB finds no debug information, in the program or in a separate file,
/// and no symbol file.
bool createsWithoutDebugInfo(const char *const *Words);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_AUTOSYMBOLS_H
