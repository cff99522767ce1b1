//===- Profile.cpp - llvm-lidia profile: symbolizes profiles --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AnswerOptions.h"
#include "Answers.h"
#include "Archive/InputFile.h"
#include "CacheOptions.h"
#include "ContentOptions.h"
#include "PerfRecording.h"
#include "Profile/Gzip.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "StoreOptions.h"
#include "lidia/Archive/OutputFile.h"
#include "lidia/Profile/FlameGraph.h"
#include "lidia/Profile/OTLP.h"
#include "lidia/Profile/PerfScript.h"
#include "lidia/Profile/Pprof.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Profile/ProfileSymbolizer.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <unistd.h>

using namespace llvm;

namespace {

enum class InputKind { Pprof, OTLP, PerfData, PerfScript };
enum class OutputKind { Pprof, OTLP, OTLPJSON, Text, JSON, Folded, HTML };

/// The parsed command line.
struct Request {
  std::string Input;
  std::optional<InputKind> InputFormat;
  std::string Output;
  /// None: as the input, if it is a file of pprof or OTLP.
  std::optional<OutputKind> OutputFormat;
  /// Whether to pack the output by gzip, if its name says so.
  std::optional<bool> Packed;
  std::vector<std::string> Binaries;
  std::vector<std::string> Folders;
  std::string Root;
  std::string SampleIndex;
  bool Summary = false;
  bool Quiet = false;
  lidia::PerfOptions Perf;
  lidia::ProfileSymbolizerOptions Symbolizer;
  lidia::ModuleArchivesOptions Archives;
  lidia::CacheOptions Cache;
};

/// A profile, whatever it was read from.
struct Input {
  /// Set if it is one of pprof.
  std::optional<lidia::PprofFile> Pprof;
  /// Set if it is one of OTLP.
  std::optional<lidia::OTLPFile> OTLP;
  lidia::Profile Other;
  /// The file, for messages.
  std::string Name;
  /// Whether it was packed by gzip.
  bool WasPacked = false;

  lidia::Profile &profile() {
    return Pprof ? Pprof->profile() : OTLP ? OTLP->profile() : Other;
  }
};

} // namespace

namespace lidia {

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static bool isELF(const std::string &Path) {
  file_magic Magic;
  return Path != "-" && !isDevice(Path) && !identify_magic(Path, Magic) &&
         Magic >= file_magic::elf && Magic <= file_magic::elf_core;
}

/// The profile, and binaries before or behind it: pprof takes the program
/// first.
static void readOperands(CommandLine &Line, Request &R) {
  for (const std::string &Operand : Line.operands()) {
    if (isELF(Operand))
      R.Binaries.push_back(Operand);
    else if (R.Input.empty())
      R.Input = Operand;
    else
      Line.fail("'" + Operand +
                "' is no binary, and there can be only one "
                "profile");
  }
  if (R.Input.empty())
    Line.fail("expected a profile");
}

static std::optional<OutputKind> kindOfOutput(StringRef Path) {
  Path.consume_back(".gz");
  return StringSwitch<std::optional<OutputKind>>(Path)
      .Case("", OutputKind::Text)
      .Case("-", OutputKind::Text)
      .EndsWith(".txt", OutputKind::Text)
      .EndsWith(".otlp.json", OutputKind::OTLPJSON)
      .EndsWith(".json", OutputKind::JSON)
      .EndsWith(".folded", OutputKind::Folded)
      .EndsWith(".html", OutputKind::HTML)
      .EndsWith(".otlp", OutputKind::OTLP)
      .EndsWith(".pb", OutputKind::Pprof)
      .Default(std::nullopt);
}

static void readFormats(CommandLine &Line, Request &R) {
  const opt::InputArgList &Args = Line.args();
  if (const opt::Arg *A = Args.getLastArg(OPT_input_format_EQ)) {
    R.InputFormat = StringSwitch<std::optional<InputKind>>(A->getValue())
                        .Case("pprof", InputKind::Pprof)
                        .Case("otlp", InputKind::OTLP)
                        .Case("perf", InputKind::PerfData)
                        .Case("perf-script", InputKind::PerfScript)
                        .Default(std::nullopt);
    if (!R.InputFormat)
      Line.fail("--input-format=: expected pprof, otlp, perf or "
                "perf-script, but got '" +
                StringRef(A->getValue()) + "'");
  }
  R.Output = Args.getLastArgValue(OPT_output_EQ, "-").str();
  R.OutputFormat = kindOfOutput(R.Output);
  if (StringRef(R.Output).ends_with(".gz"))
    R.Packed = true;
  else if (R.OutputFormat && R.Output != "-")
    R.Packed = false;
  if (const opt::Arg *A = Args.getLastArg(OPT_output_format_EQ)) {
    auto Kind = StringSwitch<std::optional<OutputKind>>(A->getValue())
                    .Case("pprof", OutputKind::Pprof)
                    .Case("otlp", OutputKind::OTLP)
                    .Case("otlp-json", OutputKind::OTLPJSON)
                    .Case("text", OutputKind::Text)
                    .Case("json", OutputKind::JSON)
                    .Case("folded", OutputKind::Folded)
                    .Case("html", OutputKind::HTML)
                    .Default(std::nullopt);
    if (!Kind)
      Line.fail(
          "--output-format=: expected pprof, otlp, otlp-json, text, json, "
          "folded or html, but got '" +
          StringRef(A->getValue()) + "'");
    R.OutputFormat = Kind;
  }
}

static Request readRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  Request R;
  readOperands(Line, R);
  readFormats(Line, R);
  R.Folders = Args.getAllArgValues(OPT_modules_from_EQ);
  R.Root = Args.getLastArgValue(OPT_sysroot_EQ).str();
  R.Perf.Root = R.Root;
  R.Perf.UseServers = Args.hasFlag(OPT_debuginfod, OPT_no_debuginfod, false);
  R.SampleIndex = Args.getLastArgValue(OPT_sample_index_EQ).str();
  R.Quiet = Args.hasArg(OPT_quiet);
  R.Summary = Args.hasArg(OPT_summary) || (!R.Quiet && errs().is_displayed());
  AnswerOptions Answers = readAnswerOptions(Line);
  R.Symbolizer.Symbolizer = Answers.Symbolizer;
  R.Symbolizer.Symbolizer.Text = TextForm::UTF8;
  R.Symbolizer.Inlines = Answers.Inlines;
  R.Symbolizer.Force = Args.hasArg(OPT_force);
  R.Symbolizer.VMLinux = Args.getLastArgValue(OPT_vmlinux_EQ).str();
  ConvertOptions &O = R.Archives.Conversion;
  readModuleSourceOptions(Line, O);
  keepAllForLookup(O);
  readStoreOfModules(Line, R.Archives);
  // In a folder of files from elsewhere, a link beside a file could lead out.
  R.Archives.Open = readOpenOptions(Line);
  R.Archives.Beside = R.Root == "/" || (R.Root.empty() && R.Folders.empty());
  searchSystem(R.Root, O);
  R.Cache = readCacheOptions(Line);
  return R;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Expected<std::unique_ptr<MemoryBuffer>> openInput(StringRef Path) {
  // A device may be endless.
  if (Path != "-" && isDevice(Path))
    return createStringError(Path + " is a device");
  bool IsStandardInput = Path == "-";
  if (IsStandardInput)
    Path = "standard input";
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      IsStandardInput
          ? MemoryBuffer::getOpenFile(STDIN_FILENO, Path, /*FileSize=*/-1,
                                      /*RequiresNullTerminator=*/false)
          : MemoryBuffer::getFile(Path, /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return createStringError(Buffer.getError(),
                             Path + ": " + Buffer.getError().message());
  if ((*Buffer)->getBufferSize() == 0)
    return createStringError(Path + ": is empty");
  return std::move(*Buffer);
}

/// Tells profiles that pprof reads, and this tool does not, from others.
static bool isOlderPprof(StringRef Bytes) {
  // Words of 4 or 8 bytes: 0, 3, 0.
  constexpr StringRef CPU32 =
      StringLiteral::withInnerNUL("\0\0\0\0\3\0\0\0\0\0\0\0");
  constexpr StringRef CPU64 = StringLiteral::withInnerNUL(
      "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
  constexpr StringRef Texts[] = {"heap profile:", "heap_v2/", "heapz ", "--- ",
                                 "growthz "};
  return Bytes.starts_with(CPU32) || Bytes.starts_with(CPU64) ||
         any_of(Texts, [&](StringRef T) { return Bytes.starts_with(T); });
}

static Expected<InputKind> kindOfInput(const Request &R,
                                       const MemoryBuffer &File) {
  if (R.InputFormat)
    return *R.InputFormat;
  StringRef Bytes = File.getBuffer();
  if (Bytes.starts_with("PERFILE2"))
    return InputKind::PerfData;
  if (isOlderPprof(Bytes))
    return createStringError(File.getBufferIdentifier() +
                             ": is in an older format of pprof's; convert it "
                             "by 'pprof -proto PROGRAM FILE'");
  if (OTLPFile::mayBe(Bytes))
    return InputKind::OTLP;
  StringRef Start = Bytes.take_front(4096);
  bool IsText = all_of(Start, [](char C) {
    return uint8_t(C) >= ' ' || C == '\n' || C == '\t' || C == '\r';
  });
  if (!IsText && PprofFile::mayBe(Bytes))
    return InputKind::Pprof;
  if (Start.contains('\0'))
    return createStringError(File.getBufferIdentifier() +
                             ": is no profile of pprof or OpenTelemetry, no "
                             "recording of perf, and not the text of perf "
                             "script");
  return InputKind::PerfScript;
}

static Expected<Profile> readPerfScript(const MemoryBuffer &Text,
                                        WarningFunction Warn) {
  PerfScriptReader Reader;
  for (StringRef Left = Text.getBuffer(); !Left.empty();) {
    auto [Line, Rest] = Left.split('\n');
    Reader.readLine(Line);
    Left = Rest;
  }
  return Reader.finish(Text.getBufferIdentifier(), Warn);
}

static Expected<OTLPFile> readOTLP(const Request &R,
                                   std::unique_ptr<MemoryBuffer> File,
                                   WarningFunction Warn) {
  // To be written as it was, samples need not be understood.
  bool WithSamples = R.OutputFormat && *R.OutputFormat != OutputKind::OTLP &&
                     *R.OutputFormat != OutputKind::OTLPJSON;
  return OTLPFile::read(std::move(File), WithSamples, Warn);
}

static Expected<Input> readInput(const Request &R, WarningFunction Warn) {
  Expected<std::unique_ptr<MemoryBuffer>> File = openInput(R.Input);
  if (!File)
    return File.takeError();
  Input Result;
  Result.WasPacked = isGzip((*File)->getBuffer());
  Result.Name = (*File)->getBufferIdentifier().str();
  if (Error E = unpackProfile(std::move(*File)).moveInto(*File))
    return E;
  InputKind Kind = InputKind::PerfScript;
  if (Error E = kindOfInput(R, **File).moveInto(Kind))
    return E;
  if (Kind == InputKind::OTLP) {
    if (Error E = readOTLP(R, std::move(*File), Warn).moveInto(Result.OTLP))
      return E;
    return Result;
  }
  if (Kind != InputKind::Pprof) {
    bool IsRecording = !Result.WasPacked && sys::fs::is_regular_file(R.Input);
    Expected<Profile> P =
        Kind == InputKind::PerfData
            ? readPerfRecording(**File, IsRecording ? R.Input : "", R.Perf,
                                Warn)
            : readPerfScript(**File, Warn);
    if (!P)
      return P.takeError();
    Result.Other = std::move(*P);
    return Result;
  }
  // To be written as it was, samples need not be understood.
  bool WithSamples =
      R.OutputFormat.value_or(OutputKind::Pprof) != OutputKind::Pprof;
  Expected<PprofFile> Opened =
      PprofFile::read(std::move(*File), WithSamples, Warn);
  if (!Opened)
    return Opened.takeError();
  Result.Pprof.emplace(std::move(*Opened));
  return Result;
}

/// Finds the type of value that --sample-index names.
static Error selectValue(Profile &P, const std::string &Index) {
  if (Index.empty())
    return Error::success();
  uint32_t Number = 0;
  if (!StringRef(Index).getAsInteger(10, Number) &&
      Number < P.SampleTypes.size()) {
    P.DefaultSampleType = Number;
    return Error::success();
  }
  std::vector<std::string> Names;
  for (size_t I = 0; I != P.SampleTypes.size(); ++I) {
    Names.push_back(P.Strings[P.SampleTypes[I].Type].str());
    if (Names.back() != Index)
      continue;
    P.DefaultSampleType = uint32_t(I);
    return Error::success();
  }
  return createStringError("--sample-index=: the profile has no '" + Index +
                           "', only " + join(Names, ", "));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static OutputKind kindOfOutput(const Request &R, const Input &In) {
  OutputKind AsInput = !In.OTLP            ? OutputKind::Pprof
                       : In.OTLP->isJSON() ? OutputKind::OTLPJSON
                                           : OutputKind::OTLP;
  return R.OutputFormat.value_or(AsInput);
}

/// About how much is written, but for what is written as it was read.
static uint64_t estimateOutput(Input &In, OutputKind Kind) {
  switch (Kind) {
  case OutputKind::Pprof:
    return In.Pprof ? 0 : estimatePprof(In.profile());
  case OutputKind::OTLP:
  case OutputKind::OTLPJSON:
    return In.OTLP ? 0 : estimateOTLP(In.profile());
  case OutputKind::Text:
  case OutputKind::JSON:
  case OutputKind::Folded:
  case OutputKind::HTML:
    break;
  }
  return estimateText(In.profile());
}

static void writeBinaryOTLP(Input &In, raw_ostream &OS) {
  if (In.OTLP)
    In.OTLP->write(OS);
  else
    writeOTLP(In.profile(), OS);
}

/// Whether to pack the output: what its name says; otherwise a profile stays as
/// it was, and a new one of pprof is as pprof writes it.
static bool isPacked(const Request &R, const Input &In, OutputKind Kind) {
  if (R.Packed)
    return *R.Packed;
  if (Kind == OutputKind::Pprof)
    return !In.Pprof || In.WasPacked;
  return In.OTLP && In.WasPacked &&
         (Kind == OutputKind::OTLP || Kind == OutputKind::OTLPJSON);
}

static void writeProfile(const Request &R, Input &In, OutputKind Kind,
                         raw_ostream &OS, WarningFunction Warn) {
  const Profile &P = In.profile();
  switch (Kind) {
  case OutputKind::Pprof:
    return In.Pprof ? In.Pprof->write(OS) : writePprof(P, OS);
  case OutputKind::OTLP:
    return writeBinaryOTLP(In, OS);
  case OutputKind::OTLPJSON: {
    std::string Message;
    raw_string_ostream Binary(Message);
    writeBinaryOTLP(In, Binary);
    return writeOTLPJSON(Message, OS, Warn);
  }
  case OutputKind::Text:
    return printProfileText(P, OS);
  case OutputKind::JSON:
    return printProfileJSON(P, OS);
  case OutputKind::Folded:
    return printFoldedStacks(P, OS);
  case OutputKind::HTML:
    return printFlameGraph(P, R.Input == "-" ? "Profile" : R.Input, OS);
  }
}

static Error writeOutput(const Request &R, Input &In, WarningFunction Warn) {
  OutputKind Kind = kindOfOutput(R, In);
  if (Error E = In.profile().checkOutput(estimateOutput(In, Kind), In.Name))
    return E;
  if (Kind != OutputKind::Pprof && Kind != OutputKind::OTLP &&
      Kind != OutputKind::OTLPJSON && In.profile().Samples.empty())
    Warn(In.Name + ": has no samples");
  auto Write = [&](raw_ostream &OS) -> Error {
    auto WriteTo = [&](raw_ostream &To) {
      writeProfile(R, In, Kind, To, Warn);
    };
    if (isPacked(R, In, Kind))
      writeGzip(OS, WriteTo);
    else
      WriteTo(OS);
    return Error::success();
  };
  OutputFileOptions Options;
  Options.RemoveOnSignals = true;
  return writeOutputFile(R.Output, Write, Options);
}

static void printSummary(const ProfileFigures &F) {
  raw_ostream &OS = errs();
  OS << "locations: " << F.Locations << ", of which " << F.LeftAlone
     << " had lines\n"
     << "answers: " << F.WithLines << " with lines, " << F.WithNames
     << " with names only, " << F.WithNothing << " with neither\n"
     << "modules: " << F.Modules << ", of which " << F.ModulesOpened
     << " opened\n";
  std::vector<std::pair<uint64_t, StringRef>> Reasons;
  for (const auto &Entry : F.Reasons)
    Reasons.push_back({~Entry.getValue(), Entry.getKey()});
  llvm::sort(Reasons);
  for (const auto &[Count, Reason] : Reasons) {
    OS << "  " << ~Count << ": ";
    printText(OS, Reason);
    OS << '\n';
  }
}

/// The names of \p Modules for a message: "a, b and 3 others".
static std::string namesOf(ArrayRef<UnopenedModule> Modules) {
  constexpr size_t Most = 3;
  std::vector<std::string> Names;
  StringSet<> Known;
  for (const UnopenedModule &M : Modules)
    if (Known.insert(M.Name).second)
      Names.push_back(M.Name);
  size_t Shown = Names.size() > Most + 1 ? Most : Names.size();
  std::string Last = Shown == Names.size()
                         ? Names[--Shown]
                         : utostr(Names.size() - Shown) + " others";
  if (Shown == 0)
    return Last;
  return join(ArrayRef(Names).take_front(Shown), ", ") + " and " + Last;
}

/// Warns of modules that are not answered. If no file may be opened, one
/// warning says what to do about all of them.
static void reportUnopened(const Request &R, const ModuleFinder &Files,
                           ArrayRef<UnopenedModule> Modules,
                           WarningFunction Warn) {
  if (Modules.empty())
    return;
  if (Files.isClosed())
    return Warn(R.Input + ": the files that it names are not opened (" +
                namesOf(Modules) +
                "): use --sysroot=/ if they are those of this system, "
                "--modules-from=FOLDER for a folder that has them, or name "
                "them on the command line");
  // The summary has the reasons, too.
  if (!R.Summary)
    for (const UnopenedModule &M : Modules)
      Warn(M.Name + ": " + withoutPath(M.Reason, M.Name));
}

/// Warns of answers that perf contradicts.
static void reportDoubted(const Request &R, ArrayRef<ComparedNames> Modules,
                          WarningFunction Warn) {
  for (const ComparedNames &M : Modules)
    Warn(R.Input + ": perf names other functions at " + Twine(M.Different) +
         " of " + Twine(M.Compared) + " addresses in " + M.Module +
         ": one of the two had another file, or other mappings");
}

Error runProfile(CommandLine &Line) {
  Request R = readRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  Progress Observer(R.Quiet);
  auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
  Expected<ModuleFinder> Files =
      ModuleFinder::forProfile(R.Binaries, R.Folders, R.Root);
  if (!Files)
    return Files.takeError();
  Expected<Input> In = readInput(R, Warn);
  if (!In)
    return In.takeError();
  if (Error E = selectValue(In->profile(), R.SampleIndex))
    return E;
  CommandCache C(R.Cache, Observer);
  ModuleArchives Archives(C, R.Archives, Observer);
  ProfileFigures Figures =
      symbolizeProfile(In->profile(), *Files, Archives, R.Symbolizer);
  reportUnopened(R, *Files, Figures.Unopened, Warn);
  reportDoubted(R, Figures.Doubted, Warn);
  if (Error E = writeOutput(R, *In, Warn))
    return E;
  if (R.Summary)
    printSummary(Figures);
  return Archives.damage();
}

} // namespace lidia
