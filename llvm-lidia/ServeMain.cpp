//===- ServeMain.cpp - lidia-serve: serves a store ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program as which llvm-lidia serve continues, with the same options.
//
//===----------------------------------------------------------------------===//

#include "HelperProgram.h"
#include "ProcessSetup.h"
#include "ServeOptions.h"
#include "lidia/Server/Server.h"
#include "lidia/Support/OutputFile.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

using namespace lidia;
using namespace llvm;

/// Blocks the signals that end the server. Call it before threads are created,
/// because they inherit the mask.
static sigset_t blockEndingSignals() {
  sigset_t Ending;
  ::sigemptyset(&Ending);
  for (int Signal : {SIGTERM, SIGINT, SIGHUP})
    ::sigaddset(&Ending, Signal);
  ::pthread_sigmask(SIG_BLOCK, &Ending, nullptr);
  return Ending;
}

/// The path of the tool, whose helper this program is.
static SmallString<128> mainTool() {
  static int Here;
  SmallString<128> Path(sys::fs::getMainExecutable(nullptr, &Here));
  sys::path::remove_filename(Path);
  sys::path::append(Path, LIDIA_TOOL_FROM_HELPERS, "llvm-lidia");
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path;
}

static Error serve(Arguments Args) {
  static constexpr Command Serve = {
      "serve", "", "", "", "", ServeVis, [](CommandLine &) -> Error {
        return Error::success();
      }};
  CommandLine Line(Serve, Args);
  ServerOptions Options = readServerOptions(Line);
  if (Error E = Line.takeErrors())
    return E;
  raiseFileLimit();
  Options.Conversion.Program = mainTool().str().str();
  sigset_t Ending = blockEndingSignals();
  auto Warn = [](const std::string &Message) { reportWarning(Message); };
  Expected<std::unique_ptr<Server>> Started = Server::start(Options, Warn);
  if (!Started)
    return Started.takeError();
  for (const std::string &URL : (*Started)->urls())
    errs() << "llvm-lidia: serving " << escapeText(Options.Store) << " at "
           << escapeText(URL) << '\n';
  notifySystemd("READY=1");
  int Signal;
  ::sigwait(&Ending, &Signal);
  notifySystemd("STOPPING=1");
  return Error::success();
}

int main(int Argc, char **Argv) {
  EarlyExit How = {"llvm-lidia: error: "};
  How.RemoveFiles = removeFilesOnSignal;
  setUpProcess(Argc ? Argv[0] : "", How);
  Error E = serve(Arguments(Argv + 1, Argv + std::max(Argc, 1)));
  bool Failed = bool(E);
  reportError(std::move(E));
  return finishOutput(Failed);
}
