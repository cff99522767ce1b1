//===- Profile.cpp - llvm-lidia profile: symbolizes profiles --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AnswerOptions.h"
#include "Answers.h"
#include "CacheOptions.h"
#include "ContentOptions.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "StoreOptions.h"
#include "WholeInput.h"
#include "lidia/Archive/OutputFile.h"
#include "lidia/Object/FileKind.h"
#include "lidia/Profile/BaseProfile.h"
#include "lidia/Profile/ProfileFile.h"
#include "lidia/Profile/SymbolizeFile.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace {

/// The parsed command line.
struct ProfileRequest {
  std::string Input;
  const lidia::ProfileFormat *InputFormat = nullptr;
  std::string Output;
  /// If null, the format of the input, if that is pprof or OTLP.
  const lidia::ProfileFormat *OutputFormat = nullptr;
  /// Whether to compress the output with gzip; by default, its name decides.
  std::optional<bool> Packed;
  std::vector<std::string> Binaries;
  std::vector<std::string> Folders;
  std::string Root;
  std::string SampleIndex;
  /// The profile to compare with; may be empty.
  std::string Base;
  lidia::SourceURLs Sources;
  bool Summary = false;
  bool Quiet = false;
  lidia::ProfileSymbolizerOptions Symbolizer;
  lidia::ModuleArchivesOptions Archives;
  lidia::CacheOptions Cache;
};

} // namespace

namespace lidia {

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static bool isELF(const std::string &Path) {
  return Path != "-" && fileKindOf(Path) == FileKind::ELF;
}

/// Reads the profile, and binaries before or after it, because pprof takes the
/// program first.
static void readOperands(CommandLine &Line, ProfileRequest &R) {
  for (const std::string &Operand : Line.operands()) {
    if (isELF(Operand))
      R.Binaries.push_back(Operand);
    else if (R.Input.empty())
      R.Input = Operand;
    else
      Line.fail("'" + Operand +
                "' is not a binary, and only one profile can be given");
  }
  if (R.Input.empty())
    Line.fail("expected a profile");
}

static void readFormats(CommandLine &Line, ProfileRequest &R) {
  const opt::InputArgList &Args = Line.args();
  if (const opt::Arg *A = Args.getLastArg(OPT_input_format_EQ))
    if (Error E = findReadFormat(A->getValue(), "--input-format=")
                      .moveInto(R.InputFormat))
      Line.fail(toString(std::move(E)));
  R.Output = Args.getLastArgValue(OPT_output_EQ, "-").str();
  R.OutputFormat = R.Output == "-" ? findProfileFormat("text")
                                   : profileFormatOfPath(R.Output);
  if (StringRef(R.Output).ends_with(".gz"))
    R.Packed = true;
  else if (R.OutputFormat && R.Output != "-")
    R.Packed = false;
  if (const opt::Arg *A = Args.getLastArg(OPT_output_format_EQ))
    if (Error E = findWrittenFormat(A->getValue(), "--output-format=")
                      .moveInto(R.OutputFormat))
      Line.fail(toString(std::move(E)));
}

static ProfileRequest readProfileRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  ProfileRequest R;
  readOperands(Line, R);
  readFormats(Line, R);
  R.Folders = Args.getAllArgValues(OPT_modules_from_EQ);
  R.Root = Args.getLastArgValue(OPT_sysroot_EQ).str();
  R.SampleIndex = Args.getLastArgValue(OPT_sample_index_EQ).str();
  R.Base = Args.getLastArgValue(OPT_base_EQ).str();
  R.Quiet = Args.hasArg(OPT_quiet);
  R.Summary = Args.hasArg(OPT_summary) || (!R.Quiet && errs().is_displayed());
  AnswerOptions Answers = readAnswerOptions(Line);
  R.Sources = Answers.Links;
  R.Symbolizer.Symbolizer = Answers.Symbolizer;
  R.Symbolizer.Symbolizer.Text = TextForm::UTF8;
  R.Symbolizer.Inlines = Answers.Inlines;
  R.Symbolizer.Force = Args.hasArg(OPT_force);
  R.Symbolizer.VMLinux = Args.getLastArgValue(OPT_vmlinux_EQ).str();
  ConvertOptions &O = R.Archives.Conversion;
  readModuleSourceOptions(Line, O);
  keepAllForLookup(O);
  R.Archives.Columns = true;
  readStoreOfModules(Line, R.Archives);
  // In a folder with files from elsewhere, a link beside a file could lead out
  // of the folder.
  R.Archives.Open = readOpenOptions(Line);
  R.Archives.Beside = R.Root == "/" || (R.Root.empty() && R.Folders.empty());
  searchSystem(R.Root, O);
  R.Cache = readCacheOptions(Line);
  return R;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Expected<ProfileFile> readInput(const ProfileRequest &R, StringRef Path,
                                       ModuleFinder &Files,
                                       ModuleArchives &Archives,
                                       WarningFunction Warn) {
  Expected<std::unique_ptr<MemoryBuffer>> File = readWholeInput(Path);
  if (!File)
    return File.takeError();
  ProfileReadOptions Options;
  Options.Format = R.InputFormat;
  Options.Output = R.OutputFormat;
  Options.Root = R.Root;
  Options.Written = timeWritten(Path);
  Options.Files = &Files;
  Options.Archives = &Archives;
  Expected<ProfileFile> Result = readProfile(std::move(*File), Options, Warn);
  if (Result && Path != "-")
    Result->Title = Path.str();
  return Result;
}

/// Adds the profile of --base to \p In.
static Error addBase(const ProfileRequest &R, ProfileFile &In,
                     ModuleFinder &Files, ModuleArchives &Archives,
                     WarningFunction Warn) {
  const ProfileFormat &Output =
      R.OutputFormat ? *R.OutputFormat : In.ownOutput();
  if (In.isKeptIn(Output))
    return createStringError("--base= does not go with --output-format=" +
                             Output.Name + " of a profile in that format");
  Expected<ProfileFile> Base = readInput(R, R.Base, Files, Archives, Warn);
  if (!Base)
    return Base.takeError();
  symbolizeProfile(Base->profile(), Files, Archives, R.Symbolizer);
  In.Title += " compared with " + Base->Title;
  Error E = addBaseProfile(In.profile(), Base->profile());
  return E ? createStringError(R.Base + ": " + toString(std::move(E)))
           : Error::success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Error writeOutput(const ProfileRequest &R, const ProfileFile &In,
                         WarningFunction Warn) {
  const ProfileFormat &Format =
      R.OutputFormat ? *R.OutputFormat : In.ownOutput();
  auto Write = [&](raw_ostream &OS) {
    return writeProfile(In, Format, R.Packed, OS, Warn);
  };
  OutputFileOptions Options;
  Options.RemoveOnSignals = true;
  return writeOutputFile(R.Output, Write, Options);
}

/// Says how to see the types of values that an output without a choice leaves
/// out, if the user has not chosen one.
static void noteOtherTypes(const ProfileRequest &R, const Profile &P) {
  bool HasOne = R.OutputFormat && R.OutputFormat->showsOneType();
  // Samples are counted for each event.
  uint32_t First = P.CountsEvents ? 1 : 0;
  if (R.Quiet || !HasOne || !R.SampleIndex.empty() ||
      P.SampleTypes.size() <= First + 1)
    return;
  auto Name = [&](uint32_t I) { return P.Strings[P.SampleTypes[I].Type]; };
  std::vector<std::string> Options;
  for (uint32_t I = First; I != P.SampleTypes.size(); ++I)
    if (I != P.DefaultSampleType)
      Options.push_back("--sample-index=" + escapeText(Name(I)));
  errs() << "llvm-lidia: note: shows " << escapeText(Name(P.DefaultSampleType))
         << "; the others are shown by " << join(Options, ", ") << '\n';
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

/// Warns about modules without answers. If no file may be opened, one warning
/// says what to do about all of them.
static void reportUnopened(const ProfileRequest &R, const ModuleFinder &Files,
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
  // The summary also has the reasons.
  if (!R.Summary)
    for (const UnopenedModule &M : Modules)
      Warn(M.Name + ": " + withoutPath(M.Reason, M.Name));
}

Error runProfile(CommandLine &Line) {
  ProfileRequest R = readProfileRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  Progress Observer(R.Quiet);
  auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
  Expected<ModuleFinder> Files =
      ModuleFinder::forProfile(R.Binaries, R.Folders, R.Root);
  if (!Files)
    return Files.takeError();
  CommandCache C(R.Cache, Observer);
  ModuleArchives Archives(C, R.Archives, Observer);
  Expected<ProfileFile> In = readInput(R, R.Input, *Files, Archives, Warn);
  if (!In)
    return In.takeError();
  if (Error E = selectSampleType(In->profile(), R.SampleIndex))
    return createStringError("--sample-index=: " + toString(std::move(E)));
  ProfileFigures Figures =
      symbolizeProfile(In->profile(), *Files, Archives, R.Symbolizer);
  reportUnopened(R, *Files, Figures.Unopened, Warn);
  if (!R.Base.empty())
    if (Error E = addBase(R, *In, *Files, Archives, Warn))
      return E;
  In->Sources = R.Sources;
  for (const ComparedNames &M : Figures.Doubted)
    Warn(M.warning(R.Input));
  noteOtherTypes(R, In->profile());
  if (Error E = writeOutput(R, *In, Warn))
    return E;
  if (R.Summary)
    printSummary(Figures);
  return Archives.damage();
}

} // namespace lidia
