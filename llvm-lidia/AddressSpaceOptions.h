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
  /// Where files are opened; empty: nowhere.
  std::string Root;

  /// Of a core and a minidump: folders to search for them first.
  std::vector<std::string> Folders;
  /// Of a core that can only be read once, the bytes that are kept.
  uint64_t MaxMemory = CoreOptions().MaxMemory;

  /// Of a minidump: where debug IDs become build IDs; may be empty.
  BuildIDSource FindBuildID;

  bool isSet() const {
    return PID || !Maps.empty() || !Core.empty() || !Minidump.empty();
  }
};

/// Reads --pid, --maps, --core, --minidump and --sysroot, whose default is
/// \p Root, but for a minidump nowhere: those come from other machines.
AddressSpaceOptions readAddressSpaceOptions(CommandLine &Line,
                                            llvm::StringRef Root);

/// Opens the address space, an empty one if none is set.
llvm::Expected<std::unique_ptr<AddressSpace>>
openAddressSpace(const AddressSpaceOptions &O, WarningFunction Warn);

/// The map of just-in-time compiled code in the file \p Path, or the address
/// space's own if that is empty; null if there is none.
llvm::Expected<std::shared_ptr<const PerfMap>>
openPerfMap(llvm::StringRef Path, const AddressSpace &Space,
            WarningFunction Warn);

/// The folder at \p Path; none if that is empty.
llvm::Expected<std::optional<RootFolder>> openRoot(llvm::StringRef Path);

/// The text of the file \p Path, which may be a pipe or in /proc.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readText(llvm::StringRef Path);

} // namespace lidia

#endif // LLVM_LIDIA_ADDRESSSPACEOPTIONS_H
