//===- Options.cpp - Reads command lines, reports errors ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "ProcessSetup.h"
#include "ResponseFiles.h"
#include "Support/MessageLine.h"
#include "Support/URLText.h"
#include "lidia/Store/OpenArchive.h"
#include "lidia/Support/OutputFile.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

char ReportedFailure::ID;

static StringRef ToolName = "llvm-lidia";

void setToolName(StringRef Name) { ToolName = Name; }

/// Whether messages are printed for programs (--messages=json).
static bool PrintsMessageLines = false;

static void report(MessageLine M) {
  // Answers and errors may go to the same terminal: this keeps them in order.
  outs().flush();
  M.Text = escapeText(withoutPasswords(M.Text));
  if (PrintsMessageLines)
    return M.print(errs());
  (M.IsError ? WithColor::error(errs(), ToolName)
             : WithColor::warning(errs(), ToolName))
      << M.Text << '\n';
}

void reportError(const Twine &Message) {
  MessageLine M;
  M.Text = Message.str();
  report(std::move(M));
}

void reportError(Error E) {
  handleAllErrors(
      std::move(E), [](const ReportedFailure &) {},
      [](const LidiaError &Info) {
        MessageLine M;
        M.File = withoutPasswords(Info.file());
        M.Text = Info.message();
        report(std::move(M));
      },
      [](const ErrorInfoBase &Info) { reportError(Info.message()); });
}

void reportWarning(const Twine &Message, uint64_t Count) {
  MessageLine M;
  M.IsError = false;
  M.Text = Message.str();
  M.Count = Count;
  report(std::move(M));
}

int finishOutput(int Status) {
  outs().flush();
  if (!outs().has_error())
    return Status;
  std::string Reason = outs().error().message();
  // With an error, the stream's destructor would crash the process.
  outs().clear_error();
  WithColor::error(errs(), ToolName) << "standard output: " << Reason << '\n';
  return 1;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// From LLVM 20 on, TableGen's tables have one array with all names.
#if LLVM_VERSION_MAJOR >= 20
#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE
#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE
#define LIDIA_OPTION_NAMES OptionStrTable, OptionPrefixesTable,
#else
#define LIDIA_OPTION_NAMES
#define PREFIX(NAME, VALUE)                                                    \
  static constexpr StringLiteral NAME##_init[] = VALUE;                        \
  static constexpr ArrayRef<StringLiteral> NAME(NAME##_init,                   \
                                                std::size(NAME##_init) - 1);
#include "Options.inc"
#undef PREFIX
#endif

const opt::OptTable &optionTable() {
  using namespace opt;
  static constexpr OptTable::Info Infos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
  };
  struct Table : GenericOptTable {
    Table() : GenericOptTable(LIDIA_OPTION_NAMES Infos) {
      setDashDashParsing(true);
    }
  };
  static const Table T;
  return T;
}

//===----------------------------------------------------------------------===//
// A command line
//===----------------------------------------------------------------------===//

/// Returns ", an option of lookup, show", ", did you mean '--lines'?", or
/// nothing, for the option \p Unknown of \p C.
static std::string suggestion(StringRef Unknown, const Command &C) {
  // Looking for the nearest name takes quadratic time.
  constexpr size_t MaxName = 64;
  if (Unknown.size() > MaxName)
    return "";
  // Helper programs have options, but not the functions of the commands.
  static constexpr std::pair<const char *, CommandVisibility> Commands[] = {
#define LIDIA_COMMAND(ID, NAME, ...) {NAME, ID##Vis},
#include "Commands.def"
#undef LIDIA_COMMAND
  };
  std::string Nearest, Others;
  for (const auto &[Name, Vis] : Commands)
    if (optionTable().findNearest(Unknown, Nearest, opt::Visibility(Vis)) == 0)
      Others += (Others.empty() ? "" : ", ") + std::string(Name);
  if (!Others.empty())
    return ", an option of " + Others;
  // Two transposed letters are a distance of two.
  if (optionTable().findNearest(Unknown, Nearest, visibleIn(C)) > 2)
    return "";
  return ", did you mean '" + Nearest + "'?";
}

/// Spells -p as --pid where processes have stacks, as eu-stack and gdb have it.
/// The table cannot have it beside llvm-symbolizer's -p.
static void spellProcess(const Command &C, MutableArrayRef<const char *> Argv,
                         StringSaver &Saver) {
  if (!is_contained({"stack", "explain", "filter"}, StringRef(C.Name)))
    return;
  for (const char *&Argument : Argv) {
    StringRef Text = Argument;
    if (Text == "--")
      return;
    if (Text == "-p")
      Argument = "--pid";
    else if (Text.consume_front("-p") && all_of(Text, isDigit))
      Argument = Saver.save("--pid=" + Text).data();
  }
}

CommandLine::CommandLine(const Command &C, Arguments Given) : C(C) {
  SmallVector<const char *, 16> Argv(Given.begin(), Given.end());
  // A server's options are kept in a file.
  bool HaveComments = StringRef(C.Name) == "serve";
  if (Error E = expandResponseFiles(Allocator, Argv, HaveComments))
    fail(toString(std::move(E)));
  spellProcess(C, Argv, Saver);
  unsigned MissingIndex, MissingCount;
  do
    Args =
        optionTable().ParseArgs(Argv, MissingIndex, MissingCount, visibleIn(C));
  while (splitGroup(Argv));
  if (MissingCount)
    fail(Twine(Argv[MissingIndex]) + ": missing argument");
  for (const opt::Arg *A : Args.filtered(OPT_UNKNOWN))
    fail("unknown argument '" + A->getSpelling() + "'" +
         suggestion(A->getSpelling(), C));
}

/// Splits the first -fpi in \p Argv into -f -pi. Returns false if there is
/// none.
///
/// OptTable splits groups only if it ignores visibilities.
bool CommandLine::splitGroup(SmallVectorImpl<const char *> &Argv) {
  for (const opt::Arg *A : Args.filtered(OPT_UNKNOWN)) {
    StringRef Group = A->getSpelling();
    if (Group.size() < 3 || Group[1] == '-' || Group[2] == '=')
      continue;
    const char *First = Saver.save(Group.take_front(2)).data();
    opt::InputArgList FirstOnly(&First, &First + 1);
    unsigned Index = 0;
    std::unique_ptr<opt::Arg> Option =
        optionTable().ParseOneArg(FirstOnly, Index, visibleIn(C));
    if (!Option || Option->getOption().getKind() != opt::Option::FlagClass)
      continue;
    Argv[A->getIndex()] = First;
    Argv.insert(Argv.begin() + A->getIndex() + 1,
                Saver.save("-" + Group.drop_front(2)).data());
    return true;
  }
  return false;
}

std::vector<std::string> CommandLine::operands() const {
  return Args.getAllArgValues(OPT_INPUT);
}

std::string CommandLine::operand(StringRef What) {
  std::vector<std::string> Operands = operands();
  if (Operands.size() == 1)
    return std::move(Operands.front());
  if (Operands.empty())
    fail("no " + What + " given (see llvm-lidia " + C.Name + " --help)");
  else
    fail("more than one " + What + " given");
  return "";
}

/// Whether no file can be created beside \p Path, because it is a pipe, a
/// device, or a descriptor opened by the shell, such as /dev/stdin.
static bool hasNoFolder(StringRef Path) {
  return ownDescriptor(Path) ||
         (sys::fs::exists(Path) && !sys::fs::is_regular_file(Path) &&
          !sys::fs::is_directory(Path));
}

std::string CommandLine::output(StringRef Input, StringRef Extension) {
  if (const opt::Arg *A = Args.getLastArg(OPT_output_EQ)) {
    if (StringRef(A->getValue()).empty())
      fail(A->getSpelling() + ": expected a file, but got ''");
    return A->getValue();
  }
  if (isURL(Input) || hasNoFolder(Input))
    fail(Input + ": no file can be written beside it (name the " +
         "output with -o)");
  return (Input + Extension).str();
}

uint64_t CommandLine::number(unsigned ID, uint64_t Default) {
  const opt::Arg *A = Args.getLastArg(ID);
  if (!A)
    return Default;
  uint64_t Value;
  if (to_integer(StringRef(A->getValue()), Value, 0))
    return Value;
  fail(A->getSpelling() + ": expected a non-negative integer, but got '" +
       A->getValue() + "'");
  return Default;
}

uint64_t CommandLine::size(unsigned ID, uint64_t Default) {
  const opt::Arg *A = Args.getLastArg(ID);
  if (!A)
    return Default;
  StringRef Text = A->getValue();
  unsigned Shift = Text.consume_back_insensitive("k")   ? 10
                   : Text.consume_back_insensitive("m") ? 20
                   : Text.consume_back_insensitive("g") ? 30
                                                        : 0;
  uint64_t Size;
  if (!Text.getAsInteger(10, Size) && Size <= UINT64_MAX >> Shift)
    return Size << Shift;
  fail(A->getSpelling() + ": expected a number of bytes, or one with k, " +
       "m or g after it, but got '" + A->getValue() + "'");
  return Default;
}

void readMessageForm(CommandLine &Line) {
  const opt::Arg *A = Line.args().getLastArg(OPT_messages_EQ);
  if (!A)
    return;
  StringRef Form = A->getValue();
  PrintsMessageLines = Form == "json";
  if (PrintsMessageLines)
    setEarlyExitPrefix("");
  else if (Form != "text")
    Line.fail("--messages=: expected text or json, but got '" + Form + "'");
}

/// The parts that --check names.
static ChecksumParts readChecksumParts(CommandLine &Line) {
  ChecksumParts Parts;
  for (StringRef List : Line.args().getAllArgValues(OPT_check_EQ)) {
    SmallVector<StringRef, 8> Names;
    List.split(Names, ',');
    for (StringRef Name : Names)
      if (!Parts.add(Name))
        Line.fail("--check=: expected " + Twine(ChecksumParts::Names) +
                  " or a section of the extension, but got '" + Name + "'");
  }
  return Parts;
}

OpenOptions readOpenOptions(CommandLine &Line) {
  OpenOptions O;
  O.Verify = readChecksumParts(Line);
  O.FrameCacheSize = Line.size(OPT_frame_cache_size_EQ, O.FrameCacheSize);
  return O;
}

Error CommandLine::takeErrors() {
  Error All = Error::success();
  for (const std::string &Message : Errors)
    All = joinErrors(std::move(All),
                     createStringError(inconvertibleErrorCode(), Message));
  Errors.clear();
  return All;
}

} // namespace lidia
