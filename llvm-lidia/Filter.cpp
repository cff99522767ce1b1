//===- Filter.cpp - llvm-lidia filter: a log with functions and lines -----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressSpaceOptions.h"
#include "AnswerOptions.h"
#include "CacheOptions.h"
#include "Object/Binary.h"
#include "Progress.h"
#include "ReturnPads.h"
#include "SourceOptions.h"
#include "lidia/Error.h"
#include "lidia/Log/LoadBias.h"
#include "lidia/Log/LogFilter.h"
#include "lidia/Report/Tombstone.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

using namespace llvm;

namespace {
/// The parsed command line.
struct FilterRequest {
  std::vector<std::string> Logs;
  lidia::AnswerOptions Answers;
  lidia::SymbolSources Sources;
  lidia::AddressSpaceOptions Space;
  lidia::KernelInput Kernel;
  std::string PerfMap;
  lidia::CacheOptions Cache;
  bool Quiet = false;
  bool Summary = false;
};
} // namespace

namespace lidia {

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static FilterRequest readFilterRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  FilterRequest R;
  R.Logs = Line.operands();
  AnswerDefaults Defaults;
  Defaults.Doubt = true;
  R.Answers = readAnswerOptions(Line, Defaults);
  R.Sources = readSymbolSources(Line);
  R.Cache = readCacheOptions(Line);
  R.Space = readAddressSpaceOptions(Line);
  R.Kernel = readKernelInput(Line);
  R.Sources.RunningKernel = R.Kernel.IsRunning;
  R.PerfMap = Args.getLastArgValue(OPT_perf_map_EQ).str();
  if (!R.PerfMap.empty() && !R.Space.isSet())
    Line.fail("--perf-map needs --pid, --maps, --core or --minidump");
  R.Quiet = Args.hasArg(OPT_quiet);
  R.Summary = Args.hasArg(OPT_summary);
  return R;
}

//===----------------------------------------------------------------------===//
// Reading logs
//===----------------------------------------------------------------------===//

namespace {

/// Passes logs through a filter, in blocks. Before it waits for more input, it
/// writes everything that was read except for an incomplete line.
class LogReader {
public:
  LogReader(LogFilter &Filter, raw_ostream &OS)
      : Filter(Filter), OS(OS), Buffer(new char[BlockSize + MaxLine]) {}

  Error read(int FD, StringRef Name);

private:
  static constexpr size_t MaxLine = LogFilter::LongestLine;
  static constexpr size_t BlockSize = 256 * 1024;

  Error readTombstone(int FD, StringRef Name, StringRef First);

  LogFilter &Filter;
  raw_ostream &OS;
  const std::unique_ptr<char[]> Buffer;
};

} // namespace

/// Reads up to \p Size bytes to \p To; zero at the end.
static Expected<size_t> readSome(int FD, StringRef Name, char *To,
                                 size_t Size) {
  ssize_t Count = sys::RetryAfterSignal(-1, ::read, FD, To, Size);
  if (Count >= 0)
    return size_t(Count);
  return createStringError(std::error_code(errno, std::generic_category()),
                           Name + ": " + std::strerror(errno));
}

/// Android's protobuf tombstones have no lines: they are read as a whole, and
/// written as the text that Android writes. \p First has already been read.
Error LogReader::readTombstone(int FD, StringRef Name, StringRef First) {
  constexpr size_t Max = 64 << 20;
  std::string Bytes = First.str();
  while (true) {
    Expected<size_t> Count = readSome(FD, Name, Buffer.get(), BlockSize);
    if (!Count)
      return Count.takeError();
    if (*Count == 0)
      break;
    Bytes.append(Buffer.get(), *Count);
    if (Bytes.size() > Max)
      return make_error<LimitError>(
          Name, "is neither text nor a tombstone of at most 64 MiB");
  }
  Filter.writeLines(isTombstone(Bytes) ? tombstoneText(Bytes) : Bytes);
  return Error::success();
}

Error LogReader::read(int FD, StringRef Name) {
  size_t Held = 0;
  bool InLongLine = false;
  for (bool IsFirst = true;; IsFirst = false) {
    outs().flush();
    Expected<size_t> Read = readSome(FD, Name, Buffer.get() + Held, BlockSize);
    if (!Read)
      return Read.takeError();
    size_t Count = *Read;
    StringRef Text(Buffer.get(), Held + Count);
    if (IsFirst && mayBeTombstone(Text))
      return readTombstone(FD, Name, Text);
    if (InLongLine) {
      size_t End = Text.find('\n');
      InLongLine = End == StringRef::npos;
      End = InLongLine ? Text.size() : End + 1;
      OS << Text.take_front(End);
      Text = Text.drop_front(End);
    }
    size_t Whole = Count ? Text.rfind('\n') + 1 : Text.size();
    Filter.writeLines(Text.take_front(Whole));
    Text = Text.drop_front(Whole);
    if (!Count)
      return Error::success();
    if (Text.size() > MaxLine) {
      OS << Text;
      Text = StringRef();
      InLongLine = true;
    }
    Held = Text.size();
    if (Held)
      std::memmove(Buffer.get(), Text.data(), Held);
  }
}

static Error filterFile(LogReader &Reader, const std::string &Path) {
  if (Path == "-")
    return Reader.read(STDIN_FILENO, "standard input");
  int FD = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (FD < 0)
    return createStringError(std::error_code(errno, std::generic_category()),
                             Path + ": " + std::strerror(errno));
  Error E = Reader.read(FD, Path);
  ::close(FD);
  return E;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

/// Opens the address space for runtime addresses; null if the command line has
/// none.
static Expected<std::unique_ptr<ProcessSymbolizer>>
openSpace(const FilterRequest &R, ModuleResolver &Modules,
          WarningFunction Warn) {
  if (!R.Space.isSet() && R.Kernel.Kallsyms.empty())
    return nullptr;
  Expected<std::unique_ptr<AddressSpace>> Space =
      openAddressSpace(R.Space, Modules, Warn);
  if (!Space)
    return Space.takeError();
  ProcessSymbolizerOptions O;
  O.Symbolizer = R.Answers.Symbolizer;
  O.Kernel = kernelOptions(R.Kernel, **Space, Warn);
  if (Error E = openPerfMap(R.PerfMap, **Space, Warn).moveInto(O.JIT))
    return E;
  return std::make_unique<ProcessSymbolizer>(std::move(*Space), Modules,
                                             std::move(O));
}

/// The contents of the log \p Path, if it is a regular file, which can be read
/// twice.
static std::unique_ptr<MemoryBuffer> contentsOf(const std::string &Path) {
  constexpr uint64_t Max = 64 << 20;
  bool IsInput = Path == "-";
  sys::fs::file_status Status;
  // Nothing else may be opened: it would take what a pipe has.
  if ((IsInput ? sys::fs::status(STDIN_FILENO, Status)
               : sys::fs::status(Path, Status)) ||
      Status.type() != sys::fs::file_type::regular_file)
    return nullptr;
  int FD = IsInput ? STDIN_FILENO : ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (FD < 0)
    return nullptr;
  uint64_t Offset = uint64_t(std::max<off_t>(::lseek(FD, 0, SEEK_CUR), 0));
  uint64_t Size = Status.getSize() - std::min(Status.getSize(), Offset);
  ErrorOr<std::unique_ptr<MemoryBuffer>> Bytes = MemoryBuffer::getOpenFileSlice(
      sys::fs::convertFDToNativeFile(FD), Path, std::min(Size, Max),
      int64_t(Offset), /*IsVolatile=*/true);
  if (!IsInput)
    ::close(FD);
  return Bytes ? std::move(*Bytes) : nullptr;
}

/// If addresses at run time can only be those of one program, infers from the
/// logs where it was loaded. Says so, because it may be a coincidence.
static void inferBias(const FilterRequest &R, StringRef Program,
                      LogFilterOptions &O) {
  StringRef Name = sys::path::filename(Program);
  LoadBias Bias(Name);
  for (const std::string &Log : R.Logs)
    if (std::unique_ptr<MemoryBuffer> Bytes = contentsOf(Log))
      Bias.read(Bytes->getBuffer());
  if (Bias.isEmpty())
    return;
  // What is wrong with the file is reported when it is used.
  Expected<std::unique_ptr<Binary>> File = Binary::open(Program);
  if (!File)
    return consumeError(File.takeError());
  Expected<std::vector<uint64_t>> Pads = findReturnPadsApart(
      **File, CodeHints(), R.Sources.Archives.Conversion.Threads);
  if (!Pads)
    return consumeError(Pads.takeError());
  bool IsFixed = (*File)->identity().Type == ELF::ET_EXEC;
  std::optional<uint64_t> Found = Bias.find(*Pads, IsFixed);
  if (!Found)
    return;
  O.Program = Name.str();
  O.Bias = *Found;
  if (!IsFixed && !R.Quiet)
    errs() << "llvm-lidia: note: " << Program << ": taken to be loaded at 0x"
           << utohexstr(*Found, /*LowerCase=*/true)
           << ", the only place where all return addresses follow calls\n";
}

static void printSummary(const LogFilterStatistics &F) {
  errs() << "addresses: " << F.Addresses << ", of which " << F.WithLines
         << " with lines, " << F.WithNames << " with names only, "
         << F.Addresses - F.WithLines - F.WithNames << " with neither\n";
}

/// Prints an address of a log and its functions as an answer in JSON.
static void printAnswer(AnswerPrinter &Printer, const LogAddress &A,
                        ArrayRef<FrameView> Functions) {
  std::vector<SymbolizedFrame> Frames;
  for (const FrameView &F : Functions) {
    SymbolizedFrame &Frame = Frames.emplace_back();
    Frame.Function = F.Function.str();
    Frame.File = F.File.str();
    Frame.Line = F.Line;
    Frame.Column = F.Column;
    Frame.IsUncertain = F.IsUncertain;
    Frame.Origin = F.Origin;
    Frame.IsInlined = &F != &Functions.back();
  }
  std::string ID = toHex(A.BuildID, /*LowerCase=*/true);
  StringRef Module = A.Module.empty() ? StringRef(ID) : A.Module;
  Printer.printFrames({Module, A.Offset ? A.Offset : A.Runtime, A.Function,
                       missOfFrames(Frames)},
                      Frames);
}

Error runFilter(CommandLine &Line) {
  FilterRequest R = readFilterRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  Progress Observer(R.Quiet);
  auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
  const std::vector<std::string> &Programs = R.Sources.Files;
  CommandCache C(R.Cache, Observer);
  Expected<std::unique_ptr<ModuleResolver>> Resolver =
      ModuleResolver::create(R.Sources, C, Observer);
  if (!Resolver)
    return Resolver.takeError();
  LogFilterOptions O;
  // Not all addresses are return addresses, so the symbolizers must not take
  // them for that.
  O.ReturnAddresses =
      std::exchange(R.Answers.Symbolizer.ReturnAddresses, false);
  LogModules Modules(**Resolver, R.Answers.Symbolizer, Warn);
  Expected<std::unique_ptr<ProcessSymbolizer>> Space =
      openSpace(R, **Resolver, Warn);
  if (!Space)
    return Space.takeError();
  O.Frames = R.Answers.Frames;
  O.VMLinux = R.Kernel.VMLinux;
  O.UseKernel = R.Kernel.IsRunning;
  if (R.Kernel.IsRunning)
    O.KernelBuildID = runningKernelBuildID();
  O.Space = Space->get();
  if (R.Logs.empty())
    R.Logs = {"-"};
  if (!O.Space && Programs.size() == 1)
    inferBias(R, Programs.front(), O);
  outs().SetBufferSize(64 * 1024);
  std::unique_ptr<AnswerPrinter> Printer = makePrinter(R.Answers, false);
  bool IsJSON = R.Answers.Style->isJSON();
  if (IsJSON)
    O.Answered = [&](const LogAddress &A, ArrayRef<FrameView> Functions) {
      printAnswer(*Printer, A, Functions);
    };
  raw_ostream &Text = IsJSON ? nulls() : outs();
  LogFilter Filter(Text, Modules, O);
  LogReader Reader(Filter, Text);
  Error Result = Error::success();
  for (const std::string &Log : R.Logs)
    Result = joinErrors(std::move(Result), filterFile(Reader, Log));
  outs().flush();
  const LogFilterStatistics &Statistics = Filter.statistics();
  if (Statistics.WithLines != Statistics.Addresses && !R.Quiet &&
      hasUnaskedServers(R.Sources.Archives.Conversion))
    errs() << "llvm-lidia: note: "
           << Statistics.Addresses - Statistics.WithLines
           << " addresses lack lines, and no server of DEBUGINFOD_URLS was "
              "asked: --debuginfod asks them\n";
  if (R.Summary)
    printSummary(Statistics);
  return joinErrors(std::move(Result), (*Resolver)->archives().damage());
}

} // namespace lidia
