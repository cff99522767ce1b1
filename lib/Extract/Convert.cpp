//===- Convert.cpp - From a binary to an archive --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/Convert.h"
#include "lidia/Extract/DWARFSource.h"
#include "lidia/Extract/GoSource.h"
#include "lidia/Extract/Merge.h"
#include "lidia/Extract/SymbolSource.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Threading.h"
#include <chrono>

using namespace llvm;

namespace lidia {

namespace {

/// One conversion, a step a method.
class Converter {
public:
  Converter(const ConvertOptions &Options, ConvertObserver &Observer)
      : Options(Options), Observer(Observer) {}

  using WriteFunction = function_ref<Expected<ArchiveSizes>(ArchiveWriter &)>;
  Expected<ConvertStatistics> run(std::unique_ptr<Binary> Main,
                                  WriteFunction Write);

private:
  Error openDebugFile();
  std::optional<CodeAtZero> codeAtZero();
  Error readDWARF();
  void readGo();
  void readSymbols();
  void addSymbols(Binary &File, SymbolTable Table);
  Error writeArchive(WriteFunction Write);
  void addSource(StringRef Name, const Binary &File, SourceRanges Ranges);
  bool wantLines() const { return Options.Lines || Options.Archive.Columns; }
  bool wantFiles() const { return Options.Files || wantLines(); }
  ArchiveInfo info() const;
  void warn(const Twine &Message);
  void endPhase(StringRef Name);
  /// The file that has the debug information.
  Binary &debugFile() { return Debug ? *Debug : *Main; }

  using Clock = std::chrono::steady_clock;

  const ConvertOptions &Options;
  ConvertObserver &Observer;
  ConvertStatistics Statistics;
  Clock::time_point PhaseStart = Clock::now();

  std::unique_ptr<Binary> Main;
  std::unique_ptr<Binary> Debug;
  const CodeMap *Code = nullptr;
  StringPool Strings;
  /// In the order of trust, as in Statistics.
  std::vector<SourceRanges> Sources;
};

} // namespace

void Converter::endPhase(StringRef Name) {
  Clock::time_point Now = Clock::now();
  Statistics.Phases.push_back(
      {Name.str(), std::chrono::duration<double>(Now - PhaseStart).count()});
  PhaseStart = Now;
}

void Converter::warn(const Twine &Message) {
  ++Statistics.Warnings;
  Observer.warning(Message);
}

Error Converter::openDebugFile() {
  if (Main->identity().Type == ELF::ET_REL)
    return createStringError(Main->path() +
                             ": a relocatable object has no addresses yet; "
                             "link it first");
  Code = &Main->code();
  if (!Options.DebugFile.empty()) {
    if (Error E = Binary::open(Options.DebugFile).moveInto(Debug))
      return E;
    if (Debug->buildID() != Main->buildID())
      return createStringError(Twine(Options.DebugFile) +
                               ": belongs to another binary than " +
                               Main->path() + ": the build IDs differ");
    if (Code->empty())
      Code = &Debug->code();
  }
  endPhase("open");
  return Error::success();
}

/// What all symbol tables say of address 0; none when there is no code at 0 or
/// there are no symbols.
std::optional<CodeAtZero> Converter::codeAtZero() {
  if (!Code->contains(0))
    return std::nullopt;
  CodeAtZero Result;
  bool AnySymbols = false;
  for (Binary *File : {Debug.get(), Main.get()})
    for (SymbolTable Table : {SymbolTable::Symtab, SymbolTable::Dynsym}) {
      if (!File)
        continue;
      // Whatever is wrong with them is said when they are read for their names.
      consumeError(
          File->forEachFunctionSymbol(Table, [&](const FunctionSymbol &S) {
            AnySymbols = true;
            if (S.Address != 0)
              return;
            Result.Names.push_back(S.Name);
            Result.End = std::max(Result.End, S.Size);
          }));
    }
  if (!AnySymbols)
    return std::nullopt;
  return Result;
}

Error Converter::readDWARF() {
  Binary &File = debugFile();
  DWARFSourceOptions O;
  O.Columns = Options.Archive.Columns;
  O.Lines = wantLines();
  O.Files = wantFiles();
  O.AtZero = codeAtZero();
  O.Threads = Options.Threads ? Options.Threads
                              : hardware_concurrency().compute_thread_count();
  auto Report = [&](Error E) { warn(toString(std::move(E))); };
  dwarf::Sections Sections = openDWARFSections(File, O.Threads, Report);
  endPhase("unpack");
  if (Sections.Info.empty())
    return Error::success();
  auto Progress = [&](uint64_t Done, uint64_t Total) {
    Observer.progress("Reading DWARF", Done, Total);
  };
  Expected<SourceRanges> Ranges =
      lidia::readDWARF(File, Sections, *Code, O, Strings, Report, Progress);
  if (!Ranges)
    return Ranges.takeError();
  Statistics.CompileUnits = Ranges->Units.size();
  addSource("DWARF", File, std::move(*Ranges));
  endPhase("DWARF");
  return Error::success();
}

/// Takes what a source gave, after the sources that are trusted more.
void Converter::addSource(StringRef Name, const Binary &File,
                          SourceRanges Ranges) {
  ConvertStatistics::Source Source;
  Source.Name = Name;
  Source.File = File.path();
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

/// Go's tables are part of the program, so the binary has them even when its
/// debug information is elsewhere.
void Converter::readGo() {
  GoSourceOptions O;
  O.Lines = wantLines();
  O.Files = wantFiles();
  Expected<std::optional<SourceRanges>> Ranges =
      lidia::readGo(*Main, *Code, O, Strings);
  if (!Ranges)
    warn(toString(Ranges.takeError()));
  else if (*Ranges)
    addSource("Go", *Main, std::move(**Ranges));
  endPhase("Go");
}

void Converter::addSymbols(Binary &File, SymbolTable Table) {
  if (!File.hasSymbolTable(Table))
    return;
  Expected<SourceRanges> Ranges =
      lidia::readSymbols(File, Table, *Code, wantFiles(), Strings);
  if (Ranges)
    addSource(Table == SymbolTable::Symtab ? ".symtab" : ".dynsym", File,
              std::move(*Ranges));
  else
    warn(toString(Ranges.takeError()));
}

void Converter::readSymbols() {
  if (Debug)
    addSymbols(*Debug, SymbolTable::Symtab);
  addSymbols(*Main, SymbolTable::Symtab);
  addSymbols(*Main, SymbolTable::Dynsym);
  endPhase("symbols");
}

ArchiveInfo Converter::info() const {
  const ELFIdentity &I = Main->identity();
  ArchiveInfo Info;
  Info.Machine = I.Machine;
  Info.Type = I.Type;
  Info.Class = I.Class;
  Info.Data = I.Data;
  Info.OSABI = I.OSABI;
  Info.ABIVersion = I.ABIVersion;
  Info.Flags = I.Flags;
  if (wantLines())
    Info.Options |= format::IO_Lines;
  if (wantFiles())
    Info.Options |= format::IO_Files;
  Info.BuildID = Main->buildID();
  return Info;
}

Error Converter::writeArchive(WriteFunction Write) {
  ArchiveWriter Writer(Options.Archive);
  Writer.setInfo(info());
  Observer.progress("Merging", 0, 1);
  Expected<MergeResult> Merged = merge(std::move(Sources), Strings, Writer);
  if (!Merged)
    return Merged.takeError();
  uint64_t BytesKnown = Merged->BytesNameless;
  for (auto [Source, Bytes] :
       llvm::zip_equal(Statistics.Sources, Merged->BytesNamed)) {
    Source.BytesNamed = Bytes;
    BytesKnown += Bytes;
  }
  if (!BytesKnown)
    return createStringError(Main->path() +
                             ": has neither debug information nor symbols; "
                             "name the file that has them with --debug-file=");
  endPhase("merge");
  Observer.progress("Writing", 0, 1);
  Expected<ArchiveSizes> Sizes = Write(Writer);
  if (!Sizes)
    return Sizes.takeError();
  Statistics.Sizes = std::move(*Sizes);
  endPhase("write");
  return Error::success();
}

Expected<ConvertStatistics> Converter::run(std::unique_ptr<Binary> TheMain,
                                           WriteFunction Write) {
  Main = std::move(TheMain);
  if (Error E = openDebugFile())
    return E;
  if (Options.UseDWARF)
    if (Error E = readDWARF())
      return E;
  if (Options.UseGo)
    readGo();
  if (Options.UseSymbols)
    readSymbols();
  if (Error E = writeArchive(Write))
    return E;
  return std::move(Statistics);
}

Expected<ConvertStatistics> convert(StringRef BinaryPath, StringRef Output,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer) {
  Expected<std::unique_ptr<Binary>> Main = Binary::open(BinaryPath);
  if (!Main)
    return Main.takeError();
  return Converter(Options, Observer)
      .run(std::move(*Main),
           [&](ArchiveWriter &Writer) { return Writer.writeFile(Output); });
}

Expected<ConvertStatistics> convert(std::unique_ptr<Binary> Main,
                                    raw_ostream &OS,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer) {
  return Converter(Options, Observer)
      .run(std::move(Main),
           [&](ArchiveWriter &Writer) { return Writer.write(OS); });
}

} // namespace lidia
