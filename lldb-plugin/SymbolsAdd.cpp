//===- SymbolsAdd.cpp - Overrides target symbols add ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolsAdd.h"
#include "AutoSymbols.h"
#include "CommandOverride.h"
#include "LidiaCommand.h"
#include "ModuleMatch.h"
#include "Output.h"
#include "Preloading.h"
#include "lidia/Cache/StableArchive.h"
#include "lidia/Object/FileKind.h"
#include "lldb/API/SBCommandInterpreter.h"
#include "lldb/API/SBFileSpec.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

namespace {
/// A command line of `target symbols add` or `lidia add`.
struct Request {
  std::vector<std::string> Files;
  /// The argument of --shlib.
  std::string Module;
  /// The argument of --uuid.
  std::string UUID;
  /// An option that is unknown or ambiguous, or lacks its argument, or that
  /// LLDB's command refuses together with files.
  std::string Unclear;
  bool Stack = false;
  bool Replace = false;
};

/// LLDB parses options with getopt_long_only: long names may have a single dash
/// and may be abbreviated, and options may follow files.
struct Option {
  StringRef Long;
  char Short;
  bool HasArgument;
};

/// The options in the help of `target symbols add`.
constexpr Option OptionsOfLLDB[] = {{"uuid", 'u', true},
                                    {"shlib", 's', true},
                                    {"frame", 'F', false},
                                    {"stack", 'S', false}};
constexpr Option OptionsOfAdd[] = {
    {"shlib", 's', true}, {"uuid", 'u', true}, {"replace", 'r', false}};

class RequestParser {
public:
  RequestParser(ArrayRef<Option> Options, ArrayRef<StringRef> Arguments)
      : Options(Options), Arguments(Arguments) {}

  Request parse() {
    while (!Arguments.empty() && R.Unclear.empty())
      parseNext(next());
    return std::move(R);
  }

private:
  StringRef next() {
    StringRef Argument = Arguments.front();
    Arguments = Arguments.drop_front();
    return Argument;
  }

  void parseNext(StringRef Argument) {
    Current = Argument;
    if (Argument == "--") {
      for (StringRef File : std::exchange(Arguments, {}))
        R.Files.push_back(File.str());
    } else if (Argument.size() < 2 || Argument.front() != '-') {
      R.Files.push_back(Argument.str());
    } else if (!parseLong(Argument)) {
      parseShort(Argument.drop_front());
    }
  }

  void refuse() { R.Unclear = Current.str(); }

  /// Returns false for an argument that can only be short options.
  bool parseLong(StringRef Argument) {
    bool TwoDashes = Argument.starts_with("--");
    auto [Name, Value] = Argument.ltrim('-').split('=');
    const Option *Found = nullptr;
    // -s is the short option, not an abbreviated long one.
    if (TwoDashes || Name.size() > 1)
      for (const Option &O : Options)
        if (O.Long.starts_with(Name)) {
          // The abbreviation is ambiguous.
          if (Found)
            refuse();
          Found = &O;
        }
    if (!Found) {
      if (TwoDashes)
        refuse();
      return TwoDashes;
    }
    bool HasValue = Argument.contains('=');
    if (HasValue && !Found->HasArgument)
      refuse();
    take(*Found, HasValue ? std::optional<StringRef>(Value) : std::nullopt);
    return true;
  }

  void parseShort(StringRef Letters) {
    while (!Letters.empty() && R.Unclear.empty()) {
      const Option *Found = llvm::find_if(
          Options, [&](const Option &O) { return O.Short == Letters.front(); });
      Letters = Letters.drop_front();
      if (Found == std::end(Options)) {
        refuse();
      } else if (Found->HasArgument && !Letters.empty()) {
        take(*Found, Letters);
        Letters = "";
      } else {
        take(*Found, std::nullopt);
      }
    }
  }

  void take(const Option &O, std::optional<StringRef> Value) {
    if (O.HasArgument && !Value) {
      if (Arguments.empty())
        return refuse();
      Value = next();
    }
    if (O.Short == 's')
      R.Module = Value->str();
    else if (O.Short == 'u' && Options.data() == std::begin(OptionsOfAdd))
      R.UUID = Value->str();
    else if (O.Short == 'S')
      R.Stack = true;
    else if (O.Short == 'r')
      R.Replace = true;
    else
      refuse();
  }

  ArrayRef<Option> Options;
  ArrayRef<StringRef> Arguments;
  StringRef Current;
  Request R;
};
} // namespace

/// The path that LLDB derives from the typed one: absolute, with `~` replaced.
static std::string resolve(StringRef Typed) {
  lldb::SBFileSpec File(Typed.str().c_str(), /*resolve=*/true);
  SmallString<256> Path(StringRef(File.GetDirectory()));
  sys::path::append(Path, StringRef(File.GetFilename()));
  return std::string(Path);
}

static ServeRequest serveRequest(const Request &R, std::string Path) {
  ServeRequest S;
  S.Path = std::move(Path);
  S.ModuleName = R.Module;
  S.Options = R.Stack ? " --stack" : "";
  S.Replace = R.Replace;
  return S;
}

/// Refuses files from which LLDB reads no symbols. Otherwise LLDB would drop
/// the symbols of the module, but not the frames that point to them, and crash.
static Error checkSymbolFile(const std::string &Path) {
  uint64_t Size;
  if (!sys::fs::file_size(Path, Size) && Size == 0)
    return createStringError(Path + ": empty");
  ErrorOr<std::unique_ptr<MemoryBuffer>> Head =
      MemoryBuffer::getFileSlice(Path, 64, 0);
  if (!Head)
    return Error::success();
  StringRef First = (*Head)->getBuffer();
  FileKind Kind = fileKind(First);
  // Zeros are COFF's unknown machine, and are also read beyond the end of a
  // file.
  bool IsBinary = First.front() != 0 && isObjectFile(Kind);
  if (IsBinary || First.starts_with("{") || Kind == FileKind::Breakpad)
    return Error::success();
  return createStringError(
      Path + ": neither an archive nor another file with symbols" +
      (Kind == FileKind::Zstd ? ", but compressed: unpack it with 'zstd -d'"
                              : ""));
}

/// Adds one file. Returns the text for the user.
static Expected<std::string> addFile(lldb::SBDebugger Debugger,
                                     lldb::SBTarget Target, const Request &R,
                                     ServeMode Mode, const std::string &Typed) {
  ServeRequest S = serveRequest(R, resolve(Typed));
  if (isArchive(S.Path))
    return serveArchive(Debugger, Target, S, Mode);
  if (Error E = checkSymbolFile(S.Path))
    return E;
  std::string Options = S.Options;
  if (!R.Module.empty())
    Options += " --shlib " + quoted(R.Module);
  return runSymbolsAdd(Debugger, Options, Typed);
}

/// Adds the files in order. The error contains the reasons for all files that
/// are refused. Calls \p Print with the output for each of the others.
static Error addFiles(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                      const Request &R, ServeMode Mode,
                      function_ref<void(StringRef Text)> Print) {
  Error Errors = Error::success();
  for (const std::string &Typed : R.Files) {
    Expected<std::string> Output = addFile(Debugger, Target, R, Mode, Typed);
    if (Output)
      Print(*Output);
    else
      Errors = joinErrors(std::move(Errors), Output.takeError());
  }
  return Errors;
}

/// Whether LLDB's own command can pass the archives among the files to the
/// symbol file plugin. It cannot if a module keeps its DWARF. The error is the
/// reason why an archive cannot be used: LLDB's command has no message for
/// this, and ends a batch of commands.
static Expected<bool> isForLLDB(lldb::SBTarget Target, const Request &R) {
  for (const std::string &Typed : R.Files) {
    ServeRequest S = serveRequest(R, resolve(Typed));
    if (!isArchive(S.Path))
      continue;
    Expected<std::pair<Archive, lldb::SBModule>> Found =
        openForModule(Target, S);
    if (!Found)
      return Found.takeError();
    noteNativeArchive(Found->first, S.Path, Found->second);
  }
  return true;
}

/// LLDB calls this before its own command, which only runs if this returns
/// false.
template <ServeMode Mode>
static bool symbolsAdd(void *Baton, const char **Words) {
  lldb::SBDebugger Debugger = debuggerOf(Baton);
  resumePreloading(Debugger);
  SmallVector<StringRef, 8> Arguments;
  while (*Words)
    Arguments.push_back(*Words++);
  // The words are "target", "symbols" and "add", even if abbreviated.
  if (!Debugger.IsValid() || inSymbolsAdd() || Arguments.size() < 3)
    return false;
  Request R =
      RequestParser(OptionsOfLLDB, ArrayRef(Arguments).drop_front(3)).parse();
  // LLDB's own command reports the other errors.
  lldb::SBTarget Target = Debugger.GetSelectedTarget();
  if (!R.Unclear.empty() || !Target.IsValid() ||
      (!R.Module.empty() && R.Files.size() > 1) ||
      none_of(R.Files, [](StringRef File) { return isArchive(resolve(File)); }))
    return false;
  Expected<bool> ForLLDB =
      Mode == ServeMode::Native ? isForLLDB(Target, R) : false;
  Error E = ForLLDB.takeError();
  if (!E && *ForLLDB)
    return false;
  if (!E)
    E = addFiles(Debugger, Target, R, Mode,
                 [&](StringRef Text) { printOutput(Debugger, Text); });
  if (E)
    printError(Debugger, toString(std::move(E)));
  return true;
}

Error AddCommand::run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                      Arguments Args, lldb::SBCommandReturnObject &Result) {
  Request R = RequestParser(OptionsOfAdd, Args).parse();
  if (!R.Unclear.empty())
    return createStringError("option '" + R.Unclear +
                             "' is unknown, ambiguous or lacks its argument");
  if (R.Files.empty())
    return createStringError("'lidia add' needs at least one file");
  if (!(R.Module + R.UUID).empty() && R.Files.size() > 1)
    return createStringError("--shlib and --uuid are for a single file");
  if (!R.Module.empty() && !R.UUID.empty())
    return createStringError("--shlib and --uuid cannot be combined");
  if (!R.UUID.empty()) {
    Expected<lldb::SBModule> Module = findByBuildID(Target, R.UUID);
    if (!Module)
      return Module.takeError();
    R.Module = modulePath(*Module);
  }
  return addFiles(Debugger, Target, R, Mode,
                  [&](StringRef Text) { append(Result, Text); });
}

static bool beforeAddingModules(void *Baton, const char **Words) {
  prepareModules(debuggerOf(Baton), Words);
  return false;
}

/// Runs before `target create`, in addition to \p Callback.
template <lldb::CommandOverrideCallback Callback>
static bool beforeCreating(void *Baton, const char **Words) {
  bool Done = Callback(Baton, Words);
  if (Words[0] && Words[1] && createsWithoutDebugInfo(Words + 2))
    postponePreloading(debuggerOf(Baton));
  return Done;
}

/// For commands that take a symbol file for a module, and print nothing if they
/// cannot read it.
static bool warnOfArchives(void *Baton, const char **Words) {
  lldb::SBDebugger Debugger = debuggerOf(Baton);
  prepareModules(Debugger, Words);
  for (; *Words; ++Words) {
    // "FILE", "--symfile=FILE" or "-sFILE".
    StringRef Typed = *Words;
    if (!Typed.consume_front("-s") && Typed.starts_with("--"))
      Typed = Typed.split('=').second;
    std::string Path = Typed.empty() ? "" : resolve(Typed);
    if (isArchive(Path))
      printWarning(Debugger, Path + " is an archive, which this command does "
                                    "not read: use 'lidia add' after it");
  }
  return false;
}

void overrideSymbolsAdd(lldb::SBDebugger Debugger, ServeMode Mode) {
  if (Mode == ServeMode::Native) {
    overrideCommand(Debugger, "target symbols add",
                    symbolsAdd<ServeMode::Native>);
    overrideCommand(Debugger, "target create",
                    beforeCreating<beforeAddingModules>);
    overrideCommand(Debugger, "target modules add", beforeAddingModules);
    return;
  }
  overrideCommand(Debugger, "target symbols add",
                  symbolsAdd<ServeMode::Exported>);
  overrideCommand(Debugger, "target create", beforeCreating<warnOfArchives>);
  overrideCommand(Debugger, "target modules add", warnOfArchives);
}

} // namespace lidia
