//===- ModuleWatch.h - Archives for targets without commands ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Provides archives as debug files to a distribution's LLDB, for targets that
/// no command creates: those of lldb-dap and of scripts.
///
/// Two facts of LLDB's public interface make this possible. First, on the
/// thread that creates a module, LLDB writes a line to its log "module" before
/// it looks for the module's symbols; and the log can be a callback. Second,
/// LLDB's search for debug files begins in the folders of
/// target.debug-file-search-paths. So the callback adds a link to the exported
/// archive, by the module's build ID, to a folder there, just before LLDB looks
/// for it.
///
/// If the user enables a log of LLDB, the callback is replaced; then only the
/// commands add archives (AutoSymbols.h).
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_MODULEWATCH_H
#define LIDIA_LLDBPLUGIN_MODULEWATCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lidia {

/// Calls \p Made with the path of each module that LLDB creates, before LLDB
/// looks for the module's symbols. The call is on LLDB's threads and with its
/// locks held, so \p Made must not call LLDB. May be called once in a process.
void watchModules(void (*Made)(llvm::StringRef Path));

/// Adds the folder with the links to LLDB's search paths again, if the setting
/// was replaced. Has no effect if nothing is watched.
void keepLinksInSearchPaths(llvm::ArrayRef<std::string> SearchPaths);

/// Makes \p File the debug file of modules with \p BuildID. Returns the path
/// that LLDB uses for it; empty if the link cannot be created.
std::string linkDebugFile(llvm::ArrayRef<uint8_t> BuildID,
                          llvm::StringRef File);

/// Removes the link for \p BuildID if there is one.
void unlinkDebugFile(llvm::ArrayRef<uint8_t> BuildID);

/// Removes all links.
void unlinkDebugFiles();

/// Whether \p Folder is the folder with the links.
bool isLinkFolder(llvm::StringRef Folder);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_MODULEWATCH_H
