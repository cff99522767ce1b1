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
#include "lidia/Process/CoreFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace lidia {

/// A process, a saved list of its mappings or a core.
struct AddressSpaceOptions {
  /// At most one is set.
  std::optional<uint64_t> PID;
  std::string Maps;
  std::string Core;
  /// Where files are opened; empty: nowhere.
  std::string Root;

  bool isSet() const { return PID || !Maps.empty() || !Core.empty(); }
};

/// Reads --pid, --maps, --core and --sysroot, whose default is \p Root.
AddressSpaceOptions readAddressSpaceOptions(CommandLine &Line,
                                            llvm::StringRef Root);

/// Opens the address space, an empty one if none is set. \p Core is set if it
/// is a core.
llvm::Expected<std::unique_ptr<AddressSpace>>
openAddressSpace(const AddressSpaceOptions &O, WarningFunction Warn,
                 const CoreFile *&Core);

/// The folder at \p Path; none if that is empty.
llvm::Expected<std::optional<RootFolder>> openRoot(llvm::StringRef Path);

/// The text of the file \p Path, which may be a pipe or in /proc.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readText(llvm::StringRef Path);

} // namespace lidia

#endif // LLVM_LIDIA_ADDRESSSPACEOPTIONS_H
