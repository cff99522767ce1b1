//===- AutoSymbols.cpp - Finds archives without a command -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoSymbols.h"
#include "ArchiveFinder.h"
#include "CommandOverride.h"
#include "Hint.h"
#include "ModuleMatch.h"
#include "ModuleWatch.h"
#include "Output.h"
#include "Preloading.h"
#include "lidia/Index/CachedIndex.h"
#include "lldb/API/SBError.h"
#include "lldb/API/SBFileSpec.h"
#include "lldb/API/SBModuleSpec.h"
#include "lldb/API/SBPlatform.h"
#include "lldb/API/SBStringList.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include <mutex>

using namespace llvm;

namespace lidia {

namespace {
/// LLDB calls the plugin on several threads, and with its own locks held. So
/// this lock must never be held while calling LLDB.
struct AutoState {
  std::mutex Mutex;
  bool On = true;
  ServeMode Mode = ServeMode::Exported;
  /// The debugger that gets messages.
  lldb::user_id_t Debugger = 0;
  /// LLDB's folders of debug files, as of the last command.
  std::vector<std::string> Folders;
  /// The setting symbols.enable-external-lookup.
  bool LooksElsewhere = true;
  bool GaveHint = false;
  /// Modules that were checked, and those whose archive or index the user
  /// removed, by keyOf().
  StringSet<> Seen;
  StringSet<> Left;
  StringSet<> Warnings;
  /// Platforms with our callback, by name.
  StringSet<> Platforms;
  /// Keeps modules alive that the running command will use.
  std::vector<lldb::SBModule> Prepared;

  static AutoState &get() {
    // Never destroyed, because LLDB may use it until the process ends.
    static AutoState *S = new AutoState;
    return *S;
  }
};
} // namespace

static std::string keyOf(const WantedModule &Module) {
  return Module.Path + '\0' + toHex(Module.BuildID);
}

static WantedModule wanted(lldb::SBModule Module) {
  const uint8_t *Bytes = Module.GetUUIDBytes();
  // LLDB's interface has no function for the number of bytes.
  std::string Digits = buildIDOf(Module);
  return {modulePath(Module),
          Bytes ? std::vector<uint8_t>(Bytes, Bytes + Digits.size() / 2)
                : std::vector<uint8_t>()};
}

/// Prints a warning about a file, once.
static void warnOnce(const Twine &Message) {
  AutoState &S = AutoState::get();
  std::string Text = Message.str();
  lldb::user_id_t ID;
  {
    std::lock_guard<std::mutex> Lock(S.Mutex);
    if (!S.Warnings.insert(Text).second)
      return;
    ID = S.Debugger;
  }
  printWarning(lldb::SBDebugger::FindDebuggerWithID(static_cast<int>(ID)),
               Text);
}

static bool isWanted(const WantedModule &Module) {
  AutoState &S = AutoState::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  return S.On && !Module.BuildID.empty() && !S.Left.contains(keyOf(Module));
}

/// Returns whether \p Module had not been checked before.
static bool markSeen(const WantedModule &Module) {
  AutoState &S = AutoState::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  return S.Seen.insert(keyOf(Module)).second;
}

/// Makes the next command check \p Module.
static void forgetSeen(const WantedModule &Module) {
  AutoState &S = AutoState::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  S.Seen.erase(keyOf(Module));
}

static std::vector<std::string> folders() {
  AutoState &S = AutoState::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  return S.Folders;
}

//===----------------------------------------------------------------------===//
// LLDB's settings
//===----------------------------------------------------------------------===//

static std::string setting(lldb::SBDebugger Debugger, const char *Name) {
  lldb::SBStringList Lines = lldb::SBDebugger::GetInternalVariableValue(
      Name, Debugger.GetInstanceName());
  std::string Text;
  for (uint32_t I = 0, E = Lines.GetSize(); I < E; ++I)
    Text += Lines.GetStringAtIndex(I) + std::string("\n");
  return Text;
}

/// Parses "  [0]: /first  [1]: /second", LLDB's format of a list, with or
/// without newlines.
static std::vector<std::string> parseList(StringRef Text) {
  std::vector<std::string> Items;
  auto Mark = [&] { return "[" + std::to_string(Items.size()) + "]: "; };
  Text = Text.split(Mark()).second;
  while (!Text.empty()) {
    Items.emplace_back();
    auto [Item, Rest] = Text.split(Mark());
    Items.back() = Item.trim().str();
    Text = Rest;
  }
  return Items;
}

static void readSettings(lldb::SBDebugger Debugger) {
  std::vector<std::string> Folders =
      parseList(setting(Debugger, "target.debug-file-search-paths"));
  if (!Debugger.GetSelectedTarget().IsValid())
    keepLinksInSearchPaths(Folders);
  // The plugin itself adds the links in this folder.
  erase_if(Folders, isLinkFolder);
  // Besides debuginfod, the setting enables this folder in LLDB's own search.
  bool LooksElsewhere =
      StringRef(setting(Debugger, "symbols.enable-external-lookup"))
          .starts_with("true");
  if (LooksElsewhere)
    Folders.emplace_back("/usr/lib/debug");
  AutoState &S = AutoState::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  if (Folders != S.Folders)
    S.Seen.clear();
  S.Folders = std::move(Folders);
  S.LooksElsewhere = LooksElsewhere;
  S.Debugger = Debugger.GetID();
}

//===----------------------------------------------------------------------===//
// Modules that LLDB is about to load
//===----------------------------------------------------------------------===//

std::string locateArchive(StringRef ModulePath, ArrayRef<uint8_t> BuildID,
                          ArrayRef<std::string> Folders) {
  WantedModule Module{ModulePath.str(), BuildID.vec()};
  if (!isWanted(Module))
    return std::string();
  std::optional<FoundArchive> Found =
      findArchive(theCache(), Module, Folders, warnOnce);
  markSeen(Module);
  if (!Found)
    return std::string();
  Expected<std::string> File =
      prepareArchive(Found->Opened, Found->File, Found->How, Module.Path,
                     AutoState::get().Mode);
  if (File)
    return *File;
  warnOnce(toString(File.takeError()));
  return std::string();
}

/// The module for which this thread has already looked for an archive, and
/// which LLDB creates next.
static thread_local std::string Located;

/// If there is a copy with an index of \p DebugFile, makes LLDB find the copy
/// instead. Returns whether it does.
static bool linkIndexed(const std::string &DebugFile,
                        ArrayRef<uint8_t> BuildID) {
  std::optional<std::string> Copy = findCachedIndexed(theCache(), DebugFile);
  std::string Link = Copy ? linkDebugFile(BuildID, *Copy) : std::string();
  if (Link.empty())
    return false;
  noteIndexed(Link, DebugFile);
  return true;
}

/// Returns the file that LLDB is to read for the archive of \p Path; empty if
/// there is none, or if LLDB finds a debug file, or a copy of it with an index.
static std::string fileForLLDB(StringRef Path, ArrayRef<uint8_t> BuildID) {
  WantedModule Module{Path.str(), BuildID.vec()};
  std::vector<std::string> Folders = folders();
  std::string DebugFile =
      isWanted(Module) ? debugFileInLLDB(Path, Folders) : std::string();
  if (!DebugFile.empty() && linkIndexed(DebugFile, BuildID))
    return std::string();
  std::string File;
  if (DebugFile.empty())
    File = locateArchive(Path, BuildID, Folders);
  if (File.empty()) {
    // LLDB may have been given another module's archive for this one.
    forgetSeen(Module);
    unlinkDebugFile(BuildID);
  }
  return File;
}

/// Makes LLDB find \p File when it looks for a debug file.
static void linkArchive(ArrayRef<uint8_t> BuildID, const std::string &File) {
  std::string Link =
      File.empty() ? std::string() : linkDebugFile(BuildID, File);
  if (!Link.empty())
    noteLink(Link, File);
}

/// Called when LLDB creates the module \p Path, and will look for a debug file.
static void beforeDebugFile(StringRef Path) {
  if (std::exchange(Located, std::string()) == Path)
    return;
  std::vector<uint8_t> BuildID = buildIDWithoutDWARF(Path);
  if (!BuildID.empty())
    linkArchive(BuildID, fileForLLDB(Path, BuildID));
}

/// Whether a target of the debugger for messages already has the module. The
/// user then decides about its symbols.
static bool isLoaded(const lldb::SBFileSpec &File, ArrayRef<uint8_t> BuildID) {
  AutoState &S = AutoState::get();
  lldb::user_id_t ID;
  {
    std::lock_guard<std::mutex> Lock(S.Mutex);
    ID = S.Debugger;
  }
  lldb::SBDebugger Debugger =
      lldb::SBDebugger::FindDebuggerWithID(static_cast<int>(ID));
  for (uint32_t I = 0, E = Debugger.GetNumTargets(); I < E; ++I) {
    lldb::SBModule Module = Debugger.GetTargetAtIndex(I).FindModule(File);
    if (Module.IsValid() && ArrayRef(wanted(Module).BuildID) == BuildID)
      return true;
  }
  return false;
}

/// A platform's callback: LLDB is about to load a module; in LLDB 19 usually
/// not the main program. May be called on LLDB's own threads.
///
/// LLDB 22 ignores the answer for the program of an attached process, and finds
/// the link instead. LLDB 19 needs no link, whose creation and removal would
/// take more time than all else for a small library. LLDB 22 first asks for the
/// expected path, then for the file that it uses instead (`target modules
/// search-paths`), and keeps the first answer if there is no second one; the
/// next command corrects this.
static lldb::SBError locateForPlatform(void *, const lldb::SBModuleSpec &Spec,
                                       lldb::SBFileSpec &,
                                       lldb::SBFileSpec &SymbolFile) {
  if (!autoSymbolsOn())
    return lldb::SBError();
  lldb::SBModuleSpec Module(Spec);
  std::string Path = pathOf(Module.GetFileSpec());
  std::vector<uint8_t> BuildID = buildIDWithoutDWARF(Path);
  ArrayRef<uint8_t> Needed(Module.GetUUIDBytes(), Module.GetUUIDLength());
  if (BuildID.empty() || (!Needed.empty() && Needed != ArrayRef(BuildID)) ||
      isLoaded(Module.GetFileSpec(), BuildID))
    return lldb::SBError();
  std::string File = fileForLLDB(Path, BuildID);
  if (LLVM_VERSION_MAJOR > 19)
    linkArchive(BuildID, File);
  Located = Path;
  if (!File.empty())
    SymbolFile = lldb::SBFileSpec(File.c_str(), /*resolve=*/false);
  return lldb::SBError();
}

static void installInPlatform(lldb::SBPlatform Platform) {
  const char *Name = Platform.IsValid() ? Platform.GetName() : nullptr;
  if (!Name)
    return;
  AutoState &S = AutoState::get();
  {
    std::lock_guard<std::mutex> Lock(S.Mutex);
    // Only once, because a script may set its own callback later.
    if (S.Mode == ServeMode::Native || !S.Platforms.insert(Name).second)
      return;
  }
  Platform.SetLocateModuleCallback(locateForPlatform, nullptr);
}

/// Loads the program \p Path with its archive. LLDB's list of modules keeps it,
/// so the command that is about to run finds it there.
static void prepareModule(const std::string &Path) {
  std::vector<uint8_t> BuildID = buildIDWithoutDWARF(Path);
  if (BuildID.empty())
    return;
  std::vector<std::string> Folders = folders();
  if (!debugFileInLLDB(Path, Folders).empty())
    return;
  std::string File = locateArchive(Path, BuildID, Folders);
  if (File.empty())
    return;
  lldb::SBModuleSpec Spec;
  Spec.SetFileSpec(lldb::SBFileSpec(Path.c_str(), /*resolve=*/false));
  Spec.SetUUIDBytes(BuildID.data(), BuildID.size());
  Spec.SetSymbolFileSpec(lldb::SBFileSpec(File.c_str(), /*resolve=*/false));
  Located = Path;
  lldb::SBModule Module(Spec);
  Located.clear();
  AutoState &S = AutoState::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  // If LLDB already had the module, it may have no archive.
  S.Seen.erase(keyOf({Path, BuildID}));
  S.Prepared.push_back(Module);
}

/// The program of the process whose ID is in \p Word, as "123", "-p123" or
/// "--pid=123".
static std::string programOfProcess(StringRef Word) {
  StringRef Digits = Word.drop_while([](char C) { return !isDigit(C); });
  if (Digits.empty() || !all_of(Digits, isDigit) ||
      (Digits != Word && !Word.starts_with("-p") &&
       !Word.starts_with("--pid=")))
    return std::string();
  SmallString<256> Program;
  if (sys::fs::real_path("/proc/" + Digits + "/exe", Program))
    return std::string();
  return Program.str().str();
}

/// The program that \p Word of `target create` names; empty if there is none.
static std::string programNamed(const char *Word) {
  lldb::SBFileSpec File(Word, /*resolve=*/true);
  if (!File.Exists())
    File.ResolveExecutableLocation();
  std::string Path = pathOf(File);
  return sys::fs::is_regular_file(Path) ? Path : std::string();
}

/// Whether \p Word is an option with a symbol file.
static bool choosesSymbols(StringRef Word) {
  return Word.starts_with("-s") || Word.starts_with("--sym");
}

bool createsWithoutDebugInfo(const char *const *Words) {
  bool Found = false;
  for (; *Words; ++Words) {
    if (choosesSymbols(*Words))
      return false;
    std::string Path = programNamed(*Words);
    if (Path.empty())
      continue;
    if (buildIDWithoutDWARF(Path).empty() ||
        !debugFileInLLDB(Path, folders()).empty())
      return false;
    Found = true;
  }
  return Found;
}

void prepareModules(lldb::SBDebugger Debugger, const char **Words) {
  resumePreloading(Debugger);
  readSettings(Debugger);
  lookAgain();
  AutoState &S = AutoState::get();
  if (S.Mode == ServeMode::Native || !autoSymbolsOn())
    return;
  bool IsAttach = false;
  for (unsigned I = 0; Words[I]; ++I) {
    StringRef Word = Words[I];
    if (I < 2) {
      IsAttach |= Word == "attach";
      continue;
    }
    // The user specifies the symbols.
    if (!IsAttach && choosesSymbols(Word))
      return;
    std::string Path =
        IsAttach ? programOfProcess(Word) : programNamed(Words[I]);
    if (!Path.empty() && sys::fs::is_regular_file(Path))
      prepareModule(Path);
  }
}

//===----------------------------------------------------------------------===//
// Modules that LLDB has loaded
//===----------------------------------------------------------------------===//

/// A module's sections include those of its debug file.
static bool hasDWARF(lldb::SBModule Module) {
  return Module.FindSection(".debug_info").IsValid() ||
         Module.FindSection(".zdebug_info").IsValid();
}

/// Whether a module's symbols come only from its own file, without lines. LLDB
/// looks for a debug file now if it has not done so yet.
static bool lacksDebugInfo(lldb::SBModule Module) {
  if (hasDWARF(Module) || serviceOf(Module))
    return false;
  std::string Symbols = symbolFileOf(Module);
  return (Symbols.empty() || Symbols == modulePath(Module)) &&
         !hasDWARF(Module);
}

/// The platform's callback gets the expected path of a module. LLDB may use
/// another file (`target modules search-paths`), to which the archive does not
/// belong.
static void dropForeignArchive(lldb::SBDebugger Debugger,
                               lldb::SBModule Module) {
  std::optional<Service> S = serviceOf(Module);
  if (S && !S->How.empty() && S->BuildID != buildIDOf(Module))
    takeArchiveAway(Debugger, Module);
}

/// Returns whether \p Module got an archive.
static bool serveModule(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                        lldb::SBModule Module) {
  WantedModule W = wanted(Module);
  if (W.BuildID.empty() || !markSeen(W))
    return false;
  if (AutoState::get().Mode == ServeMode::Exported)
    dropForeignArchive(Debugger, Module);
  if (!isWanted(W) || hasDWARF(Module) || serviceOf(Module))
    return false;
  std::optional<FoundArchive> Found =
      findArchive(theCache(), W, folders(), warnOnce);
  if (!Found || !lacksDebugInfo(Module))
    return false;
  ServeRequest Request;
  Request.Path = Found->Path;
  Request.ModuleName = W.Path;
  Request.Shown = Found->File;
  Request.How = Found->How;
  Expected<std::string> Output =
      serveArchive(Debugger, Target, Request, AutoState::get().Mode);
  if (Output)
    return true;
  warnOnce(toString(Output.takeError()));
  return false;
}

/// Prints one hint, about a main program, for the user of a terminal. Nothing
/// may be added to the output of scripts.
static void giveHint(lldb::SBDebugger Debugger, lldb::SBModule Program) {
  AutoState &S = AutoState::get();
  bool LooksElsewhere;
  {
    std::lock_guard<std::mutex> Lock(S.Mutex);
    if (!S.On || S.GaveHint)
      return;
    LooksElsewhere = S.LooksElsewhere;
  }
  WantedModule W = wanted(Program);
  if (!Debugger.GetCommandInterpreter().IsInteractive() || !isWanted(W))
    return;
  std::string Text = hintFor(W.Path, W.BuildID, LooksElsewhere);
  if (Text.empty() || !lacksDebugInfo(Program))
    return;
  {
    std::lock_guard<std::mutex> Lock(S.Mutex);
    S.GaveHint = true;
  }
  printOutput(Debugger, escapeLines(Text) + "\n");
}

unsigned serveFoundArchives(lldb::SBDebugger Debugger) {
  // Ignore our own command.
  if (!Debugger.IsValid() || inSymbolsAdd())
    return 0;
  resumePreloading(Debugger);
  readSettings(Debugger);
  lldb::SBTarget Target = Debugger.GetSelectedTarget();
  installInPlatform(Target.IsValid() ? Target.GetPlatform()
                                     : Debugger.GetSelectedPlatform());
  unsigned Served = 0;
  for (uint32_t I = 0, E = Target.GetNumModules(); I < E; ++I)
    Served += serveModule(Debugger, Target, Target.GetModuleAtIndex(I));
  if (Target.GetNumModules())
    giveHint(Debugger, Target.GetModuleAtIndex(0));
  std::vector<lldb::SBModule> Prepared;
  AutoState &S = AutoState::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  std::swap(Prepared, S.Prepared);
  return Served;
}

bool wouldFindArchive(StringRef Path) {
  WantedModule Module{Path.str(), buildIDWithoutDWARF(Path)};
  return isWanted(Module) &&
         findArchive(theCache(), Module, folders(), [](const Twine &) {});
}

//===----------------------------------------------------------------------===//
// The switch
//===----------------------------------------------------------------------===//

bool autoSymbolsOn() {
  AutoState &S = AutoState::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  return S.On;
}

void setAutoSymbols(bool On) {
  if (!On)
    unlinkDebugFiles();
  AutoState &S = AutoState::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  S.On = On;
  if (On)
    S.Left.clear();
  S.Seen.clear();
}

void leaveWithoutArchive(lldb::SBModule Module) {
  WantedModule W = wanted(Module);
  unlinkDebugFile(W.BuildID);
  std::string Key = keyOf(W);
  AutoState &S = AutoState::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  S.Left.insert(Key);
}

void lookAgain() {
  AutoState &S = AutoState::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  S.Seen.clear();
}

static bool beforeCommand(void *Baton, const char **) {
  serveFoundArchives(debuggerOf(Baton));
  return false;
}

static bool beforeAttach(void *Baton, const char **Words) {
  prepareModules(debuggerOf(Baton), Words);
  return false;
}

/// LLDB's commands that show or use symbols. Aliases, such as `b`, `bt` and
/// `image`, run these. Launch.cpp has 'process launch', and SymbolsAdd.cpp the
/// commands that add modules and symbols.
static constexpr const char *CommandsWithSymbols[] = {"breakpoint list",
                                                      "breakpoint modify",
                                                      "breakpoint set",
                                                      "disassemble",
                                                      "expression",
                                                      "frame diagnose",
                                                      "frame info",
                                                      "frame select",
                                                      "frame variable",
                                                      "memory read",
                                                      "process continue",
                                                      "process status",
                                                      "register read",
                                                      "script",
                                                      "source info",
                                                      "source list",
                                                      "statistics dump",
                                                      "target list",
                                                      "target modules dump",
                                                      "target modules list",
                                                      "target modules lookup",
                                                      "target select",
                                                      "target stop-hook add",
                                                      "target variable",
                                                      "thread backtrace",
                                                      "thread continue",
                                                      "thread info",
                                                      "thread jump",
                                                      "thread list",
                                                      "thread return",
                                                      "thread select",
                                                      "thread step-in",
                                                      "thread step-inst",
                                                      "thread step-inst-over",
                                                      "thread step-out",
                                                      "thread step-over",
                                                      "thread step-scripted",
                                                      "thread until",
                                                      "watchpoint set"};

void installAutoSymbols(lldb::SBDebugger Debugger, ServeMode Mode) {
  AutoState &S = AutoState::get();
  {
    std::lock_guard<std::mutex> Lock(S.Mutex);
    S.Mode = Mode;
  }
  if (Mode == ServeMode::Exported)
    watchModules(beforeDebugFile);
  readSettings(Debugger);
  installInPlatform(Debugger.GetSelectedPlatform());
  for (const char *Command : CommandsWithSymbols)
    overrideCommand(Debugger, Command, beforeCommand);
  overrideCommand(Debugger, "process attach", beforeAttach);
}

} // namespace lidia
