//===- Stack.cpp - llvm-lidia stack: the stacks of processes and dumps ----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressSpaceOptions.h"
#include "AnswerOptions.h"
#include "CacheOptions.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "StackwalkPrinter.h"
#include "lidia/Process/ProcessSymbolizer.h"
#include "lidia/Stack/ThreadStacks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
/// The parsed command line.
struct StackRequest {
  lidia::AddressSpaceOptions Space;
  std::string PerfMap;
  std::optional<uint64_t> Thread;
  bool Goroutines = false;
  lidia::UnwindOptions Unwind;
  lidia::StackPrintOptions Print;
  bool Summary = false;
  bool Quiet = false;
  lidia::AnswerOptions Answers;
  lidia::SymbolSources Sources;
  lidia::CacheOptions Cache;
};
} // namespace

namespace lidia {

/// The values of --format=. The last ones are LLVM's names for the members of
/// the first, and another tool's JSON.
static constexpr OutputStyle Formats[] = {
    OwnJSONStyle,
    {"llvm-json", TextForm::UTF8},
    {"minidump-stackwalk", TextForm::UTF8},
};
static constexpr const OutputStyle &StackwalkStyle = Formats[2];

static void readPrintOptions(CommandLine &Line, StackRequest &R) {
  const opt::InputArgList &Args = Line.args();
  AnswerDefaults Defaults;
  Defaults.Formats = Formats;
  Defaults.Doubt = true;
  R.Answers = readAnswerOptions(Line, Defaults);
  if (R.Answers.Style == &StackwalkStyle && R.Space.Minidump.empty())
    Line.fail("--format=minidump-stackwalk needs --minidump");
  R.Print.Source = R.Space.PID            ? "the process"
                   : R.Space.Core.empty() ? "the minidump"
                                          : "the core";
  if (R.Answers.Style->isJSON())
    R.Print.JSON = R.Answers.Style->Schema;
  R.Print.Inlines = R.Answers.Frames == FrameChoice::All;
  R.Print.Links = R.Answers.Links;
  R.Print.Registers = Args.hasArg(OPT_registers);
  R.Print.Trust = Args.hasArg(OPT_trust);
  R.Print.Group = Args.hasArg(OPT_group);
  if (R.Print.Group && R.Print.Registers)
    Line.fail("--group and --registers cannot be combined: threads with equal "
              "stacks have different registers");
}

static void checkGoroutines(CommandLine &Line, const StackRequest &R) {
  if (!R.Goroutines)
    return;
  if (R.Thread)
    Line.fail("--goroutines and --thread cannot be combined");
  if (R.Print.Registers)
    Line.fail("--goroutines and --registers cannot be combined");
  if (R.Answers.Style == &StackwalkStyle)
    Line.fail(
        "--goroutines cannot be combined with --format=minidump-stackwalk");
}

/// There are none; a file or a number that is given without its option gets a
/// hint.
static void checkOperands(CommandLine &Line, bool HasInput) {
  std::vector<std::string> Operands = Line.operands();
  if (HasInput) {
    for (const std::string &Operand : Operands)
      Line.fail("unexpected operand '" + Operand + "'");
    return;
  }
  std::string Hint;
  if (!Operands.empty()) {
    StringRef First = Operands.front();
    bool IsNumber = all_of(First, isDigit);
    Hint = (", but got '" + First + "', did you mean '" +
            (IsNumber ? "--pid=" : "--core=") + First + "'?")
               .str();
  }
  Line.fail("expected --pid, --core or --minidump" + Hint);
}

static StackRequest readStackRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  StackRequest R;
  R.Space = readAddressSpaceOptions(Line);
  checkOperands(Line, R.Space.isSet());
  if (Args.hasArg(OPT_thread_EQ))
    R.Thread = Line.number(OPT_thread_EQ, 0);
  R.Goroutines = Args.hasArg(OPT_goroutines);
  R.Unwind.MaxFrames = Line.number(OPT_max_frames_EQ, 1024);
  // Who asks for few frames wants the innermost ones.
  constexpr size_t Outermost = 64;
  R.Unwind.OutermostFrames = R.Unwind.MaxFrames > 2 * Outermost ? Outermost : 0;
  R.Unwind.TailCalls = !Args.hasArg(OPT_no_tail_calls);
  R.Unwind.Scan = !R.Space.Minidump.empty() || Args.hasArg(OPT_scan);
  R.PerfMap = Args.getLastArgValue(OPT_perf_map_EQ).str();
  R.Summary = Args.hasArg(OPT_summary);
  R.Quiet = Args.hasArg(OPT_quiet);
  readPrintOptions(Line, R);
  // Its schema has no frames that are not on the stack.
  if (R.Answers.Style == &StackwalkStyle)
    R.Unwind.TailCalls = false;
  checkGoroutines(Line, R);
  R.Sources = readSymbolSources(Line, R.Space.defaultRoot());
  R.Cache = readCacheOptions(Line);
  return R;
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// The value that the fraction \p Share of \p Sorted does not exceed.
static uint32_t percentile(ArrayRef<uint32_t> Sorted, double Share) {
  return Sorted[std::min(size_t(double(Sorted.size()) * Share),
                         Sorted.size() - 1)];
}

static void printSummary(ThreadVisitStatistics F, uint64_t Frames) {
  errs() << "threads: " << F.Threads << "\nframes: " << Frames << '\n';
  if (F.Stopped.empty())
    return;
  llvm::sort(F.Stopped);
  errs() << "stopped, in microseconds: median " << percentile(F.Stopped, 0.5)
         << ", 99th percentile " << percentile(F.Stopped, 0.99) << ", longest "
         << F.Stopped.back() << '\n';
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

/// Limits the number of frames, because any number of threads in a minidump may
/// share a stack. Each frame has a return address in the file.
static void limitFrames(const StackRequest &R, const AddressSpace &Space,
                        ThreadUnwinder &Threads) {
  if (!R.Space.Minidump.empty())
    Threads.limit(static_cast<const MinidumpSpace &>(Space).fileSize() /
                  sizeof(uint32_t));
}

static Error printStackwalk(const StackRequest &R, ProcessSymbolizer &S,
                            ThreadUnwinder &Threads, WarningFunction Warn) {
  const auto &Space = static_cast<const MinidumpSpace &>(S.space());
  StackwalkPrinter Printer(*R.Answers.Stream, Space, S, Warn);
  Printer.print([&](const ThreadState &T, Unwinder::ReadMemory Read) {
    return Threads.unwind(T.Registers, T.CodeMask, Read);
  });
  if (R.Summary) {
    ThreadVisitStatistics Statistics;
    Statistics.Threads = Space.dump().Threads.size();
    printSummary(Statistics, Printer.frames());
  }
  return Error::success();
}

/// Says, in one line each, what could name the frames without a function, and
/// that no server of the environment was asked.
static void adviseSources(const StackRequest &R, const StackPrinter &Printer,
                          WarningFunction Warn) {
  bool LacksNames = !Printer.missing().empty() || !Printer.nameless().empty();
  if (!Printer.nameless().empty())
    Warn("stripped of their symbols, so frames lack functions: " +
         join(Printer.nameless(), ", ") +
         ": --debug-file=, --debug-file-directory=, --store= and --debuginfod "
         "find debug information by build ID");
  if (Printer.hasUnnamedMemory())
    Warn("frames in memory without a file lack functions: if a compiler made "
         "code there at run time, a perf map names it (--perf-map=, or "
         "/tmp/perf-PID.map), as node --perf-basic-prof, python -X perf and "
         "java -XX:+DumpPerfMapAtExit write it");
  if (LacksNames && hasUnaskedServers(R.Sources.Archives.Conversion))
    Warn("no server of DEBUGINFOD_URLS was asked: --debuginfod asks them");
}

static Error printStacks(const StackRequest &R, ProcessSymbolizer &S,
                         ModuleResolver &Modules, WarningFunction Warn) {
  const AddressSpace &Space = S.space();
  ThreadUnwinder Threads(R.Unwind, Space, Modules);
  limitFrames(R, Space, Threads);
  if (R.Answers.Style == &StackwalkStyle)
    return printStackwalk(R, S, Threads, Warn);
  StackPrinter Printer(*R.Answers.Stream, R.Print, S, Space.machine(), Warn);
  Expected<ThreadVisitStatistics> Statistics =
      printThreadStacks(Printer, S, Threads, {R.Thread, R.Goroutines}, Warn);
  if (!Statistics)
    return Statistics.takeError();
  if (!Printer.missing().empty() && !R.Space.PID)
    Warn("frames in modules without an archive lack functions, lines or "
         "callers: --modules-from and --sysroot say where files are, --store "
         "where archives are, by build ID");
  adviseSources(R, Printer, Warn);
  if (R.Summary)
    printSummary(*Statistics, Printer.frames());
  if (Statistics->Threads != 0)
    return Error::success();
  if (R.Thread)
    return createStringError("there is no thread " + Twine(*R.Thread));
  if (!R.Space.Minidump.empty())
    return createStringError(R.Space.Minidump + ": has no threads");
  return createStringError(R.Space.Core + ": no thread is in its notes");
}

Error runStack(CommandLine &Line) {
  StackRequest R = readStackRequest(Line);
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
  ProcessSymbolizerOptions O;
  O.Symbolizer = R.Answers.Symbolizer;
  Expected<std::shared_ptr<const PerfMap>> JIT =
      openPerfMap(R.PerfMap, **Space, Warn);
  if (!JIT)
    return JIT.takeError();
  O.JIT = std::move(*JIT);
  ProcessSymbolizer S(std::move(*Space), **Modules, std::move(O));
  outs().SetBufferSize(64 * 1024);
  Error Result = printStacks(R, S, **Modules, Warn);
  return joinErrors(std::move(Result), (*Modules)->archives().damage());
}

} // namespace lidia
