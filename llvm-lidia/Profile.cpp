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
#include "Instruction.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "SourceText.h"
#include "WholeInput.h"
#include "lidia/Object/FileKind.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Profile/SymbolizeFile.h"
#include "lidia/Support/OutputFile.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace {

/// The parsed command line.
struct ProfileRequest {
  std::string Input;
  /// The profiles to add up, of which Input is the first.
  std::vector<std::string> Merged;
  std::string Output;
  lidia::ProfileFileOptions File;
  /// The profile to compare with; may be empty.
  std::string Base;
  /// The functions to print with their sources, or instructions; may be empty.
  std::string List;
  std::string Disassemble;
  lidia::SourcePath Sources;
  bool Summary = false;
  bool Quiet = false;
  lidia::SymbolSources Modules;
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

/// Adds the files in and below \p Folder, in order of name.
static void addFilesIn(CommandLine &Line, const std::string &Folder,
                       std::vector<std::string> &To) {
  std::vector<std::string> Found;
  std::error_code EC;
  for (sys::fs::recursive_directory_iterator It(Folder, EC), End;
       !EC && It != End; It.increment(EC))
    if (It->type() == sys::fs::file_type::regular_file)
      Found.push_back(It->path());
  if (EC)
    Line.fail(Folder + ": " + EC.message());
  llvm::sort(Found);
  append_range(To, Found);
}

/// Reads the profile, and binaries before or after it, because pprof takes the
/// program first.
static void readOperands(CommandLine &Line, ProfileRequest &R) {
  R.Modules.TrustNames = true;
  bool Merges = Line.args().hasArg(OPT_merge);
  std::vector<std::string> Inputs;
  for (const std::string &Operand : Line.operands()) {
    bool IsFolder = sys::fs::is_directory(Operand);
    if (IsFolder && !Merges)
      Line.fail("'" + Operand +
                "' is a folder: --merge adds up the profiles in it");
    else if (IsFolder)
      addFilesIn(Line, Operand, Inputs);
    else if (isELF(Operand))
      R.Modules.Files.push_back(Operand);
    else if (Merges)
      Inputs.push_back(Operand);
    else if (R.Input.empty())
      R.Input = Operand;
    else
      Line.fail("'" + Operand +
                "' is not a binary, and only one profile can be given without "
                "--merge");
  }
  if (!Inputs.empty()) {
    R.Input = Inputs.front();
    R.Merged = std::move(Inputs);
  }
  if (R.Input.empty() && R.Modules.Files.empty())
    Line.fail("no profile given (see llvm-lidia profile --help)");
  else if (R.Input.empty())
    Line.fail("no profile given: '" + R.Modules.Files.front() +
              "' is a binary");
}

/// Refuses an output such as x.svg, which other tools write: any other ending
/// may be a profile's.
static void checkEnding(CommandLine &Line, const ProfileRequest &R) {
  StringRef Ending = sys::path::extension(R.Output);
  bool IsOthers =
      StringSwitch<bool>(Ending)
          .Cases(".svg", ".png", ".pdf", ".dot", ".csv", ".md", true)
          .Default(false);
  if (IsOthers && !R.File.Formats.Output)
    Line.fail(R.Output + ": no format has the ending '" + Ending +
              "': name one with --format= (html is a flame graph)");
}

static void readFormats(CommandLine &Line, ProfileRequest &R) {
  const opt::InputArgList &Args = Line.args();
  if (const opt::Arg *A = Args.getLastArg(OPT_input_format_EQ))
    if (Error E = findReadFormat(A->getValue(), "--input-format=")
                      .moveInto(R.File.Formats.Format))
      Line.fail(toString(std::move(E)));
  R.Output = Args.getLastArgValue(OPT_output_EQ, "-").str();
  bool IsTable = Args.hasArg(OPT_sort_EQ, OPT_by_EQ);
  R.File.Formats.Output = R.Output == "-"
                              ? findProfileFormat(IsTable ? "top" : "text")
                              : profileFormatOfPath(R.Output);
  if (StringRef(R.Output).ends_with(".gz"))
    R.File.Packed = true;
  else if (R.File.Formats.Output && R.Output != "-")
    R.File.Packed = false;
  if (const opt::Arg *A = Args.getLastArg(OPT_format_EQ))
    if (Error E = findWrittenFormat(A->getValue(), "--format=")
                      .moveInto(R.File.Formats.Output))
      Line.fail(toString(std::move(E)));
  if (!Args.hasArg(OPT_list_source_EQ, OPT_disasm_EQ))
    checkEnding(Line, R);
}

static ProfileSelection readSelection(const opt::InputArgList &Args) {
  ProfileSelection S;
  S.Focus = Args.getLastArgValue(OPT_focus_EQ).str();
  S.Ignore = Args.getLastArgValue(OPT_ignore_EQ).str();
  S.Hide = Args.getLastArgValue(OPT_hide_EQ).str();
  S.Show = Args.getLastArgValue(OPT_show_EQ).str();
  S.Threads = Args.getAllArgValues(OPT_thread_EQ);
  S.Processes = Args.getAllArgValues(OPT_process_EQ);
  S.CPUs = Args.getAllArgValues(OPT_cpu_EQ);
  S.CGroups = Args.getAllArgValues(OPT_cgroup_EQ);
  S.Time = Args.getLastArgValue(OPT_time_EQ).str();
  return S;
}

static ProfileView readView(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  ProfileView V;
  V.RawUnits = Args.hasArg(OPT_raw_units);
  if (const opt::Arg *A = Args.getLastArg(OPT_limit_EQ))
    if (StringRef(A->getValue()).getAsInteger(10, V.Limit))
      Line.fail("--limit= needs a number, but got '" +
                StringRef(A->getValue()) + "'");
  using Order = ProfileView::Order;
  StringRef Sort = Args.getLastArgValue(OPT_sort_EQ);
  auto Column = StringSwitch<std::optional<Order>>(Sort)
                    .Case("", Order::Auto)
                    .Case("self", Order::Self)
                    .Case("total", Order::Total)
                    .Case("change", Order::Change)
                    .Default(std::nullopt);
  if (!Column)
    Line.fail("--sort=: expected self, total or change, but got '" + Sort +
              "'");
  V.Sort = Column.value_or(Order::Auto);
  if (V.Sort == Order::Change && !Args.hasArg(OPT_base_EQ))
    Line.fail("--sort=change needs --base=");
  using By = ProfileView::By;
  StringRef Rows = Args.getLastArgValue(OPT_by_EQ, "function");
  auto Known = StringSwitch<std::optional<By>>(Rows)
                   .Case("function", By::Function)
                   .Case("line", By::Line)
                   .Case("file", By::File)
                   .Case("module", By::Module)
                   .Case("thread", By::Thread)
                   .Default(std::nullopt);
  if (!Known)
    Line.fail("--by=: expected function, line, file, module or thread, but "
              "got '" +
              Rows + "'");
  V.Rows = Known.value_or(By::Function);
  return V;
}

/// Whether to fail if the store does not answer.
static bool needsStore(CommandLine &Line) {
  StringRef What = Line.args().getLastArgValue(OPT_on_store_error_EQ, "fail");
  if (What != "fail" && What != "null")
    Line.fail("--on-store-error=: expected fail or null, but got '" + What +
              "'");
  return What == "fail";
}

/// The expression of \p ID, --list= or --disasm=.
static std::string readList(CommandLine &Line, opt::OptSpecifier ID) {
  const opt::Arg *A = Line.args().getLastArg(ID);
  std::string Text = A ? A->getValue() : "", Why;
  if (Text.empty())
    return Text;
  if (!Regex(Text).isValid(Why))
    Line.fail(A->getSpelling() + ": '" + Text + "': " + Why);
  if (Line.args().hasArg(OPT_format_EQ))
    Line.fail(A->getSpelling() +
              " prints text: it cannot be combined with --format=");
  return Text;
}

static ProfileRequest readProfileRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  ProfileRequest R;
  R.Modules = readSymbolSources(Line);
  R.Modules.Archives.NeedsStore = needsStore(Line);
  readOperands(Line, R);
  readFormats(Line, R);
  R.File.SampleIndex = Args.getLastArgValue(OPT_sample_index_EQ).str();
  R.File.Selection = readSelection(Args);
  R.File.View = readView(Line);
  R.Base = Args.getLastArgValue(OPT_base_EQ).str();
  R.List = readList(Line, OPT_list_source_EQ);
  R.Disassemble = readList(Line, OPT_disasm_EQ);
  if (!R.List.empty() && !R.Disassemble.empty())
    Line.fail("only one of --list= and --disasm= can be given");
  // They need the samples, whatever the output is called.
  if (!R.List.empty() || !R.Disassemble.empty())
    R.File.Formats.Output = findProfileFormat("text");
  R.File.Formats.TailCalls = !Args.hasArg(OPT_no_tail_calls);
  R.Quiet = Args.hasArg(OPT_quiet);
  R.Summary = Args.hasArg(OPT_summary) || (!R.Quiet && errs().is_displayed());
  AnswerDefaults Defaults;
  Defaults.Doubt = true;
  Defaults.Formats = {};
  AnswerOptions Answers = readAnswerOptions(Line, Defaults);
  bool HasName = R.Input != "-" && !Args.hasArg(OPT_merge);
  R.File.Title = HasName ? R.Input : "";
  R.Sources = std::move(Answers.Sources);
  R.File.Sources = Answers.Links;
  R.File.Symbolizer.Symbolizer = Answers.Symbolizer;
  R.File.Symbolizer.Symbolizer.Text = TextForm::UTF8;
  R.File.Symbolizer.Inlines = Answers.Frames == FrameChoice::All;
  R.File.Symbolizer.Force = Args.hasArg(OPT_all_locations);
  R.File.Symbolizer.VMLinux = Args.getLastArgValue(OPT_vmlinux_EQ).str();
  R.Cache = readCacheOptions(Line);
  return R;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static bool writeSourceList(const ProfileRequest &R, const Profile &P,
                            raw_ostream &OS) {
  SourceText Text(/*Lines=*/0, TextForm::Printable, R.Sources);
  auto LineOf = [&](StringRef File, uint32_t Number) {
    return Text.lineOf(File, Number);
  };
  return printSourceList(P, Regex(R.List), R.File.View, LineOf, OS);
}

static bool writeCodeList(const ProfileRequest &R, const Profile &P,
                          ModuleResolver &Modules, raw_ostream &OS) {
  auto Read = [](const ArchiveInfo &I, uint64_t Address,
                 ArrayRef<uint8_t> Code) -> std::vector<CodeLine> {
    const UnwindMachine *Machine = UnwindMachine::find(I);
    return Machine ? disassembleApart(*Machine, Address, Code)
                   : std::vector<CodeLine>();
  };
  return printCodeList(P, Regex(R.Disassemble), R.File.View, Modules, Read, OS);
}

static Error writeOutput(const ProfileRequest &R, const ProfileFile &In,
                         ModuleResolver &Modules, WarningFunction Warn) {
  auto NothingFound = [&](StringRef Option, StringRef Pattern) {
    Warn(R.Input + ": no function with values matches " + Option + Pattern);
  };
  auto Write = [&](raw_ostream &OS) -> Error {
    if (!R.List.empty()) {
      if (!writeSourceList(R, In.profile(), OS))
        NothingFound("--list=", R.List);
    } else if (!R.Disassemble.empty()) {
      if (!writeCodeList(R, In.profile(), Modules, OS))
        NothingFound("--disasm=", R.Disassemble);
    } else {
      return writeProfileFile(In, R.File, Warn, OS);
    }
    return Error::success();
  };
  OutputFileOptions Options;
  Options.RemoveOnSignals = true;
  return writeOutputFile(R.Output, Write, Options);
}

/// Says how to see the types of values that an output without a choice leaves
/// out, if the user has not chosen one.
static void noteOtherTypes(const ProfileRequest &R, const Profile &P) {
  bool HasOne = R.File.Formats.Output && R.File.Formats.Output->showsOneType();
  // Samples are counted for each event.
  uint32_t First = P.CountsEvents ? 1 : 0;
  if (R.Quiet || !HasOne || !R.File.SampleIndex.empty() ||
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

static void printSummary(const ProfileStatistics &F) {
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
  constexpr size_t Max = 3;
  std::vector<std::string> Names;
  StringSet<> Known;
  for (const UnopenedModule &M : Modules)
    if (Known.insert(M.Name).second)
      Names.push_back(M.Name);
  size_t Shown = Names.size() > Max + 1 ? Max : Names.size();
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
      Warn(M.Name + ": " + withoutPath(M.Reason.Text, M.Name));
}

/// The names that samply has written beside the profile \p Path, as `samply
/// load` finds them: x.json.syms.json for x.json.gz.
static std::unique_ptr<MemoryBuffer> readNamesBeside(StringRef Path,
                                                     WarningFunction Warn) {
  if (Path == "standard input")
    return nullptr;
  SmallString<128> Beside(Path);
  sys::path::replace_extension(Beside, "syms.json");
  if (Beside == Path || !sys::fs::is_regular_file(Beside))
    return nullptr;
  Expected<std::unique_ptr<MemoryBuffer>> File = readWholeInput(Beside);
  if (File)
    return std::move(*File);
  Warn(toString(File.takeError()) + " (left out)");
  return nullptr;
}

Error runProfile(CommandLine &Line) {
  ProfileRequest R = readProfileRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  Progress Observer(R.Quiet);
  auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
  CommandCache C(R.Cache, Observer);
  Expected<std::unique_ptr<ModuleResolver>> Modules =
      ModuleResolver::create(std::move(R.Modules), C, Observer);
  if (!Modules)
    return Modules.takeError();
  R.File.Formats.NamesBeside = [&](StringRef Path) {
    return readNamesBeside(Path, Warn);
  };
  // Files are opened when it is their turn.
  auto Next = R.Merged.begin();
  if (Line.args().hasArg(OPT_merge))
    R.File.More = [&]() -> Expected<std::unique_ptr<MemoryBuffer>> {
      while (Next != R.Merged.end()) {
        Expected<std::unique_ptr<MemoryBuffer>> File = readWholeInput(*Next++);
        if (File)
          return File;
        Warn(toString(File.takeError()) + " (left out)");
      }
      return nullptr;
    };
  Expected<std::unique_ptr<MemoryBuffer>> Input =
      R.File.More ? R.File.More() : readWholeInput(R.Input);
  if (!Input)
    return Input.takeError();
  if (!R.Base.empty())
    if (Error E = readWholeInput(R.Base).moveInto(R.File.Base))
      return E;
  ProfileStatistics Statistics;
  Expected<ProfileFile> In = symbolizeProfileFile(std::move(*Input), R.File,
                                                  **Modules, Warn, Statistics);
  if (!In)
    return In.takeError();
  reportUnopened(R, (*Modules)->files(), Statistics.Unopened, Warn);
  noteOtherTypes(R, In->profile());
  if (Error E = writeOutput(R, *In, **Modules, Warn))
    return E;
  if (R.Summary)
    printSummary(Statistics);
  return (*Modules)->archives().damage();
}

} // namespace lidia
