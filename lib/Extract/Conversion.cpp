//===- Conversion.cpp - The state of one conversion -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "ConvertBinary.h"
#include "ExtractorSource.h"
#include "NameLimit.h"
#include "lidia/Error.h"
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
    if (isFatal(Ours)) {
      Fatal = RememberedError(std::move(Ours));
      return;
    }
    LeftOut |= Ours.isA<LimitError>() ? format::IO_Limited : format::IO_Damaged;
    warn(toString(std::move(Ours)));
  });
}

Error Conversion::checkCancelled() {
  if (!Observer.isCancelled())
    return Error::success();
  return cancelledError(Files.Main->path());
}

Error Conversion::takeFatalError() { return Fatal.get(); }

unsigned threadCount(const ConvertOptions &Options) {
  return Options.Threads ? Options.Threads
                         : hardware_concurrency().compute_thread_count();
}

unsigned Conversion::threads() const { return threadCount(Options); }

/// The origin of the names of a source without symbols.
static NameOrigin originOf(SourceKind Kind) {
  switch (Kind) {
  case SourceKind::DWARF:
    return NameOrigin::DWARF;
  case SourceKind::Go:
    return NameOrigin::Go;
  case SourceKind::PLT:
    return NameOrigin::PLT;
  default:
    return NameOrigin::Unknown;
  }
}

void Conversion::addSource(SourceKind Kind, const Binary &File,
                           SourceRanges Ranges) {
  for (UnitRanges &U : Ranges.Units)
    if (U.Origin == NameOrigin::Unknown)
      U.Origin = originOf(Kind);
  addSource(sourceNames()[size_t(Kind)].Name, File.path(), File.size(),
            std::move(Ranges));
}

void Conversion::addSource(StringRef Name, StringRef Path, uint64_t FileSize,
                           SourceRanges Ranges) {
  ConvertStatistics::Source Source;
  Source.Name = Name;
  Source.File = Path;
  Source.FileSize = FileSize;
  for (const UnitRanges &U : Ranges.Units) {
    for (const std::string &W : U.Warnings)
      warn(W);
    Statistics.BrokenCompileUnits += U.Broken;
    if (U.Broken)
      LeftOut |= format::IO_Damaged;
    for (const Range &R : U.Functions.Ranges)
      ++(R.Depth ? Source.InlinedCalls : Source.Functions);
  }
  Statistics.Sources.push_back(std::move(Source));
  Sources.push_back(std::move(Ranges));
}

Error Conversion::addExtractor(RangeExtractor &Extractor, StringRef Path,
                               uint64_t Bias) {
  ExtractorSourceOptions O;
  O.Files = wantFiles();
  O.Lines = wantLines();
  O.Columns = Options.Archive.Columns;
  O.Bias = Bias;
  O.Place = (Path.empty() ? Extractor.name() : Path).str();
  SourceRanges Ranges;
  Error E = readExtractor(Extractor, Files.code(), O, Strings,
                          Ranges.Units.emplace_back());
  if (UnitRanges &U = Ranges.Units.front(); U.Origin == NameOrigin::Unknown)
    U.Origin = Path.empty() ? NameOrigin::Extractor : NameOrigin::SymbolFile;
  addSource(Extractor.name(), Path, Extractor.inputSize(), std::move(Ranges));
  // Our readers' errors name the file.
  if (E)
    reportBroken(Path.empty() ? addPrefix(O.Place, std::move(E))
                              : std::move(E));
  endPhase(Extractor.name());
  return takeFatalError();
}

Error Conversion::readExtractors() {
  for (RangeExtractor *Extractor : Options.Extractors) {
    BytesOfOthers += Extractor->inputSize();
    if (Error E = addExtractor(*Extractor, /*Path=*/""))
      return E;
  }
  return Error::success();
}

using SourceReader = Error (*)(Conversion &);

/// Indexed by SourceKind.
static constexpr SourceReader Readers[] = {
#define LIDIA_SOURCE(KIND, NAME, OPTION) read##KIND##Source,
#include "lidia/Extract/Sources.def"
};

uint64_t Conversion::maxNameBytes() const {
  return 64 * (Files.size() + BytesOfOthers) + (uint64_t(64) << 20);
}

/// Each source limits its memory by the size of the data that it reads, but
/// these may be a hundred times larger than in the file, where they are
/// compressed.
void Conversion::limitNames() {
  uint64_t Max = maxNameBytes();
  if (Strings.bytes() <= Max)
    return;
  if (uint64_t Count = keepNamesWithin(Sources, Strings, Max))
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
  for (const Binary *File : {Files.Main.get(), Files.Debug.get()})
    if (File && !File->damage().empty())
      reportBroken(make_error<DamagedError>(
          File->path(),
          File->damage() + "; only what its program headers name is read"));
  if (!Options.ExtractorsLast)
    if (Error E = readExtractors())
      return E;
  for (SourceKind Kind : Options.Sources) {
    if (Error E = Readers[size_t(Kind)](*this))
      return E;
    if (Error E = checkCancelled())
      return E;
  }
  if (Options.ExtractorsLast)
    if (Error E = readExtractors())
      return E;
  limitNames();
  return takeFatalError();
}

} // namespace lidia
