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
#include "StoreOptions.h"
#include "Support/Threads.h"
#include "lidia/MissError.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <map>
#include <mutex>

using namespace llvm;

namespace {
/// The parsed command line.
struct SymbolizeRequest {
  std::vector<std::string> Lines;
  /// The module of all lines; at most one is set. DebugID leads to a build ID.
  std::string File;
  SmallVector<uint8_t, 20> BuildID;
  std::optional<lidia::DebugID> DebugID;
  lidia::AnswerOptions Answers;
  lidia::SymbolSources Sources;
  lidia::CacheOptions Cache;
  bool Quiet = false;
  lidia::SymbolizerName Name;
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
  // The same number of digits may be a build ID.
  R.DebugID = parseDebugIDText(A->getValue());
  if (R.DebugID && Args.hasArg(OPT_store_EQ))
    return;
  R.DebugID.reset();
  object::BuildID ID = object::parseBuildID(A->getValue());
  if (ID.empty())
    Line.fail(A->getSpelling() + ": expected a build ID, but got '" +
              A->getValue() + "'");
  R.BuildID.assign(ID.begin(), ID.end());
}

/// Whether the command is not a replacement of LLVM's tools.
static bool isOurs(SymbolizerName Name) {
  return Name == SymbolizerName::Command;
}

static AnswerDefaults defaultsOf(SymbolizerName Name) {
  if (Name == SymbolizerName::Addr2Line)
    return {"GNU", "none", /*Demangle=*/false, /*Inlines=*/false, "llvm"};
  AnswerDefaults Defaults;
  if (!isOurs(Name))
    Defaults.RustNames = "llvm";
  return Defaults;
}

static SymbolizeRequest readSymbolizeRequest(CommandLine &Line,
                                             SymbolizerName Name) {
  const opt::InputArgList &Args = Line.args();
  SymbolizeRequest R;
  R.Lines = Line.operands();
  R.Name = Name;
  R.Answers = readAnswerOptions(Line, defaultsOf(Name));
  readModule(Line, R);
  R.Sources = readSymbolSources(Line);
  // --obj is the module of all lines.
  R.Sources.Files.clear();
  R.Sources.Archives.Columns = !R.Answers.Style->GNULayout;
  R.Cache = readCacheOptions(Line);
  R.Quiet = Args.hasArg(OPT_quiet) || !isOurs(Name);
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
  /// Opens all modules of many lines at once, and looks up all addresses in a
  /// module together, so that a store on another machine needs few round trips.
  void answer(ArrayRef<std::string> Lines);
  void answer(StringRef Line);
  /// Fails if answers were truncated.
  Error finish();

private:
  /// The maximum number of modules whose names and paths are kept as text.
  static constexpr size_t MaxOpen = 64;
  /// The number of archives on another machine that are opened at the same
  /// time.
  static constexpr unsigned Connections = 32;

  /// The reason why no archive answers a query, which llvm-symbolizer may
  /// answer.
  struct NoArchive {
    Miss Why;
    bool ForOriginal = false;
    /// Whether there is nothing to report, or it was already reported.
    bool IsSilent = false;
  };

  /// A module that lines of a group name.
  struct AskedModule {
    ModuleQuery Q;
    std::vector<uint64_t> Addresses;
    /// The archive of the store, which is open as long as this is held.
    std::shared_ptr<const Archive> Stored;
    AnswerModule *Known = nullptr;
  };
  using AskedModules =
      MapVector<std::string, AskedModule, std::map<std::string, unsigned>>;

  ArrayRef<std::string> takeGroup(ArrayRef<std::string> Lines,
                                  AskedModules &Asked) const;
  void prepare(AskedModules &Asked);
  std::string shownName(StringRef Path, ArrayRef<uint8_t> BuildID) const;
  const char *parse(StringRef Line, ModuleQuery &Q) const;
  ModuleArchives::Result find(StringRef Path, ArrayRef<uint8_t> BuildID);
  Expected<AnswerModule *> openAs(StringRef Name, StringRef Path,
                                  ArrayRef<uint8_t> BuildID);
  AnswerModule *open(StringRef Path, ArrayRef<uint8_t> BuildID, NoArchive &No);
  bool askOriginal(const ModuleQuery &Q);

  const SymbolizeRequest &R;
  ModuleResolver &Modules;
  OriginalSymbolizer &Original;
  Answers Out;
  RecentlyUsed<std::unique_ptr<AnswerModule>> Open;
  /// Whether a source that may know a module did not answer.
  bool HadOutage = false;
};

} // namespace

/// Shortens \p Line for a message, because a line may have a megabyte.
static std::string shortLine(StringRef Line) {
  constexpr size_t Max = 1000;
  return Line.size() <= Max ? Line.str() : (Line.take_front(Max) + "...").str();
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

/// The name under which a module is remembered. No path is empty.
static std::string nameOf(StringRef Path, ArrayRef<uint8_t> BuildID) {
  return Path.empty() ? '\0' + toHex(BuildID) : Path.str();
}

static StringRef pathOf(const ModuleQuery &Q) {
  return Q.BuildID.empty() ? Q.Module : StringRef();
}

/// The module's name in JSON and in messages.
std::string ModuleSymbolizer::shownName(StringRef Path,
                                        ArrayRef<uint8_t> BuildID) const {
  return Path.empty() ? toHex(BuildID, /*LowerCase=*/isOurs(R.Name))
                      : Path.str();
}

ModuleArchives::Result ModuleSymbolizer::find(StringRef Path,
                                              ArrayRef<uint8_t> BuildID) {
  // Who names a folder has the module there, and another one at its path.
  if (!Modules.files().isClosed())
    if (ResolvedModule Named = Modules.resolve({Path, BuildID}); Named.A)
      return std::move(Named.A);
  return Modules.archives().get(Path, BuildID);
}

/// Returns null for a module whose failure was reported.
Expected<AnswerModule *> ModuleSymbolizer::openAs(StringRef Name,
                                                  StringRef Path,
                                                  ArrayRef<uint8_t> BuildID) {
  if (std::unique_ptr<AnswerModule> *Known = Open.find(Name))
    return Known->get();
  ModuleArchives::Result A = find(Path, BuildID);
  if (!A)
    return A.takeError();
  return Open
      .add(Name, std::make_unique<AnswerModule>(
                     std::move(*A), shownName(Path, BuildID), R.Answers))
      .get();
}

/// Returns null, and the reason in \p No, if there is no archive.
AnswerModule *ModuleSymbolizer::open(StringRef Path, ArrayRef<uint8_t> BuildID,
                                     NoArchive &No) {
  std::string Name = nameOf(Path, BuildID);
  Expected<AnswerModule *> Opened = openAs(Name, Path, BuildID);
  if (Opened) {
    No.IsSilent = !*Opened;
    return *Opened;
  }
  handleAllErrors(Opened.takeError(), [&](const ErrorInfoBase &Info) {
    No.Why = {missOf(Info).Code,
              isOurs(R.Name)
                  ? withoutPath(Info.message(), shownName(Path, BuildID))
                  : wordsOf(Info, Path)};
    std::error_code EC = Info.convertToErrorCode();
    No.ForOriginal = mayBeForOriginal(EC, Path);
    // To LLVM's tools, a binary without any information is no error.
    No.IsSilent = EC == std::errc::no_message_available && !isOurs(R.Name);
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

/// The line's module, or that of the command line, and its address.
const char *ModuleSymbolizer::parse(StringRef Line, ModuleQuery &Q) const {
  bool HasModule = !R.File.empty() || !R.BuildID.empty();
  const char *Wrong =
      Q.parse(Line, {HasModule, R.Name == SymbolizerName::Addr2Line});
  if (!HasModule)
    return Wrong;
  Q.Module = R.File;
  Q.BuildID.assign(R.BuildID.begin(), R.BuildID.end());
  return Wrong;
}

/// Adds the modules and addresses of the first of \p Lines, those that name at
/// most MaxOpen modules, and returns these lines.
ArrayRef<std::string> ModuleSymbolizer::takeGroup(ArrayRef<std::string> Lines,
                                                  AskedModules &Asked) const {
  for (size_t Count = 0; Count != Lines.size(); ++Count) {
    ModuleQuery Q;
    // llvm-symbolizer may answer other kinds, without the archive.
    if (parse(Lines[Count], Q) || Q.Type != Query::Kind::Code)
      continue;
    std::string Name = nameOf(pathOf(Q), Q.BuildID);
    if (Asked.size() == MaxOpen && !Asked.contains(Name))
      return Lines.take_front(Count);
    AskedModule &M = Asked[Name];
    M.Q = Q;
    if (Q.Symbol.empty())
      M.Addresses.push_back(Q.Offset);
  }
  return Lines;
}

/// Opens the modules and looks up the addresses in compressed archives.
void ModuleSymbolizer::prepare(AskedModules &Asked) {
  auto ForEach = [&](function_ref<void(AskedModule &)> Work) {
    std::atomic<size_t> Next{0};
    auto *Items = Asked.begin();
    runOnThreads(unsigned(std::min<size_t>(Connections, Asked.size())), [&] {
      for (size_t I; (I = Next++) < Asked.size();)
        Work(Items[I].second);
    });
  };
  const auto &Store = R.Sources.Archives.Store.ByBuildID;
  if (Store)
    ForEach([&](AskedModule &M) {
      if (M.Q.BuildID.empty())
        return;
      if (ModuleArchives::Result A = Store(M.Q.BuildID))
        M.Stored = std::move(*A);
      else
        // The store remembers why.
        consumeError(A.takeError());
    });
  for (auto &[Name, M] : Asked) {
    Expected<AnswerModule *> Opened = openAs(Name, pathOf(M.Q), M.Q.BuildID);
    if (Opened)
      M.Known = *Opened;
    else
      // The archives remember why, and answer() reports it.
      consumeError(Opened.takeError());
  }
  ForEach([](AskedModule &M) {
    if (M.Known && M.Known->isPaged())
      M.Known->prepare(M.Addresses, /*Threads=*/1);
  });
}

void ModuleSymbolizer::answer(ArrayRef<std::string> Lines) {
  while (!Lines.empty()) {
    ArrayRef<std::string> Group = Lines;
    AskedModules Asked;
    // LLVM's tools answer one by one, with messages in between.
    if (isOurs(R.Name)) {
      Group = takeGroup(Lines, Asked);
      prepare(Asked);
    }
    for (StringRef Line : Group)
      answer(Line);
    Lines = Lines.drop_front(Group.size());
  }
}

void ModuleSymbolizer::answer(StringRef Line) {
  // An empty line is a liveness check.
  if (Line.empty())
    return Out.printUnknown("");
  ModuleQuery Q;
  const char *Wrong = parse(Line, Q);
  if (Wrong) {
    reportError("'" + shortLine(Line) + "': " + Wrong);
    return Out.printUnknown(Out.printable(Q.Module));
  }
  StringRef Path = pathOf(Q);
  bool WantsCode = Q.Type == Query::Kind::Code;
  // llvm-symbolizer would report a missing file again.
  if (!WantsCode && (Path.empty() || sys::fs::exists(Path)) && askOriginal(Q))
    return;
  NoArchive No;
  if (AnswerModule *M = open(Path, Q.BuildID, No)) {
    // Not only what archives cannot know: data without DATA, and local labels.
    if (!isOurs(R.Name) && Original.exists() && !Out.knows(*M, Q) &&
        askOriginal(Q))
      return;
    return Out.print(*M, Q, Line);
  }
  if (WantsCode && No.ForOriginal && askOriginal(Q))
    return;
  std::string Name = shownName(Path, Q.BuildID);
  HadOutage |= No.Why.Code == MissCode::NoAnswer;
  if (No.IsSilent)
    Out.printNothing(Name, Q);
  else
    Out.printFailure(Name, Q, No.Why);
}

Error ModuleSymbolizer::finish() {
  Out.finish();
  if (uint64_t Count = Out.cutAnswers())
    return createStringError("incomplete answers: " + Twine(Count));
  // Each was reported.
  if (HadOutage)
    return make_error<ReportedFailure>();
  return Error::success();
}

/// Replaces the debug ID of the command line with the build ID that the store
/// knows for it.
static Error findBuildID(ModuleResolver &Modules, SymbolizeRequest &R) {
  if (!R.DebugID)
    return Error::success();
  R.BuildID = Modules.buildIDSource()(*R.DebugID);
  if (!R.BuildID.empty())
    return Error::success();
  return createStringError("no archive of the debug ID " + R.DebugID->text() +
                           " in " + R.Sources.Archives.StoreName);
}

namespace {
/// Notes whether a store denies every request, as it does after its keys have
/// expired.
class StoreAccess {
public:
  using Store = decltype(ArchiveSource::ByBuildID);

  /// \p Asked, whose answers are noted.
  Store watch(Store Asked) {
    return [this, Asked = std::move(Asked)](ArrayRef<uint8_t> BuildID)
               -> Expected<std::shared_ptr<const Archive>> {
      Expected<std::shared_ptr<const Archive>> A = Asked(BuildID);
      std::unique_ptr<LidiaError> Why;
      if (!A)
        Why = toLidiaError(A.takeError());
      std::lock_guard<std::mutex> Lock(Mutex);
      if (Why && Why->convertToErrorCode() == std::errc::permission_denied)
        Refusal = RememberedError(Error(Why->clone()));
      else
        HasAnswered = true;
      if (Why)
        return Error(std::move(Why));
      return A;
    };
  }

  Error refusal() const {
    return HasAnswered ? Error::success() : Refusal.get();
  }

private:
  std::mutex Mutex;
  RememberedError Refusal;
  bool HasAnswered = false;
};
} // namespace

/// The maximum number of lines that are answered together.
static constexpr size_t MaxLines = 4096;

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
  StoreAccess Access;
  if (R.Sources.Archives.Store)
    R.Sources.Archives.Store.ByBuildID =
        Access.watch(std::move(R.Sources.Archives.Store.ByBuildID));
  Progress Observer(R.Quiet);
  CommandCache C(R.Cache, Observer);
  Expected<std::unique_ptr<ModuleResolver>> Modules =
      ModuleResolver::create(R.Sources, C, Observer);
  if (!Modules)
    return Modules.takeError();
  outs().SetBufferSize(64 * 1024);
  if (Error E = findBuildID(**Modules, R))
    return E;
  ModuleSymbolizer S(R, **Modules, Original);
  if (Error E = S.openGivenModule())
    return E;
  S.answer(R.Lines);
  if (R.Lines.empty())
    readLineGroups(isOurs(Name) ? MaxLines : 1,
                   [&](ArrayRef<std::string> Lines) { S.answer(Lines); });
  Error Result = S.finish();
  if (!Result)
    Result = Access.refusal();
  return joinErrors(std::move(Result), (*Modules)->archives().damage());
}

Error runSymbolize(CommandLine &Line) {
  return symbolize(Line, SymbolizerName::Command);
}

} // namespace lidia
