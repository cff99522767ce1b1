//===- Symbolize.cpp - llvm-lidia symbolize: addresses of many modules ----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbolize.h"
#include "Answers.h"
#include "CacheOptions.h"
#include "LineReader.h"
#include "OriginalSymbolizer.h"
#include "ProcessSymbolize.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "lidia/MissError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;

namespace {
/// The parsed command line.
struct SymbolizeRequest {
  std::vector<std::string> Lines;
  /// The module of all lines; at most one is set.
  std::string File;
  SmallVector<uint8_t, 20> BuildID;
  lidia::AnswerOptions Answers;
  lidia::SymbolSources Sources;
  lidia::CacheOptions Cache;
  bool Quiet = false;
  bool Hexadecimal = false;
  /// Whether a binary without any information is an error, not an unknown
  /// answer.
  bool NeedsInformation = false;
  /// Whether to ask the original tool for everything that archives do not know,
  /// not only for what they cannot know: data without DATA, and local labels.
  bool AsksForUnknown = false;
};
} // namespace

namespace lidia {

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static void readModule(CommandLine &Line, SymbolizeRequest &R) {
  const opt::InputArgList &Args = Line.args();
  R.File = Args.getLastArgValue(OPT_obj_EQ).str();
  const opt::Arg *A = Args.getLastArg(OPT_build_id_EQ);
  if (!A)
    return;
  if (Args.hasArg(OPT_obj_EQ))
    Line.fail("cannot specify both --build-id and --obj");
  object::BuildID ID = object::parseBuildID(A->getValue());
  if (ID.empty())
    Line.fail(A->getSpelling() + ": expected a build ID, but got '" +
              A->getValue() + "'");
  R.BuildID.assign(ID.begin(), ID.end());
}

static AnswerDefaults defaultsOf(SymbolizerName Name) {
  if (Name == SymbolizerName::Addr2Line)
    return {"GNU", "none", /*Demangle=*/false, /*Inlines=*/false, "llvm"};
  AnswerDefaults Defaults;
  if (Name != SymbolizerName::Command)
    Defaults.RustNames = "llvm";
  return Defaults;
}

static SymbolizeRequest readSymbolizeRequest(CommandLine &Line,
                                             SymbolizerName Name) {
  const opt::InputArgList &Args = Line.args();
  SymbolizeRequest R;
  R.Lines = Line.operands();
  R.Hexadecimal = Name == SymbolizerName::Addr2Line;
  R.NeedsInformation = Name == SymbolizerName::Command;
  R.AsksForUnknown = Name != SymbolizerName::Command;
  R.Answers = readAnswerOptions(Line, defaultsOf(Name));
  readModule(Line, R);
  R.Sources = readSymbolSources(Line);
  // --obj is the module of all lines.
  R.Sources.Files.clear();
  R.Sources.Archives.Columns = !R.Answers.Style->GNULayout;
  R.Cache = readCacheOptions(Line);
  R.Quiet = Args.hasArg(OPT_quiet) || Name != SymbolizerName::Command;
  return R;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

namespace {

/// Answers lines, each from the archive of its module.
class ModuleSymbolizer {
public:
  ModuleSymbolizer(const SymbolizeRequest &R, ModuleResolver &Modules,
                   OriginalSymbolizer &Original)
      : R(R), Modules(Modules), Original(Original),
        Out(R.Answers, /*AsList=*/!R.Lines.empty()), Open(MaxOpen) {}

  /// Opens the module of the command line, if there is one. Fails if it cannot
  /// be opened; leaves everything to llvm-symbolizer if that may be able to
  /// read it.
  Error openGivenModule();
  void answer(StringRef Line);
  /// Fails if answers were truncated.
  Error finish();

private:
  /// The maximum number of modules whose names and paths are kept as text.
  static constexpr size_t MaxOpen = 64;

  /// The reason why no archive answers a query, which llvm-symbolizer may
  /// answer.
  struct NoArchive {
    Miss Why;
    bool ForOriginal = false;
    /// Whether there is nothing to report, or it was already reported.
    bool IsSilent = false;
  };

  AnswerModule *open(StringRef Path, ArrayRef<uint8_t> BuildID, NoArchive &No);
  bool askOriginal(const ModuleQuery &Q);

  const SymbolizeRequest &R;
  ModuleResolver &Modules;
  OriginalSymbolizer &Original;
  Answers Out;
  RecentlyUsed<std::unique_ptr<AnswerModule>> Open;
};

} // namespace

/// Shortens \p Line for a message, because a line may have a megabyte.
static std::string shortened(StringRef Line) {
  constexpr size_t Most = 1000;
  return Line.size() <= Most ? Line.str()
                             : (Line.take_front(Most) + "...").str();
}

/// The reason in llvm-symbolizer's words, if it has any.
static std::string wordsOf(const ErrorInfoBase &Info, StringRef Path) {
  std::error_code EC = Info.convertToErrorCode();
  if (EC == std::errc::executable_format_error)
    return "The file was not recognized as a valid object file";
  if (EC == std::errc::no_such_file_or_directory && Path.empty())
    return "could not find build ID";
  return withoutPath(Info.message(), Path);
}

/// Whether another reader may support a file that we do not support. It cannot
/// if the system refuses access. A missing file may be a part of a Mach-O file,
/// such as "a.out:x86_64".
static bool mayBeForOriginal(std::error_code EC, StringRef Path) {
  if (EC == std::errc::no_such_file_or_directory)
    return Path.contains(':');
  return EC != std::errc::permission_denied &&
         EC != std::errc::is_a_directory && EC != std::errc::invalid_argument;
}

/// Returns null, and the reason in \p No, if there is no archive.
AnswerModule *ModuleSymbolizer::open(StringRef Path, ArrayRef<uint8_t> BuildID,
                                     NoArchive &No) {
  std::string ID = toHex(BuildID);
  // JSON shows a build ID as the module's name. No path is empty.
  std::string Name = Path.empty() ? '\0' + ID : Path.str();
  if (std::unique_ptr<AnswerModule> *Known = Open.find(Name)) {
    No.IsSilent = !*Known;
    return Known->get();
  }
  // Who names a folder has the module there, and another one at its path.
  ResolvedModule Named;
  if (!Modules.files().isClosed())
    Named = Modules.resolve({Path, BuildID});
  ModuleArchives::Result A = Named.A
                                 ? ModuleArchives::Result(std::move(Named.A))
                                 : Modules.archives().get(Path, BuildID);
  if (A)
    return Open
        .add(Name, std::make_unique<AnswerModule>(
                       std::move(*A), Path.empty() ? ID : Path, R.Answers))
        .get();
  handleAllErrors(A.takeError(), [&](const ErrorInfoBase &Info) {
    No.Why = {missOf(Info).Code, wordsOf(Info, Path)};
    std::error_code EC = Info.convertToErrorCode();
    No.ForOriginal = mayBeForOriginal(EC, Path);
    No.IsSilent = EC == std::errc::no_message_available && !R.NeedsInformation;
  });
  // Like llvm-symbolizer, which reports a file once but a build ID each time.
  if (!No.ForOriginal && !Path.empty())
    Open.add(Name, nullptr);
  return nullptr;
}

/// Asks llvm-symbolizer. Returns whether it has answered.
bool ModuleSymbolizer::askOriginal(const ModuleQuery &Q) {
  if (!Original.exists())
    return false;
  // llvm-symbolizer may print errors, which must be in order.
  outs().flush();
  Expected<std::string> Answer = Original.ask(Q, Q.Module, Q.BuildID);
  if (Answer && Out.printForeign(Q, *Answer))
    return true;
  if (!Answer)
    reportWarning(toString(Answer.takeError()));
  return false;
}

Error ModuleSymbolizer::openGivenModule() {
  NoArchive No;
  if (R.File.empty() || open(R.File, {}, No))
    return Error::success();
  if (No.ForOriginal && Original.exists())
    return Original.run();
  if (No.IsSilent)
    return Error::success();
  Out.reportFailure(R.File, No.Why);
  return make_error<ReportedFailure>();
}

void ModuleSymbolizer::answer(StringRef Line) {
  // An empty line is a liveness check.
  if (Line.empty())
    return Out.printUnknown("");
  ModuleQuery Q;
  bool HasModule = !R.File.empty() || !R.BuildID.empty();
  const char *Wrong = Q.parse(Line, {HasModule, R.Hexadecimal});
  if (HasModule) {
    Q.Module = R.File;
    Q.BuildID.assign(R.BuildID.begin(), R.BuildID.end());
  }
  if (Wrong) {
    reportError("'" + shortened(Line) + "': " + Wrong);
    return Out.printUnknown(Out.printable(Q.Module));
  }
  StringRef Path = Q.BuildID.empty() ? Q.Module : StringRef();
  bool WantsCode = Q.Type == Query::Kind::Code;
  // llvm-symbolizer would report a missing file again.
  if (!WantsCode && (Path.empty() || sys::fs::exists(Path)) && askOriginal(Q))
    return;
  NoArchive No;
  if (AnswerModule *M = open(Path, Q.BuildID, No)) {
    if (R.AsksForUnknown && Original.exists() && !Out.knows(*M, Q) &&
        askOriginal(Q))
      return;
    return Out.print(*M, Q, Line);
  }
  if (WantsCode && No.ForOriginal && askOriginal(Q))
    return;
  std::string Name = Path.empty() ? toHex(Q.BuildID) : Path.str();
  if (No.IsSilent)
    Out.printNothing(Name, Q);
  else
    Out.printFailure(Name, Q, No.Why);
}

Error ModuleSymbolizer::finish() {
  Out.finish();
  if (uint64_t Count = Out.cutAnswers())
    return createStringError("incomplete answers: " + Twine(Count));
  return Error::success();
}

Error symbolize(CommandLine &Line, SymbolizerName Name) {
  if (namesAddressSpace(Line))
    return symbolizeProcess(Line);
  SymbolizeRequest R = readSymbolizeRequest(Line, Name);
  if (Error E = Line.takeErrors())
    return E;
  OriginalSymbolizer Original(
      Line, *R.Answers.Style,
      Name == SymbolizerName::Addr2Line ? "llvm-addr2line" : "llvm-symbolizer");
  if (Line.args().hasArg(OPT_filter_markup))
    return Original.exists()
               ? Original.run()
               : createStringError("--filter-markup is left to llvm-symbolizer,"
                                   " which is not on the PATH");
  // llvm-symbolizer has more ways to find the debug information of other
  // formats, and supports addresses relative to a base that archives do not
  // have.
  R.Sources.Archives.ELFOnly = Original.exists();
  Progress Observer(R.Quiet);
  CommandCache C(R.Cache, Observer);
  Expected<std::unique_ptr<ModuleResolver>> Modules =
      ModuleResolver::create(R.Sources, C, Observer);
  if (!Modules)
    return Modules.takeError();
  outs().SetBufferSize(64 * 1024);
  ModuleSymbolizer S(R, **Modules, Original);
  if (Error E = S.openGivenModule())
    return E;
  for (StringRef Asked : R.Lines)
    S.answer(Asked);
  if (R.Lines.empty()) {
    auto Flush = [] { outs().flush(); };
    LineReader Reader(STDIN_FILENO, Flush);
    while (std::optional<StringRef> Input = Reader.nextText())
      S.answer(*Input);
  }
  Error Result = S.finish();
  return joinErrors(std::move(Result), (*Modules)->archives().damage());
}

Error runSymbolize(CommandLine &Line) {
  return symbolize(Line, SymbolizerName::Command);
}

} // namespace lidia
