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

/// ", 2 min left", if the rest of the phase takes as long as what was done;
/// empty at the beginning, when that would be a guess.
std::string ProgressLine::timeLeft(uint64_t Done, uint64_t Total) const {
  constexpr double Least = 2, Longest = 100 * 3600;
  std::chrono::duration<double> Taken = Clock::now() - PhaseStart;
  if (Taken.count() < Least || Done <= DoneBefore || Done > Total)
    return "";
  double Left =
      Taken.count() * double(Total - Done) / double(Done - DoneBefore);
  if (Left >= Longest)
    return "";
  auto Seconds = unsigned(Left) + 1;
  if (Seconds < 60)
    return (", " + Twine(Seconds) + " s left").str();
  unsigned Minutes = (Seconds + 30) / 60;
  if (Minutes < 60)
    return (", " + Twine(Minutes) + " min left").str();
  return (", " + Twine(Minutes / 60) + " h " + Twine(Minutes % 60) +
          " min left")
      .str();
}

void ProgressLine::update(StringRef NewPhase, uint64_t Done, uint64_t Total) {
  if (!IsShown)
    return;
  Clock::time_point Now = Clock::now();
  if (Phase != NewPhase || Done < DoneBefore) {
    Phase = NewPhase.str();
    PhaseStart = Now;
    DoneBefore = Done;
  }
  if (Now < NextUpdate)
    return;
  NextUpdate = Now + std::chrono::milliseconds(100);
  clear();
  errs() << Phase;
  if (Total)
    errs() << ": " << Done << " of " << Total
           << llvm::format(" (%.0f%%)", 100.0 * double(Done) / double(Total))
           << timeLeft(Done, Total);
  IsThere = true;
}

void ProgressLine::clear() {
  // Move to the first column, and erase to the end of the line.
  if (IsThere)
    errs() << "\r\033[K";
  IsThere = false;
}

void LimitedWarnings::print(const Twine &Message) {
  if (!Quiet && ++Count <= Max)
    reportWarning(Message);
}

void LimitedWarnings::printRest(StringRef File) const {
  if (Count > Max)
    reportWarning(File + (File.empty() ? "... and " : ": ... and ") +
                      Twine(Count - Max) + " more warning" +
                      (Count - Max == 1 ? "" : "s"),
                  Count - Max);
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
