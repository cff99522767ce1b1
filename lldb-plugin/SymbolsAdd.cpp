//===- SymbolsAdd.cpp - target symbols add, for archives as well ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolsAdd.h"
#include "ModuleMatch.h"
#include "Output.h"
#include "lidia/Cache/StableArchive.h"
#include "lldb/API/SBCommandInterpreter.h"
#include "lldb/API/SBFileSpec.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

namespace {
/// A command line of `target symbols add`.
struct Request {
  std::vector<std::string> Files;
  /// The argument of --shlib.
  std::string Module;
  /// Options that LLDB's command refuses together with files, or does not know.
  /// It has the say about them.
  bool ForLLDB = false;
  bool Stack = false;
};

/// The command's options, as its help has them. LLDB reads them with
/// getopt_long_only: long names may have one dash and may be cut short, and
/// options may come after files.
struct Option {
  StringRef Long;
  char Short;
  bool HasArgument;
};

class RequestParser {
public:
  explicit RequestParser(ArrayRef<const char *> Arguments)
      : Arguments(Arguments) {}

  Request parse() {
    while (!Arguments.empty() && !R.ForLLDB)
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
    if (Argument == "--") {
      R.Files.insert(R.Files.end(), Arguments.begin(), Arguments.end());
      Arguments = {};
    } else if (Argument.size() < 2 || Argument.front() != '-') {
      R.Files.push_back(Argument.str());
    } else if (!parseLong(Argument)) {
      parseShort(Argument.drop_front());
    }
  }

  /// Returns false for what can only be short options.
  bool parseLong(StringRef Argument) {
    bool TwoDashes = Argument.starts_with("--");
    auto [Name, Value] = Argument.ltrim('-').split('=');
    const Option *Found = nullptr;
    // -s is the short option, not a long one cut short.
    if (TwoDashes || Name.size() > 1)
      for (const Option &O : Options)
        if (O.Long.starts_with(Name)) {
          // Cut too short to tell which is meant.
          R.ForLLDB |= Found != nullptr;
          Found = &O;
        }
    if (!Found) {
      R.ForLLDB |= TwoDashes;
      return TwoDashes;
    }
    bool HasValue = Argument.contains('=');
    R.ForLLDB |= HasValue && !Found->HasArgument;
    take(*Found, HasValue ? std::optional<StringRef>(Value) : std::nullopt);
    return true;
  }

  void parseShort(StringRef Letters) {
    while (!Letters.empty() && !R.ForLLDB) {
      const Option *Found = llvm::find_if(
          Options, [&](const Option &O) { return O.Short == Letters.front(); });
      Letters = Letters.drop_front();
      if (Found == std::end(Options)) {
        R.ForLLDB = true;
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
      if (Arguments.empty()) {
        R.ForLLDB = true;
        return;
      }
      Value = next();
    }
    if (O.Short == 's')
      R.Module = Value->str();
    else if (O.Short == 'S')
      R.Stack = true;
    else
      R.ForLLDB = true;
  }

  static constexpr Option Options[] = {{"uuid", 'u', true},
                                       {"shlib", 's', true},
                                       {"frame", 'F', false},
                                       {"stack", 'S', false}};
  ArrayRef<const char *> Arguments;
  Request R;
};
} // namespace

/// The path that LLDB makes of what was typed: absolute, `~` replaced.
static std::string resolve(StringRef Typed) {
  lldb::SBFileSpec File(Typed.str().c_str(), /*resolve=*/true);
  SmallString<256> Path(StringRef(File.GetDirectory()));
  sys::path::append(Path, StringRef(File.GetFilename()));
  return std::string(Path);
}

/// Adds the files in turn, up to the first that is refused, as LLDB does.
static void addFiles(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                     const Request &R) {
  StringRef Options = R.Stack ? " --stack" : "";
  for (const std::string &Typed : R.Files) {
    std::string Path = resolve(Typed);
    Expected<std::string> Output =
        isArchive(Path) ? serveArchive(Debugger, Target, Path, R.Module,
                                       Options, ServeMode::Exported)
                        : runSymbolsAdd(Debugger, Options, Typed);
    if (!Output) {
      printError(Debugger, toString(Output.takeError()));
      return;
    }
    printOutput(Debugger, *Output);
  }
}

/// Why one of the archives cannot serve its module. LLDB has no words for that,
/// and ends a batch of commands.
static Error checkArchives(lldb::SBTarget Target, const Request &R) {
  for (const std::string &Typed : R.Files) {
    std::string Path = resolve(Typed);
    if (!isArchive(Path))
      continue;
    Expected<Archive> A = openStableArchive(Path);
    if (!A)
      return A.takeError();
    if (Error E = findModuleOf(*A, Target, R.Module).takeError())
      return E;
    if (A->hasChecksums())
      if (Error E = A->verifyChecksums())
        return E;
    noteNativeArchive(Path);
  }
  return Error::success();
}

/// LLDB calls this before its own command, which runs if this returns false.
template <ServeMode Mode>
static bool symbolsAdd(void *Baton, const char **Words) {
  lldb::SBDebugger Debugger = lldb::SBDebugger::FindDebuggerWithID(
      static_cast<int>(reinterpret_cast<intptr_t>(Baton)));
  ArrayRef<const char *> Arguments(Words, Words);
  while (Words[Arguments.size()])
    Arguments = ArrayRef(Words, Arguments.size() + 1);
  // "target", "symbols" and "add", however the command was abbreviated.
  if (!Debugger.IsValid() || Arguments.size() < 3)
    return false;
  Request R = RequestParser(Arguments.drop_front(3)).parse();
  // LLDB's own command has the words for what is wrong with the rest.
  lldb::SBTarget Target = Debugger.GetSelectedTarget();
  if (R.ForLLDB || !Target.IsValid() ||
      (!R.Module.empty() && R.Files.size() > 1) ||
      none_of(R.Files, [](StringRef File) { return isArchive(resolve(File)); }))
    return false;
  if (Mode == ServeMode::Exported) {
    addFiles(Debugger, Target, R);
    return true;
  }
  Error E = checkArchives(Target, R);
  if (!E)
    return false;
  printError(Debugger, toString(std::move(E)));
  return true;
}

void overrideSymbolsAdd(lldb::SBDebugger Debugger, ServeMode Mode) {
  Debugger.GetCommandInterpreter().SetCommandOverrideCallback(
      "target symbols add",
      Mode == ServeMode::Native ? symbolsAdd<ServeMode::Native>
                                : symbolsAdd<ServeMode::Exported>,
      reinterpret_cast<void *>(static_cast<intptr_t>(Debugger.GetID())));
}

} // namespace lidia
