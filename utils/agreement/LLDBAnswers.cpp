//===- LLDBAnswers.cpp - LLDB's answers to a list of questions ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Answers the questions of compare-lldb.py with one LLDB. It uses only the
/// public API, so that the same program runs with the liblldb of a distribution
/// and, by LD_LIBRARY_PATH, with one without Python that exports lldb_private.
///
///     lidia-lldb-answers ANSWERS BINARY [-c COMMAND]... < QUESTIONS
///
/// Creates a target for BINARY, runs the commands, and reads one question on
/// each line, a JSON object. Writes a line of JSON for each to the file
/// ANSWERS, because plugins print to the standard output:
///
///     {"inventory": true}              what LLDB knows of BINARY
///     {"name": N}                      locations of a breakpoint
///     {"file": F, "line": L}           locations of a breakpoint
///     {"address": A}                   what is at a file address
///     {"command": C}                   the output of a command
///     {"functions": true}              functions, with types and display names
///     {"globals": true}                global variables
///     {"run": [ARGUMENT...], ...}      stops of a process, see Run
///
/// Addresses are file addresses throughout.
///
//===----------------------------------------------------------------------===//

#include "lldb/API/LLDB.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

using namespace lldb;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

/// The longest backtrace that is compared.
constexpr uint32_t MaxFrames = 64;

/// The innermost frames whose variables are compared.
constexpr uint32_t FramesWithVariables = 2;

/// The longest time that a call in an expression may take.
constexpr uint32_t CallMicroseconds = 2000000;

/// A process is abandoned after this many stops.
constexpr unsigned MaxStops = 100000;

[[noreturn]] void fail(const std::string &Message) {
  llvm::errs() << "lidia-lldb-answers: error: " << Message << "\n";
  std::exit(1);
}

Value text(const char *S) {
  return S ? Value(llvm::json::fixUTF8(S)) : Value(nullptr);
}

std::string pathOf(SBFileSpec File) {
  char Path[4096] = "";
  if (File.IsValid())
    File.GetPath(Path, sizeof(Path));
  return llvm::json::fixUTF8(Path);
}

/// [function, file, line, column] of one frame, inlined or not.
Array place(const char *Function, SBFileSpec File, uint32_t Line,
            uint32_t Column) {
  return Array{text(Function), pathOf(File),
               Line == LLDB_INVALID_LINE_NUMBER ? 0 : Line, Column};
}

/// The chain of inlined calls at an address, innermost first.
Array chainAt(SBSymbolContext &Context) {
  Array Chain;
  SBLineEntry Row = Context.GetLineEntry();
  SBFileSpec File = Row.GetFileSpec();
  uint32_t Line = Row.GetLine(), Column = Row.GetColumn();
  SBBlock Block = Context.GetBlock().GetContainingInlinedBlock();
  while (Block.IsValid()) {
    Chain.push_back(place(Block.GetInlinedName(), File, Line, Column));
    File = Block.GetInlinedCallSiteFile();
    Line = Block.GetInlinedCallSiteLine();
    Column = Block.GetInlinedCallSiteColumn();
    Block = Block.GetParent().GetContainingInlinedBlock();
  }
  SBFunction Function = Context.GetFunction();
  const char *Name =
      Function.IsValid() ? Function.GetName() : Context.GetSymbol().GetName();
  Chain.push_back(place(Name, File, Line, Column));
  return Chain;
}

Object describe(SBAddress Address) {
  SBSymbolContext Context = Address.GetSymbolContext(eSymbolContextEverything);
  return Object{
      {"module", text(Address.GetModule().GetFileSpec().GetFilename())},
      {"address", Address.GetFileAddress()},
      {"chain", chainAt(Context)},
      {"symbol", text(Context.GetSymbol().GetName())}};
}

/// [name, type, value, summary], without the last two if there is no value.
Array describe(SBValue V) {
  Array Parts{text(V.GetName()), text(V.GetTypeName())};
  if (V.GetError().Fail())
    return Parts;
  Parts.push_back(text(V.GetValue()));
  Parts.push_back(text(V.GetSummary()));
  return Parts;
}

Array describe(SBValueList Values) {
  Array All;
  for (uint32_t I = 0; I < Values.GetSize(); ++I)
    All.push_back(describe(Values.GetValueAtIndex(I)));
  return All;
}

/// liblldb looks for lldb-server in ../bin, which is another folder in Debian.
void findServer() {
  std::string Server = pathOf(SBHostOS::GetLLDBPath(ePathTypeLLDBShlibDir)) +
                       "/../bin/lldb-server";
  if (!llvm::sys::fs::exists(Server))
    Server = LLDB_SERVER;
  setenv("LLDB_DEBUGSERVER_PATH", Server.c_str(), /*overwrite=*/0);
}

/// A target and the answers about it.
class Session {
public:
  explicit Session(const std::string &Binary);

  /// Runs \p Command and returns its output, including errors.
  std::string run(const std::string &Command);
  Value answer(const Object &Question);

private:
  Value inventory();
  Value functions();
  Value locations(SBBreakpoint Breakpoint);

  SBDebugger Debugger;
  SBTarget Target;
};

/// A run of the process. The question gives
///   "run": arguments, "input": file, "folder": working directory,
///   "stops": [{"address": A, "variables": true, "expressions": [E...],
///              "does": [COMMAND...]}...]
///
/// The process stops when it first reaches each of the addresses. At a stop it
/// lists variables, evaluates the expressions, and runs the commands in
/// sequence. Without "does", the stop is only recorded. A command ends when it
/// reaches the address of another stop, so that processes that are stepped
/// differently still reach the same stops in the same order.
class Run {
public:
  Run(Session &S, SBTarget Target, const Object &Question)
      : S(S), Target(Target), Question(Question) {}

  Value all();

private:
  void launch();
  void setBreakpoints();
  uint64_t fileAddress();
  Object state();
  Array variables();
  Value evaluate(const std::string &Expression);
  Object visit(uint64_t Address);
  bool isStopped() { return Process.GetState() == eStateStopped; }

  Session &S;
  SBTarget Target;
  const Object &Question;
  SBProcess Process;
  /// The remaining stops: their breakpoints and commands.
  std::map<uint64_t, SBBreakpoint> Ahead;
  std::map<uint64_t, const Object *> Stops;
};

Session::Session(const std::string &Binary)
    : Debugger(SBDebugger::Create(false)) {
  Debugger.SetAsync(false);
  for (const char *Setting :
       {"symbols.enable-external-lookup false",
        "target.debug-file-search-paths /nonexistent", "use-color false",
        "auto-confirm true", "term-width 1000",
        "stop-disassembly-display never", "stop-line-count-before 0",
        "stop-line-count-after 0",
        "target.prefer-dynamic-value no-dynamic-values",
        "target.x86-disassembly-flavor intel",
        "target.max-string-summary-length 1"})
    run(std::string("settings set ") + Setting);
  SBError Error;
  Target =
      Debugger.CreateTarget(Binary.c_str(), nullptr, nullptr, false, Error);
  if (!Target.IsValid())
    fail(Binary + ": " + Error.GetCString());
}

std::string Session::run(const std::string &Command) {
  SBCommandReturnObject Result;
  Debugger.GetCommandInterpreter().HandleCommand(Command.c_str(), Result);
  std::string Output;
  for (const char *Part : {Result.GetOutput(), Result.GetError()})
    Output += Part ? Part : "";
  return llvm::json::fixUTF8(Output);
}

Value Session::answer(const Object &Question) {
  if (Question.get("inventory"))
    return inventory();
  if (auto Name = Question.getString("name"))
    return locations(Target.BreakpointCreateByName(Name->str().c_str()));
  if (auto File = Question.getString("file"))
    return locations(Target.BreakpointCreateByLocation(
        File->str().c_str(), Question.getInteger("line").value_or(0)));
  if (auto Address = Question.getInteger("address"))
    return describe(Target.ResolveFileAddress(*Address));
  if (auto Command = Question.getString("command"))
    return run(Command->str());
  if (Question.get("functions"))
    return functions();
  if (Question.get("globals"))
    return describe(
        Target.FindGlobalVariables(".", UINT32_MAX, eMatchTypeRegex));
  if (Question.get("run"))
    return Run(*this, Target, Question).all();
  return nullptr;
}

/// The functions, rows and symbols of the program. Each row ends with the
/// number of its compile unit.
Value Session::inventory() {
  SBModule Module = Target.GetModuleAtIndex(0);
  Array Functions, Rows, Symbols;
  SBSymbolContextList Found =
      Target.FindGlobalFunctions(".", UINT32_MAX, eMatchTypeRegex);
  for (uint32_t I = 0; I < Found.GetSize(); ++I) {
    SBSymbolContext Context = Found.GetContextAtIndex(I);
    SBFunction Function = Context.GetFunction();
    if (!Function.IsValid() || Context.GetModule() != Module)
      continue;
    SBBlock Inlined = Context.GetBlock().GetContainingInlinedBlock();
    Functions.push_back(Array{
        text(Inlined.IsValid() ? Inlined.GetInlinedName() : Function.GetName()),
        text(Inlined.IsValid() ? nullptr : Function.GetMangledName()),
        Function.GetStartAddress().GetFileAddress(),
        Function.GetEndAddress().GetFileAddress(), Inlined.IsValid()});
  }
  for (uint32_t I = 0; I < Module.GetNumCompileUnits(); ++I) {
    SBCompileUnit Unit = Module.GetCompileUnitAtIndex(I);
    for (uint32_t R = 0; R < Unit.GetNumLineEntries(); ++R) {
      SBLineEntry Row = Unit.GetLineEntryAtIndex(R);
      Rows.push_back(Array{Row.GetStartAddress().GetFileAddress(),
                           Row.GetEndAddress().GetFileAddress(),
                           pathOf(Row.GetFileSpec()), Row.GetLine(), I});
    }
  }
  for (size_t I = 0; I < Module.GetNumSymbols(); ++I) {
    SBSymbol Symbol = Module.GetSymbolAtIndex(I);
    if (Symbol.GetType() == eSymbolTypeCode && !Symbol.IsSynthetic())
      Symbols.push_back(Array{text(Symbol.GetName()),
                              Symbol.GetStartAddress().GetFileAddress()});
  }
  return Object{{"functions", std::move(Functions)},
                {"rows", std::move(Rows)},
                {"symbols", std::move(Symbols)}};
}

/// [address, name, name for display, type] of the functions that are not
/// inlined. A function of DWARF without a type has an empty one.
Value Session::functions() {
  SBSymbolContextList Found =
      Target.FindGlobalFunctions(".", UINT32_MAX, eMatchTypeRegex);
  Array All;
  for (uint32_t I = 0; I < Found.GetSize(); ++I) {
    SBSymbolContext Context = Found.GetContextAtIndex(I);
    SBFunction F = Context.GetFunction();
    if (!F.IsValid() || Context.GetModule() != Target.GetModuleAtIndex(0) ||
        Context.GetBlock().GetContainingInlinedBlock().IsValid())
      continue;
    All.push_back(Array{F.GetStartAddress().GetFileAddress(), text(F.GetName()),
                        text(F.GetDisplayName()), text(F.GetType().GetName())});
  }
  return All;
}

Value Session::locations(SBBreakpoint Breakpoint) {
  std::map<uint64_t, Object> Sorted;
  for (size_t I = 0; I < Breakpoint.GetNumLocations(); ++I) {
    SBAddress Address = Breakpoint.GetLocationAtIndex(I).GetAddress();
    Sorted[Address.GetFileAddress()] = describe(Address);
  }
  Target.BreakpointDelete(Breakpoint.GetID());
  Array Locations;
  for (auto &Location : Sorted)
    Locations.push_back(std::move(Location.second));
  return Locations;
}

void Run::launch() {
  std::vector<std::string> Strings;
  for (const Value &Argument : *Question.getArray("run"))
    Strings.push_back(Argument.getAsString().value_or("").str());
  std::vector<const char *> Arguments;
  for (const std::string &Argument : Strings)
    Arguments.push_back(Argument.c_str());
  Arguments.push_back(nullptr);
  SBLaunchInfo Info(Arguments.data());
  const char *Environment[] = {"LC_ALL=C", "PATH=/usr/bin:/bin", nullptr};
  Info.SetEnvironmentEntries(Environment, false);
  Info.SetLaunchFlags(eLaunchFlagDisableASLR);
  std::string Input = Question.getString("input").value_or("/dev/null").str();
  std::string Folder = Question.getString("folder").value_or("/").str();
  Info.AddOpenFileAction(0, Input.c_str(), true, false);
  Info.AddOpenFileAction(1, "/dev/null", false, true);
  Info.AddOpenFileAction(2, "/dev/null", false, true);
  Info.SetWorkingDirectory(Folder.c_str());
  SBError Error;
  Process = Target.Launch(Info, Error);
  if (Error.Fail())
    fail(std::string("cannot launch the program: ") + Error.GetCString());
}

void Run::setBreakpoints() {
  for (const Value &Each : *Question.getArray("stops")) {
    const Object &Stop = *Each.getAsObject();
    uint64_t Address = Stop.getInteger("address").value_or(0);
    Stops[Address] = &Stop;
    SBAddress Where = Target.ResolveFileAddress(Address);
    Ahead[Address] = Target.BreakpointCreateBySBAddress(Where);
  }
}

/// The file address of the selected thread.
uint64_t Run::fileAddress() {
  SBFrame Frame = Process.GetSelectedThread().GetFrameAtIndex(0);
  return Frame.GetPCAddress().GetFileAddress();
}

Object Run::state() {
  SBThread Thread = Process.GetSelectedThread();
  Array Frames;
  for (uint32_t I = 0; I < Thread.GetNumFrames() && I < MaxFrames; ++I) {
    SBFrame Frame = Thread.GetFrameAtIndex(I);
    SBLineEntry Row = Frame.GetLineEntry();
    Frames.push_back(Array{
        text(Frame.GetModule().GetFileSpec().GetFilename()),
        Frame.GetPCAddress().GetFileAddress(), text(Frame.GetFunctionName()),
        pathOf(Row.GetFileSpec()), Row.GetLine(), Row.GetColumn(),
        Frame.IsInlined(), Frame.IsArtificial()});
  }
  return Object{{"reason", static_cast<int64_t>(Thread.GetStopReason())},
                {"sp", Thread.GetFrameAtIndex(0).GetSP()},
                {"frames", std::move(Frames)}};
}

Array Run::variables() {
  SBThread Thread = Process.GetSelectedThread();
  Array Frames;
  for (uint32_t I = 0; I < Thread.GetNumFrames() && I < FramesWithVariables;
       ++I)
    Frames.push_back(describe(Thread.GetFrameAtIndex(I).GetVariables(
        /*arguments=*/true, /*locals=*/true, /*statics=*/false,
        /*in_scope_only=*/true)));
  return Frames;
}

Value Run::evaluate(const std::string &Expression) {
  SBExpressionOptions Options;
  Options.SetTimeoutInMicroSeconds(CallMicroseconds);
  Options.SetTryAllThreads(false);
  SBFrame Frame = Process.GetSelectedThread().GetFrameAtIndex(0);
  Array Parts = describe(Frame.EvaluateExpression(Expression.c_str(), Options));
  // The name is LLDB's number of the result.
  Parts[0] = nullptr;
  return Parts;
}

/// Runs the commands for the stop at \p Address.
Object Run::visit(uint64_t Address) {
  Target.BreakpointDelete(Ahead[Address].GetID());
  Ahead.erase(Address);
  Object Stop{{"address", Address}};
  Array Done, Values;
  const Object &Asked = *Stops[Address];
  if (Asked.get("variables"))
    Stop["variables"] = variables();
  if (const Array *Expressions = Asked.getArray("expressions"))
    for (const Value &E : *Expressions)
      Values.push_back(evaluate(E.getAsString().value_or("").str()));
  Stop["values"] = std::move(Values);
  if (const Array *Commands = Asked.getArray("does")) {
    Stop["arrives"] = state();
    for (const Value &Command : *Commands) {
      std::string Output = S.run(Command.getAsString().value_or("").str());
      if (!isStopped()) {
        Done.push_back(Object{{"ends", true}});
        break;
      }
      Done.push_back(state());
      if (Ahead.count(fileAddress())) {
        Done.back().getAsObject()->insert({"interrupted", true});
        break;
      }
      llvm::StringRef Line = llvm::StringRef(Output).ltrim();
      if (Line.starts_with("error:"))
        Done.back().getAsObject()->insert({"error", Line.str()});
    }
  }
  Stop["does"] = std::move(Done);
  return Stop;
}

Value Run::all() {
  setBreakpoints();
  Array Visited;
  launch();
  for (unsigned N = 0; N < MaxStops && isStopped(); ++N) {
    uint64_t Address = fileAddress();
    if (Ahead.count(Address)) {
      Visited.push_back(visit(Address));
      // The commands may have reached the next stop.
      if (!isStopped() || Ahead.count(fileAddress()))
        continue;
    }
    if (Ahead.empty())
      break;
    Process.Continue();
  }
  if (Process.IsValid() && Process.GetState() != eStateExited)
    Process.Kill();
  for (auto &Rest : Ahead)
    Target.BreakpointDelete(Rest.second.GetID());
  return Visited;
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 3)
    fail("usage: lidia-lldb-answers ANSWERS BINARY [-c COMMAND]...");
  std::error_code EC;
  llvm::raw_fd_ostream Answers(Argv[1], EC);
  if (EC)
    fail(std::string(Argv[1]) + ": " + EC.message());
  SBDebugger::Initialize();
  findServer();
  {
    Session S(Argv[2]);
    for (int I = 3; I + 1 < Argc; I += 2)
      Answers << Value(S.run(Argv[I + 1])) << "\n";
    auto Questions = llvm::MemoryBuffer::getSTDIN();
    if (!Questions)
      fail("standard input: " + Questions.getError().message());
    for (llvm::line_iterator Line(**Questions); !Line.is_at_end(); ++Line) {
      llvm::Expected<Value> Question = llvm::json::parse(*Line);
      if (!Question)
        fail(llvm::toString(Question.takeError()));
      Answers << S.answer(*Question->getAsObject()) << "\n";
    }
  }
  SBDebugger::Terminate();
  return 0;
}
