//===- Complete.cpp - Completion of command lines -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is derived from Commands.def and Options.td, the tables that the
// tool itself reads, so that no list of options can become outdated.
//
//===----------------------------------------------------------------------===//

#include "Complete.h"
#include "Options.h"
#include "Show.h"
#include "lidia/Extract/Convert.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;

namespace lidia {

namespace {

struct Candidate {
  std::string Word;
  std::string Description;
};

/// The answer to one request.
struct Completion {
  /// Candidates for the last word. Printing the answer drops those that do not
  /// match.
  std::vector<Candidate> Candidates;
  StringRef Names = "none";
};

} // namespace

static void addCommands(Completion &To) {
  for (const Command &C : commands())
    To.Candidates.push_back({C.Name, C.Summary});
  To.Candidates.push_back({"help", "Display the help of a command"});
}

/// Adds the options of \p C that its help describes.
static void addOptions(Completion &To, const Command &C) {
  const opt::OptTable &Table = optionTable();
  for (unsigned ID = 1; ID <= Table.getNumOptions(); ++ID) {
    const opt::Option O = Table.getOption(ID);
    const char *Help = Table.getOptionHelpText(ID, visibleIn(C));
    if (!Help || !*Help || O.getKind() <= opt::Option::UnknownClass ||
        !O.hasVisibilityFlag(visibleIn(C)))
      continue;
    std::string Description(Help);
    std::replace(Description.begin(), Description.end(), '\n', ' ');
    To.Candidates.push_back({O.getPrefixedName().str(), Description});
  }
}

/// The option of \p C spelled \p Spelling ("--obj=", "-o").
static std::optional<opt::Option> findOption(const Command &C,
                                             StringRef Spelling) {
  const opt::OptTable &Table = optionTable();
  for (unsigned ID = 1; ID <= Table.getNumOptions(); ++ID) {
    const opt::Option O = Table.getOption(ID);
    if (O.getKind() > opt::Option::UnknownClass &&
        O.hasVisibilityFlag(visibleIn(C)) && O.getPrefixedName() == Spelling)
      return O;
  }
  return std::nullopt;
}

/// The values of --format= in \p C.
static std::vector<StringRef> formatsOf(const Command &C) {
  StringRef Name = C.Name;
  if (Name == "export")
    return {"dwarf",   "breakpad", "gsym", "symbfile", "symbfile-return-pads",
            "symcache"};
  if (Name == "stack")
    return {"json", "llvm-json", "minidump-stackwalk"};
  if (Name == "profile")
    return {
#define PROFILE_OUTPUT(ID, NAME, ENDING) NAME,
#define PROFILE_INOUT(ID, NAME, ENDING, FAMILY, PACKED) NAME,
#include "lidia/Profile/Formats.def"
    };
  return {"json"};
}

/// Adds the values of \p O in \p C, each prefixed with \p Before, which ends
/// with the list elements already entered.
static void addValues(Completion &To, const Command &C, opt::Option O,
                      StringRef Before) {
  O = O.getUnaliasedOption();
  if (O.getID() == OPT_source_EQ)
    for (const SourceNames &S : sourceNames())
      To.Candidates.push_back({(Before + S.Option).str(), ""});
  if (O.getID() == OPT_format_EQ)
    for (StringRef Format : formatsOf(C))
      To.Candidates.push_back({(Before + Format).str(), ""});
  for (const std::string &Value :
       optionTable().suggestValueCompletions(O.getPrefixedName(), ""))
    To.Candidates.push_back({(Before + Value).str(), ""});
  const char *Name = optionTable().getOptionMetaVar(O.getID());
  To.Names = StringSwitch<StringRef>(Name ? Name : "")
                 .Case("<file>", "files")
                 .Case("<binary>", "files")
                 .Case("<dir>", "directories")
                 .Default("none");
}

/// Adds candidates for the next operand of \p C after \p Count others,
/// according to its usage: "<binary>", "<what> <binary>" or words, some of
/// which take another operand.
static void addOperands(Completion &To, const Command &C,
                        const std::vector<std::string> &Before) {
  StringRef Usage = C.Usage;
  Usage.consume_front("[options] ");
  if (Usage.starts_with("<what>")) {
    if (Before.empty())
      for (StringRef Name : shownThings())
        To.Candidates.push_back({Name.str(), ""});
    else if (Before.size() == 1)
      To.Names = "files";
    return;
  }
  bool HasWords = Usage.consume_front("[");
  if (!HasWords) {
    if (Before.empty())
      To.Names = "files";
    return;
  }
  auto [List, More] = Usage.split(']');
  // The operands after the action are files.
  if (!More.empty() && !Before.empty())
    To.Names = "files";
  SmallVector<StringRef, 4> Words;
  List.split(Words, '|');
  for (StringRef Word : Words) {
    auto [Name, Operand] = Word.split(' ');
    if (Before.empty())
      To.Candidates.push_back({Name.str(), ""});
    else if (Before.size() == 1 && Before.front() == Name && !Operand.empty())
      To.Names = "files";
  }
}

/// Completes \p Last, an argument of \p C after the arguments \p Before.
static void addArguments(Completion &To, const Command &C,
                         ArrayRef<const char *> Before, StringRef Last) {
  bool AfterDashes = is_contained(
      map_range(Before, [](const char *Word) { return StringRef(Word); }),
      "--");
  unsigned MissingIndex, MissingCount;
  opt::InputArgList Args =
      optionTable().ParseArgs(Before, MissingIndex, MissingCount, visibleIn(C));
  if (MissingCount) {
    if (std::optional<opt::Option> O = findOption(C, Before[MissingIndex]))
      addValues(To, C, *O, "");
    return;
  }
  if (AfterDashes || !Last.starts_with("-"))
    return addOperands(To, C, Args.getAllArgValues(OPT_INPUT));
  size_t Equals = Last.find('=');
  if (Equals == StringRef::npos)
    return addOptions(To, C);
  StringRef Spelling = Last.take_front(Equals + 1);
  std::optional<opt::Option> O = findOption(C, Spelling);
  if (!O) {
    // Some names contain an equals sign (--inlining=true).
    return addOptions(To, C);
  }
  StringRef Value = Last.drop_front(Spelling.size());
  bool IsList = O->getID() == OPT_source_EQ;
  size_t Comma = IsList ? Value.rfind(',') : StringRef::npos;
  addValues(To, C, *O,
            Comma == StringRef::npos
                ? Spelling
                : Last.take_front(Spelling.size() + Comma + 1));
}

static Completion completeWords(ArrayRef<const char *> Before, StringRef Last) {
  Completion To;
  const Command *C = Before.empty() ? nullptr : findCommand(Before.front());
  if (C) {
    addArguments(To, *C, Before.drop_front(), Last);
  } else if (!Before.empty() && StringRef(Before.front()) == "help") {
    if (Before.size() == 1)
      addCommands(To);
  } else {
    if (Before.empty())
      addCommands(To);
    // The name of this command may be omitted.
    addArguments(To, *findCommand("create"), Before, Last);
  }
  return To;
}

void complete(raw_ostream &OS, Arguments Words) {
  SmallVector<const char *, 16> Before(Words.begin(), Words.end());
  StringRef Last = Before.empty() ? "" : Before.pop_back_val();
  Completion Answer = completeWords(Before, Last);
  OS << Answer.Names << '\n';
  for (const Candidate &C : Answer.Candidates)
    if (StringRef(C.Word).starts_with(Last))
      OS << C.Word << '\t' << C.Description << '\n';
}

} // namespace lidia
