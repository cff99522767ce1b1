//===- DWARFSource.cpp - Ranges from DWARF --------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "DWARFFile.h"
#include "MovedRanges.h"
#include "Object/DebugFiles.h"
#include "Object/DebugMap.h"
#include "Object/SupplementaryFile.h"
#include "SplitFiles.h"
#include "Support/Threads.h"
#include "UnitBudgets.h"
#include "UnitReader.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <mutex>

using namespace llvm;

namespace lidia {

/// Sets \p Open.Info to decompress .debug_info while its units are read, if
/// that is possible.
static void startUnpackingInfo(Binary &File, OpenSections &Open) {
  const Section *Found = File.findSection(".debug_info");
  if (!Found || Found->Type == ELF::SHT_NOBITS || !File.isCompressed(*Found) ||
      File.isRelocated(*Found) || dwarf::mayReferToOtherUnits(Open.S))
    return;
  Expected<std::unique_ptr<Unpacker>> Info = File.startUnpacking(*Found);
  if (!Info) {
    // contents() will report the same error.
    consumeError(Info.takeError());
    return;
  }
  TemporaryMapping &Output = (*Info)->output();
  if (!Output.inMemory() || (*Info)->size() == 0)
    return;
  Open.S.Info = StringRef(reinterpret_cast<const char *>(Output.room().data()),
                          (*Info)->size());
  Open.Info = std::move(*Info);
}

Error joinSections(Binary &File, StringRef Name, StringRef &Contents,
                   std::vector<std::unique_ptr<std::string>> &Joined) {
  const Section *First = File.findSection(Name);
  auto IsOther = [&](const Section &S) {
    return S.Name == Name && &S != First;
  };
  if (none_of(File.sections(), IsOther))
    return Error::success();
  // References are offsets from the beginning of the first section.
  auto All = std::make_unique<std::string>(Contents);
  // Any number of sections may have the same bytes.
  uint64_t Left = 2 * File.size() + (uint64_t(16) << 20);
  for (const Section &S : File.sections()) {
    if (!IsOther(S))
      continue;
    StringRef Part;
    if (Error E = File.contents(S).moveInto(Part))
      return E;
    if (Part.size() > Left)
      return make_error<LimitError>(
          File.path(), "its sections take more than twice the file", Name);
    Left -= Part.size();
    *All += Part;
    File.forgetContents(S);
  }
  Contents = *All;
  Joined.push_back(std::move(All));
  return Error::success();
}

OpenSections openDWARFSections(Binary &File, unsigned Threads, bool LeaveInfo,
                               function_ref<void(Error)> Report) {
  OpenSections Open;
  Open.S.LittleEndian = File.isLittleEndian();
  Open.S.FileName = File.path();
  const Section *Abbrev = File.findSection(".debug_abbrev");
  if (LeaveInfo && Abbrev) {
    // Errors are reported below.
    if (Error E = File.contents(*Abbrev).moveInto(Open.S.Abbrev))
      consumeError(std::move(E));
    else
      startUnpackingInfo(File, Open);
  }
  std::atomic<size_t> Next{0};
  std::mutex Mutex;
  auto Wanted = Open.all();
  auto Unpack = [&] {
    for (size_t I; (I = Next++) < std::size(Wanted);) {
      const auto &[Name, Slot] = Wanted[I];
      const Section *Found = File.findSection(Name);
      if (!Found || !Slot->empty())
        continue;
      Expected<StringRef> Contents = File.contents(*Found);
      std::lock_guard<std::mutex> Lock(Mutex);
      if (Contents)
        *Slot = *Contents;
      else
        Report(Contents.takeError());
    }
  };
  runOnThreads(Threads, Unpack);
  const std::pair<StringRef, StringRef *> Repeated[] = {
      {".debug_info", &Open.S.Info}, {".debug_types", &Open.S.Types}};
  if (File.identity().Type == ELF::ET_REL && !Open.Info)
    for (const auto &[Name, Slot] : Repeated)
      if (Error E = joinSections(File, Name, *Slot, Open.Joined))
        Report(std::move(E));
  for (const auto &[Name, Slot] : Wanted)
    if (const Section *Found = File.findSection(Name))
      if (std::string Text = File.relocationReport(*Found); !Text.empty())
        Report(addPrefix(
            File.path(),
            addWhere(Found->Name, make_error<DamagedError>("", Text))));
  return Open;
}

void closeDWARFSections(Binary &File, bool KeepText) {
  OpenSections Names;
  auto IsText = [&](const StringRef *Slot) {
    return Slot == &Names.S.Line || Slot == &Names.S.LineStr ||
           Slot == &Names.S.Str;
  };
  for (const auto &[Name, Slot] : Names.all())
    if (const Section *Found = File.findSection(Name);
        Found && !(KeepText && IsText(Slot)))
      File.forgetContents(*Found);
}

static Error withFileName(const dwarf::Sections &S, Error E) {
  return addPrefix(S.FileName, std::move(E));
}

static std::vector<dwarf::UnitHeader>
readHeaders(const dwarf::Sections &S, function_ref<void(Error)> Report) {
  return dwarf::readUnitHeaders(
      S, [&](Error E) { Report(withFileName(S, std::move(E))); });
}

/// The result for a unit that exceeds its budget.
static UnitRanges leftOut(const dwarf::Sections &S, uint64_t Offset) {
  UnitRanges Result;
  Result.Broken = true;
  Result.Warnings.push_back(
      formatv("{0}: unit at {1:x}: refers to the same abbreviations, ranges, "
              "lines or names so often that it is left out",
              S.FileName, Offset)
          .str());
  return Result;
}

/// Reads the compile units of \p Open, the sections of \p File, in parallel:
/// each thread holds the tree of one unit at a time. Code outside \p Code was
/// discarded by the linker and is left out. Names are copied. Functions of
/// missing split units are left out with a warning.
///
/// \p Progress is called, from one thread at a time, with the number of
/// processed bytes of .debug_info, and returns whether to go on: if not, the
/// rest is left out. Units whose header cannot be read are reported to
/// \p Report, and a .debug_info that cannot be decompressed to \p ReportBroken:
/// there is no result then.
static Expected<std::optional<SourceRanges>>
readUnits(const Binary &File, OpenSections &Open, const CodeMap &Code,
          const DWARFSourceOptions &Options, StringPool &Strings,
          function_ref<void(Error)> Report,
          function_ref<void(Error)> ReportBroken,
          function_ref<bool(uint64_t, uint64_t)> Progress) {
  SourceRanges Result;
  const dwarf::Sections &S = Open.S;
  // If .debug_info is decompressed only now, no unit refers to another.
  std::vector<dwarf::UnitHeader> Headers, Supplementary;
  if (!Open.Info)
    Headers = readHeaders(S, Report);
  if (S.Supplementary)
    Supplementary = readHeaders(*S.Supplementary, Report);
  Expected<std::unique_ptr<SplitFiles>> Splits =
      SplitFiles::create(S, Options.Split, Report);
  if (!Splits)
    return Splits.takeError();
  UnitBudgets Budgets(S);
  std::optional<UnitQueue> Queue;
  if (Open.Info)
    Queue.emplace(File, S, *Open.Info, Options.Threads, Budgets);
  else
    Queue.emplace(Headers, Budgets);
  dwarf::TypeUnits Types(S, Headers);
  const UnitContext Context = {S,    Headers, Supplementary, Types,  **Splits,
                               Code, Options, Strings,       Budgets};

  std::mutex Mutex;
  uint64_t BytesDone = 0;
  std::atomic<bool> Stopped = false;
  std::vector<uint64_t> Offsets;
  auto Work = [&] {
    UnitReader Reader(Context);
    while (std::optional<UnitQueue::Task> Task =
               Stopped ? std::nullopt : Queue->next()) {
      UnitRanges Unit = Reader.read(*Task);
      const dwarf::UnitHeader &H = Task->Header;
      if (!Open.Info)
        File.release(S.Info.slice(H.Offset, H.End));
      Queue->finish(*Task);
      std::lock_guard<std::mutex> Lock(Mutex);
      if (Task->Index >= Offsets.size()) {
        Offsets.resize(Task->Index + 1);
        Result.Units.resize(Task->Index + 1);
      }
      Offsets[Task->Index] = H.Offset;
      Result.Units[Task->Index] = std::move(Unit);
      if (!Progress(BytesDone += H.End - H.Offset, S.Info.size()))
        Stopped = true;
    }
  };
  runOnThreads(Options.Threads, Work);
  std::vector<Error> HeaderErrors = Queue->takeHeaderErrors();
  if (Error E = Queue->takeError()) {
    for (Error &Header : HeaderErrors)
      consumeError(std::move(Header));
    // Earlier units may be damaged, too.
    ReportBroken(
        File.sectionError(*File.findSection(".debug_info"), std::move(E)));
    return std::nullopt;
  }
  for (Error &E : HeaderErrors)
    Report(withFileName(S, std::move(E)));
  for (size_t I = 0; I < Offsets.size(); ++I)
    if (Budgets.exceeds(I))
      Result.Units[I] = leftOut(S, Offsets[I]);
  Result.Work = Budgets.used();
  return Result;
}

/// The symbols at address 0; none if there is no code at 0 or there are no
/// symbols.
static std::optional<CodeAtZero> codeAtZero(const InputFiles &Files) {
  // In a relocatable object, discarded functions are known from relocations.
  if (!Files.code().contains(0) || Files.Main->identity().Type == ELF::ET_REL)
    return std::nullopt;
  CodeAtZero Result;
  bool AnySymbols = false;
  Files.forEachSymbolTable([&](Binary &File, SymbolTable Table) {
    auto Visit = [&](const FunctionSymbol &S) {
      AnySymbols = true;
      if (S.Address != 0)
        return;
      Result.Names.push_back(S.Name);
      Result.End = std::max(Result.End, S.Size);
    };
    // Errors are reported when the table is read for its names.
    consumeError(File.forEachFunctionSymbol(Table, Visit));
  });
  if (!AnySymbols)
    return std::nullopt;
  return Result;
}

SplitOptions splitOptions(const Conversion &C, const InputFiles &Files) {
  if (C.Options.Search.OnlyKnown) {
    SplitOptions None;
    None.OnlyMain = true;
    return None;
  }
  SplitOptions O = {C.Options.SplitDirectories,
                    C.Options.SplitPackage,
                    {Files.Main->path().str()}};
  if (Files.Debug)
    O.Binaries.push_back(Files.Debug->path().str());
  O.Locations = C.Options.Variables;
  return O;
}

static DWARFSourceOptions optionsFor(const Conversion &C,
                                     const InputFiles &Files) {
  DWARFSourceOptions O;
  O.Columns = C.Options.Archive.Columns;
  O.Lines = C.wantLines();
  O.Files = C.wantFiles();
  O.Sources = C.Options.EmbeddedSources && C.Options.Archive.Extension;
  O.Statements = C.Options.Archive.Statements && C.Options.Archive.Extension;
  O.AtZero = codeAtZero(Files);
  if (is_contained(C.Options.Sources, SourceKind::Symtab))
    O.Linkage = LinkageNames(Files);
  uint16_t Machine = Files.Main->identity().Machine;
  if (Machine == ELF::EM_ARM || Machine == ELF::EM_MIPS)
    O.InstructionAlignment = 2;
  O.Threads = C.threads();
  O.Split = splitOptions(C, Files);
  return O;
}

std::optional<OpenSections> openSupplementary(Conversion &C) {
  auto Warn = [&](Error E) { C.warn(toString(std::move(E))); };
  std::unique_ptr<Binary> File;
  if (Error E = openSupplementaryFile(C.Files.withDebugInfo(), C.Options.Search)
                    .moveInto(File)) {
    Warn(std::move(E));
    return std::nullopt;
  }
  if (!File)
    return std::nullopt;
  OpenSections Open =
      openDWARFSections(*File, C.threads(), /*LeaveInfo=*/false, Warn);
  Open.S.ReferenceMark = dwarf::InSupplementary;
  C.Statistics.OtherFiles.push_back(File->path().str());
  C.Files.Others.push_back(std::move(File));
  return Open;
}

/// Moves the source code of all units to \p Ranges, that of the first unit for
/// each file. Texts may overlap, so their sum is limited to the size of the
/// sections: linkers keep each once. Only those in \p S itself are taken: a
/// supplementary file is closed before the merge.
static void collectSources(SourceRanges &Ranges, const dwarf::Sections &S) {
  auto IsIn = [](StringRef Section, StringRef Part) {
    return !Section.empty() && Part.begin() >= Section.begin() &&
           Part.end() <= Section.end();
  };
  uint64_t Left = S.Line.size() + S.LineStr.size() + S.Str.size();
  DenseSet<StringID> Known;
  for (UnitRanges &Unit : Ranges.Units) {
    for (auto [File, Rest] : std::exchange(Unit.Sources, {})) {
      if (!IsIn(S.Line, Rest) && !IsIn(S.LineStr, Rest) && !IsIn(S.Str, Rest))
        continue;
      if (!Known.insert(File).second)
        continue;
      size_t End = Rest.take_front(Left).find('\0');
      if (End == StringRef::npos && Left < Rest.size())
        return;
      StringRef Text = Rest.take_front(End);
      Left -= Text.size();
      if (!Text.empty())
        Ranges.Sources.push_back({File, Text});
    }
  }
}

/// Reads the units of \p Open, the sections of \p File, which is one of \p
/// Files.
static Expected<std::optional<SourceRanges>> readUnits(Conversion &C,
                                                       const InputFiles &Files,
                                                       Binary &File,
                                                       OpenSections &Open) {
  auto Progress = [&](uint64_t Done, uint64_t Total) {
    C.Observer.progress("Reading DWARF", Done, Total);
    return !C.Observer.isCancelled();
  };
  Expected<std::optional<SourceRanges>> Ranges = readUnits(
      File, Open, Files.code(), optionsFor(C, Files), C.Strings,
      [&](Error E) { C.warn(toString(std::move(E))); },
      [&](Error E) { C.reportBroken(std::move(E)); }, Progress);
  if (Ranges && *Ranges) {
    C.Statistics.CompileUnits += (*Ranges)->Units.size();
    C.Statistics.Work += (*Ranges)->Work;
    C.Statistics.WorkBase += Open.S.totalSize();
  }
  return Ranges;
}

/// Reads the units of \p Files.Main, an object that \p Map names, as ranges of
/// the program, and appends them to \p To. Names and paths are copied, so the
/// object is not needed afterwards, but source code that it contains is lost.
static Error readObject(Conversion &C, const DebugMapObject &Map,
                        const InputFiles &Files, SourceRanges &To) {
  Binary &Object = *Files.Main;
  auto ReportBroken = [&](Error E) { C.reportBroken(std::move(E)); };
  OpenSections Open =
      openDWARFSections(Object, C.threads(), /*LeaveInfo=*/false, ReportBroken);
  if (Open.S.Info.empty())
    return Error::success();
  Expected<std::optional<SourceRanges>> Ranges =
      readUnits(C, Files, Object, Open);
  if (!Ranges)
    return Ranges.takeError();
  if (!*Ranges)
    return Error::success();
  std::vector<MovedCode> Moved = movedCode(Map, Object, *C.Files.Main);
  for (UnitRanges &Unit : (*Ranges)->Units) {
    moveRanges(Unit, Moved);
    Unit.Sources.clear();
    To.Units.push_back(std::move(Unit));
  }
  To.Work += (*Ranges)->Work;
  C.Statistics.OtherFiles.push_back(Object.path().str());
  C.countInput(Object.size());
  return Error::success();
}

/// Warns that \p Count of \p Total objects were not read. A program may have
/// thousands, and all may be missing.
static void warnOfMissingObjects(Conversion &C, uint64_t Count, uint64_t Total,
                                 StringRef First) {
  if (Count)
    C.warn(C.Files.Main->path() + ": " + Twine(Count) + " of its " +
           Twine(Total) + " object files cannot be read (" + First +
           "), and their functions have only names");
}

/// Reads the units of the object files that a Mach-O program was linked from.
/// Those that cannot be read are left out with a warning.
static Error readDebugMap(Conversion &C, ArrayRef<DebugMapObject> Map) {
  DebugMapFiles Opener(*C.Files.Main, C.Options.SplitDirectories);
  SourceRanges Ranges;
  StringSet<> Known;
  uint64_t Missing = 0;
  std::string FirstMissing;
  for (const DebugMapObject &Of : Map) {
    // Linkers name an object once, even if it has no functions.
    if (Of.Functions.empty() || !Known.insert(Of.Path).second)
      continue;
    if (Error E = C.checkCancelled())
      return E;
    InputFiles Files;
    if (Error E = Opener.open(Of).moveInto(Files.Main)) {
      std::string Why = toString(std::move(E));
      if (Missing++ == 0)
        FirstMissing = std::move(Why);
      continue;
    }
    if (Error E = readObject(C, Of, Files, Ranges))
      return E;
  }
  warnOfMissingObjects(C, Missing, Known.size(), FirstMissing);
  if (!Ranges.Units.empty())
    C.addSource(SourceKind::DWARF, *C.Files.Main, std::move(Ranges));
  C.endPhase("DWARF");
  return Error::success();
}

/// Reads the units of \p File and those of the supplementary file.
static Error readFile(Conversion &C, Binary &File) {
  auto ReportBroken = [&](Error E) { C.reportBroken(std::move(E)); };
  OpenSections Open =
      openDWARFSections(File, C.threads(), /*LeaveInfo=*/true, ReportBroken);
  std::optional<OpenSections> Supplementary;
  // A stripped file may still name the supplementary file.
  if (!Open.S.Info.empty())
    Supplementary = openSupplementary(C);
  if (Supplementary)
    Open.S.Supplementary = &Supplementary->S;
  C.endPhase("unpack");
  if (Open.S.Info.empty())
    return Error::success();
  Expected<std::optional<SourceRanges>> Ranges =
      readUnits(C, C.Files, File, Open);
  if (!Ranges)
    return Ranges.takeError();
  if (!*Ranges)
    return Error::success();
  collectSources(**Ranges, Open.S);
  C.addSource(SourceKind::DWARF, File, std::move(**Ranges));
  return Error::success();
}

/// Whether source code was found. It points into the file.
static bool keepsSources(const Conversion &C) {
  return any_of(C.Sources,
                [](const SourceRanges &S) { return !S.Sources.empty(); });
}

/// Whether the object files that the program names may be read.
static bool readsDebugMap(const Conversion &C) {
  return C.Options.FindDebugFile && !C.Options.Search.OnlyKnown &&
         !C.Files.Debug && !hasDWARF(*C.Files.Main);
}

Error readDWARFSource(Conversion &C) {
  Binary &File = C.Files.withDebugInfo();
  if (readsDebugMap(C))
    if (std::vector<DebugMapObject> Map = File.debugMap(); !Map.empty())
      return readDebugMap(C, Map);
  size_t OthersBefore = C.Files.Others.size();
  Error E = readFile(C, File);
  // The merge needs memory, too, and names are copied.
  closeDWARFSections(File, keepsSources(C));
  for (const auto &Other : ArrayRef(C.Files.Others).drop_front(OthersBefore))
    closeDWARFSections(*Other);
  C.endPhase("DWARF");
  return E;
}

} // namespace lidia
