//===- LogFilter.h - Rewrites the frames in a log ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LOG_LOGFILTER_H
#define LIDIA_LOG_LOGFILTER_H

#include "lidia/Log/ColoredLine.h"
#include "lidia/Log/LogLine.h"
#include "lidia/Log/LogModules.h"
#include "lidia/Process/ProcessSymbolizer.h"
#include "lidia/Symbolize/AnswerCounts.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace lidia {

/// How LogFilter writes.
struct LogFilterOptions {
  FrameChoice Frames = FrameChoice::All;
  /// Treat addresses that a log mentions outside of stacks as return addresses.
  bool ReturnAddresses = false;
  /// The kernel's image, or its build ID; may be empty.
  std::string VMLinux;
  std::vector<uint8_t> KernelBuildID;
  /// Whether the log is of the running kernel.
  bool UseKernel = false;
  /// Answers runtime addresses; may be null. Must outlive the filter.
  ProcessSymbolizer *Space = nullptr;
  /// Without Space: the only program that addresses at run time may be in, and
  /// what to subtract from them (LoadBias.h); empty if it is not known.
  std::string Program;
  uint64_t Bias = 0;
  /// Called with each address and its functions, innermost first; may be empty.
  std::function<void(const LogAddress &, llvm::ArrayRef<FrameView>)> Answered;
  /// Receives the paths of the files that the filter adds; may be null.
  llvm::StringSet<> *Files = nullptr;
};

/// How many addresses LogFilter found.
struct LogFilterStatistics {
  uint64_t Addresses = 0;
  uint64_t WithLines = 0;
  uint64_t WithNames = 0;
  AnswerCounts Answers;
};

/// Writes the lines of a log with functions, files and lines for the addresses
/// in them. Everything else is written as it is, byte for byte.
class LogFilter {
public:
  LogFilter(llvm::raw_ostream &TheOS, LogModules &TheModules,
            const LogFilterOptions &TheOptions)
      : OS(TheOS), Modules(TheModules), Options(TheOptions) {}

  /// Whether a line in which mayHaveLogAddress() is false can be written
  /// without write().
  bool canSkip() const {
    return Shift == 0 && !IsAfterSignal && !Parsed.hasState();
  }

  /// Writes the line \p Bytes, followed by \p End: "\n", "\r\n" or nothing.
  void write(llvm::StringRef Bytes, llvm::StringRef End);

  /// Lines longer than this are written unchanged.
  static constexpr size_t LongestLine = 64 * 1024;

  /// Writes \p Lines, which are complete except that the last line of a log may
  /// lack its line end.
  void writeLines(llvm::StringRef Lines);

  const LogFilterStatistics &statistics() const { return Statistics; }

private:
  /// How far the text and the colors of a line have been written.
  struct Cursor {
    size_t Text = 0;
    size_t Code = 0;
    /// Index in LogLine::FrameNumbers.
    size_t Number = 0;
  };

  bool find(const LogAddress &A);
  void look(LogModule &M, uint64_t Address);
  void lookAt(LogModule &M, uint64_t Address, const LogAddress &A);
  void lookInModule(const LogAddress &A);
  void lookInKernel(const LogAddress &A);
  void lookInProgram(const LogAddress &A);
  void lookInSpace(const LogAddress &A);
  bool isReturnAddress(const LogAddress &A,
                       llvm::function_ref<llvm::StringRef()> NameAt);
  void numberFrame(LogSpan Span);
  void writeNumber(Cursor &C, LogSpan Number);
  void writeName(llvm::StringRef Name);
  void writeFunction(const FrameView &P, llvm::StringRef Name);
  size_t endOfHead(const LogAddress &A, bool IsInnermost) const;
  void writeReplacement(const LogAddress &A, const FrameView &P);
  void writeFramesInLine(const LogAddress &A, Cursor &C);
  void writeText(Cursor &C, size_t To);
  void writeCodes(Cursor &C);
  void writeTo(Cursor &C, size_t To);
  void writeRest(Cursor &C);
  void writeFrames(const LogAddress &A, llvm::StringRef End);
  void writeFrame(const LogAddress &A, const FrameView &P);
  void writeGDBFrame(const LogAddress &A, const FrameView &P);
  void writeEUStackFrame(const FrameView &P, Cursor &C, llvm::StringRef End);
  void writeSummary(const LogAddress &A);
  void writeMention(const LogAddress &A);
  void writePosition(const FrameView &P);
  void note(const FrameView &P);

  llvm::raw_ostream &OS;
  LogModules &Modules;
  const LogFilterOptions Options;
  LogFilterStatistics Statistics;
  /// The line that is being written, and its text.
  ColoredLine Colored;
  llvm::StringRef Line;
  LogLine Parsed;
  /// The answer to the last find(), innermost first.
  llvm::SmallVector<FrameView, 8> Places;
  /// Why Places lacks a name or a line.
  MissCode Missed = MissCode::None;
  /// Owns the text of Places if it came from Options.Space.
  std::shared_ptr<const ProcessAnswer> Answer;
  /// The number of the next frame in the log, and how many frames of inlined
  /// functions were added before it.
  uint64_t NextFrame = 0;
  uint64_t Shift = 0;
  /// How many of the line's frames have been numbered.
  size_t Numbered = 0;
  /// Whether the last frame was found to be a signal trampoline.
  bool IsAfterSignal = false;
};

} // namespace lidia

#endif // LIDIA_LOG_LOGFILTER_H
