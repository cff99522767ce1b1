//===- Convert.cpp - From a binary to an archive --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/Convert.h"
#include "Conversion.h"
#include "ConvertBinary.h"
#include "Merge.h"
#include "Object/BinaryIdentity.h"
#include "Object/CodeHints.h"
#include "Object/FileHash.h"
#include "Object/LoadedLayout.h"
#include "Object/ModuleBinary.h"
#include "Object/SectionLayout.h"
#include "Object/SymbolFile.h"
#include "SymbolFiles/BreakpadCFIReader.h"
#include "SymbolFiles/SymbolFileReader.h"
#include "UnwindRows.h"
#include "VariableReader.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace llvm;

namespace lidia {

std::vector<SourceKind> allSources() {
  std::vector<SourceKind> Kinds;
  for (const SourceNames &S : sourceNames())
    Kinds.push_back(S.Kind);
  return Kinds;
}

ArrayRef<SourceNames> sourceNames() {
  static constexpr SourceNames Names[] = {
#define LIDIA_SOURCE(KIND, NAME, OPTION) {SourceKind::KIND, NAME, OPTION},
#include "lidia/Extract/Sources.def"
  };
  return Names;
}

/// \p Identity and \p Hash must outlive the result.
static ArchiveInfo archiveInfo(const Conversion &C,
                               const std::optional<BinaryIdentity> &Identity,
                               const std::optional<FileHash> &Hash) {
  ArchiveInfo Info;
  static_cast<ELFIdentity &>(Info) = C.Files.Main->identity();
  if (C.wantLines())
    Info.Options |= format::IO_Lines;
  if (C.wantFiles())
    Info.Options |= format::IO_Files;
  if (C.Options.NamesOnly)
    Info.Options |= format::IO_NamesOnly;
  Info.Options |= C.LeftOut;
  Info.BuildID = Hash ? ArrayRef<uint8_t>(*Hash) : C.Files.Main->buildID();
  if (Identity)
    Info.Identity = *Identity;
  Info.IdentityScheme = C.Options.IdentityScheme;
  return Info;
}

void setInfo(const Conversion &C, ArchiveWriter &Writer) {
  std::optional<BinaryIdentity> Identity =
      identifyBinary(*C.Files.Main, C.Options.IdentityScheme);
  std::optional<FileHash> Hash;
  if (C.Options.FileHashAsID && C.Files.Main->buildID().empty())
    Hash = hashFile(C.Files.Main->buffer().getBuffer());
  Writer.setInfo(archiveInfo(C, Identity, Hash));
}

/// Writes the address of each section of a relocatable object.
static Error addSectionPlaces(const Conversion &C, ArchiveWriter &Writer) {
  if (C.Files.Main->identity().Type != ELF::ET_REL)
    return Error::success();
  for (const Section *S : placedSections(*C.Files.Main))
    if (Error E = Writer.addSectionPlace(Writer.addString(S->Name), S->Address,
                                         S->Size))
      return addPrefix(C.Files.Main->path(), std::move(E));
  return Error::success();
}

/// Writes where code is in the binary. Omits segments that are not entirely in
/// the file, because they may be those of a debug file, whose headers are not
/// reliable, and segments that overlap, as in crafted files.
static Error addLoadSegments(const Conversion &C, ArchiveWriter &Writer) {
  std::vector<Segment> Code = C.Files.Main->segments();
  erase_if(Code, [](const Segment &S) {
    return S.Type != ELF::PT_LOAD || !(S.Flags & ELF::PF_X) ||
           S.FileSize == 0 || S.FileSize != S.MemorySize;
  });
  llvm::sort(Code, [](const Segment &A, const Segment &B) {
    return std::pair(A.Address, A.Offset) < std::pair(B.Address, B.Offset);
  });
  uint64_t End = 0;
  for (const Segment &S : Code) {
    if (S.Address < End || S.FileSize > UINT64_MAX - S.Address)
      continue;
    End = S.Address + S.FileSize;
    if (Error E = Writer.addLoadSegment(S.Address, S.Offset, S.FileSize))
      return E;
  }
  return Error::success();
}

/// Keeps the headers by which debuggers find the load address of a debug file.
/// Headers of other formats have no equivalent.
static void addLayout(const Conversion &C, ArchiveWriter &Writer) {
  if (C.Files.Main->identity().Format == BinaryFormat::ELF)
    Writer.setLayout(loadedLayout(*C.Files.Main).bytes());
}

Error addPlaces(const Conversion &C, ArchiveWriter &Writer) {
  if (Error E = addSectionPlaces(C, Writer))
    return E;
  if (Error E = addLoadSegments(C, Writer))
    return E;
  addLayout(C, Writer);
  return Error::success();
}

/// The files that may have unwind information.
static SmallVector<Binary *, 2> unwindFiles(const Conversion &C) {
  SmallVector<Binary *, 2> Files = {C.Files.Main.get()};
  if (C.Files.Debug)
    Files.push_back(C.Files.Debug.get());
  return Files;
}

/// Keeps the unwind rows.
static void addUnwindRows(Conversion &C, ArchiveWriter &Writer) {
  if (!C.Options.UnwindRows || !C.Options.Archive.Extension)
    return;
  C.Observer.progress("Reading unwind rows", 0, 1);
  bool IsGo = any_of(C.Statistics.Sources, [](const auto &Source) {
    return Source.Name == "Go" && Source.Functions;
  });
  std::string Rows = readUnwindRows(
      unwindFiles(C), C.Files.code(), Writer.functionStarts(), IsGo,
      C.Statistics.Unwind, [&](Error E) { C.reportBroken(std::move(E)); });
  const SymbolFile *Symbols = C.Files.withDebugInfo().asSymbolFile();
  if (Rows.empty() && Symbols && Symbols->format() == FileKind::Breakpad)
    Rows = readBreakpadCFI(*Symbols, C.Files.Main->imageBase(),
                           C.Statistics.Unwind);
  Writer.setUnwindTable(std::move(Rows));
  if (uint64_t Broken = C.Statistics.Unwind.Broken)
    C.warn(C.Files.Main->path() + ": unwind information is broken, and left " +
           "out from there on, in " + Twine(Broken) +
           (Broken == 1 ? " function" : " functions"));
  C.endPhase("unwind rows");
}

/// Keeps the variables of the functions that the archive has.
static void addVariables(Conversion &C, ArchiveWriter &Writer) {
  if (!C.Options.Variables || !C.Options.Archive.Extension)
    return;
  C.Observer.progress("Reading variables", 0, 1);
  Writer.setVariables(readVariables(C, Writer.functionStarts()));
  C.endPhase("variables");
}

static CodeHints codeHints(const Conversion &C, const ArchiveWriter &Writer) {
  CodeHints Hints;
  Hints.FunctionStarts = Writer.functionStarts();
  C.Files.forEachSymbolTable([&](Binary &File, SymbolTable Table) {
    // Errors were reported when the table was read for its names.
    if (Expected<std::vector<CodeMark>> Marks = File.codeMarks(Table))
      append_range(Hints.Marks, *Marks);
    else
      consumeError(Marks.takeError());
  });
  return Hints;
}

/// Drops pads that do not ascend: the writer would refuse all pads, and another
/// program may have produced them.
static void dropDescending(Conversion &C, std::vector<uint64_t> &Pads) {
  uint64_t Last = 0;
  size_t Before = Pads.size();
  erase_if(Pads, [&](uint64_t Pad) {
    if (Pad <= Last)
      return true;
    Last = Pad;
    return false;
  });
  if (Pads.size() != Before)
    C.warn(C.Files.Main->path() + ": " + Twine(Before - Pads.size()) +
           " return pads do not ascend and are left out");
}

/// The address of the instruction that a new goroutine's stack ends in, as if
/// the goroutine had been called there: the second one of runtime.goexit
/// (newproc1 in Go's runtime/proc.go). No call instruction is before it.
static std::vector<uint64_t> goroutineRoots(Conversion &C) {
  std::vector<uint64_t> Roots;
  if (!C.Options.FindReturnPads || C.Files.Main->asSymbolFile())
    return Roots;
  // Go's PCQuantum.
  uint64_t FirstSize = 4;
  uint16_t Machine = C.Files.Main->identity().Machine;
  if (Machine == ELF::EM_386 || Machine == ELF::EM_X86_64)
    FirstSize = 1;
  else if (Machine == ELF::EM_S390)
    FirstSize = 2;
  // Names of symbols also contain the calling convention.
  StringID Name = C.Strings.intern("runtime.goexit", /*Stable=*/true);
  StringID Symbol = C.Strings.intern("runtime.goexit.abi0", /*Stable=*/true);
  for (const SourceRanges &Source : C.Sources)
    for (const UnitRanges &U : Source.Units)
      for (const Range &R : U.Functions.Ranges)
        if (R.Depth == 0 && (R.Name == Name || R.Name == Symbol) &&
            R.End - R.Start > FirstSize)
          Roots.push_back(R.Start + FirstSize);
  return Roots;
}

static void addPads(std::vector<uint64_t> &Pads, ArrayRef<uint64_t> More) {
  append_range(Pads, More);
  llvm::sort(Pads);
  Pads.erase(llvm::unique(Pads), Pads.end());
}

/// The code is always the binary's, whatever the source of names and lines. A
/// symbfile in its place has the addresses.
static Expected<std::vector<uint64_t>> returnPads(Conversion &C,
                                                  const ArchiveWriter &Writer) {
  const SymbolFile *Symbols = C.Files.Main->asSymbolFile();
  if (Symbols && Symbols->format() == FileKind::Symbfile)
    return std::move(C.ReturnPads);
  return C.Options.FindReturnPads(*C.Files.Main, codeHints(C, Writer),
                                  C.threads());
}

static Error addReturnPads(Conversion &C, ArchiveWriter &Writer,
                           ArrayRef<uint64_t> Roots) {
  if (!C.Options.FindReturnPads)
    return Error::success();
  C.Observer.progress("Finding return pads", 0, 1);
  Expected<std::vector<uint64_t>> Pads = returnPads(C, Writer);
  if (!Pads) {
    Error E = Pads.takeError();
    if (!E.isA<DamagedError>() && !E.isA<LimitError>())
      return E;
    C.warn(toString(std::move(E)));
    return Error::success();
  }
  dropDescending(C, *Pads);
  if (!Roots.empty())
    addPads(*Pads, Roots);
  Error E = Writer.setReturnPads(*Pads);
  C.endPhase("return pads");
  return E;
}

/// Dynamic symbols do not count, because a stripped program still has those
/// that it imports.
static bool hasInformation(const Binary &File) {
  return File.findSection(".debug_info") ||
         File.hasSymbolTable(SymbolTable::Symtab);
}

static Error nothingNamed(const Conversion &C) {
  const InputFiles &Files = C.Files;
  auto Make = [&](const Twine &Text) -> Error {
    if (C.LeftOut & format::IO_Damaged)
      return make_error<DamagedError>(Files.Main->path(), Text);
    return make_error<MissingInformationError>(Files.Main->path(), Text);
  };
  if (!Files.Main->size())
    return Make("the caller's extractors name no code");
  bool Any =
      hasInformation(*Files.Main) || Files.Debug || Files.Main->asSymbolFile();
  std::string Place = C.whereDebugInformationIs();
  return Make(
      Twine(
          Any ? "the debug information and symbols that were read name no code"
              : "has neither debug information nor symbols") +
      "; " +
      (!Place.empty() ? Place
       : C.Options.HasDebugFileOption
           ? "name the file that has them with --debug-file="
           : "--debug-file-directory= and --debuginfod find them"));
}

/// The functions in unwind information, if names are compared with them or they
/// are to be kept.
static std::vector<FunctionExtent> functionExtents(const Conversion &C) {
  bool HasSizeless = any_of(C.Sources, [](const auto &S) {
    return any_of(S.Units, [](const auto &U) { return U.HasSizeless; });
  });
  if (!C.Options.Archive.Extension || !(HasSizeless || C.Options.UnwindRows))
    return {};
  return readFunctionExtents(unwindFiles(C), C.Files.code());
}

/// A symbol without a size of a table that has all functions ends where the
/// next one begins, unless unwind information has the end of its function.
static void trustCompleteTables(MutableArrayRef<SourceRanges> Sources,
                                ArrayRef<FunctionExtent> Extents) {
  auto HasExtent = [&](uint64_t Address) {
    const FunctionExtent *Next = firstExtentAfter(Extents, Address);
    return Next != Extents.begin() && Address < Next[-1].End;
  };
  for (SourceRanges &Source : Sources)
    for (UnitRanges &Unit : Source.Units) {
      if (!Unit.IsComplete || !Unit.HasSizeless)
        continue;
      RangeTrees &Functions = Unit.Functions;
      for (size_t I = 0; I != Functions.Ranges.size(); ++I)
        if (isSizeless(Functions.Ranges[I].Origin) &&
            !HasExtent(Functions.entry(I)))
          Functions.Ranges[I].Origin = Unit.Origin;
    }
}

static MergeOptions mergeOptions(Conversion &C,
                                 ArrayRef<FunctionExtent> Extents) {
  MergeOptions O;
  O.Extents = Extents;
  O.Threads = C.threads();
  O.CheckCancelled = [&C] { return C.checkCancelled(); };
  O.Aliases = C.SymbolNames;
  O.Transform = C.Options.Transform.get();
  O.MaxTransformed = C.maxNameBytes();
  return O;
}

using WriteFunction = function_ref<Expected<ArchiveSizes>(ArchiveWriter &)>;

/// Merges the sources and calls \p Write to write the archive.
static Error writeArchive(Conversion &C, WriteFunction Write) {
  ArchiveWriter Writer(C.Options.Archive);
  setInfo(C, Writer);
  C.Observer.progress("Merging", 0, 1);
  std::vector<uint64_t> Roots = goroutineRoots(C);
  std::vector<FunctionExtent> Extents = functionExtents(C);
  trustCompleteTables(C.Sources, Extents);
  Expected<MergeResult> Merged =
      merge(std::move(C.Sources), C.Strings, Writer, mergeOptions(C, Extents));
  if (!Merged)
    return Merged.takeError();
  if (uint64_t Count = Merged->PiecesWithoutCalls)
    C.warn(C.Files.Main->path() + ": functions overlap so often that " +
           Twine(Count) + " of their pieces are without inlined calls");
  if (uint64_t Count = Merged->TextsUnchanged)
    C.warn(C.Files.Main->path() +
           ": the new names and paths are so long that " + Twine(Count) +
           " stay as they were");
  C.Statistics.RangesRepeated = Merged->RangesRepeated;
  uint64_t BytesKnown = Merged->BytesNameless;
  for (auto [Source, Bytes] :
       llvm::zip_equal(C.Statistics.Sources, Merged->BytesNamed)) {
    Source.BytesNamed = Bytes;
    BytesKnown += Bytes;
  }
  if (!BytesKnown)
    return nothingNamed(C);
  if (Error E = C.checkYield(*Merged))
    return E;
  C.endPhase("merge");
  if (Error E = C.checkCancelled())
    return E;
  if (Error E = addReturnPads(C, Writer, Roots))
    return E;
  addUnwindRows(C, Writer);
  addVariables(C, Writer);
  if (Error E = C.takeFatalError())
    return E;
  if (Error E = addPlaces(C, Writer))
    return E;
  if (Error E = C.checkCancelled())
    return E;
  C.Observer.progress("Writing", 0, 1);
  Expected<ArchiveSizes> Sizes = Write(Writer);
  if (!Sizes)
    return Sizes.takeError();
  C.Statistics.Sizes = std::move(*Sizes);
  if (uint64_t Count = C.Statistics.Sizes.StatementsLeftOut)
    C.warn(C.Files.Main->path() + ": the line tables of " + Twine(Count) +
           " functions are too long for debuggers, which get lines only");
  C.endPhase("write");
  return Error::success();
}

static Expected<ConvertStatistics> run(std::unique_ptr<Binary> Main,
                                       const ConvertOptions &Options,
                                       ConvertObserver &Observer,
                                       WriteFunction Write) {
  Conversion C(Options, Observer);
  if (Error E = C.read(std::move(Main)))
    return E;
  if (Error E = writeArchive(C, Write))
    return E;
  return std::move(C.Statistics);
}

static Error createFoldersOf(StringRef Path) {
  StringRef Folder = sys::path::parent_path(Path);
  if (std::error_code EC = sys::fs::create_directories(
          Folder, /*IgnoreExisting=*/true, sys::fs::all_all))
    return make_error<SystemError>(EC, Folder);
  return Error::success();
}

Expected<ConvertStatistics> convert(std::unique_ptr<Binary> Main,
                                    StringRef Output,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer,
                                    bool CreateFolders) {
  for (StringRef Input : {Main->path(), StringRef(Options.DebugFile)})
    if (!Input.empty() && sys::fs::equivalent(Input, Output))
      return make_error<ArgumentError>(Output,
                                       "the archive would overwrite the file "
                                       "that it is made from");
  auto Write = [&](ArchiveWriter &Writer) -> Expected<ArchiveSizes> {
    if (Error E = CreateFolders ? createFoldersOf(Output) : Error::success())
      return E;
    return Writer.writeFile(Output, Options.Output,
                            Options.Compress ? &*Options.Compress : nullptr);
  };
  return run(std::move(Main), Options, Observer, Write);
}

Expected<ConvertStatistics> convert(StringRef BinaryPath, StringRef Output,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer) {
  Expected<std::unique_ptr<Binary>> Main =
      Binary::open(BinaryPath, Options.Architecture);
  if (!Main)
    return Main.takeError();
  return convert(std::move(*Main), Output, Options, Observer);
}

Expected<ConvertStatistics> convert(std::unique_ptr<Binary> Main,
                                    raw_ostream &OS,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer) {
  return run(std::move(Main), Options, Observer,
             [&](ArchiveWriter &Writer) { return Writer.write(OS); });
}

Expected<Archive> convertToMemory(std::unique_ptr<Binary> Main,
                                  const ConvertOptions &Options,
                                  ConvertObserver &Observer) {
  std::string Name = Main->path().str();
  SmallString<0> Bytes;
  raw_svector_ostream OS(Bytes);
  if (Error E = convert(std::move(Main), OS, Options, Observer).takeError())
    return E;
  return Archive::create(std::make_unique<SmallVectorMemoryBuffer>(
      std::move(Bytes), Name, /*RequiresNullTerminator=*/false));
}

Expected<ConvertStatistics> convert(MemoryBufferRef BinaryBytes,
                                    StringRef Output,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer) {
  Expected<std::unique_ptr<Binary>> Main =
      Binary::create(MemoryBuffer::getMemBuffer(BinaryBytes,
                                                /*RequiresNullTerminator=*/
                                                false),
                     BinaryBytes.getBufferIdentifier(), Options.Architecture);
  if (!Main)
    return Main.takeError();
  return convert(std::move(*Main), Output, Options, Observer);
}

Expected<ConvertStatistics> convert(const object::ObjectFile &File,
                                    StringRef Output,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer) {
  return convert(File.getMemoryBufferRef(), Output, Options, Observer);
}

Expected<ConvertStatistics> convert(RangeExtractor &Extractor,
                                    const ModuleInfo &Module, StringRef Output,
                                    const ConvertOptions &Options,
                                    ConvertObserver &Observer) {
  ConvertOptions O = Options;
  O.Extractors.insert(O.Extractors.begin(), &Extractor);
  O.Sources.clear();
  return convert(createModule(Module.Name, Module.Identity, Module.BuildID),
                 Output, O, Observer);
}

Error readSources(StringRef BinaryPath, const ConvertOptions &Options,
                  ConvertObserver &Observer,
                  function_ref<void(const ConvertStatistics::Source &,
                                    const SourceRanges &, const StringPool &)>
                      Visit) {
  Expected<std::unique_ptr<Binary>> Main =
      Binary::open(BinaryPath, Options.Architecture);
  if (!Main)
    return Main.takeError();
  Conversion C(Options, Observer);
  if (Error E = C.read(std::move(*Main)))
    return E;
  for (auto [Source, Ranges] : zip_equal(C.Statistics.Sources, C.Sources))
    Visit(Source, Ranges, C.Strings);
  return Error::success();
}

void keepAllForLookup(ConvertOptions &O) {
  O.Lines = O.Files = O.EmbeddedSources = O.UnwindRows = true;
  O.Archive.Columns = O.Archive.Checksums = true;
}

} // namespace lidia
