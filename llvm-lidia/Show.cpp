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

std::vector<StringRef> shownThings() {
  std::vector<StringRef> Names;
  for (const ThingName &T : Things)
    Names.push_back(T.Name);
  return Names;
}

static void readThing(CommandLine &Line, StringRef Name, ShowRequest &R) {
  const opt::InputArgList &Args = Line.args();
  std::string Names;
  for (const ThingName &T : Things) {
    Names += (Names.empty() ? "" : ", ") + std::string(T.Name);
    if (Name != T.Name)
      continue;
    R.What.Thing = T.Thing;
    if (Args.hasArg(OPT_function_EQ) && !T.HasFunctions)
      Line.fail("--function= does not apply to " + Name);
    if (Args.hasArg(OPT_unit_EQ) && !T.HasUnits)
      Line.fail("--unit= does not apply to " + Name);
    return;
  }
  Line.fail("expected one of " + Names + ", but got '" + Name + "'");
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
  ShowRequest R = readShowRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  outs().SetBufferSize(64 * 1024);
  Progress Observer(R.Quiet);
  return show(outs(), R.Binary, R.Sources, R.What, Observer);
}

} // namespace lidia
