//===- Lookup.cpp - llvm-lidia lookup: addresses to frames ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContentOptions.h"
#include "LineReader.h"
#include "Options.h"
#include "OutputStyles.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "SourceText.h"
#include "lidia/Cache/CachedArchive.h"
#include "lidia/Symbolize/FramePrinter.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/Query.h"
#include "lidia/Symbolize/TextLimit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/DebugInfo/Symbolize/DIPrinter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <unistd.h>

using namespace llvm;

namespace {
/// The parsed command line.
struct Request {
  /// An archive or an ELF file.
  std::string File;
  bool IsBinary = false;
  std::vector<std::string> Lines;
  /// For a binary: how its archive is made, and where it is kept.
  lidia::ConvertOptions Options;
  std::string CacheFolder;
  bool UseCache = true;
  bool Quiet = false;
  lidia::SymbolizerOptions Symbolizer;
  symbolize::PrinterConfig Printer;
  const lidia::OutputStyle *Style = nullptr;
  bool Inlines = true;
  bool CheckCRC = false;
};
} // namespace

namespace lidia {

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static DINameKind readFunctions(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  if (Args.hasArg(OPT_functions))
    return DINameKind::LinkageName;
  StringRef Kind = Args.getLastArgValue(OPT_functions_EQ, "linkage");
  auto Parsed = StringSwitch<std::optional<DINameKind>>(Kind)
                    .Case("none", DINameKind::None)
                    .Case("short", DINameKind::ShortName)
                    .Case("linkage", DINameKind::LinkageName)
                    .Default(std::nullopt);
  if (!Parsed)
    Line.fail("--functions=: expected none, short or linkage, but got '" +
              Kind + "'");
  return Parsed.value_or(DINameKind::LinkageName);
}

static const OutputStyle *readStyle(CommandLine &Line) {
  ArrayRef<OutputStyle> Styles = outputStyles();
  StringRef Name =
      Line.args().getLastArgValue(OPT_output_style_EQ, Styles.front().Name);
  const auto *Found =
      find_if(Styles, [&](const OutputStyle &S) { return S.Name == Name; });
  if (Found != Styles.end())
    return Found;
  auto NameOf = [](const OutputStyle &S) { return S.Name; };
  Line.fail("--output-style=: expected one of " +
            join(map_range(Styles, NameOf), ", ") + ", but got '" + Name + "'");
  return Styles.begin();
}

static SymbolizerOptions::PathKind readPaths(const opt::InputArgList &Args) {
  const opt::Arg *A = Args.getLastArg(OPT_basenames, OPT_relativenames);
  if (!A)
    return SymbolizerOptions::PathKind::AbsoluteFilePath;
  return A->getOption().matches(OPT_basenames)
             ? SymbolizerOptions::PathKind::BaseNameOnly
             : SymbolizerOptions::PathKind::RelativeFilePath;
}

/// Whether \p Path is a file with ELF magic. Missing files and pipes are left
/// to the code that opens them.
static bool isELF(StringRef Path) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) || !sys::fs::is_regular_file(Status))
    return false;
  Expected<sys::fs::file_t> FD = sys::fs::openNativeFileForRead(Path);
  if (!FD) {
    consumeError(FD.takeError());
    return false;
  }
  char Magic[4];
  Expected<size_t> Size = sys::fs::readNativeFile(*FD, Magic);
  sys::fs::closeFile(*FD);
  if (!Size) {
    consumeError(Size.takeError());
    return false;
  }
  return StringRef(Magic, *Size) == StringRef(ELF::ElfMagic, sizeof(Magic));
}

static void readFile(CommandLine &Line, Request &R) {
  R.Lines = Line.operands();
  R.File = Line.args().getLastArgValue(OPT_obj_EQ).str();
  if (!R.File.empty())
    return;
  if (R.Lines.empty())
    return Line.fail("no archive or binary given (see llvm-lidia lookup "
                     "--help)");
  R.File = std::move(R.Lines.front());
  R.Lines.erase(R.Lines.begin());
}

static void readBinaryOptions(CommandLine &Line, Request &R) {
  const opt::InputArgList &Args = Line.args();
  R.IsBinary = isELF(R.File);
  if (!R.IsBinary) {
    if (const opt::Arg *A = Args.getLastArg(OPT_grp_own_sources,
                                            OPT_cache_dir_EQ, OPT_no_cache))
      Line.fail(A->getSpelling() + " applies to binaries only: " + R.File +
                " is not an ELF file");
    return;
  }
  readSourceOptions(Line, R.Options);
  keepAllForLookup(R.Options);
  R.CacheFolder = Args.getLastArgValue(OPT_cache_dir_EQ).str();
  R.UseCache = !Args.hasArg(OPT_no_cache);
  R.Quiet = Args.hasArg(OPT_quiet);
}

static Request readRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  Request R;
  R.Symbolizer.Functions = readFunctions(Line);
  R.Symbolizer.Paths = readPaths(Args);
  R.Symbolizer.Demangle = Args.hasFlag(OPT_demangle, OPT_no_demangle, true);
  R.Symbolizer.AdjustVMA = Line.number(OPT_adjust_vma_EQ, 0);
  R.Symbolizer.ReturnAddresses = Args.hasArg(OPT_return_addresses);
  R.Printer.PrintAddress = Args.hasArg(OPT_addresses);
  R.Printer.PrintFunctions = R.Symbolizer.Functions != DINameKind::None;
  R.Printer.Pretty = Args.hasArg(OPT_pretty_print);
  R.Printer.Verbose = Args.hasArg(OPT_verbose);
  R.Printer.SourceContextLines = int(std::min<uint64_t>(
      Line.number(OPT_print_source_context_lines_EQ, 0), 1u << 20));
  R.Style = readStyle(Line);
  R.Symbolizer.Text = R.Style->Text;
  R.Inlines = Args.hasFlag(OPT_inlines, OPT_no_inlines, true);
  R.CheckCRC = Args.hasArg(OPT_crc);
  readFile(Line, R);
  readBinaryOptions(Line, R);
  return R;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

namespace {

/// Answers lines of input on standard output.
class Lookup {
public:
  Lookup(const Archive &A, const Request &R)
      : R(R), Module(printable(R.File)), S(A, R.Symbolizer),
        Source(R.Printer.SourceContextLines, R.Symbolizer.Text),
        Config(R.Printer), Printer(R.Style->MakePrinter(stream(), Config)),
        Fast(outs(), S,
             {R.Style->GNULayout, R.Printer.PrintFunctions,
              R.Printer.PrintAddress, R.Printer.Pretty}),
        UseFast(R.Style->HasFastPrinter && !R.Printer.Verbose &&
                R.Printer.SourceContextLines == 0) {}

  void answer(StringRef Line);
  /// The same for a line of a file, without trailing white space.
  void answerFromInput(StringRef Line);
  void answerAll(ArrayRef<std::string> Lines);

  /// An error if some answers were cut.
  Error finish() const;

private:
  /// Where Printer prints. JSON is escaped on the way.
  raw_ostream &stream() {
    return R.Style->Text == TextForm::UTF8 ? static_cast<raw_ostream &>(JSON)
                                           : outs();
  }
  void answerUnknown(StringRef Module);
  bool answerQuery(StringRef Line);
  bool answerFast(uint64_t Address);
  bool answerFrames(const Query &Q, const symbolize::Request &Asked);
  void answerFrame(const Query &Q, const symbolize::Request &Asked);
  bool answerName(const Query &Q, const symbolize::Request &Asked);
  void endSource();

  std::string printable(StringRef Text) const;

  const Request &R;
  /// The file's path, for printing in answers.
  const std::string Module;
  Symbolizer S;
  SourceText Source;
  JSONEscaper JSON{outs()};
  symbolize::PrinterConfig Config;
  std::unique_ptr<symbolize::DIPrinter> Printer;
  FramePrinter Fast;
  /// Whether FramePrinter supports the requested output.
  const bool UseFast;
  std::string Cleaned;
  uint64_t CutAnswers = 0;
};

} // namespace

std::string Lookup::printable(StringRef Text) const {
  return R.Symbolizer.Text == TextForm::UTF8 ? json::fixUTF8(Text)
                                             : escapeText(Text);
}

void Lookup::answerUnknown(StringRef Module) {
  Printer->print({Module, std::nullopt, StringRef()}, DILineInfo());
}

/// False if the answer is cut.
bool Lookup::answerFast(uint64_t Address) {
  ArrayRef<Frame> Frames = S.frames(Address);
  if (!R.Inlines && R.Style->InnermostAlone)
    Frames = Frames.take_front();
  else if (!R.Inlines && !Frames.empty())
    Frames = ArrayRef<Frame>(S.outerFrame(Address), 1);
  return Fast.print(Address, Frames);
}

void Lookup::endSource() {
  if (uint64_t Count = Source.leftOut())
    reportWarning(R.File + ": the source text of " + Twine(Count) +
                  " frames of one answer is too long and left out");
  Source.clear();
}

/// False if the answer is cut.
bool Lookup::answerFrames(const Query &Q, const symbolize::Request &Asked) {
  DIInliningInfo Frames = S.inlinedCode(Q.Offset);
  for (uint32_t I = 0, E = Frames.getNumberOfFrames(); I != E; ++I)
    Source.addTo(*Frames.getMutableFrame(I));
  Printer->print(Asked, Frames);
  endSource();
  return !S.wasCut();
}

void Lookup::answerFrame(const Query &Q, const symbolize::Request &Asked) {
  DILineInfo Place =
      R.Style->InnermostAlone ? S.innermostCode(Q.Offset) : S.code(Q.Offset);
  Source.addTo(Place);
  Printer->print(Asked, Place);
  endSource();
}

/// False if the answer is cut.
bool Lookup::answerName(const Query &Q, const symbolize::Request &Asked) {
  std::vector<DILineInfo> Places = S.find(Q.Symbol, Q.Offset);
  for (DILineInfo &Place : Places)
    Source.addTo(Place);
  Printer->print(Asked, Places);
  endSource();
  return !S.wasCut();
}

/// False if the answer is cut.
bool Lookup::answerQuery(StringRef Line) {
  // An empty line is a liveness check.
  if (Line.empty()) {
    answerUnknown("");
    return true;
  }
  Query Q;
  if (const char *Wrong = Q.parse(Line)) {
    reportError("'" + Line + "': " + Wrong);
    answerUnknown(Module);
    return true;
  }
  bool IsCode = Q.What == Query::Kind::Code;
  if (IsCode && Q.Symbol.empty() && UseFast)
    return answerFast(Q.Offset);

  std::string Symbol = printable(Q.Symbol);
  symbolize::Request Asked = {Module, std::nullopt, Symbol};
  if (Q.Symbol.empty())
    Asked.Address = Q.Offset;
  if (Q.What == Query::Kind::Data)
    Printer->print(Asked, S.symbol(Q.Offset));
  else if (Q.What == Query::Kind::Frame)
    Printer->print(Asked, std::vector<DILocal>());
  else if (!Q.Symbol.empty())
    return answerName(Q, Asked);
  else if (R.Inlines)
    return answerFrames(Q, Asked);
  else
    answerFrame(Q, Asked);
  return true;
}

void Lookup::answer(StringRef Line) {
  bool Whole = answerQuery(Line);
  // Flush the JSON printer's partial output, if there is no list to end.
  JSON.flush();
  if (Whole)
    return;
  ++CutAnswers;
  reportError(textLimitError("'" + Line + "': the answer"));
}

void Lookup::answerFromInput(StringRef Line) {
  Line = Line.take_until([](char C) { return C == '\0'; });
  if (!Line.contains('\r'))
    return answer(Line);
  Cleaned = Line.str();
  llvm::erase(Cleaned, '\r');
  answer(Cleaned);
}

void Lookup::answerAll(ArrayRef<std::string> Lines) {
  Printer->listBegin();
  for (StringRef Line : Lines)
    answer(Line);
  Printer->listEnd();
  JSON.flush();
}

Error Lookup::finish() const {
  if (CutAnswers == 0)
    return Error::success();
  return createStringError(R.File +
                           ": incomplete answers: " + Twine(CutAnswers));
}

/// The archive of the binary. It is open and no longer needs its name or the
/// cache.
static Expected<Archive> openFromCache(const Request &R) {
  Progress Observer(R.Quiet);
  Cache C(R.CacheFolder);
  C.removeOnSignals();
  C.setWarningHandler([&](const Twine &Message) { Observer.warning(Message); });
  if (!R.UseCache)
    C.disable();
  CachedFile File;
  Expected<Archive> A =
      openCachedArchive(C, R.File, R.Options, Observer, &File);
  if (!A || !R.CheckCRC || File.Made)
    return A;
  if (Error E = A->verifyChecksums()) {
    // However it was damaged, it can be made anew.
    Observer.warning(toString(std::move(E)) + ": making it again");
    sys::fs::remove(File.Path);
    return openCachedArchive(C, R.File, R.Options, Observer);
  }
  return A;
}

static Expected<Archive> openArchive(const Request &R) {
  if (R.IsBinary)
    return openFromCache(R);
  Expected<Archive> A = Archive::open(R.File);
  if (A && R.CheckCRC)
    if (Error E = A->verifyChecksums())
      return E;
  return A;
}

Error runLookup(CommandLine &Line) {
  Request R = readRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  Expected<Archive> A = openArchive(R);
  if (!A)
    return A.takeError();

  outs().SetBufferSize(64 * 1024);
  Lookup L(*A, R);
  if (!R.Lines.empty()) {
    L.answerAll(R.Lines);
    return L.finish();
  }
  auto Flush = [] { outs().flush(); };
  LineReader Reader(STDIN_FILENO, Flush);
  while (std::optional<StringRef> Input = Reader.next())
    L.answerFromInput(*Input);
  return L.finish();
}

} // namespace lidia
