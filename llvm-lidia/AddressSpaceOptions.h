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
  /// For a core that can be read only once: the number of bytes that are kept.
  uint64_t MaxMemory = CoreOptions().MaxMemory;

  bool isSet() const {
    return PID || !Maps.empty() || !Core.empty() || !Minidump.empty();
  }
};

/// Reads --pid, --maps, --core and --minidump.
AddressSpaceOptions readAddressSpaceOptions(CommandLine &Line);

/// Opens the address space; an empty one if no option is set. Its files are
/// found by \p Modules, which must outlive it.
llvm::Expected<std::unique_ptr<AddressSpace>>
openAddressSpace(const AddressSpaceOptions &O, ModuleResolver &Modules,
                 WarningFunction Warn);

/// Opens the map of just-in-time compiled code in the file \p Path or, if
/// \p Path is empty, the address space's own map; null if there is none.
llvm::Expected<std::shared_ptr<const PerfMap>>
openPerfMap(llvm::StringRef Path, const AddressSpace &Space,
            WarningFunction Warn);

/// Reads the text of the file \p Path, which may be a pipe or in /proc.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readText(llvm::StringRef Path);

} // namespace lidia

#endif // LLVM_LIDIA_ADDRESSSPACEOPTIONS_H
