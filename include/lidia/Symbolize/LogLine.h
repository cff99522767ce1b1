//===- LogLine.h - Code that a line of a log refers to ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_LOGLINE_H
#define LIDIA_SYMBOLIZE_LOGLINE_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace lidia {

/// A run of bytes of a line.
struct LogSpan {
  size_t Begin = 0;
  size_t End = 0;

  llvm::StringRef in(llvm::StringRef Line) const {
    return Line.slice(Begin, End);
  }
};

/// The mapping that an address at run time is in.
struct LogMapping {
  uint64_t Begin = 0;
  uint64_t Size = 0;
  /// Of the address in the file; none if it is not known.
  std::optional<uint64_t> FileOffset;
};

/// An address in code that a line of a log names. All text points into the line
/// and is untrusted.
struct LogAddress {
  /// The forms that are recognized, each with an example.
  enum class Form : uint8_t {
    /// Of AddressSanitizer, MemorySanitizer, UBSan and libFuzzer:
    /// "#1 0x55d0  (/bin/a+0x12) (BuildId: ab)", or with " in f" instead of the
    /// first of two spaces.
    Frame,
    /// Of ThreadSanitizer: "#1 f <null> (a+0x12) (BuildId: ab)".
    NamedFrame,
    /// Of the sanitizers: "SUMMARY: ... (/bin/a+0x12) (BuildId: ab) in f".
    Summary,
    /// Of glibc's backtrace_symbols(): "a(f+0x12) [0x55d0]", "a(+0x12)[0x55d0]"
    /// or "a() [0x55d0]"; of Python and Xorg. Return addresses.
    Backtrace,
    /// "libfoo.so+0x12"; of systemd-coredump: "(libfoo.so + 0x12)"; of
    /// eu-stack: "[ab]@0x55d0+0x12", where ab is a build ID; only this one has
    /// an address at run time, too. So are the forms of Android, valgrind and
    /// others, which may have no Module, or no Offset.
    Mention,
    /// Of the kernel: "f+0x12/0x50", "f+0x12/0x50 [module]" or
    /// "f+0x12/0x50 [module ab]", where ab is the module's build ID.
    Kernel,
    /// Of gdb: "#1  0x55d0 in ?? () from /lib/libfoo.so".
    GDB,
    /// Of eu-stack: "#1  0x55d0 - 1 - /lib/libfoo.so".
    EUStack,
  };

  Form What = Form::Mention;
  /// The bytes that a symbolized form replaces; for a Backtrace, a Mention and
  /// the Kernel it is empty, and a text is inserted there.
  LogSpan Replaced;
  /// The path or the base name of the binary; empty if unknown. For the Kernel,
  /// the name of its module.
  llvm::StringRef Module;
  /// Whether Module must be the name of a binary, not possibly of a function;
  /// for the Kernel, whether the brackets around it are closed.
  bool IsModule = true;
  /// Of the binary; empty if unknown.
  llvm::SmallVector<uint8_t, 20> BuildID;
  /// What Offset counts from; empty for the binary itself.
  llvm::StringRef Function;
  /// None if only the address at run time is known.
  std::optional<uint64_t> Offset;
  /// The address at run time.
  std::optional<uint64_t> Runtime;
  /// Whether Offset counts from where the binary's first byte is loaded.
  bool IsFromBegin = false;
  /// The mapping that Runtime is in.
  std::optional<LogMapping> Map;
  /// The size of Function, for the Kernel.
  uint64_t Size = 0;
  /// Whether the call before the address is meant.
  bool IsReturnAddress = false;
};

/// A line of a log, parsed.
struct LogLine {
  /// Whether the line is a frame of perf script, and of whose code: the first
  /// of each kind is where it was interrupted, the others are callers.
  enum class PerfState : uint8_t { None, Kernel, User };

  /// The digits after the first "#" of a line that is a frame of a stack.
  std::optional<LogSpan> FrameNumber;
  /// In the order of their text, without overlaps.
  llvm::SmallVector<LogAddress, 2> Addresses;

  /// Reads \p Line, which has no end of line and no colors (ColoredLine.h).
  /// Returns whether there is anything in it. Takes time in proportion to the
  /// line.
  bool parse(llvm::StringRef Line);
  /// Whether the meaning of the next line depends on the last.
  bool hasState() const { return PerfStack != PerfState::None; }

private:
  bool parseFrame(llvm::StringRef Line);
  bool parseNamedFrame(llvm::StringRef Line, LogSpan Number, size_t At);
  bool parseSummary(llvm::StringRef Line);
  void parseMentions(llvm::StringRef Line);

  PerfState PerfStack = PerfState::None;
};

/// One of these is in each line in which LogLine::parse() finds anything.
inline constexpr llvm::StringLiteral LogAddressMarks[] = {"0x", " pc ", " ip"};

inline bool mayHaveLogAddress(llvm::StringRef Text) {
  return llvm::any_of(LogAddressMarks,
                      [&](llvm::StringRef M) { return Text.contains(M); });
}

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_LOGLINE_H
