//===- OriginalSymbolizer.cpp - Asks llvm-symbolizer ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OriginalSymbolizer.h"
#include "ProgramOnPath.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Errno.h"
#include <cerrno>
#include <csignal>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

static constexpr unsigned MaxStarts = 4;
static constexpr size_t MaxAnswer = 64 << 20;
/// llvm-symbolizer reads lines of up to 1023 bytes, line end included.
static constexpr size_t MaxLine = 1022;

/// The options for the program's answers, except the style.
static constexpr unsigned PassedOptions[] = {
    OPT_addresses,
    OPT_adjust_vma_EQ,
    OPT_basenames,
    OPT_cache_size_EQ,
    OPT_debug_file_directory_EQ,
    OPT_default_arch_EQ,
    OPT_demangle,
    OPT_no_demangle,
    OPT_dsym_hint_EQ,
    OPT_dwp_EQ,
    OPT_fallback_debug_path_EQ,
    OPT_functions,
    OPT_functions_EQ,
    OPT_inlines,
    OPT_no_inlines,
    OPT_print_source_context_lines_EQ,
    OPT_relative_address,
    OPT_relativenames,
    OPT_untag_addresses,
    OPT_no_untag_addresses,
    OPT_verbose,
};

/// The options that the program also gets if it takes over.
static constexpr unsigned MoreOptions[] = {
    OPT_build_id_EQ,   OPT_color,  OPT_color_EQ,        OPT_filter_markup,
    OPT_no_debuginfod, OPT_obj_EQ, OPT_output_style_EQ, OPT_pretty_print,
};

OriginalSymbolizer::OriginalSymbolizer(const CommandLine &Line,
                                       const OutputStyle &Style, StringRef Name)
    : Name(Name), AnswersInJSON(Style.Name != "LLVM") {
  const opt::InputArgList &Args = Line.args();
  if (const opt::Arg *A = Args.getLastArg(OPT_llvm_symbolizer_EQ))
    Program = A->getValue();
  else
    Program = findOtherProgram(
        {"llvm-symbolizer-" + utostr(LLVM_VERSION_MAJOR), "llvm-symbolizer"});
  for (const opt::Arg *A : Args) {
    const opt::Option O = A->getOption();
    std::string Spelled = O.getPrefixedName().str();
    if (A->getNumValues())
      Spelled += A->getValue();
    if (is_contained(PassedOptions, O.getID()) ||
        is_contained(MoreOptions, O.getID()))
      GivenArguments.push_back(Spelled);
    if (O.getID() == OPT_INPUT)
      Operands.push_back(A->getValue());
    if (is_contained(PassedOptions, O.getID()))
      Options.push_back(Spelled);
    // Its JSON output must be on one line.
    if (O.getID() == OPT_pretty_print && !AnswersInJSON)
      Options.push_back(Spelled);
  }
  Options.push_back(AnswersInJSON ? "--output-style=JSON"
                                  : "--output-style=LLVM");
  // Older versions do not support --no-debuginfod.
  UseServers = Args.hasFlag(OPT_debuginfod, OPT_no_debuginfod, false);
  if (UseServers)
    Options.push_back("--debuginfod");
}

OriginalSymbolizer::~OriginalSymbolizer() { stop(); }

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

/// The environment variables to remove: options, which were merged with ours,
/// and, unless servers are used, the list of servers.
static SmallVector<StringRef, 4> withoutVariables(bool UseServers) {
  SmallVector<StringRef, 4> Names = {"LLVM_SYMBOLIZER_OPTS",
                                     "LLVM_ADDR2LINE_OPTS"};
  if (!UseServers)
    Names.push_back("DEBUGINFOD_URLS");
  return Names;
}

Error OriginalSymbolizer::start() {
  if (Starts == MaxStarts)
    return createStringError(Program + ": it ended too often");
  ++Starts;
  int Ends[2];
  // A socket, because writing to a closed socket can be done without SIGPIPE.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends))
    return createStringError(Program + ": " + sys::StrError());
  std::vector<std::string> Argv = {Name};
  append_range(Argv, Options);
  std::vector<std::string> Environment =
      environmentOfOther(withoutVariables(UseServers));
  posix_spawn_file_actions_t Actions;
  ::posix_spawn_file_actions_init(&Actions);
  ::posix_spawn_file_actions_adddup2(&Actions, Ends[1], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&Actions, Ends[1], STDOUT_FILENO);
  int Failure =
      ::posix_spawn(&Process, Program.c_str(), &Actions, nullptr,
                    pointersTo(Argv).data(), pointersTo(Environment).data());
  ::posix_spawn_file_actions_destroy(&Actions);
  ::close(Ends[1]);
  Socket = Ends[0];
  if (!Failure)
    return Error::success();
  Process = -1;
  stop();
  return createStringError(Program + ": " + sys::StrError(Failure));
}

/// The program ends at the end of its input, but that takes long if it is
/// reading a large file.
void OriginalSymbolizer::stop() {
  if (Socket >= 0)
    ::close(Socket);
  Socket = -1;
  if (Process < 0)
    return;
  ::kill(Process, SIGKILL);
  sys::RetryAfterSignal(-1, ::waitpid, Process, nullptr, 0);
  Process = -1;
}

Error OriginalSymbolizer::run() const {
  std::vector<std::string> Argv = {Name};
  append_range(Argv, GivenArguments);
  if (UseServers)
    Argv.push_back("--debuginfod");
  append_range(Argv, Operands);
  replaceProcess(Program, pointersTo(Argv), withoutVariables(UseServers));
  return createStringError(Program + ": " + sys::StrError());
}

//===----------------------------------------------------------------------===//
// A question
//===----------------------------------------------------------------------===//

Error OriginalSymbolizer::send(StringRef Text) {
  while (!Text.empty()) {
    ssize_t Count = sys::RetryAfterSignal(-1, ::send, Socket, Text.data(),
                                          Text.size(), MSG_NOSIGNAL);
    if (Count < 0)
      return createStringError(Program + ": " + sys::StrError());
    Text = Text.drop_front(size_t(Count));
  }
  return Error::success();
}

bool OriginalSymbolizer::isComplete(StringRef Answer) const {
  return AnswersInJSON ? Answer.ends_with("\n")
                       : Answer.ends_with("\n\n") || Answer == "\n";
}

Expected<std::string> OriginalSymbolizer::receive() {
  std::string Answer;
  char Part[16 * 1024];
  while (!isComplete(Answer)) {
    ssize_t Count =
        sys::RetryAfterSignal(-1, ::recv, Socket, &Part[0], sizeof(Part), 0);
    if (Count <= 0)
      return createStringError(Program + ": " +
                               (Count ? sys::StrError() : "it ended early"));
    Answer.append(Part, size_t(Count));
    if (Answer.size() > MaxAnswer)
      return createStringError(Program + ": its answer is too long");
  }
  return Answer;
}

static StringRef nameOf(Query::Kind What) {
  switch (What) {
  case Query::Kind::Code:
    return "CODE ";
  case Query::Kind::Data:
    return "DATA ";
  case Query::Kind::Frame:
    return "FRAME ";
  }
  llvm_unreachable("no other kind");
}

/// \p Q as a line without line end; empty if it cannot be expressed.
static std::string question(const Query &Q, StringRef Module,
                            ArrayRef<uint8_t> BuildID) {
  std::string Line = nameOf(Q.Type).str();
  if (!BuildID.empty()) {
    Line += "BUILDID:" + toHex(BuildID) + " ";
  } else {
    char Quote = Module.contains('"') ? '\'' : '"';
    if (Module.find_first_of(StringRef("\r\n\0", 3)) != StringRef::npos ||
        Module.contains(Quote))
      return std::string();
    Line += Quote + Module.str() + Quote + ' ';
  }
  Line += Q.Symbol;
  if (Q.Symbol.empty())
    Line += "0x" + utohexstr(Q.Offset);
  else if (Q.Offset)
    Line += "+0x" + utohexstr(Q.Offset);
  return Line.size() <= MaxLine ? Line : std::string();
}

Expected<std::string> OriginalSymbolizer::ask(const Query &Q, StringRef Module,
                                              ArrayRef<uint8_t> BuildID) {
  std::string Line = question(Q, Module, BuildID);
  if (Line.empty())
    return createStringError(
        "llvm-symbolizer cannot be asked about a module of this name");
  if (Socket < 0)
    if (Error E = start())
      return E;
  if (Error E = send(Line + "\n")) {
    stop();
    return E;
  }
  Expected<std::string> Answer = receive();
  if (!Answer)
    stop();
  return Answer;
}

} // namespace lidia
