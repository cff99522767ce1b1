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

ProgressLine::ProgressLine(bool Quiet)
    : IsShown(!Quiet && errs().is_displayed()),
      NextUpdate(Clock::now() + std::chrono::seconds(1)) {}

void ProgressLine::update(StringRef Phase, uint64_t Done, uint64_t Total) {
  if (!IsShown)
    return;
  Clock::time_point Now = Clock::now();
  if (Now < NextUpdate)
    return;
  NextUpdate = Now + std::chrono::milliseconds(100);
  clear();
  errs() << Phase;
  if (Total)
    errs() << ": " << Done << " of " << Total
           << llvm::format(" (%.0f%%)", 100.0 * double(Done) / double(Total));
  IsThere = true;
}

void ProgressLine::clear() {
  // Move to the first column, and erase to the end of the line.
  if (IsThere)
    errs() << "\r\033[K";
  IsThere = false;
}

void LimitedWarnings::print(const Twine &Message) {
  if (!Quiet && ++Count <= Most)
    reportWarning(Message);
}

void LimitedWarnings::printRest(StringRef File) const {
  if (Count > Most)
    reportWarning(File + (File.empty() ? "... and " : ": ... and ") +
                      Twine(Count - Most) + " more warning" +
                      (Count - Most == 1 ? "" : "s"),
                  Count - Most);
}

Progress::~Progress() {
  Line.clear();
  Warnings.printRest();
}

void Progress::warning(const Twine &Message) {
  Line.clear();
  Warnings.print(Message);
}

} // namespace lidia
