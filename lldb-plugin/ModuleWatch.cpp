//===- ModuleWatch.cpp - Archives for targets without commands ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleWatch.h"
#include "lldb/API/SBCommandInterpreter.h"
#include "lldb/API/SBCommandReturnObject.h"
#include "lldb/API/SBDebugger.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <mutex>

using namespace llvm;

namespace lidia {

namespace {
/// The links in a folder of this process, by build ID. Removed when LLDB exits.
class Links {
public:
  static Links &get() {
    static Links L;
    return L;
  }

  ~Links() {
    removeAll();
    if (!Folder.empty()) {
      (void)sys::fs::remove(Folder + "/.build-id");
      (void)sys::fs::remove(Folder);
    }
  }

  /// Creates the folder. Returns whether it exists.
  bool begin() {
    std::lock_guard<std::mutex> Lock(Mutex);
    SmallString<128> Path;
    if (Folder.empty() && !sys::fs::createUniqueDirectory("lidia", Path))
      Folder = Path.str().str();
    return !Folder.empty();
  }

  std::string folder() {
    std::lock_guard<std::mutex> Lock(Mutex);
    return Folder;
  }

  std::string add(ArrayRef<uint8_t> BuildID, StringRef File) {
    std::lock_guard<std::mutex> Lock(Mutex);
    std::string Link = pathOf(BuildID);
    if (Link.empty())
      return std::string();
    auto [It, New] = Targets.try_emplace(Link, File);
    if (!New && It->second == File)
      return Link;
    (void)sys::fs::remove(Link);
    It->second = File.str();
    if (!sys::fs::create_directories(sys::path::parent_path(Link)) &&
        !sys::fs::create_link(File, Link))
      return Link;
    Targets.erase(It);
    return std::string();
  }

  void remove(ArrayRef<uint8_t> BuildID) {
    std::lock_guard<std::mutex> Lock(Mutex);
    std::string Link = pathOf(BuildID);
    if (Targets.erase(Link))
      removeLink(Link);
  }

  void removeAll() {
    std::lock_guard<std::mutex> Lock(Mutex);
    for (const auto &Entry : Targets)
      removeLink(Entry.first());
    Targets.clear();
  }

private:
  static void removeLink(StringRef Link) {
    (void)sys::fs::remove(Link);
    // Fails if the folder has other links.
    (void)sys::fs::remove(sys::path::parent_path(Link));
  }

  /// The path that LLDB's search for debug files checks. Empty without a
  /// folder.
  std::string pathOf(ArrayRef<uint8_t> BuildID) const {
    if (Folder.empty() || BuildID.size() < 2)
      return std::string();
    std::string Digits = toHex(BuildID, /*LowerCase=*/true);
    return Folder + "/.build-id/" + Digits.substr(0, 2) + "/" +
           Digits.substr(2) + ".debug";
  }

  std::mutex Mutex;
  std::string Folder;
  /// By path of the link.
  StringMap<std::string> Targets;
};
} // namespace

std::string linkDebugFile(ArrayRef<uint8_t> BuildID, StringRef File) {
  return Links::get().add(BuildID, File);
}

void unlinkDebugFile(ArrayRef<uint8_t> BuildID) {
  Links::get().remove(BuildID);
}

void unlinkDebugFiles() { Links::get().removeAll(); }

bool isLinkFolder(StringRef Folder) {
  return !Folder.empty() && Folder == Links::get().folder();
}

//===----------------------------------------------------------------------===//
// LLDB's log
//===----------------------------------------------------------------------===//

static void (*ModuleMade)(StringRef Path);

/// Parses "... Module::Module((x86_64) '/usr/bin/a.out')\n"; ignores other
/// lines.
static void readLogLine(const char *Text, void *) {
  StringRef Line(Text);
  size_t At = Line.find("Module::Module((");
  if (At == StringRef::npos)
    return;
  StringRef Path = Line.substr(At).split(") '").second.rtrim('\n');
  // A member of a static library has its name between the path and the quote.
  if (Path.consume_back("')"))
    ModuleMade(Path);
}

/// A debugger without targets: its settings are the initial settings of
/// targets, and it has its own log.
static lldb::SBDebugger makeHiddenDebugger(bool WithLog) {
  return lldb::SBDebugger::Create(/*source_init_files=*/false,
                                  WithLog ? readLogLine : nullptr, nullptr);
}

/// Inserts \p Folder first, so that LLDB finds a copy of a debug file with an
/// index before the debug file.
static void addToSearchPaths(lldb::SBDebugger Hidden, StringRef Folder) {
  lldb::SBCommandReturnObject Result;
  std::string Command =
      ("settings insert-before target.debug-file-search-paths 0 " + Folder)
          .str();
  Hidden.GetCommandInterpreter().HandleCommand(Command.c_str(), Result,
                                               /*add_to_history=*/false);
}

void watchModules(void (*Made)(StringRef Path)) {
  static bool Begun = false;
  // Creating the hidden debugger may load this plugin into it.
  if (std::exchange(Begun, true) || !Links::get().begin())
    return;
  ModuleMade = Made;
  lldb::SBDebugger Hidden = makeHiddenDebugger(/*WithLog=*/true);
  addToSearchPaths(Hidden, Links::get().folder());
  const char *Categories[] = {"module", nullptr};
  Hidden.EnableLog("lldb", Categories);
  lldb::SBDebugger::Destroy(Hidden);
}

void keepLinksInSearchPaths(ArrayRef<std::string> SearchPaths) {
  std::string Folder = Links::get().folder();
  if (Folder.empty() || is_contained(SearchPaths, Folder))
    return;
  lldb::SBDebugger Hidden = makeHiddenDebugger(/*WithLog=*/false);
  addToSearchPaths(Hidden, Folder);
  lldb::SBDebugger::Destroy(Hidden);
}

} // namespace lidia
