//===- OtherTools.cpp - The interfaces of other symbolizers ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OtherTools.h"
#include "Complete.h"
#include "Help.h"
#include "Options.h"
#include "Symbolize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace lidia {

/// Runs llvm-symbolizer's interface. The options in its environment variable
/// precede those of the command line.
static Error runSymbolizer(Arguments Args, StringRef Tool,
                           SymbolizerName Name) {
  const Command &C = *findCommand("symbolize");
  BumpPtrAllocator Allocator;
  StringSaver Saver(Allocator);
  SmallVector<const char *, 16> FromEnvironment;
  const char *Initial =
      std::getenv(Name == SymbolizerName::Addr2Line ? "LLVM_ADDR2LINE_OPTS"
                                                    : "LLVM_SYMBOLIZER_OPTS");
  if (Initial)
    cl::TokenizeGNUCommandLine(Initial, Saver, FromEnvironment);
  SmallVector<char *, 16> Argv;
  for (const char *Word : FromEnvironment)
    Argv.push_back(const_cast<char *>(Word));
  append_range(Argv, Args);
  CommandLine Line(C, Argv);
  if (Error E = Line.takeErrors())
    return E;
  if (Line.args().hasArg(OPT_help))
    printHelp(outs(), C, Tool);
  else if (Line.args().hasArg(OPT_version))
    printVersion(outs(), Tool);
  else
    return symbolize(Line, Name);
  return Error::success();
}

/// Completes the options of the command that runs under this program's name.
static void completeSymbolizer(Arguments Words) {
  std::string Command = "symbolize";
  SmallVector<char *, 16> All = {Command.data()};
  append_range(All, Words);
  complete(outs(), All);
}

std::optional<int> runAsOtherTool(Arguments Args) {
  StringRef Program = Args.empty() ? "" : Args.front();
  StringRef Tool = sys::path::filename(Program);
  bool IsSymbolizer = Tool.contains("symbolizer");
  if (!IsSymbolizer && !Tool.contains("addr2line"))
    return std::nullopt;
  setToolName(Program);
  if (!IsSymbolizer && !Tool.contains("llvm-addr2line"))
    return runAddr2Line(Args);
  Args = Args.drop_front();
  if (!Args.empty() && StringRef(Args.front()) == "--complete") {
    completeSymbolizer(Args.drop_front());
    return finishOutput(0);
  }
  Error E = runSymbolizer(Args, Tool,
                          IsSymbolizer ? SymbolizerName::Symbolizer
                                       : SymbolizerName::Addr2Line);
  bool Failed = bool(E);
  reportError(std::move(E));
  return finishOutput(Failed);
}

} // namespace lidia
