//===- Options.cpp - Reading command lines, reporting errors --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

static constexpr char ToolName[] = "llvm-lidia";

void reportError(const Twine &Message) {
  // Answers and complaints may go to the same terminal: keep their order.
  outs().flush();
  WithColor::error(errs(), ToolName) << Message << '\n';
}

void reportError(Error E) {
  handleAllErrors(std::move(E), [](const ErrorInfoBase &Info) {
    reportError(Info.message());
  });
}

void reportWarning(const Twine &Message) {
  outs().flush();
  WithColor::warning(errs(), ToolName) << Message << '\n';
}

int finishOutput(int Status) {
  outs().flush();
  if (!outs().has_error())
    return Status;
  std::string Reason = outs().error().message();
  // Otherwise the stream's destructor ends the process with a crash report.
  outs().clear_error();
  WithColor::error(errs(), ToolName) << "standard output: " << Reason << '\n';
  return 1;
}

static void printVersion() {
  outs() << ToolName << " " LIDIA_VERSION_STRING "\n"
         << "  Archive format 1, LLVM " LLVM_VERSION_STRING "\n";
}

void CommandLine::printHelp(opt::OptTable &Table) const {
  std::string Usage = std::string(ToolName) + ' ' + Info.Name +
                      (*Info.Name ? " " : "") + Info.Usage;
  Table.printHelp(outs(), Usage.c_str(), Info.Overview);
  outs() << '\n' << Info.Footer << "Pass @FILE to read options from FILE.\n";
}

/// OptTable wants the program's name in front.
static SmallVector<char *, 16> withName(Arguments Args) {
  SmallVector<char *, 16> All{const_cast<char *>(ToolName)};
  All.append(Args.begin(), Args.end());
  return All;
}

CommandLine::CommandLine(opt::OptTable &Table, const CommandInfo &Info,
                         Arguments Given)
    : Info(Info), Args([&] {
        Table.setGroupedShortOptions(true);
        Table.setDashDashParsing(true);
        SmallVector<char *, 16> All = withName(Given);
        return Table.parseArgs(int(All.size()), All.data(), Info.UnknownID,
                               Saver,
                               [&](StringRef Message) { fail(Message); });
      }()) {
  if (ExitStatus)
    return;
  if (Args.hasArg(Info.HelpID))
    printHelp(Table);
  else if (Args.hasArg(Info.VersionID))
    printVersion();
  else
    return;
  ExitStatus = finishOutput(0);
}

std::vector<std::string> CommandLine::operands() const {
  return Args.getAllArgValues(Info.InputID);
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

void CommandLine::fail(const Twine &Message) {
  reportError(Message);
  ExitStatus = 1;
}

} // namespace lidia
