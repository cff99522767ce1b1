//===- DWARFSource.cpp - Ranges from DWARF --------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ADT/Threads.h"
#include "Conversion.h"
#include "Object/DebugFiles.h"
#include "Object/SupplementaryFile.h"
#include "SplitFiles.h"
#include "UnitBudgets.h"
#include "UnitReader.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <mutex>

using namespace llvm;

namespace lidia {

/// Decompresses the sections of \p File that hold debug information, in
/// parallel. A section that cannot be decompressed is reported to \p Report and
/// left empty.
static dwarf::Sections openDWARFSections(Binary &File, unsigned Threads,
                                         function_ref<void(Error)> Report) {
  dwarf::Sections S;
  S.LittleEndian = File.isLittleEndian();
  S.FileName = File.path();
  const std::pair<StringRef, StringRef *> Wanted[] = {
      {".debug_info", &S.Info},         {".debug_types", &S.Types},
      {".debug_str", &S.Str},           {".debug_line", &S.Line},
      {".debug_rnglists", &S.RngLists}, {".debug_ranges", &S.Ranges},
      {".debug_abbrev", &S.Abbrev},     {".debug_line_str", &S.LineStr},
      {".debug_addr", &S.Addr},         {".debug_str_offsets", &S.StrOffsets}};
  std::atomic<size_t> Next{0};
  std::mutex Mutex;
  auto Unpack = [&] {
    for (size_t I; (I = Next++) < std::size(Wanted);) {
      const auto &[Name, Slot] = Wanted[I];
      const Section *Found = File.findSection(Name);
      if (!Found)
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
  return S;
}

static std::vector<dwarf::UnitHeader>
readHeaders(const dwarf::Sections &S, function_ref<void(Error)> Report) {
  return dwarf::readUnitHeaders(S, [&](Error E) {
    Report(createStringError(S.FileName + ": " + toString(std::move(E))));
  });
}

/// The result for a unit that exceeds its budget.
static UnitRanges leftOut(const dwarf::Sections &S,
                          const dwarf::UnitHeader &Header) {
  UnitRanges Result;
  Result.Broken = true;
  Result.Warnings.push_back(
      formatv("{0}: unit at {1:x}: refers to the same abbreviations, ranges, "
              "lines or names so often that it is left out",
              S.FileName, Header.Offset)
          .str());
  return Result;
}

/// Reads the compile units of \p S, the decompressed sections of \p File, in
/// parallel: each thread holds the tree of one unit at a time. Code outside
/// \p Code was discarded by the linker and is left out. Names point into the
/// sections; those of split units are copied. The functions of a missing split
/// unit are left out with a warning.
///
/// \p Progress is called, from one thread at a time, with the number of
/// processed bytes of .debug_info. Units whose header cannot be read are
/// reported to \p Report.
static Expected<SourceRanges>
readUnits(const Binary &File, const dwarf::Sections &S, const CodeMap &Code,
          const DWARFSourceOptions &Options, StringPool &Strings,
          function_ref<void(Error)> Report,
          function_ref<void(uint64_t, uint64_t)> Progress) {
  SourceRanges Result;
  std::vector<dwarf::UnitHeader> Headers = readHeaders(S, Report);
  std::vector<dwarf::UnitHeader> Supplementary;
  if (S.Supplementary)
    Supplementary = readHeaders(*S.Supplementary, Report);
  Expected<std::unique_ptr<SplitFiles>> Splits =
      SplitFiles::create(S, Options.Split, Report);
  if (!Splits)
    return Splits.takeError();
  Result.Units.resize(Headers.size());
  UnitBudgets Budgets(S, Headers);
  dwarf::TypeUnits Types(S, Headers);

  std::atomic<size_t> Next{0};
  std::mutex ProgressMutex;
  uint64_t BytesDone = 0;
  auto Work = [&] {
    UnitReader Reader(S, Headers, Supplementary, Types, **Splits, Code, Options,
                      Strings, Budgets);
    size_t I;
    while ((I = Next++) < Headers.size()) {
      const dwarf::UnitHeader &H = Headers[I];
      Result.Units[I] = Reader.read(I);
      File.release(S.Info.slice(H.Offset, H.End));
      std::lock_guard<std::mutex> Lock(ProgressMutex);
      Progress(BytesDone += H.End - H.Offset, S.Info.size());
    }
  };
  runOnThreads(Options.Threads, Work);
  for (size_t I = 0; I < Headers.size(); ++I)
    if (Budgets.exceeds(I))
      Result.Units[I] = leftOut(S, Headers[I]);
  Result.Work = Budgets.used();
  return Result;
}

/// The symbols at address 0; none if there is no code at 0 or there are no
/// symbols.
static std::optional<CodeAtZero> codeAtZero(const InputFiles &Files) {
  if (!Files.code().contains(0))
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

static DWARFSourceOptions optionsFor(const Conversion &C) {
  DWARFSourceOptions O;
  O.Columns = C.Options.Archive.Columns;
  O.Lines = C.wantLines();
  O.Files = C.wantFiles();
  O.Statements = C.Options.Archive.Statements && C.Options.Archive.Extension;
  O.AtZero = codeAtZero(C.Files);
  if (is_contained(C.Options.Sources, SourceKind::Symtab))
    O.Linkage = LinkageNames(C.Files);
  uint16_t Machine = C.Files.Main->identity().Machine;
  if (Machine == ELF::EM_ARM || Machine == ELF::EM_MIPS)
    O.InstructionAlignment = 2;
  O.Threads = C.threads();
  O.Split = {C.Options.SplitDirectories,
             C.Options.SplitPackage,
             {C.Files.Main->path().str()}};
  if (C.Files.Debug)
    O.Split.Binaries.push_back(C.Files.Debug->path().str());
  return O;
}

/// Opens the sections of the supplementary file. If the file cannot be found,
/// functions named only there get the names of their symbols.
static std::optional<dwarf::Sections> openSupplementary(Conversion &C) {
  auto Warn = [&](Error E) { C.warn(toString(std::move(E))); };
  std::unique_ptr<Binary> File;
  if (Error E = openSupplementaryFile(C.Files.withDebugInfo(),
                                      debugDirectories(C.Options.Search))
                    .moveInto(File)) {
    Warn(std::move(E));
    return std::nullopt;
  }
  if (!File)
    return std::nullopt;
  dwarf::Sections S = openDWARFSections(*File, C.threads(), Warn);
  S.ReferenceMark = dwarf::InSupplementary;
  C.Statistics.OtherFiles.push_back(File->path().str());
  C.Files.Others.push_back(std::move(File));
  return S;
}

Error readDWARFSource(Conversion &C) {
  Binary &File = C.Files.withDebugInfo();
  dwarf::Sections Sections = openDWARFSections(
      File, C.threads(), [&](Error E) { C.reportBroken(std::move(E)); });
  std::optional<dwarf::Sections> Supplementary;
  // A stripped file may still name the supplementary file.
  if (!Sections.Info.empty())
    Supplementary = openSupplementary(C);
  if (Supplementary)
    Sections.Supplementary = &*Supplementary;
  C.endPhase("unpack");
  if (Sections.Info.empty())
    return Error::success();
  auto Report = [&](Error E) { C.warn(toString(std::move(E))); };
  auto Progress = [&](uint64_t Done, uint64_t Total) {
    C.Observer.progress("Reading DWARF", Done, Total);
  };
  Expected<SourceRanges> Ranges =
      readUnits(File, Sections, C.Files.code(), optionsFor(C), C.Strings,
                Report, Progress);
  if (!Ranges)
    return Ranges.takeError();
  C.Statistics.CompileUnits = Ranges->Units.size();
  C.Statistics.Work = Ranges->Work;
  C.Statistics.WorkBase = Sections.totalSize();
  C.addSource(SourceKind::DWARF, File, std::move(*Ranges));
  C.endPhase("DWARF");
  return Error::success();
}

} // namespace lidia
