//===- JITDump.h - Dumps of just-in-time compiled code ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_JITDUMP_H
#define LIDIA_LIB_PROFILE_JITDUMP_H

#include "PerfProfile.h"
#include "lidia/Extract/UnwindSection.h"
#include "lidia/Modules/OpenedFile.h"
#include "lidia/Unwind/Unwinder.h"
#include "llvm/Support/StringSaver.h"
#include <deque>

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

/// The code in a dump: names, lines and unwind rows.
class JITDump {
public:
  /// Reads \p File, as `perf inject --jit` does (jitdump-specification.txt in
  /// Linux): code that was loaded, and moved, its lines, and its call frame
  /// information. As in maps of compiled code, later code replaces earlier code
  /// at the same addresses. Null, with a warning, if the file is not a dump.
  /// Memory is bounded by the contents of the file. \p Name is for messages.
  static std::unique_ptr<JITDump>
  read(const OpenedFile &File, llvm::StringRef Name, WarningFunction Warn);

  /// From now on, code counts as it was at \p Time of CLOCK_MONOTONIC, in
  /// nanoseconds, and only where there was none, as it was in the end. Without
  /// effect if that is earlier than before, or if the dump has another clock.
  void advance(uint64_t Time);
  /// Changes when other rows may count than before.
  size_t version() const { return HasRows ? Loaded : 0; }

  CompiledCode find(uint64_t Address) const;
  /// The unwind rows of the code at \p Address; null if it has none.
  UnwindModules::Place findRows(uint64_t Address, const UnwindMachine &Machine);

  /// The line of the code from Offset on.
  struct Row {
    uint64_t Offset = 0;
    uint32_t File = 0;
    uint32_t Line = 0;
  };
  /// A function: its load address, the time when it was loaded there, and its
  /// rows, by offset.
  struct Code {
    llvm::StringRef Name;
    uint64_t Begin = 0;
    uint64_t Size = 0;
    uint64_t Time = 0;
    size_t FirstRow = 0;
    size_t RowCount = 0;
    /// Index in Frames; Profile::None if there is none.
    uint32_t Frames = Profile::None;
  };

private:
  friend class DumpReader;

  /// Call frame information, and the rows in it once they are needed.
  struct CodeFrames {
    llvm::StringRef EHFrame;
    uint64_t CodeSize = 0;
    const UnwindMachine *Machine = nullptr;
    CodeRows Rows;
    UnwindTable Table;
  };

  const Code *codeAt(uint64_t Address) const;

  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Texts{Memory};
  /// In the order of the dump.
  std::vector<Code> Codes;
  std::vector<Row> Rows;
  std::vector<std::string> Files;
  std::deque<CodeFrames> Frames;
  bool HasRows = false;
  bool HasOwnClock = false;
  /// Indices in Codes by address: in the end, and of the first codes, which
  /// were loaded by the current time.
  PerfSpace InTheEnd;
  PerfSpace Now;
  size_t Loaded = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_JITDUMP_H
