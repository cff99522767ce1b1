//===- Addr2Line.cpp - The interface of GNU addr2line ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Options, messages and output are those of binutils 2.40's addr2line.c.
/// Options are read by getopt_long, which also accepts abbreviations, and
/// addresses by strtoull. perf and other callers depend on details, such as the
/// answer "??:0" to a line that is not an address.
///
//===----------------------------------------------------------------------===//

#include "ContentOptions.h"
#include "LineReader.h"
#include "Object/Binary.h"
#include "Options.h"
#include "OtherTools.h"
#include "ProgramOnPath.h"
#include "Progress.h"
#include "ResponseFiles.h"
#include "lidia/Modules/ModuleArchives.h"
#include "lidia/Output/FramePrinter.h"
#include "lidia/Symbolize/Names.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cxxabi.h>
#include <getopt.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

namespace {

/// The schemes in which names are demangled.
struct DemangleStyle {
  bool CXX = false;
  bool Rust = false;
  bool D = false;
};

/// The parsed command line.
struct Addr2LineRequest {
  std::string File = "a.out";
  /// Addresses are offsets in this section, if it is named.
  std::string Section;
  bool Addresses = false;
  bool BaseNames = false;
  DemangleStyle Demangle;
  /// A style of demangling that only the original tool supports.
  StringRef OriginalStyle;
  bool Functions = false;
  bool Inlines = false;
  bool Pretty = false;
  std::vector<StringRef> Operands;
};

/// Answers the addresses of one file.
class Addr2Line {
public:
  /// \p A is null if nothing is known about the file.
  Addr2Line(const Addr2LineRequest &R, const Archive *A);

  /// Finds the section to which addresses are relative.
  Error findSection();
  void answer(StringRef Text);

private:
  uint64_t readAddress(StringRef Text);
  uint64_t searchSymbol(StringRef Name) const;
  uint64_t findSymbol(StringRef Name);
  bool isStub(const Frame &F) const;
  void printFrame(const Frame &F);
  StringRef function(const Frame &F);
  void printUnknown();

  const Addr2LineRequest &R;
  const Archive *const A;
  std::optional<Symbolizer> S;
  const bool Is32Bit;
  std::optional<Section> Relative;
  DenseMap<StringOffset, std::string> Demangled;
  /// The addresses of the symbols that were requested.
  StringMap<uint64_t> Known;
};

} // namespace

static SymbolizerOptions symbolizerOptions(const Addr2LineRequest &R) {
  SymbolizerOptions O;
  O.Demangle = false;
  O.Doubt = false;
  if (R.BaseNames)
    O.Paths = SymbolizerOptions::PathKind::BaseNameOnly;
  return O;
}

Addr2Line::Addr2Line(const Addr2LineRequest &R, const Archive *A)
    : R(R), A(A),
      Is32Bit(A && A->info() && A->info()->Class == ELF::ELFCLASS32) {
  if (A)
    S.emplace(*A, symbolizerOptions(R));
}

Error Addr2Line::findSection() {
  if (R.Section.empty())
    return Error::success();
  Expected<std::unique_ptr<Binary>> File = Binary::open(R.File);
  if (!File)
    return File.takeError();
  const Section *Found = (*File)->findSection(R.Section);
  if (!Found)
    return createStringError(R.File + ": cannot find section " + R.Section);
  Relative = *Found;
  return Error::success();
}

/// Demangles C++ names with the C++ library's demangler, which is that of
/// binutils: LLVM's demangler writes "a<b<c>>" where binutils writes "a<b<c>
/// >".
static std::string demangleAsGNU(StringRef Name, DemangleStyle Style) {
  if ((Style.Rust && isRustName(Name)) || (Style.D && Name.starts_with("_D")))
    return readableName(Name);
  if (!Style.CXX || !Name.starts_with("_Z") || !canDemangle(Name))
    return Name.str();
  char *Text =
      abi::__cxa_demangle(Name.str().c_str(), nullptr, nullptr, nullptr);
  std::string Result = Text ? Text : Name.str();
  std::free(Text);
  return Result;
}

StringRef Addr2Line::function(const Frame &F) {
  StringRef Raw = A->string(F.Function);
  if (Raw.empty() || !mayBeMangled(Raw))
    return S->function(F);
  auto [It, New] = Demangled.try_emplace(F.Function);
  if (New)
    It->second = escapeText(demangleAsGNU(Raw, R.Demangle));
  return It->second;
}

void Addr2Line::printFrame(const Frame &F) {
  if (R.Functions)
    outs() << orUnknown(function(F)) << (R.Pretty ? " at " : "\n");
  outs() << orUnknown(S->file(F)) << ':';
  if (F.Line)
    outs() << F.Line << '\n';
  else
    outs() << "?\n";
}

void Addr2Line::printUnknown() {
  if (R.Functions)
    outs() << (R.Pretty ? "?? " : "??\n");
  outs() << "??:0\n";
}

/// The entry of the function \p Name, mangled or not; 0 if there is none.
uint64_t Addr2Line::searchSymbol(StringRef Name) const {
  constexpr DemangleStyle Any{/*CXX=*/true, /*Rust=*/true, /*D=*/true};
  for (bool Readable : {false, true})
    for (uint64_t I = 0, E = A ? A->rangeCount() : 0; I != E; ++I) {
      RangeEntry Range = A->range(I);
      StringRef Raw = A->string(Range.Function);
      if (!Raw.empty() && Range.Depth == 0 &&
          (Readable ? mayBeMangled(Raw) && demangleAsGNU(Raw, Any) == Name
                    : Raw == Name))
        // A piece that was moved away may have a lower address.
        return A->range(A->entry(I).value_or(I)).VA;
    }
  return 0;
}

/// The same, cached. A search visits all functions, and perf asks for "," after
/// each address to detect the end of the answer.
uint64_t Addr2Line::findSymbol(StringRef Name) {
  constexpr size_t MaxKnown = 1024;
  auto IsOfName = [](char C) {
    return isAlpha(C) || C == '_' || C == '$' || !isASCII(C);
  };
  if (none_of(Name, IsOfName))
    return 0;
  auto It = Known.find(Name);
  if (It != Known.end())
    return It->second;
  if (Known.size() == MaxKnown)
    Known.clear();
  return Known[Name] = searchSymbol(Name);
}

/// Reads "1234", "0x1234", "name" or "name+0x12". Anything else is 0.
uint64_t Addr2Line::readAddress(StringRef Text) {
  Text = Text.ltrim();
  char First = Text.empty() ? '-' : Text.front();
  bool IsNumber = isDigit(First) || (isHexDigit(First) && !Text.contains('+'));
  if (IsNumber)
    return std::strtoull(Text.str().c_str(), nullptr, 16);
  if (First == '-')
    return 0;
  StringRef Name =
      Text.take_until([](char C) { return C == '+' || isSpace(C); });
  Text = Text.drop_front(Name.size()).ltrim();
  uint64_t Offset = Text.consume_front("+")
                        ? std::strtoull(Text.str().c_str(), nullptr, 0)
                        : 0;
  return findSymbol(Name) + Offset;
}

/// binutils has no names for PLT stubs, and perf accepts a name without a line
/// as an answer.
bool Addr2Line::isStub(const Frame &F) const {
  return !F.File && A->string(F.Function).ends_with("@plt");
}

void Addr2Line::answer(StringRef Text) {
  uint64_t Address = readAddress(Text);
  if (Is32Bit)
    Address = uint32_t(Address);
  if (R.Addresses)
    outs() << format_hex(Address, Is32Bit ? 10 : 18)
           << (R.Pretty ? ": " : "\n");
  bool IsOutside = Relative && Address >= Relative->Size;
  ArrayRef<Frame> Frames;
  if (S && !IsOutside)
    Frames = S->frames(Address + (Relative ? Relative->Address : 0));
  if (!R.Inlines)
    Frames = Frames.take_front();
  if (Frames.empty() || isStub(Frames.front()))
    return printUnknown();
  uint64_t Left = S->maxText();
  for (const Frame &F : Frames) {
    uint64_t Size = function(F).size() + S->file(F).size();
    if (Size > Left)
      return reportError("the answer to " + Text + " is too long: truncated");
    Left -= Size;
    if (&F != Frames.begin() && R.Pretty)
      outs() << " (inlined by) ";
    printFrame(F);
  }
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static void report(StringRef Program, const Twine &Message) {
  outs().flush();
  errs() << Program << ": ";
  printText(errs(), Message.str());
  errs() << '\n';
}

static void printUsage(raw_ostream &OS, StringRef Program) {
  OS << "Usage: " << Program << " [option(s)] [addr(s)]\n"
     << R"( Convert addresses into line number/file name pairs.
 If no addresses are specified on the command line, they will be read from stdin
 The options are:
  @<file>                Read options from <file>
  -a --addresses         Show addresses
  -b --target=<bfdname>  Set the binary file format (ignored)
  -e --exe=<executable>  Set the input file name (default is a.out)
  -i --inlines           Unwind inlined functions
  -j --section=<name>    Read section-relative offsets instead of addresses
  -p --pretty-print      Make the output easier to read for humans
  -s --basenames         Strip directory names
  -f --functions         Show function names
  -C --demangle[=style]  Demangle function names
  -R --recurse-limit     Ignored
  -r --no-recurse-limit  Ignored
  -h --help              Display this information
  -v --version           Display the program's version

)";
}

/// Stores the \p Style of --demangle=. Returns whether binutils has the style.
static bool readDemangleStyle(StringRef Style, Addr2LineRequest &R) {
  auto Known = StringSwitch<std::optional<DemangleStyle>>(Style)
                   .Case("none", DemangleStyle())
                   .Case("auto", DemangleStyle{true, true, false})
                   .Case("gnu-v3", DemangleStyle{true, false, false})
                   .Case("rust", DemangleStyle{false, true, false})
                   .Case("dlang", DemangleStyle{false, false, true})
                   .Default(std::nullopt);
  R.Demangle = Known.value_or(DemangleStyle());
  R.OriginalStyle = Known ? StringRef() : Style;
  return Known || is_contained({"java", "gnat"}, Style);
}

/// Stores the option \p Letter. Returns an exit status if the program is done.
static std::optional<int> readOption(int Letter, StringRef Program,
                                     Addr2LineRequest &R) {
  switch (Letter) {
  case 'a':
    R.Addresses = true;
    break;
  case 'C':
    if (!readDemangleStyle(optarg ? optarg : "auto", R)) {
      report(Program, "unknown demangling style `" + StringRef(optarg) + "'");
      return 1;
    }
    break;
  case 'e':
    R.File = optarg;
    break;
  case 'f':
    R.Functions = true;
    break;
  case 'i':
    R.Inlines = true;
    break;
  case 'j':
    R.Section = optarg;
    break;
  case 'p':
    R.Pretty = true;
    break;
  case 's':
    R.BaseNames = true;
    break;
  case 'b':
  case 'r':
  case 'R':
    break;
  case 'h':
  case 'H':
    printUsage(outs(), Program);
    return 0;
  case 'v':
  case 'V':
    outs() << sys::path::filename(Program)
           << ", by llvm-lidia " LIDIA_VERSION_STRING
              " (compatible with GNU addr2line 2.40)\n";
    return 0;
  default:
    printUsage(errs(), Program);
    return 1;
  }
  return std::nullopt;
}

static std::optional<int> readOptions(ArrayRef<char *> Argv,
                                      Addr2LineRequest &R) {
  static const option Options[] = {
      {"addresses", no_argument, nullptr, 'a'},
      {"basenames", no_argument, nullptr, 's'},
      {"demangle", optional_argument, nullptr, 'C'},
      {"exe", required_argument, nullptr, 'e'},
      {"functions", no_argument, nullptr, 'f'},
      {"inlines", no_argument, nullptr, 'i'},
      {"pretty-print", no_argument, nullptr, 'p'},
      {"recurse-limit", no_argument, nullptr, 'R'},
      {"recursion-limit", no_argument, nullptr, 'R'},
      {"no-recurse-limit", no_argument, nullptr, 'r'},
      {"no-recursion-limit", no_argument, nullptr, 'r'},
      {"section", required_argument, nullptr, 'j'},
      {"target", required_argument, nullptr, 'b'},
      {"help", no_argument, nullptr, 'H'},
      {"version", no_argument, nullptr, 'V'},
      {nullptr, 0, nullptr, 0},
  };
  int Count = int(Argv.size()) - 1;
  while (true) {
    int Letter = ::getopt_long(Count, Argv.data(), "ab:Ce:rRsfHhij:pVv",
                               Options, nullptr);
    if (Letter < 0)
      break;
    if (std::optional<int> Status = readOption(Letter, Argv.front(), R))
      return Status;
  }
  for (char *Operand : Argv.slice(size_t(optind), size_t(Count - optind)))
    R.Operands.push_back(Operand);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Returns binutils' message; none if \p Path is a file with contents.
static std::optional<std::string> whyNoFile(const std::string &Path) {
  sys::fs::file_status Status;
  std::error_code EC = sys::fs::status(Path, Status);
  if (EC == std::errc::no_such_file_or_directory)
    return "'" + Path + "': No such file";
  if (EC)
    return "Warning: could not locate '" + Path + "'.  reason: " + EC.message();
  if (sys::fs::is_directory(Status))
    return "Warning: '" + Path + "' is a directory";
  if (!sys::fs::is_regular_file(Status))
    return "Warning: '" + Path + "' is not an ordinary file";
  return std::nullopt;
}

static void answerAll(Addr2Line &Tool, const Addr2LineRequest &R) {
  for (StringRef Address : R.Operands)
    Tool.answer(Address);
  if (!R.Operands.empty())
    return;
  auto Flush = [] { outs().flush(); };
  LineReader Reader(STDIN_FILENO, Flush);
  while (std::optional<StringRef> Line = Reader.nextText())
    Tool.answer(*Line);
}

/// The archive of R.File, or null if it is an ELF file without information.
/// Leaves other files to the addr2line on the PATH.
static Expected<std::shared_ptr<const Archive>>
openArchive(const Addr2LineRequest &R, ModuleArchives &Modules,
            ArrayRef<char *> Argv) {
  ModuleArchives::Result A = Modules.get(R.File);
  if (A)
    return A;
  std::error_code EC = errorToErrorCode(A.takeError());
  if (EC == std::errc::permission_denied)
    return createStringError(R.File + ": " + EC.message());
  std::string Original = findOtherProgram({"addr2line"});
  if (!Original.empty())
    replaceProcess(Original, Argv);
  if (EC == std::errc::executable_format_error)
    return createStringError(R.File + ": file format not recognized");
  return std::shared_ptr<const Archive>();
}

/// Leaves everything to the addr2line on the PATH. Returns only if there is
/// none.
static int runOriginal(const Addr2LineRequest &R, StringRef Program,
                       ArrayRef<char *> Argv) {
  std::string Original = findOtherProgram({"addr2line"});
  if (!Original.empty())
    replaceProcess(Original, Argv);
  report(Program, "--demangle=" + R.OriginalStyle +
                      " needs GNU addr2line, which is not on the PATH; the "
                      "styles that need nothing are auto, gnu-v3, rust, "
                      "dlang and none");
  return 1;
}

int runAddr2Line(Arguments Args) {
  BumpPtrAllocator Allocator;
  SmallVector<const char *, 16> Words(Args.begin(), Args.end());
  StringRef Program = Args.front();
  if (Error E = expandResponseFiles(Allocator, Words)) {
    report(Program, toString(std::move(E)));
    return 1;
  }
  // getopt_long reorders the array.
  SmallVector<char *, 16> Argv;
  for (const char *Word : Words)
    Argv.push_back(const_cast<char *>(Word));
  Argv.push_back(nullptr);
  SmallVector<char *, 16> Given(Argv);
  Addr2LineRequest R;
  if (std::optional<int> Status = readOptions(Argv, R))
    return finishOutput(*Status);
  if (!R.OriginalStyle.empty())
    return runOriginal(R, Program, Given);
  if (std::optional<std::string> Why = whyNoFile(R.File)) {
    report(Program, *Why);
    return 1;
  }

  Progress Observer(/*Quiet=*/true);
  Cache C;
  C.removeOnSignals();
  ModuleArchivesOptions Options;
  keepAllForLookup(Options.Conversion);
  Options.ELFOnly = !findOtherProgram({"addr2line"}).empty();
  ModuleArchives Modules(C, Options, Observer);
  Expected<std::shared_ptr<const Archive>> A = openArchive(R, Modules, Given);
  if (!A) {
    report(Program, toString(A.takeError()));
    return 1;
  }
  outs().SetBufferSize(64 * 1024);
  Addr2Line Tool(R, A->get());
  if (Error E = Tool.findSection()) {
    report(Program, toString(std::move(E)));
    return 1;
  }
  answerAll(Tool, R);
  if (Error E = Modules.damage()) {
    outs().flush();
    report(Program, toString(std::move(E)));
    return finishOutput(1);
  }
  return finishOutput(0);
}

} // namespace lidia
