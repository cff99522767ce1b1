//===- ModuleWatch.h - Archives for modules of any front end ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives a distribution's LLDB archives as debug files that it finds itself,
/// for targets that no command creates: those of lldb-dap, and of scripts.
///
/// Two facts of LLDB's public interface make that possible. It writes a line to
/// its log "module", on the thread that makes a module, before it looks for the
/// module's symbols; and a callback may be the log. And its search for debug
/// files begins in the folders of target.debug-file-search-paths. So the
/// callback puts a link to the exported archive into a folder there, by the
/// module's build ID, just before LLDB looks.
///
/// A user who enables a log of LLDB takes it from us, and is left with what the
/// commands do (AutoSymbols.h).
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_MODULEWATCH_H
#define LIDIA_LLDBPLUGIN_MODULEWATCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lidia {

/// Calls \p Made with the path of each module that LLDB makes, before it looks
/// for the module's symbols, on LLDB's threads and with its locks held: nothing
/// in LLDB may be called. Once for a process.
void watchModules(void (*Made)(llvm::StringRef Path));

/// Has LLDB look for debug files among the links, too, if the setting was
/// replaced. Harmless if nothing is watched.
void keepLinksInSearchPaths(llvm::ArrayRef<std::string> SearchPaths);

/// Makes \p File the debug file of modules with \p BuildID. Returns the path by
/// which LLDB names it; empty if the link cannot be made.
std::string linkDebugFile(llvm::ArrayRef<uint8_t> BuildID,
                          llvm::StringRef File);

/// Removes the link for \p BuildID if there is one.
void unlinkDebugFile(llvm::ArrayRef<uint8_t> BuildID);

/// Removes all links.
void unlinkDebugFiles();

/// Whether \p Folder is the one with the links.
bool isLinkFolder(llvm::StringRef Folder);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_MODULEWATCH_H
