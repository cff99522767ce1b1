//===- llvm-lidia.cpp - Makes and reads Lidia archives --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Complete.h"
#include "Help.h"
#include "Object/ObjectArchive.h"
#include "Options.h"
#include "OtherTools.h"
#include "ProcessSetup.h"
#include "lidia/Support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace lidia;
using namespace llvm;

ArrayRef<Command> lidia::commands() {
  static constexpr Command Commands[] = {
#define LIDIA_COMMAND(ID, NAME, GROUP, USAGE, SUMMARY, OVERVIEW)               \
  {NAME, GROUP, USAGE, SUMMARY, OVERVIEW, ID##Vis, run##ID},
#include "Commands.def"
#undef LIDIA_COMMAND
  };
  return Commands;
}

const Command *lidia::findCommand(StringRef Name) {
  auto IsNamed = [&](const Command &C) { return C.Name == Name; };
  const Command *Found = find_if(commands(), IsNamed);
  return Found == commands().end() ? nullptr : Found;
}

static Error run(const Command &C, Arguments Args) {
  CommandLine Line(C, Args);
  readMessageForm(Line);
  if (Error E = Line.takeErrors())
    return E;
  if (Line.args().hasArg(OPT_help))
    printHelp(outs(), C);
  else if (Line.args().hasArg(OPT_version))
    printVersion(outs());
  else
    return C.Run(Line);
  return Error::success();
}

static Error unknownWord(const Twine &Message, StringRef Word) {
  StringRef Nearest = nearestCommand(Word);
  return createStringError(
      inconvertibleErrorCode(),
      Message + " '" + Word + "'" +
          (Nearest.empty() ? " (see llvm-lidia help)"
                           : ", did you mean '" + Nearest.str() + "'?"));
}

static Error help(Arguments Args) {
  StringRef Word = Args.empty() ? "help" : Args.front();
  if (const Command *C = findCommand(Word))
    printHelp(outs(), *C);
  else if (Word == "help" || Word == "--help" || Word == "-h")
    printHelp(outs());
  else
    return unknownWord("no such command", Word);
  return Error::success();
}

/// Whether \p Word cannot be the binary that create takes as its first
/// argument, because it is neither an option nor a path nor the name of an
/// existing file.
static bool isOnlyAWord(StringRef Word) {
  if (Word.empty() || Word.contains('/') || Word[0] == '-' || Word[0] == '@' ||
      isInsideFile(Word))
    return false;
  sys::fs::file_status Status;
  return sys::fs::status(Word, Status) == std::errc::no_such_file_or_directory;
}

static Error runTool(Arguments Args) {
  StringRef First = Args.front();
  if (First == "help")
    return help(Args.drop_front());
  if (First == "--complete") {
    complete(outs(), Args.drop_front());
    return Error::success();
  }
  if (First == "--help" || First == "-h")
    if (Args.size() == 1 || findCommand(Args[1]))
      return help(Args.drop_front());
  if (const Command *C = findCommand(First))
    return run(*C, Args.drop_front());
  if (isOnlyAWord(First))
    return unknownWord("no such file or command", First);
  return run(*findCommand("create"), Args);
}

int main(int Argc, char **Argv) {
  EarlyExit How = {"llvm-lidia: error: "};
  How.RemoveFiles = removeFilesOnSignal;
  setUpProcess(Argc ? Argv[0] : "", How);
  if (std::optional<int> Status = runAsOtherTool({Argv, Argv + Argc}))
    return *Status;
  if (Argc < 2) {
    printHelp(errs());
    return 1;
  }
  Error E = runTool(Arguments(Argv + 1, Argv + Argc));
  bool Failed = bool(E);
  reportError(std::move(E));
  return finishOutput(Failed);
}
