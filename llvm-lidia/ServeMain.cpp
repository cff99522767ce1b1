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
#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace lidia;
using namespace llvm;

/// Blocks the signals that end the server, and the one that makes it read files
/// again. Call it before threads are created, because they inherit the mask.
static sigset_t blockSignals() {
  sigset_t Signals;
  ::sigemptyset(&Signals);
  for (int Signal : {SIGTERM, SIGINT, SIGHUP})
    ::sigaddset(&Signals, Signal);
  ::pthread_sigmask(SIG_BLOCK, &Signals, nullptr);
  return Signals;
}

/// Writes \p Text and a line break at once, so that lines of threads do not
/// mix.
static void writeLine(raw_ostream &OS, const Twine &Text) {
  static std::mutex Mutex;
  std::lock_guard<std::mutex> Lock(Mutex);
  OS << (Text + "\n").str();
  OS.flush();
}

static Server::Log makeLog() {
  Server::Log Log;
  Log.Warn = [](const std::string &Message) { reportWarning(Message); };
  Log.Note = [](const std::string &Message) {
    writeLine(errs(), "llvm-lidia: " + escapeText(Message));
  };
  Log.Request = [](const std::string &Line) { writeLine(outs(), Line); };
  return Log;
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

static constexpr Command Serve = {
    "serve", "", "", "", "", ServeVis, [](CommandLine &) -> Error {
      return Error::success();
    }};

/// Reads the files of tokens and of the certificate again. If one is wrong, all
/// stay as they were.
static void reload(Server &S, Arguments Args, const Server::Log &Log) {
  notifySystemd("RELOADING=1");
  CommandLine Line(Serve, Args);
  ServerOptions Options = readServerOptions(Line);
  Error E = Line.takeErrors();
  if (!E)
    E = S.reload(Options);
  if (E)
    Log.Warn("nothing was reloaded: " + toString(std::move(E)));
  else
    Log.Note("tokens and certificates were reloaded");
  notifySystemd("READY=1");
}

/// Completes the requests in progress, unless this takes too long or somebody
/// asks again for the end.
static void finishRequests(Server &S, unsigned Seconds, sigset_t Signals) {
  constexpr timespec Step = {0, 20'000'000};
  auto End = std::chrono::steady_clock::now() + std::chrono::seconds(Seconds);
  S.drain();
  while (S.requests() && std::chrono::steady_clock::now() < End) {
    int Signal = ::sigtimedwait(&Signals, nullptr, &Step);
    if (Signal == SIGTERM || Signal == SIGINT)
      return;
  }
}

/// Ends this process if a store or an upstream server that does not answer
/// keeps it from ending. Whatever it leaves, the next server removes.
static void exitAnyway(unsigned Seconds) {
  std::thread([Seconds] {
    std::this_thread::sleep_for(std::chrono::seconds(Seconds));
    removeFilesOnSignal();
    ::_exit(EXIT_SUCCESS);
  }).detach();
}

static Error serve(Arguments Args) {
  CommandLine Line(Serve, Args);
  ServerOptions Options = readServerOptions(Line);
  if (Error E = Line.takeErrors())
    return E;
  raiseFileLimit();
  Options.Conversion.Program = mainTool().str().str();
  sigset_t Signals = blockSignals();
  Server::Log Log = makeLog();
  Expected<std::unique_ptr<Server>> Started = Server::start(Options, Log);
  if (!Started)
    return Started.takeError();
  for (const std::string &URL : (*Started)->urls())
    errs() << "llvm-lidia: serving " << escapeText(Options.Store) << " at "
           << escapeText(URL) << '\n';
  notifySystemd("READY=1");
  int Signal = 0;
  while (::sigwait(&Signals, &Signal) == 0 && Signal == SIGHUP)
    reload(**Started, Args, Log);
  notifySystemd("STOPPING=1");
  finishRequests(**Started, Options.ShutdownSeconds, Signals);
  constexpr unsigned ToEnd = 10;
  exitAnyway(ToEnd);
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
