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
  /// LLDB reads DWARF exported from the archive.
  Exported,
};

/// An archive used for a module, and its cost.
struct Service {
  /// The archive's absolute path, or that of the file that it was unpacked
  /// from.
  std::string Archive;
  /// How it was found; empty if a command named it.
  std::string How;
  /// The file that LLDB reads: the archive or its exported form.
  std::string File;
  /// The archive's build ID in lower-case hexadecimal; empty if it has none.
  std::string BuildID;
  /// Whether File was written by this request, not found in the cache.
  bool Made = false;
  /// The modification time of the module's file when the module got the
  /// archive. None if there was no file.
  std::optional<llvm::sys::TimePoint<>> ModuleTime;
  /// Wall time of checking the archive and finding or making File.
  double Seconds = 0;
  /// The separate debug file that the archive replaced; empty if none.
  std::string DebugFile;
};

/// The cache of all files that this process has made or used, whose warnings go
/// to \p Debugger. Private files in it live as long as the process.
Cache &theCache(lldb::SBDebugger Debugger);

/// The cache, for callers that may not be on the thread of LLDB's commands.
Cache &theCache();

/// Whether \p Path names a regular file with an archive's magic.
bool isArchive(llvm::StringRef Path);

/// \p Text quoted as one argument of an LLDB command.
std::string quoted(llvm::StringRef Text);

/// Runs LLDB's own `target symbols add`, bypassing any override, for one
/// \p File preceded by \p Options (each beginning with a space). Returns the
/// command's output; the error is its error output.
llvm::Expected<std::string> runSymbolsAdd(lldb::SBDebugger Debugger,
                                          llvm::StringRef Options,
                                          llvm::StringRef File);

/// Whether the command that LLDB is about to run comes from runSymbolsAdd().
bool inSymbolsAdd();

/// A request to use an archive for a module.
struct ServeRequest {
  /// The archive's absolute path.
  std::string Path;
  /// The module's path or file name; if empty, the archive determines the
  /// module (findModuleOf).
  std::string ModuleName;
  /// Other options for `target symbols add`, each beginning with a space.
  std::string Options;
  /// The file from which Path was unpacked; otherwise empty.
  std::string Shown;
  /// Service::How.
  std::string How;
  /// Use the archive instead of DWARF that LLDB reads for the module, in the
  /// module's file or a separate debug file.
  bool Replace = false;
};

/// Opens the archive, finds its module, and verifies the whole archive: its
/// checksums or, without them, its contents.
///
/// The error gives the reason for refusing the archive.
llvm::Expected<std::pair<Archive, lldb::SBModule>>
openForModule(lldb::SBTarget Target, const ServeRequest &R);

/// The file from which LLDB reads the debug information of \p Module, which may
/// be the module's own file. Empty if there is none.
std::string symbolFileOf(lldb::SBModule Module);

/// Whether LLDB reads DWARF in the file of \p Module itself.
bool readsOwnDWARF(lldb::SBModule Module);

/// The separate debug file that LLDB reads DWARF from for \p Module; empty if
/// there is none, or the module has an archive.
std::string debugFileOf(lldb::SBModule Module);

/// Remembers that \p File, which LLDB reads or is about to find, is a copy of
/// the debug file \p Original with an index of names.
void noteIndexed(llvm::StringRef File, llvm::StringRef Original);

/// The debug file from which \p File was copied (noteIndexed()), or empty.
std::string indexedOriginal(llvm::StringRef File);

/// Whether LLDB reads DWARF for \p Module that an archive would replace.
bool readsDWARF(lldb::SBModule Module);

/// Makes LLDB use an archive for its module. Returns the text for the user:
/// LLDB's output, or that the module keeps its DWARF.
///
/// The error gives the reason for refusing the archive; the module is then
/// unchanged.
llvm::Expected<std::string> serveArchive(lldb::SBDebugger Debugger,
                                         lldb::SBTarget Target,
                                         const ServeRequest &R, ServeMode Mode);

/// Creates the file that LLDB reads for the archive \p A, for a caller that
/// passes it to LLDB as the symbol file of the module \p ModulePath, and
/// remembers it for serviceOf(). \p Shown and \p How are those of a request.
///
/// The archive must belong to the module, and be intact (findArchive).
llvm::Expected<std::string>
prepareArchive(const Archive &A, llvm::StringRef Shown, llvm::StringRef How,
               llvm::StringRef ModulePath, ServeMode Mode);

/// Remembers that \p Link is the name by which LLDB will find \p File, a result
/// of prepareArchive().
void noteLink(llvm::StringRef Link, llvm::StringRef File);

/// Removes the archive of \p Module. Returns whether it has none now.
bool takeArchiveAway(lldb::SBDebugger Debugger, lldb::SBModule Module);

/// Makes LLDB read the debug file of \p Module itself instead of its copy with
/// an index, which LLDB reads now (indexedOriginal()).
llvm::Error leaveIndexedCopy(lldb::SBDebugger Debugger, lldb::SBModule Module);

/// Remembers that LLDB's own command is about to give the archive \p A at \p
/// Path to the symbol file plugin for \p Module, so that serviceOf() knows it
/// even when the file is gone.
void noteNativeArchive(const Archive &A, llvm::StringRef Path,
                       lldb::SBModule Module);

/// The modification time of the file \p Path; none if it does not exist.
std::optional<llvm::sys::TimePoint<>> modificationTime(llvm::StringRef Path);

/// The archive used for \p Module, or none.
std::optional<Service> serviceOf(lldb::SBModule Module);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_SERVE_H
