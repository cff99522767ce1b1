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
#include "lidia/Extract/PLTSource.h"
#include "lidia/Extract/SymbolSource.h"
#include "lidia/Object/BinaryIdentity.h"
#include "lidia/Object/DebugData.h"
#include "lidia/Object/SupplementaryFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Threading.h"
#include <chrono>

using namespace llvm;

namespace lidia {

std::vector<SourceKind> allSources() {
  return {SourceKind::DWARF,  SourceKind::Go,        SourceKind::Symtab,
          SourceKind::Dynsym, SourceKind::DebugData, SourceKind::PLT};
}

StringRef sourceName(SourceKind Kind) {
  switch (Kind) {
  case SourceKind::DWARF:
    return "DWARF";
  case SourceKind::Go:
    return "Go";
  case SourceKind::Symtab:
    return ".symtab";
  case SourceKind::Dynsym:
    return ".dynsym";
  case SourceKind::DebugData:
    return ".gnu_debugdata";
  case SourceKind::PLT:
    return "PLT";
  }
  llvm_unreachable("all sources have names");
}

namespace {

/// One conversion, a step a method.
class Converter {
public:
  Converter(const ConvertOptions &Options, ConvertObserver &Observer)
      : Options(Options), Observer(Observer) {}

  /// Opens all files and reads all sources.
  Error read(std::unique_ptr<Binary> TheMain);

  const std::vector<SourceRanges> &sources() const { return Sources; }
  const ConvertStatistics &statistics() const { return Statistics; }
  const StringPool &strings() const { return Strings; }

  using WriteFunction = function_ref<Expected<ArchiveSizes>(ArchiveWriter &)>;
  Expected<ConvertStatistics> run(std::unique_ptr<Binary> Main,
                                  WriteFunction Write);

private:
  Error openFiles();
  Error openDebugFile();
  std::optional<CodeAtZero> codeAtZero();
  Error readSource(SourceKind Kind);
  Error readDWARF();
  void readGo();
  void readSymtab();
  void readDynsym();
  void readDebugData();
  void readPLT();
  void addSymbols(SourceKind Kind, Binary &File, SymbolTable Table);
  std::vector<std::string> debugFileDirectories() const;
  void openSupplementary(dwarf::Sections &S, unsigned Threads);
  CodeHints codeHints(const ArchiveWriter &Writer);
  void dropDescending(std::vector<uint64_t> &Pads);
  Error addReturnPads(ArchiveWriter &Writer);
  Error writeArchive(WriteFunction Write);
  void addSource(SourceKind Kind, const Binary &File, SourceRanges Ranges);
  unsigned threads() const {
    return Options.Threads ? Options.Threads
                           : hardware_concurrency().compute_thread_count();
  }
  bool wantLines() const { return Options.Lines || Options.Archive.Columns; }
  bool wantFiles() const { return Options.Files || wantLines(); }
  ArchiveInfo info();
  void warn(const Twine &Message);
  void reportBroken(Error E);
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
  /// What .gnu_debugdata holds.
  std::unique_ptr<Binary> DebugData;
  std::unique_ptr<Binary> Supplementary;
  dwarf::Sections SupplementarySections;
  const CodeMap *Code = nullptr;
  std::optional<BinaryIdentity> Identity;
  StringPool Strings;
  /// What keeps the archive from being what it is on another machine.
  Error Fatal = Error::success();
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

/// A broken section costs itself; a full disk costs the archive, which would
/// lack what another machine reads.
void Converter::reportBroken(Error E) {
  handleAllErrors(std::move(E), [&](const ErrorInfoBase &Info) {
    std::error_code EC = Info.convertToErrorCode();
    if (EC == inconvertibleErrorCode()) {
      warn(Info.message());
      return;
    }
    consumeError(std::move(Fatal));
    Fatal = createStringError(EC, Info.message());
  });
}

void Converter::warn(const Twine &Message) {
  ++Statistics.Warnings;
  Observer.warning(Message);
}

static bool looksForDebugFile(const Binary &Main,
                              const ConvertOptions &Options) {
  bool Wanted = is_contained(Options.Sources, SourceKind::DWARF) ||
                is_contained(Options.Sources, SourceKind::Symtab);
  return Wanted && Options.FindDebugFile && !hasDWARF(Main);
}

/// Opens the file that has the debug information, if it is not the binary.
Error Converter::openDebugFile() {
  if (!Options.DebugFile.empty()) {
    if (Error E = Binary::open(Options.DebugFile).moveInto(Debug))
      return E;
    std::string Why = whyNotDebugFileOf(*Debug, *Main);
    if (!Why.empty())
      return createStringError(Twine(Options.DebugFile) +
                               ": belongs to another binary than " +
                               Main->path() + ": " + Why);
    if (Debug->buildID().empty())
      warn(Twine(Options.DebugFile) + " and " + Main->path() +
           " have no build IDs that would say whether they belong together");
    Statistics.Files.push_back({Options.DebugFile, "named"});
    return Error::success();
  }
  if (!looksForDebugFile(*Main, Options))
    return Error::success();
  DebugFile Found = findDebugFile(*Main, Options.Search,
                                  [&](const Twine &Message) { warn(Message); });
  Debug = std::move(Found.File);
  if (Debug)
    Statistics.Files.push_back({Debug->path().str(), Found.FoundBy.str()});
  return Error::success();
}

Error Converter::openFiles() {
  if (Main->identity().Type == ELF::ET_REL)
    return createStringError(Main->path() +
                             ": a relocatable object has no addresses yet; "
                             "link it first");
  Statistics.Files.push_back({Main->path().str(), "named"});
  if (Error E = openDebugFile())
    return E;
  // Each source bounds the names that it keeps; this is for what they forget.
  uint64_t Size = Main->size() + (Debug ? Debug->size() : 0);
  Strings.limit(Size * 64 + (uint64_t(256) << 20));
  Code = Debug && Main->code().empty() ? &Debug->code() : &Main->code();
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

/// Without the supplementary file, what is only named there gets the name of
/// its symbol.
std::vector<std::string> Converter::debugFileDirectories() const {
  if (Options.Search.Directories.empty())
    return {"/usr/lib/debug"};
  return Options.Search.Directories;
}

void Converter::openSupplementary(dwarf::Sections &S, unsigned Threads) {
  if (Error E = openSupplementaryFile(debugFile(), debugFileDirectories())
                    .moveInto(Supplementary))
    return warn(toString(std::move(E)));
  if (!Supplementary)
    return;
  SupplementarySections = openDWARFSections(
      *Supplementary, Threads, [&](Error E) { warn(toString(std::move(E))); });
  SupplementarySections.PlaceMark = dwarf::InSupplementary;
  S.Supplementary = &SupplementarySections;
  Statistics.OtherFiles.push_back(Supplementary->path().str());
}

Error Converter::readDWARF() {
  Binary &File = debugFile();
  DWARFSourceOptions O;
  O.Columns = Options.Archive.Columns;
  O.Lines = wantLines();
  O.Files = wantFiles();
  O.AtZero = codeAtZero();
  uint16_t Machine = Main->identity().Machine;
  if (Machine == ELF::EM_ARM || Machine == ELF::EM_MIPS)
    O.InstructionAlignment = 2;
  O.Threads = threads();
  O.Split = {
      Options.SplitDirectories, Options.SplitPackage, {Main->path().str()}};
  if (Debug)
    O.Split.Binaries.push_back(Debug->path().str());
  auto Report = [&](Error E) { warn(toString(std::move(E))); };
  dwarf::Sections Sections = openDWARFSections(
      File, O.Threads, [&](Error E) { reportBroken(std::move(E)); });
  // What was stripped may still name the file that it would need.
  if (!Sections.Info.empty())
    openSupplementary(Sections, O.Threads);
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
  Statistics.Work = Ranges->Work;
  Statistics.WorkBase = Sections.totalSize();
  addSource(SourceKind::DWARF, File, std::move(*Ranges));
  endPhase("DWARF");
  return Error::success();
}

/// Takes what a source gave, after the sources that are trusted more.
void Converter::addSource(SourceKind Kind, const Binary &File,
                          SourceRanges Ranges) {
  ConvertStatistics::Source Source;
  Source.Name = sourceName(Kind);
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
    addSource(SourceKind::Go, *Main, std::move(**Ranges));
  endPhase("Go");
}

void Converter::addSymbols(SourceKind Kind, Binary &File, SymbolTable Table) {
  if (!File.hasSymbolTable(Table))
    return;
  Expected<SourceRanges> Ranges =
      lidia::readSymbols(File, Table, *Code, wantFiles(), Strings);
  if (Ranges)
    addSource(Kind, File, std::move(*Ranges));
  else
    warn(toString(Ranges.takeError()));
}

void Converter::readSymtab() {
  if (Debug)
    addSymbols(SourceKind::Symtab, *Debug, SymbolTable::Symtab);
  addSymbols(SourceKind::Symtab, *Main, SymbolTable::Symtab);
  endPhase(".symtab");
}

void Converter::readDynsym() {
  addSymbols(SourceKind::Dynsym, *Main, SymbolTable::Dynsym);
  endPhase(".dynsym");
}

void Converter::readDebugData() {
  if (Error E = openDebugData(*Main).moveInto(DebugData))
    return warn(toString(std::move(E)));
  if (!DebugData)
    return;
  Statistics.Files.push_back({DebugData->path().str(), "section"});
  addSymbols(SourceKind::DebugData, *DebugData, SymbolTable::Symtab);
  endPhase(".gnu_debugdata");
}

void Converter::readPLT() {
  Expected<SourceRanges> Ranges = lidia::readPLT(*Main, *Code, Strings);
  if (!Ranges)
    return warn(toString(Ranges.takeError()));
  if (!Ranges->Units.front().Functions.Ranges.empty())
    addSource(SourceKind::PLT, *Main, std::move(*Ranges));
  endPhase("PLT");
}

/// What cannot be read costs a warning or, if nothing can be made of the whole
/// binary, is an error.
Error Converter::readSource(SourceKind Kind) {
  switch (Kind) {
  case SourceKind::DWARF:
    return readDWARF();
  case SourceKind::Go:
    readGo();
    break;
  case SourceKind::Symtab:
    readSymtab();
    break;
  case SourceKind::Dynsym:
    readDynsym();
    break;
  case SourceKind::DebugData:
    readDebugData();
    break;
  case SourceKind::PLT:
    readPLT();
    break;
  }
  return Error::success();
}

ArchiveInfo Converter::info() {
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
  Identity = identifyBinary(*Main);
  if (Identity)
    Info.Identity = *Identity;
  return Info;
}

CodeHints Converter::codeHints(const ArchiveWriter &Writer) {
  CodeHints Hints;
  Hints.FunctionStarts = Writer.functionStarts();
  for (Binary *File : {Debug.get(), Main.get()})
    for (SymbolTable Table : {SymbolTable::Symtab, SymbolTable::Dynsym}) {
      if (!File)
        continue;
      // Whatever is wrong with them was said when they were read for names.
      if (Expected<std::vector<CodeMark>> Marks = File->codeMarks(Table))
        append_range(Hints.Marks, *Marks);
      else
        consumeError(Marks.takeError());
    }
  return Hints;
}

/// Leaves what does not come after all before it out of \p Pads: the writer
/// would refuse them all, and another program may have found them.
void Converter::dropDescending(std::vector<uint64_t> &Pads) {
  uint64_t Last = 0;
  size_t Before = Pads.size();
  erase_if(Pads, [&](uint64_t Pad) {
    if (Pad <= Last)
      return true;
    Last = Pad;
    return false;
  });
  if (Pads.size() != Before)
    warn(Main->path() + ": " + Twine(Before - Pads.size()) +
         " return pads do not ascend and are left out");
}

/// The code is the binary's, wherever names and lines come from.
Error Converter::addReturnPads(ArchiveWriter &Writer) {
  if (!Options.FindReturnPads)
    return Error::success();
  Observer.progress("Finding return pads", 0, 1);
  Expected<std::vector<uint64_t>> Pads =
      Options.FindReturnPads(*Main, codeHints(Writer), threads());
  if (!Pads) {
    reportBroken(Pads.takeError());
    return std::move(Fatal);
  }
  dropDescending(*Pads);
  Error E = Writer.setReturnPads(*Pads);
  endPhase("return pads");
  return E;
}

Error Converter::writeArchive(WriteFunction Write) {
  ArchiveWriter Writer(Options.Archive);
  Writer.setInfo(info());
  Observer.progress("Merging", 0, 1);
  Expected<MergeResult> Merged = merge(std::move(Sources), Strings, Writer);
  if (!Merged)
    return Merged.takeError();
  if (uint64_t Count = Merged->PiecesWithoutCalls)
    warn(Main->path() + ": functions overlap so often that " + Twine(Count) +
         " of their pieces are without inlined calls");
  Statistics.RangesRepeated = Merged->RangesRepeated;
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
  if (Error E = addReturnPads(Writer))
    return E;
  Observer.progress("Writing", 0, 1);
  Expected<ArchiveSizes> Sizes = Write(Writer);
  if (!Sizes)
    return Sizes.takeError();
  Statistics.Sizes = std::move(*Sizes);
  endPhase("write");
  return Error::success();
}

Error Converter::read(std::unique_ptr<Binary> TheMain) {
  Main = std::move(TheMain);
  if (Error E = openFiles())
    return E;
  for (SourceKind Kind : Options.Sources)
    if (Error E = readSource(Kind))
      return E;
  if (Strings.overflowed())
    return createStringError(Main->path() +
                             ": its names take more than 64 times the size "
                             "of the file");
  return std::move(Fatal);
}

Expected<ConvertStatistics> Converter::run(std::unique_ptr<Binary> TheMain,
                                           WriteFunction Write) {
  if (Error E = read(std::move(TheMain)))
    return E;
  if (Error E = writeArchive(Write))
    return E;
  return std::move(Statistics);
}

Expected<ConvertStatistics> convert(StringRef BinaryPath, StringRef Output,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer) {
  for (StringRef Input : {BinaryPath, StringRef(Options.DebugFile)})
    if (!Input.empty() && sys::fs::equivalent(Input, Output))
      return createStringError(Output +
                               ": the archive would overwrite the file "
                               "that it is made from");
  Expected<std::unique_ptr<Binary>> Main = Binary::open(BinaryPath);
  if (!Main)
    return Main.takeError();
  return Converter(Options, Observer)
      .run(std::move(*Main), [&](ArchiveWriter &Writer) {
        return Writer.writeFile(Output, Options.Output);
      });
}

Expected<ConvertStatistics> convert(std::unique_ptr<Binary> Main,
                                    raw_ostream &OS,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer) {
  return Converter(Options, Observer)
      .run(std::move(Main),
           [&](ArchiveWriter &Writer) { return Writer.write(OS); });
}

std::vector<std::string> inputCandidates(Binary &Main,
                                         const ConvertOptions &Options) {
  std::vector<std::string> Paths;
  if (!Options.DebugFile.empty())
    Paths.push_back(Options.DebugFile);
  else if (looksForDebugFile(Main, Options))
    Paths = debugFileCandidates(Main, Options.Search);
  std::vector<std::string> Packages;
  if (!Options.SplitPackage.empty()) {
    Packages.push_back(Options.SplitPackage);
  } else {
    Packages.push_back((Main.path() + ".dwp").str());
    for (const std::string &Path : Paths)
      Packages.push_back(Path + ".dwp");
  }
  append_range(Paths, Packages);
  return Paths;
}

Error readSources(StringRef BinaryPath, const ConvertOptions &Options,
                  ConvertObserver &Observer,
                  function_ref<void(const ConvertStatistics::Source &,
                                    const SourceRanges &, const StringPool &)>
                      Visit) {
  Expected<std::unique_ptr<Binary>> Main = Binary::open(BinaryPath);
  if (!Main)
    return Main.takeError();
  Converter Reader(Options, Observer);
  if (Error E = Reader.read(std::move(*Main)))
    return E;
  for (auto [Source, Ranges] :
       zip_equal(Reader.statistics().Sources, Reader.sources()))
    Visit(Source, Ranges, Reader.strings());
  return Error::success();
}

} // namespace lidia
