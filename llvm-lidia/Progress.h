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

/// Prints the warnings and the progress of a conversion on standard error:
///
///  - the first few warnings, and at the end how many more there were, because
///    a binary with one broken compile unit often has thousands;
///  - a line of progress, rewritten in place, if standard error is a terminal
///    and the work takes longer than a second.
class Progress final : public ConvertObserver {
public:
  explicit Progress(bool Quiet);
  /// Clears the line of progress and prints the number of warnings not printed.
  ~Progress() override;

  void warning(const llvm::Twine &Message) override;
  void progress(llvm::StringRef Phase, uint64_t Done, uint64_t Total) override;

private:
  using Clock = std::chrono::steady_clock;

  void clearLine();

  static constexpr uint64_t MaxWarnings = 5;

  const bool Quiet;
  const bool ShowProgress;
  uint64_t Warnings = 0;
  Clock::time_point NextUpdate;
  bool LineShown = false;
};

} // namespace lidia

#endif // LLVM_LIDIA_PROGRESS_H
