//===- Progress.h - The progress of a conversion ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_PROGRESS_H
#define LLVM_LIDIA_PROGRESS_H

#include "lidia/Extract/Convert.h"
#include <chrono>

namespace lidia {

/// A line of progress on standard error, rewritten in place, if standard error
/// is a terminal and the work takes longer than a second; with the time that
/// the rest will take, if that can be told.
class ProgressLine {
public:
  explicit ProgressLine(bool Quiet);
  /// Clears the line.
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// Whether there is a terminal to show the line on.
  bool isShown() const { return IsShown; }
  void update(llvm::StringRef Phase, uint64_t Done, uint64_t Total);
  /// Call it before printing anything else.
  void clear();

private:
  using Clock = std::chrono::steady_clock;

  std::string timeLeft(uint64_t Done, uint64_t Total) const;

  const bool IsShown;
  Clock::time_point NextUpdate;
  bool IsThere = false;
  /// The current phase, and what was done when it began.
  std::string Phase;
  Clock::time_point PhaseStart;
  uint64_t DoneBefore = 0;
};

/// Prints the first few warnings about a file, and at the end the number of the
/// others, because a binary with one broken compile unit often has thousands.
class LimitedWarnings {
public:
  explicit LimitedWarnings(bool Quiet) : Quiet(Quiet) {}

  void print(const llvm::Twine &Message);
  /// Prints the number of warnings that were not printed; those about \p File
  /// if it is not empty.
  void printRest(llvm::StringRef File = "") const;

private:
  static constexpr uint64_t Max = 5;

  bool Quiet;
  uint64_t Count = 0;
};

/// Prints the warnings and the progress of a conversion on standard error.
class Progress final : public ConvertObserver {
public:
  explicit Progress(bool Quiet) : Line(Quiet), Warnings(Quiet) {}
  ~Progress() override;

  void warning(const llvm::Twine &Message) override;
  void progress(llvm::StringRef Phase, uint64_t Done, uint64_t Total) override {
    Line.update(Phase, Done, Total);
  }

private:
  ProgressLine Line;
  LimitedWarnings Warnings;
};

} // namespace lidia

#endif // LLVM_LIDIA_PROGRESS_H
