//===- JITDump.h - Dumps of just-in-time compiled code ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_JITDUMP_H
#define LIDIA_LIB_PROFILE_JITDUMP_H

#include "lidia/Modules/OpenedFile.h"
#include "lidia/Process/NamedRanges.h"

namespace lidia {

/// Whether \p Path is named like a dump of compiled code, jit-PID.dump. The
/// process that writes a dump maps it, so that recordings have its path.
bool isJITDump(llvm::StringRef Path);

/// What is known about code that was compiled at run time. The texts are valid
/// as long as the object that returned them.
struct CompiledCode {
  /// Empty if unknown.
  llvm::StringRef Name;
  llvm::StringRef File;
  /// Zero if the code belongs to no line.
  uint32_t Line = 0;
};

/// The code in a dump: names and lines.
class JITDump {
public:
  /// Reads \p File, as `perf inject --jit` does (jitdump-specification.txt in
  /// Linux): code that was loaded, and moved, and its lines. As in maps of
  /// compiled code, later code replaces earlier code at the same addresses.
  /// Null, with a warning, if the file is not a dump. Memory is bounded by the
  /// contents of the file. \p Name is for messages.
  static std::unique_ptr<JITDump>
  read(const OpenedFile &File, llvm::StringRef Name, WarningFunction Warn);

  CompiledCode find(uint64_t Address) const;

  /// The line of the code from Offset on.
  struct Row {
    uint64_t Offset = 0;
    uint32_t File = 0;
    uint32_t Line = 0;
  };
  /// A function: its load address, and its rows, by offset.
  struct Code {
    uint64_t Begin = 0;
    size_t FirstRow = 0;
    size_t RowCount = 0;
  };

private:
  friend class DumpReader;

  /// The names, each preceded by the index in Codes.
  std::unique_ptr<PerfMap> Names;
  std::vector<Code> Codes;
  std::vector<Row> Rows;
  std::vector<std::string> Files;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_JITDUMP_H
