//===- AddressSpaceOptions.h - Options for address spaces -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_ADDRESSSPACEOPTIONS_H
#define LLVM_LIDIA_ADDRESSSPACEOPTIONS_H

#include "Options.h"
#include "lidia/Minidump/MinidumpSpace.h"
#include "lidia/Process/CoreFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace lidia {

/// A process, a saved list of its mappings, a core or a minidump.
struct AddressSpaceOptions {
  /// At most one is set.
  std::optional<uint64_t> PID;
  std::string Maps;
  std::string Core;
  std::string Minidump;
  /// The folder below which files are opened; if empty, no files are opened.
  std::string Root;

  /// For a core or a minidump: folders that are searched for files first.
  std::vector<std::string> Folders;
  /// For a core that can be read only once: the number of bytes that are kept.
  uint64_t MaxMemory = CoreOptions().MaxMemory;

  /// For a minidump: maps debug IDs to build IDs; may be empty.
  BuildIDSource FindBuildID;
  /// For a minidump: MinidumpOptions::FindSymbolFile; may be empty.
  SymbolFileSource FindSymbolFile;

  bool isSet() const {
    return PID || !Maps.empty() || !Core.empty() || !Minidump.empty();
  }
};

/// Reads --pid, --maps, --core, --minidump and --sysroot. The default of
/// --sysroot is \p Root or, for a minidump, empty, because minidumps come from
/// other machines.
AddressSpaceOptions readAddressSpaceOptions(CommandLine &Line,
                                            llvm::StringRef Root);

/// Opens the address space; an empty one if no option is set.
llvm::Expected<std::unique_ptr<AddressSpace>>
openAddressSpace(const AddressSpaceOptions &O, WarningFunction Warn);

/// Opens the map of just-in-time compiled code in the file \p Path or, if
/// \p Path is empty, the address space's own map; null if there is none.
llvm::Expected<std::shared_ptr<const PerfMap>>
openPerfMap(llvm::StringRef Path, const AddressSpace &Space,
            WarningFunction Warn);

/// Opens the folder at \p Path; none if \p Path is empty.
llvm::Expected<std::optional<RootFolder>> openRoot(llvm::StringRef Path);

/// Reads the text of the file \p Path, which may be a pipe or in /proc.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readText(llvm::StringRef Path);

} // namespace lidia

#endif // LLVM_LIDIA_ADDRESSSPACEOPTIONS_H
