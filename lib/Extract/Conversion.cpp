//===- Conversion.cpp - The state of one conversion -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "ConvertBinary.h"
#include "NameLimit.h"
#include "llvm/Support/Threading.h"

using namespace llvm;

namespace lidia {

void Conversion::endPhase(StringRef Name) {
  Clock::time_point Now = Clock::now();
  Statistics.Phases.push_back(
      {Name.str(), std::chrono::duration<double>(Now - PhaseStart).count()});
  PhaseStart = Now;
}

void Conversion::warn(const Twine &Message) {
  ++Statistics.Warnings;
  Observer.warning(Message);
}

/// Whether an error of a part ends the whole conversion.
static bool isFatal(const Error &E) {
  return E.isA<SystemError>() || E.isA<ArgumentError>() ||
         E.isA<MissingInformationError>();
}

void Conversion::reportBroken(Error E) {
  handleAllErrors(std::move(E), [&](std::unique_ptr<ErrorInfoBase> Info) {
    Error Ours(toLidiaError(Error(std::move(Info))));
    if (isFatal(Ours))
      Fatal = RememberedError(std::move(Ours));
    else
      warn(toString(std::move(Ours)));
  });
}

Error Conversion::takeFatalError() { return Fatal.get(); }

unsigned threadCount(const ConvertOptions &Options) {
  return Options.Threads ? Options.Threads
                         : hardware_concurrency().compute_thread_count();
}

unsigned Conversion::threads() const { return threadCount(Options); }

void Conversion::addSource(SourceKind Kind, const Binary &File,
                           SourceRanges Ranges) {
  ConvertStatistics::Source Source;
  Source.Name = sourceNames()[size_t(Kind)].Name;
  Source.File = File.path();
  Source.FileSize = File.size();
  for (const UnitRanges &U : Ranges.Units) {
    for (const std::string &W : U.Warnings)
      warn(W);
    Statistics.BrokenCompileUnits += U.Broken;
    for (const Range &R : U.Functions.Ranges)
      ++(R.Depth ? Source.InlinedCalls : Source.Functions);
  }
  Statistics.Sources.push_back(std::move(Source));
  Sources.push_back(std::move(Ranges));
}

using SourceReader = Error (*)(Conversion &);

/// Indexed by SourceKind.
static constexpr SourceReader Readers[] = {
#define LIDIA_SOURCE(KIND, NAME, OPTION) read##KIND##Source,
#include "lidia/Extract/Sources.def"
};

uint64_t Conversion::mostNameBytes() const {
  return 64 * Files.size() + (uint64_t(64) << 20);
}

/// Each source bounds the memory it keeps by the data it reads, but those may
/// be compressed to a hundredth in the file.
void Conversion::limitNames() {
  uint64_t Most = mostNameBytes();
  if (Strings.bytes() <= Most)
    return;
  if (uint64_t Count = keepNamesWithin(Sources, Strings, Most))
    warn(Files.Main->path() + ": names and paths take more than 64 times the " +
         "size of the file; " + Twine(Count) +
         " functions are left out, and all statements and calls");
}

Error Conversion::read(std::unique_ptr<Binary> Main) {
  if (Error E = Files.open(std::move(Main), *this))
    return E;
  endPhase("open");
  return readSources();
}

Error Conversion::readSources() {
  for (SourceKind Kind : Options.Sources)
    if (Error E = Readers[size_t(Kind)](*this))
      return E;
  limitNames();
  return takeFatalError();
}

} // namespace lidia
