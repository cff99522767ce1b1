//===- Serve.h - Archives as the symbol files of modules --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_SERVE_H
#define LIDIA_LLDBPLUGIN_SERVE_H

#include "lidia/Cache/CachedFiles.h"
#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBModule.h"
#include "lldb/API/SBTarget.h"
#include "llvm/Support/Chrono.h"
#include <optional>
#include <string>
#include <utility>

namespace lidia {

/// How the host reads archives.
enum class ServeMode {
  /// The symbol file plugin reads the archive itself.
  Native,
  /// LLDB reads the DWARF that the archive was exported as.
  Exported,
};

/// The cost of an archive that serves a module.
struct Service {
  /// The archive's absolute path.
  std::string Archive;
  /// The file that LLDB reads: the archive or what it was exported as.
  std::string File;
  /// Whether the archive says of which build it is.
  bool HasBuildID = false;
  /// Whether File was written now, not found in the cache.
  bool Made = false;
  /// When the file of the module was modified last, as of the time when it got
  /// the archive. None where there was no file.
  std::optional<llvm::sys::TimePoint<>> ModuleTime;
  /// Wall time of checking the archive and finding or making File.
  double Seconds = 0;
};

/// The cache of all files that this process has made or used, whose warnings go
/// to \p Debugger. Private files in it live as long as the process.
Cache &theCache(lldb::SBDebugger Debugger);

/// Whether \p Path names a regular file that begins as an archive does.
bool isArchive(llvm::StringRef Path);

/// \p Text as one argument of a command of LLDB's.
std::string quoted(llvm::StringRef Text);

/// Runs LLDB's own `target symbols add`, whatever overrides it, for one \p File
/// with \p Options (each beginning with a space) before it. Returns what the
/// command printed; the error is what it printed when it failed.
llvm::Expected<std::string> runSymbolsAdd(lldb::SBDebugger Debugger,
                                          llvm::StringRef Options,
                                          llvm::StringRef File);

/// Whether the command that LLDB is about to run comes from runSymbolsAdd().
bool inSymbolsAdd();

/// An archive that a module may be served by, and what is asked for.
struct ServeRequest {
  /// The archive's absolute path.
  std::string Path;
  /// The module's path or file name; empty: as the archive says (findModuleOf).
  std::string ModuleName;
  /// Other options for `target symbols add`, each beginning with a space.
  std::string Options;
  /// Use the archive in the place of DWARF in the module's own file.
  bool Replace = false;
};

/// Opens the archive, finds the module that it is to serve, and checks the
/// archive whole: its checksums or, without them, its contents.
///
/// The error says why the archive is refused.
llvm::Expected<std::pair<Archive, lldb::SBModule>>
openForModule(lldb::SBTarget Target, const ServeRequest &R);

/// Whether LLDB reads DWARF in the file of \p Module itself.
bool readsOwnDWARF(lldb::SBModule Module);

/// Makes an archive serve its module. Returns the text for the user: what LLDB
/// printed, or that the module keeps DWARF of its own.
///
/// The error says why an archive is refused, and then the module is what it
/// was.
llvm::Expected<std::string> serveArchive(lldb::SBDebugger Debugger,
                                         lldb::SBTarget Target,
                                         const ServeRequest &R, ServeMode Mode);

/// Remembers that LLDB's own command is about to give the archive \p A at \p
/// Path to the symbol file plugin for \p Module, so that serviceOf() knows it
/// even when the file is gone.
void noteNativeArchive(const Archive &A, llvm::StringRef Path,
                       lldb::SBModule Module);

/// When the file \p Path was modified last; none when there is no such file.
std::optional<llvm::sys::TimePoint<>> modificationTime(llvm::StringRef Path);

/// The archive that serves \p Module, or none.
std::optional<Service> serviceOf(lldb::SBModule Module);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_SERVE_H
