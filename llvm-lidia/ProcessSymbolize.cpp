//===- ProcessSymbolize.cpp - Addresses of processes and cores ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessSymbolize.h"
#include "AddressSpaceOptions.h"
#include "AnswerOptions.h"
#include "Answers.h"
#include "CacheOptions.h"
#include "LineReader.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "SourceText.h"
#include "lidia/Process/ProcessSymbolizer.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/Query.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;

namespace {
/// The parsed command line.
struct ProcessSymbolizeRequest {
  lidia::AddressSpaceOptions Space;
  bool PrintMaps = false;
  lidia::KernelInput Kernel;
  std::string PerfMap;
  bool Summary = false;
  bool Quiet = false;
  std::vector<std::string> Lines;
  lidia::AnswerOptions Answers;
  lidia::SymbolSources Sources;
  lidia::CacheOptions Cache;
};
} // namespace

namespace lidia {

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

bool namesAddressSpace(const CommandLine &Line) {
  return Line.args().hasArg(OPT_grp_process);
}

static ProcessSymbolizeRequest readProcessSymbolizeRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  ProcessSymbolizeRequest R;
  R.Space = readAddressSpaceOptions(Line);
  if (!R.Space.isSet() && !Args.hasArg(OPT_kernel, OPT_kallsyms_EQ))
    Line.fail(Args.getLastArg(OPT_grp_process)->getSpelling() +
              " needs --pid, --maps, --core, --minidump, --kernel or "
              "--kallsyms");
  if (const opt::Arg *A = Args.getLastArg(OPT_build_id_EQ))
    Line.fail(A->getSpelling() +
              " cannot be combined with the addresses of a process");
  R.PrintMaps = Args.hasArg(OPT_print_maps);
  R.PerfMap = Args.getLastArgValue(OPT_perf_map_EQ).str();
  R.Summary = Args.hasArg(OPT_summary);
  R.Quiet = Args.hasArg(OPT_quiet);
  R.Lines = Line.operands();
  R.Answers = readAnswerOptions(Line);
  R.Kernel = readKernelInput(Line);
  // A live process runs on this kernel.
  R.Kernel.IsRunning |= R.Space.PID.has_value();
  if (!R.Kernel.isSet() && !R.Kernel.VMLinux.empty())
    Line.fail("--vmlinux needs --kallsyms or --kernel, which tell where the "
              "kernel is loaded");
  R.Sources = readSymbolSources(Line, R.Space.defaultRoot());
  R.Sources.Archives.Columns = !R.Answers.Style->GNULayout;
  R.Cache = readCacheOptions(Line);
  return R;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

namespace {

/// Prints the answers of a ProcessSymbolizer to the stream of the options.
class ProcessPrinter {
public:
  ProcessPrinter(const ProcessSymbolizeRequest &R, ProcessSymbolizer &S)
      : R(R), S(S), Source(R.Answers.Printer.SourceLines,
                           R.Answers.Symbolizer.Text, R.Answers.Sources),
        Printer(makePrinter(R.Answers, /*AsList=*/!R.Lines.empty())) {}

  void answer(StringRef Line);
  void answerAll(ArrayRef<std::string> Lines);
  void printSummary() const;

private:
  void note(const ProcessAnswer &A);
  std::vector<SymbolizedFrame> framesOf(const ProcessAnswer &A,
                                        uint64_t Address);

  const ProcessSymbolizeRequest &R;
  ProcessSymbolizer &S;
  SourceText Source;
  std::unique_ptr<AnswerPrinter> Printer;
  /// The reasons that were reported.
  StringSet<> Reported;
  uint64_t WithLines = 0;
  uint64_t WithNames = 0;
  uint64_t WithNothing = 0;
};

} // namespace

/// Counts \p A, and reports once why there is no archive.
void ProcessPrinter::note(const ProcessAnswer &A) {
  ++(!A.hasName()            ? WithNothing
     : A.Frames.front().Line ? WithLines
                             : WithNames);
  if (!A.Reason.empty() && !R.Quiet && Reported.insert(A.Reason.Text).second)
    reportWarning(A.Module + ": " + withoutPath(A.Reason.Text, A.Module));
}

/// The name in brackets that replaces a file: [libc.so.6], [kernel].
static std::string placeOf(const ProcessAnswer &A) {
  if (A.Type != ProcessAnswer::Kind::Module)
    return A.Module;
  StringRef Name = sys::path::filename(A.Module);
  return Name.starts_with("[") ? Name.str() : ("[" + Name + "]").str();
}

/// The frames to print, at the runtime address \p Address. For code without
/// lines, they show the module.
std::vector<SymbolizedFrame> ProcessPrinter::framesOf(const ProcessAnswer &A,
                                                      uint64_t Address) {
  std::vector<SymbolizedFrame> Frames = A.Frames;
  if (Frames.empty() && R.Answers.Style->Schema == JSONSchema::Own)
    return Frames;
  if (Frames.empty())
    Frames.emplace_back();
  // As in Symbolizer::frames().
  if (R.Answers.Frames == FrameChoice::Outer &&
      R.Answers.Symbolizer.Functions == DINameKind::LinkageName)
    Frames.front().Function = Frames.back().Function;
  if (R.Answers.Frames != FrameChoice::All)
    Frames.resize(1);
  for (SymbolizedFrame &F : Frames)
    if (F.File.empty() && !R.Answers.Style->isJSON())
      F.File = placeOf(A);
  std::vector<uint8_t> BuildID;
  if (!R.Answers.Sources.bundles().empty())
    BuildID = S.buildIDAt(Address);
  Source.addTo(Frames, BuildID);
  Source.clear();
  return Frames;
}

void ProcessPrinter::answer(StringRef Line) {
  Query Q;
  const char *Wrong = Line.empty() ? nullptr : Q.parse(Line);
  if (!Wrong && (Q.Type != Query::Kind::Code || !Q.Symbol.empty()))
    Wrong = "only addresses of code are answered";
  if (Wrong)
    reportError("'" + Line.take_front(1000) + "': " + Wrong);
  if (Wrong || Line.empty())
    return Printer->printFrames({}, {});
  uint64_t Address = Q.Offset - R.Answers.Symbolizer.AdjustVMA;
  std::shared_ptr<const ProcessAnswer> A =
      S.answer(Address, R.Answers.Symbolizer.ReturnAddresses);
  note(*A);
  Printer->printFrames({A->Module, Q.Offset, StringRef(), A->miss()},
                       framesOf(*A, Address));
}

void ProcessPrinter::answerAll(ArrayRef<std::string> Lines) {
  for (StringRef Line : Lines)
    answer(Line);
  Printer->finish();
}

void ProcessPrinter::printSummary() const {
  ProcessStatistics F = S.statistics();
  errs() << "addresses: " << F.Requests << ", of which "
         << llvm::format("%.1f", 100 * F.hitRate()) << " % from memory\n"
         << "answers: " << WithLines << " with lines, " << WithNames
         << " with names only, " << WithNothing << " with neither\n"
         << "modules: " << F.ModulesOpened << " opened\n";
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static void answerLines(const ProcessSymbolizeRequest &R,
                        ProcessPrinter &Printer) {
  if (!R.Lines.empty())
    return Printer.answerAll(R.Lines);
  auto Flush = [] { outs().flush(); };
  LineReader Reader(STDIN_FILENO, Flush);
  while (std::optional<StringRef> Input = Reader.nextText())
    Printer.answer(*Input);
}

Error symbolizeProcess(CommandLine &Line) {
  ProcessSymbolizeRequest R = readProcessSymbolizeRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  Progress Observer(R.Quiet);
  auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
  CommandCache C(R.Cache, Observer);
  Expected<std::unique_ptr<ModuleResolver>> Modules =
      ModuleResolver::create(R.Sources, C, Observer);
  if (!Modules)
    return Modules.takeError();
  Expected<std::unique_ptr<AddressSpace>> Space =
      openAddressSpace(R.Space, **Modules, Warn);
  if (!Space)
    return Space.takeError();
  if (R.PrintMaps) {
    (*Space)->readBuildIDs();
    (*Space)->mappings().print(outs());
    return Error::success();
  }
  ProcessSymbolizerOptions O;
  O.Symbolizer = R.Answers.Symbolizer;
  O.Kernel = kernelOptions(R.Kernel, **Space, Warn);
  Expected<std::shared_ptr<const PerfMap>> JIT =
      openPerfMap(R.PerfMap, **Space, Warn);
  if (!JIT)
    return JIT.takeError();
  O.JIT = std::move(*JIT);
  ProcessSymbolizer S(std::move(*Space), **Modules, std::move(O));
  outs().SetBufferSize(64 * 1024);
  ProcessPrinter Printer(R, S);
  answerLines(R, Printer);
  if (R.Summary)
    Printer.printSummary();
  return (*Modules)->archives().damage();
}

} // namespace lidia
