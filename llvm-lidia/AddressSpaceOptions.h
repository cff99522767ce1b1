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
#include "lidia/Process/ProcessSymbolizer.h"
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

  /// The default of --sysroot in commands that are about an address space. A
  /// process opens its own files, and minidumps come from other machines.
  const char *defaultRoot() const {
    return PID || !Minidump.empty() ? "" : "/";
  }
};

/// What is known of a kernel.
struct KernelInput {
  /// Whether it is the running one.
  bool IsRunning = false;
  /// Files with its symbols and its modules, saved from /proc; may be empty.
  std::string Kallsyms;
  std::string Modules;
  /// Its file with debug information; may be empty.
  std::string VMLinux;

  /// Whether it is known where the kernel is loaded.
  bool isSet() const { return IsRunning || !Kallsyms.empty(); }
};

/// Reads --pid, --maps, --core and --minidump.
AddressSpaceOptions readAddressSpaceOptions(CommandLine &Line);

/// Reads --kernel, --kallsyms, --kernel-modules and --vmlinux.
KernelInput readKernelInput(CommandLine &Line);

/// The options for addresses of the kernel \p K beside those of \p Space.
/// Symbols are read when they are needed.
KernelOptions kernelOptions(const KernelInput &K, const AddressSpace &Space,
                            std::function<void(const llvm::Twine &)> Warn);

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
