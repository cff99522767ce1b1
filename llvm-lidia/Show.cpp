//===- Show.cpp - llvm-lidia show: the contents of a binary ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Show.h"
#include "Options.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "lidia/Extract/Show.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
/// The parsed command line.
struct ShowRequest {
  std::string Binary;
  lidia::ConvertOptions Sources;
  lidia::ShowOptions What;
  bool Quiet = false;
};

struct ThingName {
  const char *Name;
  lidia::ShownThing Thing;
  bool HasFunctions;
  bool HasUnits;
};
} // namespace

namespace lidia {

static constexpr ThingName Things[] = {
    {"units", ShownThing::Units, true, true},
    {"lines", ShownThing::Lines, true, true},
    {"functions", ShownThing::Functions, true, true},
    {"symbols", ShownThing::Symbols, true, true},
    {"go", ShownThing::Go, true, true},
    {"plt", ShownThing::PLT, true, false},
    {"sections", ShownThing::Sections, false, false},
};

static constexpr StringLiteral Ranges = "ranges";

std::vector<StringRef> shownThings() {
  std::vector<StringRef> Names;
  for (const ThingName &T : Things)
    Names.push_back(T.Name);
  Names.push_back(Ranges);
  return Names;
}

static void readThing(CommandLine &Line, StringRef Name, ShowRequest &R) {
  const opt::InputArgList &Args = Line.args();
  for (const ThingName &T : Things) {
    if (Name != T.Name)
      continue;
    R.What.Thing = T.Thing;
    if (Args.hasArg(OPT_function_EQ) && !T.HasFunctions)
      Line.fail("--function= does not apply to " + Name);
    if (Args.hasArg(OPT_unit_EQ) && !T.HasUnits)
      Line.fail("--unit= does not apply to " + Name);
    return;
  }
  Line.fail("expected one of " + join(shownThings(), ", ") + ", but got '" +
            Name + "'");
}

/// Refuses options that do not apply to the ranges of sources, or to nothing
/// else.
static void refuseOptions(CommandLine &Line, bool IsRanges) {
  const opt::InputArgList &Args = Line.args();
  const opt::Arg *A =
      IsRanges ? Args.getLastArg(OPT_address_EQ, OPT_function_EQ, OPT_unit_EQ)
               : Args.getLastArg(OPT_rows, OPT_columns, OPT_source_EQ,
                                 OPT_no_dwarf, OPT_no_go, OPT_no_symtab);
  if (A)
    Line.fail(A->getSpelling() + (IsRanges ? " does not apply to ranges"
                                           : " applies to ranges only"));
}

static ShowRequest readShowRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  ShowRequest R;
  std::vector<std::string> Operands = Line.operands();
  if (Operands.size() == 2) {
    readThing(Line, Operands[0], R);
    R.Binary = Operands[1];
  } else {
    Line.fail("expected what to show and a binary (see llvm-lidia show "
              "--help)");
  }
  if (Args.hasArg(OPT_address_EQ))
    R.What.Address = Line.number(OPT_address_EQ, 0);
  R.What.Function = Args.getLastArgValue(OPT_function_EQ).str();
  R.What.Unit = Args.getLastArgValue(OPT_unit_EQ).str();
  R.What.Demangle = Args.hasArg(OPT_demangle);
  R.Quiet = Args.hasArg(OPT_quiet);
  readSourceOptions(Line, R.Sources);
  return R;
}

Error runShow(CommandLine &Line) {
  std::vector<std::string> Operands = Line.operands();
  bool IsRanges = Operands.size() == 2 && Operands.front() == Ranges;
  refuseOptions(Line, IsRanges);
  if (IsRanges)
    return showRanges(Line, Operands.back());
  ShowRequest R = readShowRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  outs().SetBufferSize(64 * 1024);
  Progress Observer(R.Quiet);
  return show(outs(), R.Binary, R.Sources, R.What, Observer);
}

} // namespace lidia
