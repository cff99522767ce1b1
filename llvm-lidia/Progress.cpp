//===- Progress.cpp - The progress of a conversion ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"
#include "Options.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

Progress::Progress(bool Quiet)
    : Quiet(Quiet), ShowProgress(!Quiet && errs().is_displayed()),
      NextUpdate(Clock::now() + std::chrono::seconds(1)) {}

Progress::~Progress() {
  clearLine();
  if (!Quiet && Warnings > MaxWarnings)
    reportWarning("... and " + Twine(Warnings - MaxWarnings) + " more warning" +
                  (Warnings - MaxWarnings == 1 ? "" : "s"));
}

void Progress::warning(const Twine &Message) {
  if (Quiet || ++Warnings > MaxWarnings)
    return;
  clearLine();
  reportWarning(Message);
}

void Progress::progress(StringRef Phase, uint64_t Done, uint64_t Total) {
  if (!ShowProgress)
    return;
  Clock::time_point Now = Clock::now();
  if (Now < NextUpdate)
    return;
  NextUpdate = Now + std::chrono::milliseconds(100);
  clearLine();
  errs() << Phase;
  if (Total)
    errs() << ": " << Done << " of " << Total
           << llvm::format(" (%.0f%%)", 100.0 * double(Done) / double(Total));
  LineShown = true;
}

void Progress::clearLine() {
  // Back to the first column, and erase to the end of the line.
  if (LineShown)
    errs() << "\r\033[K";
  LineShown = false;
}

} // namespace lidia
