//===- PerfNames.h - Names of code without a file ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PERFNAMES_H
#define LIDIA_LIB_PROFILE_PERFNAMES_H

#include "JITDump.h"
#include "PerfFile.h"
#include "lidia/Modules/OpenedFile.h"
#include "lidia/Process/NamedRanges.h"
#include <map>
#include <memory>
#include <optional>

namespace lidia {

/// Names of the kernel's code, and names and unwind rows of code that was
/// compiled at run time, read from the system in a root folder: /proc/kallsyms,
/// /tmp/perf-PID.map, and the dumps (JITDump.h) that a recording names.
class PerfNames {
public:
  /// Reads the system at \p Root. If it is empty, there are no names.
  PerfNames(llvm::StringRef Root, WarningFunction Warn);

  /// The kernel that was recorded: its build ID in hexadecimal digits, if
  /// known, and where its image began. Names of another kernel, or of another
  /// boot with a different address, are not used.
  void setKernel(llvm::StringRef BuildID, uint64_t Begin);

  /// The name of the kernel's code at \p Address; empty if it is not known.
  llvm::StringRef inKernel(uint64_t Address);
  /// \p PID has mapped the file \p Path, which may be a dump of the code that
  /// it compiles.
  void noteMapped(uint32_t PID, llvm::StringRef Path);

  /// Whether code in a mapping of \p File may have been compiled at run time.
  static bool isMadeAtRunTime(llvm::StringRef File);

  /// What follows is asked about code as it was at \p Time of CLOCK_MONOTONIC,
  /// in nanoseconds.
  void setTime(uint64_t Time) { Now = Time; }
  /// What is known about code that \p PID compiled.
  CompiledCode inProcess(uint32_t PID, uint64_t Address);
  /// The unwind rows of such code; without a table if there are none.
  UnwindModules::Place rowsInProcess(uint32_t PID, uint64_t Address,
                                     const UnwindMachine &Machine);
  /// Changes when code of \p PID may have other rows than before.
  size_t rowsVersion(uint32_t PID);
  /// Why such code has no rows, and what to do.
  std::string whyNoRows(uint32_t PID, uint64_t Address);

private:
  std::optional<KernelSymbols> readKernel();
  JITDump *dumpOf(uint32_t PID);
  const PerfMap *mapOf(uint32_t PID);

  std::optional<RootFolder> Root;
  WarningFunction Warn;
  std::string KernelBuildID;
  uint64_t KernelBegin = 0;
  bool KernelRead = false;
  std::optional<KernelSymbols> Kernel;
  /// By process; null if a process has none. Names in dumps have precedence.
  std::map<uint32_t, std::unique_ptr<PerfMap>> Maps;
  std::map<uint32_t, std::unique_ptr<JITDump>> Dumps;
  uint64_t Now = 0;
  /// The paths of dumps that were not read yet.
  std::map<uint32_t, std::string> DumpPaths;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PERFNAMES_H
