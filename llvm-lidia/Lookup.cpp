//===- Lookup.cpp - llvm-lidia lookup: addresses to frames ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "BinaryInput.h"
#include "CacheOptions.h"
#include "ContentOptions.h"
#include "LineReader.h"
#include "Object/Binary.h"
#include "Progress.h"
#include "SectionAddresses.h"
#include "SourceOptions.h"
#include "lidia/Error.h"
#include "lidia/MissError.h"
#include "lidia/Store/OpenArchive.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace llvm;

namespace {
/// The parsed command line.
struct LookupRequest {
  /// An archive or a binary, and its name in answers and messages.
  std::string File;
  std::string Name;
  bool IsBinary = false;
  bool MayBeBeside = true;
  std::vector<std::string> Lines;
  /// For a binary: the options for making its archive, where to look for the
  /// binary and its archive, if that is given, and the cache.
  lidia::ConvertOptions Options;
  std::optional<lidia::SymbolSources> Sources;
  lidia::CacheOptions Cache;
  bool Quiet = false;
  lidia::AnswerOptions Answers;
  lidia::OpenOptions Open;
  bool FetchStatistics = false;
  std::string SectionAddresses;
  bool FileOffsets = false;
};
} // namespace

namespace lidia {

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static void readFile(CommandLine &Line, LookupRequest &R) {
  R.Lines = Line.operands();
  R.Name = Line.args().getLastArgValue(OPT_obj_EQ).str();
  if (R.Name.empty()) {
    if (R.Lines.empty())
      return Line.fail("no archive or binary given (see llvm-lidia lookup "
                       "--help)");
    R.Name = std::move(R.Lines.front());
    R.Lines.erase(R.Lines.begin());
  }
  if (R.Name == "-" && R.Lines.empty())
    return Line.fail("no address given, and standard input is the binary");
  if (Error E = readableTwice(R.Name).moveInto(R.File))
    Line.fail(toString(std::move(E)));
}

static void readBinaryOptions(CommandLine &Line, LookupRequest &R) {
  const opt::InputArgList &Args = Line.args();
  R.IsBinary = isBinary(R.File);
  bool IsElsewhere = Args.hasArg(OPT_sysroot_EQ, OPT_modules_from_EQ);
  if (!R.IsBinary && !IsElsewhere) {
    const opt::Arg *A = Args.getLastArg(OPT_grp_own_sources);
    // That a file is missing is said when it is opened.
    if (A && (isURL(R.File) || sys::fs::exists(R.File)))
      Line.fail(A->getSpelling() + " applies to binaries only: " + R.File +
                " is not one");
    return;
  }
  readSourceOptions(Line, R.Options);
  keepAllForLookup(R.Options);
  R.MayBeBeside = mayBeBeside(Line);
  if (IsElsewhere || Args.hasArg(OPT_store_EQ)) {
    R.Sources = readSymbolSources(Line);
    // --obj is the binary, which one debug file belongs to.
    R.Sources->Files.clear();
    R.Sources->Archives.Conversion = R.Options;
  }
  R.Cache = readCacheOptions(Line);
  R.Quiet = Args.hasArg(OPT_quiet);
}

static LookupRequest readLookupRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  LookupRequest R;
  R.Answers = readAnswerOptions(Line);
  R.Open = readOpenOptions(Line);
  if (Args.hasArg(OPT_crc))
    R.Open.Verify = ChecksumParts::all();
  R.SectionAddresses = Args.getLastArgValue(OPT_section_addresses_EQ).str();
  R.FileOffsets = Args.hasArg(OPT_file_offsets);
  if (R.FileOffsets && !R.SectionAddresses.empty())
    Line.fail("--file-offsets and --section-addresses= cannot be combined");
  R.FetchStatistics = Args.hasArg(OPT_fetch_statistics);
  readFile(Line, R);
  readBinaryOptions(Line, R);
  return R;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

/// \p M and \p Sections are null for a binary without any information.
static void answer(Answers &Out, AnswerModule *M,
                   const SectionAddresses *Sections, StringRef Line,
                   StringRef Module) {
  // An empty line is a liveness check.
  if (Line.empty())
    return Out.printUnknown("");
  Query Q;
  if (const char *Wrong = Q.parse(Line)) {
    reportError("'" + Line + "': " + Wrong);
    return Out.printUnknown(Out.printable(Module));
  }
  Expected<bool> IsInSection = Sections ? Sections->translate(Q) : true;
  if (!IsInSection)
    reportError("'" + Line + "': " + toString(IsInSection.takeError()));
  if (M && IsInSection && *IsInSection)
    Out.print(*M, Q, Line);
  else
    Out.printNothing(Module, Q);
}

/// The code addresses that \p Lines contain.
static std::vector<uint64_t> codeAddresses(ArrayRef<std::string> Lines) {
  std::vector<uint64_t> Addresses;
  for (StringRef Line : Lines)
    if (Query Q;
        !Q.parse(Line) && Q.Symbol.empty() && Q.Type == Query::Kind::Code)
      Addresses.push_back(Q.Offset);
  return Addresses;
}

namespace {
/// Answers lines from standard input. Collects lines while more are ready to be
/// read: many are answered on all processors, each name is demangled once, and
/// a compressed archive needs far less decompression.
class InputAnswers {
public:
  /// \p M and \p Sections are null for a binary without any information.
  /// \p Threads may be 0, which means one for each processor.
  InputAnswers(Answers &Out, AnswerModule *M, const SectionAddresses *Sections,
               StringRef Module, bool IsPaged, unsigned Threads)
      : Out(Out), M(M), Sections(Sections), Module(Module), IsPaged(IsPaged),
        Threads(Threads), MaxLines(IsPaged ? 128 * 1024 : 32 * 1024) {}

  void run();

private:
  /// A smaller number of lines is answered one by one.
  static constexpr size_t MinTogether = 64;
  /// A smaller number of lines is answered on one thread.
  static constexpr size_t MinForThreads = 1024;

  bool answerTogether(ArrayRef<std::string> Lines);

  Answers &Out;
  AnswerModule *M;
  const SectionAddresses *Sections;
  StringRef Module;
  const bool IsPaged;
  unsigned Threads;
  /// A line takes about 300 bytes.
  const size_t MaxLines;
};
} // namespace

/// Returns false if the lines must be answered one by one.
bool InputAnswers::answerTogether(ArrayRef<std::string> Lines) {
  if (!M || (!IsPaged && Lines.size() < MinTogether) ||
      Sections->areTranslated())
    return false;
  std::vector<uint64_t> Addresses = codeAddresses(Lines);
  bool UseThreads = Addresses.size() >= MinForThreads;
  if (UseThreads && Threads == 0)
    Threads = hardware_concurrency().compute_thread_count();
  unsigned Now = UseThreads ? Threads : 1;
  M->prepare(Addresses, Now);
  return Addresses.size() == Lines.size() &&
         Out.printPrepared(*M, Addresses, Lines, Now);
}

void InputAnswers::run() {
  readLineGroups(MaxLines, [&](ArrayRef<std::string> Lines) {
    if (!answerTogether(Lines))
      for (StringRef Line : Lines)
        answer(Out, M, Sections, Line, Module);
  });
}

/// The build ID of the ELF file \p Path; empty for another file. (Several files
/// with other addresses share the IDs of PE and Mach-O files.)
static SmallVector<uint8_t, 20> buildIDOf(const std::string &Path) {
  SmallVector<uint8_t, 20> ID;
  if (fileKindOf(Path) != FileKind::ELF)
    return ID;
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (File)
    append_range(ID, (*File)->buildID());
  consumeError(File.takeError());
  return ID;
}

/// Opens the archive of the binary that is found in the places of the options,
/// or whose archive a store has.
static ModuleArchives::Result openFromSources(const LookupRequest &R) {
  Progress Observer(R.Quiet);
  CommandCache C(R.Cache, Observer);
  Expected<std::unique_ptr<ModuleResolver>> Modules =
      ModuleResolver::create(*R.Sources, C, Observer);
  if (!Modules)
    return Modules.takeError();
  if ((*Modules)->files().isClosed())
    return (*Modules)->archives().get(R.File);
  ModuleIdentity Wanted;
  Wanted.Path = R.File;
  SmallVector<uint8_t, 20> BuildID;
  if (R.IsBinary && R.Sources->Root.empty())
    BuildID = buildIDOf(R.File);
  Wanted.BuildID = BuildID;
  ResolvedModule M = (*Modules)->resolve(Wanted);
  if (M.A)
    return std::move(M.A);
  if (!M.Loaded.File)
    return make_error<MissError>(M.Reason);
  return make_error<MissingInformationError>("", M.Reason.Text);
}

/// Opens the archive of the binary: beside it, from the cache or made now. Once
/// open, the archive does not need its path or the cache.
static ModuleArchives::Result openOfBinary(const LookupRequest &R) {
  Progress Observer(R.Quiet);
  CommandCache C(R.Cache, Observer);
  ModuleArchivesOptions Options;
  Options.Conversion = R.Options;
  Options.Open = R.Open;
  Options.Beside = R.MayBeBeside;
  Options.Columns = true;
  return ModuleArchives(C, std::move(Options), Observer).get(R.File);
}

static ModuleArchives::Result openArchive(const LookupRequest &R,
                                          std::shared_ptr<FarFile> &Far) {
  if (R.Sources)
    return openFromSources(R);
  if (R.IsBinary)
    return openOfBinary(R);
  Expected<Archive> A = openArchiveAt(R.File, R.Open, &Far);
  if (!A)
    return A.takeError();
  return std::make_shared<const Archive>(std::move(*A));
}

/// Reports why there is no archive, in the output if that is JSON. A binary
/// without any information is not an error: its addresses are unknown.
static Error reportNoArchive(const LookupRequest &R, Answers &Out, Error E) {
  std::error_code EC;
  E = handleErrors(std::move(E), [&](std::unique_ptr<ErrorInfoBase> Info) {
    EC = Info->convertToErrorCode();
    return Error(std::move(Info));
  });
  if (EC == std::errc::no_message_available) {
    std::string Message = toString(std::move(E));
    if (!R.Quiet)
      reportWarning(Message);
    return Error::success();
  }
  if (!Out.isJSON() && R.File == R.Name)
    return E;
  Miss Why = missOf(std::move(E));
  Why.Text = withoutPath(Why.Text, R.File);
  if (!Out.isJSON())
    return createStringError(R.Name + ": " + Why.Text);
  Out.reportFailure(R.Name, Why);
  return make_error<ReportedFailure>();
}

static void printFetchStatistics(const FarFile &File) {
  FetchStatistics C = File.counts();
  outs().flush();
  errs() << formatv("Fetched: {0} bytes by {1} requests, {2} of them again, in "
                    "{3} rounds\n",
                    C.Bytes, C.Requests, C.Retries, C.Rounds);
}

Error runLookup(CommandLine &Line) {
  LookupRequest R = readLookupRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  outs().SetBufferSize(64 * 1024);
  Answers Out(R.Answers, /*AsList=*/!R.Lines.empty());
  std::shared_ptr<FarFile> Far;
  std::shared_ptr<const Archive> A;
  std::optional<AnswerModule> M;
  if (Error No = openArchive(R, Far).moveInto(A)) {
    if (Error E = reportNoArchive(R, Out, std::move(No)))
      return E;
  } else {
    M.emplace(*A, R.Name, R.Answers);
  }
  std::optional<SectionAddresses> Sections;
  if (M) {
    Expected<SectionAddresses> Made =
        R.FileOffsets
            ? SectionAddresses::createForFileOffsets(*A, R.Name)
            : SectionAddresses::create(*A, R.Name, R.SectionAddresses);
    if (!Made)
      return Made.takeError();
    Sections.emplace(std::move(*Made));
  }
  const SectionAddresses *InSections = Sections ? &*Sections : nullptr;
  AnswerModule *Module = M ? &*M : nullptr;
  bool IsPaged = M && A->isPaged();
  if (IsPaged)
    Module->prepare(codeAddresses(R.Lines), /*Threads=*/1);
  for (StringRef Asked : R.Lines)
    answer(Out, Module, InSections, Asked, R.Name);
  if (R.Lines.empty())
    InputAnswers(Out, Module, InSections, R.Name, IsPaged, R.Options.Threads)
        .run();
  Out.finish();
  if (Far && R.FetchStatistics)
    printFetchStatistics(*Far);
  if (M)
    if (Error E = A->damage())
      return E;
  if (uint64_t Count = Out.cutAnswers())
    return createStringError(R.Name + ": incomplete answers: " + Twine(Count));
  return Error::success();
}

} // namespace lidia
