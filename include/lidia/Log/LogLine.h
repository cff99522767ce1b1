//===- LogLine.h - Code that a line of a log refers to ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LOG_LOGLINE_H
#define LIDIA_LOG_LOGLINE_H

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

/// The mapping that contains a runtime address.
struct LogMapping {
  uint64_t Begin = 0;
  uint64_t Size = 0;
  /// The offset of the address in the file; none if it is not known.
  std::optional<uint64_t> FileOffset;
};

/// What the addresses that a program prints in a stack are.
enum class LogAddressRule : uint8_t {
  /// The instructions themselves: registers, or return addresses from which the
  /// program has subtracted one.
  Exact,
  /// Return addresses, except those of a signal trampoline and of the code that
  /// the signal interrupted.
  Returns,
  /// As Returns, but the first frame of the stack is exact.
  Callers,
  /// The text does not say; the user may specify it.
  Unknown,
};

/// Who printed an address.
enum class LogSource : uint8_t {
#define LOG_SOURCE(ID, RULE, PRINTER) ID,
#include "lidia/Log/LogSources.def"
};

LogAddressRule ruleOf(LogSource Source);

/// Whether \p Text names the frame of a signal, so that the code in the frame
/// after it was interrupted.
bool namesSignalFrame(llvm::StringRef Text);

/// A code address in a line of a log. All text points into the line and is
/// untrusted.
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
    /// eu-stack: "[ab]@0x55d0+0x12", where ab is a build ID (of these three,
    /// only this one has a runtime address as well). Also the forms of Android,
    /// valgrind and others, which may have no Module or no Offset.
    Mention,
    /// Of the kernel: "f+0x12/0x50", "f+0x12/0x50 [module]" or
    /// "f+0x12/0x50 [module ab]", where ab is the module's build ID.
    Kernel,
    /// Of gdb: "#1  0x55d0 in ?? () from /lib/libfoo.so".
    GDB,
    /// Of eu-stack: "#1  0x55d0 - 1 - /lib/libfoo.so".
    EUStack,
  };

  Form Type = Form::Mention;
  LogSource Source = LogSource::Mention;
  /// The bytes that the symbolized form replaces. For Backtrace, Mention and
  /// Kernel it is empty, and marks where text is inserted.
  LogSpan Replaced;
  /// For Frame, NamedFrame, GDB and EUStack, the frame: from its "#" to the end
  /// of what its program printed about it.
  LogSpan Whole;
  /// The path or the base name of the binary; empty if unknown. For Kernel, the
  /// name of the kernel module.
  llvm::StringRef Module;
  /// Whether Module is certainly the name of a binary, and not possibly of a
  /// function. For Kernel, whether the brackets around Module are closed.
  bool IsModule = true;
  /// The build ID of the binary; empty if unknown.
  llvm::SmallVector<uint8_t, 20> BuildID;
  /// The function that Offset counts from; empty if it counts from the binary.
  llvm::StringRef Function;
  /// None if only the runtime address is known.
  std::optional<uint64_t> Offset;
  /// The runtime address.
  std::optional<uint64_t> Runtime;
  /// Whether Offset counts from the load address of the binary's first byte.
  bool IsFromBegin = false;
  /// The mapping that contains Runtime.
  std::optional<LogMapping> Map;
  /// For Kernel, the size of Function.
  uint64_t Size = 0;
  /// Whether the address is a return address, so that the call before it is
  /// wanted. Set by LogLine, by the rule of Source.
  bool IsReturnAddress = false;

  /// Whether the symbolized form replaces a frame, and has one for each inlined
  /// call.
  bool isFrame() const {
    return Type == Form::Frame || Type == Form::NamedFrame ||
           Type == Form::GDB || Type == Form::EUStack;
  }
};

/// A line of a log, parsed. It may hold several lines of a program: loggers
/// write a line end as "\n" of two characters, or in another form, and join
/// lines with spaces.
class LogLine {
public:
  /// Whether the previous line was a frame of perf script, and of which kind.
  /// The first frame of each kind is where the code was interrupted; the others
  /// are callers.
  enum class PerfState : uint8_t { None, Kernel, User };

  /// The digits after the "#" of each frame of a stack, in order.
  llvm::SmallVector<LogSpan, 2> FrameNumbers;
  /// The addresses in the order of their text, without overlaps.
  llvm::SmallVector<LogAddress, 2> Addresses;
  /// The first line end that is written in other characters; empty if there is
  /// none.
  llvm::StringRef WrittenLineEnd;

  /// Parses \p Line, which must have no line end and no colors (ColoredLine.h).
  /// Returns whether anything was found. Takes time in proportion to the line.
  bool parse(llvm::StringRef Line);
  /// Whether the meaning of the next line depends on the last.
  bool hasState() const {
    return PerfStack != PerfState::None || InJavaStack || AfterSignal;
  }
  /// The number of backslashes with which this line writes \p C in a text: none
  /// unless its line ends have them.
  size_t backslashesBefore(char C) const;

private:
  void parseText(llvm::StringRef Text, size_t At);
  void parsePart(llvm::StringRef Part, size_t At, bool IsAtBegin);
  size_t parseFrame(llvm::StringRef Part, bool IsAtBegin);
  size_t parseSummary(llvm::StringRef Part);
  void parseMentions(llvm::StringRef Part, size_t From);
  void settle(LogAddress &A, llvm::StringRef Part);
  void noteFrame(llvm::StringRef Part, bool HasFrame);

  PerfState PerfStack = PerfState::None;
  /// Whether the last line was a native or Java frame in Java's hs_err.
  bool InJavaStack = false;
  /// Whether the last frame was a signal trampoline, so that the next one is
  /// exact.
  bool AfterSignal = false;
  /// About the text that is being parsed.
  bool TextHasFrame = false;
  bool TextHasMention = false;
  /// Whether eu-stack marks return addresses with "- 1" in this stack.
  bool HasCallMarks = false;
};

/// Each line in which LogLine::parse() finds anything, or learns anything about
/// the next line, contains one of these.
inline constexpr llvm::StringLiteral LogAddressMarks[] = {
    "0x", " pc ", " ip", "(unknown)", "signal"};

inline bool mayHaveLogAddress(llvm::StringRef Text) {
  return llvm::any_of(LogAddressMarks,
                      [&](llvm::StringRef M) { return Text.contains(M); });
}

} // namespace lidia

#endif // LIDIA_LOG_LOGLINE_H
