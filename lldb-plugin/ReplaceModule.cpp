//===- ReplaceModule.cpp - Modules without their DWARF --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplaceModule.h"
#include "ModuleMatch.h"
#include "Serve.h"
#include "lldb/API/SBFileSpec.h"
#include "lldb/API/SBModuleSpec.h"
#include "lldb/API/SBProcess.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/Binary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <mutex>

using namespace llvm;

namespace lidia {

namespace {
struct Replaced {
  /// The module with DWARF. It keeps the locations of breakpoints.
  lldb::SBModule Module;
  std::string Path;
};

/// The replaced modules, by the path of the copy. The copy is a link in its own
/// folder, because LLDB names modules after their files. The links are removed
/// when LLDB exits.
class ReplacedModules {
public:
  static ReplacedModules &get() {
    static ReplacedModules R;
    return R;
  }

  ~ReplacedModules() {
    for (const auto &Entry : ByCopy)
      removeLink(Entry.first());
  }

  void add(StringRef Copy, Replaced R) {
    std::lock_guard<std::mutex> Lock(Mutex);
    ByCopy[Copy] = std::move(R);
  }

  std::optional<Replaced> find(StringRef Copy) {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto Found = ByCopy.find(Copy);
    if (Found == ByCopy.end())
      return std::nullopt;
    return Found->second;
  }

  void remove(StringRef Copy) {
    std::lock_guard<std::mutex> Lock(Mutex);
    ByCopy.erase(Copy);
    removeLink(Copy);
  }

  static void removeLink(StringRef Copy) {
    (void)sys::fs::remove(Copy);
    (void)sys::fs::remove(sys::path::parent_path(Copy));
  }

private:
  std::mutex Mutex;
  // Never destroyed, because LLDB's modules may be destroyed before.
  StringMap<Replaced> &ByCopy = *new StringMap<Replaced>;
};
} // namespace

std::optional<std::string> originalOfCopy(StringRef Path) {
  std::optional<Replaced> R = ReplacedModules::get().find(Path);
  if (!R)
    return std::nullopt;
  return R->Path;
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

static Error writeWithoutDWARF(StringRef Path, raw_ostream &OS) {
  Expected<object::OwningBinary<object::Binary>> File =
      object::createBinary(Path);
  if (!File)
    return createFileError(Path, File.takeError());
  objcopy::ConfigManager Config;
  Config.Common.InputFilename = Path;
  Config.Common.StripDebug = true;
  return objcopy::executeObjcopyOnBinary(Config, *File->getBinary(), OS);
}

/// Creates a link, with the file name of \p Path, to a copy of it without
/// DWARF.
static Expected<std::string> makeCopy(const std::string &Path) {
  sys::fs::file_status Status;
  if (std::error_code EC = sys::fs::status(Path, Status))
    return createFileError(Path, EC);
  CacheKey Key("module-without-dwarf");
  Key.add(Path).add(Status.getSize());
  Key.add(Status.getLastModificationTime().time_since_epoch().count());
  std::string Copy;
  if (Error E =
          theCache()
              .get(Key, ".elf",
                   [&](raw_ostream &OS) { return writeWithoutDWARF(Path, OS); })
              .moveInto(Copy))
    return E;
  SmallString<128> Link;
  std::error_code EC = sys::fs::createUniqueDirectory("lidia", Link);
  if (!EC) {
    sys::path::append(Link, sys::path::filename(Path));
    EC = sys::fs::create_link(Copy, Link);
  }
  if (EC)
    return createFileError(Link, EC);
  return Link.str().str();
}

//===----------------------------------------------------------------------===//
// The exchange
//===----------------------------------------------------------------------===//

static Error checkNoProcess(lldb::SBTarget Target, StringRef Path) {
  lldb::SBProcess Process = Target.GetProcess();
  lldb::StateType State =
      Process.IsValid() ? Process.GetState() : lldb::eStateInvalid;
  if (State == lldb::eStateInvalid || State == lldb::eStateUnloaded ||
      State == lldb::eStateExited || State == lldb::eStateDetached)
    return Error::success();
  return createStringError(
      Path + ": LLDB cannot replace a module of a process or core file: do "
             "this before launching or attaching to the process");
}

/// Removes \p Old from \p Target and calls \p Add to add the module that
/// replaces it. If this fails, \p Old stays.
static Error exchange(lldb::SBTarget Target, lldb::SBModule Old,
                      function_ref<bool()> Add) {
  // LLDB runs the first program among the modules, so the new module must be at
  // the old one's position, but modules can only be appended.
  std::vector<lldb::SBModule> Behind;
  bool Found = false;
  for (uint32_t I = 0, E = Target.GetNumModules(); I != E; ++I) {
    lldb::SBModule Module = Target.GetModuleAtIndex(I);
    if (Found)
      Behind.push_back(Module);
    Found |= Module == Old;
  }
  for (lldb::SBModule Module : Behind)
    Target.RemoveModule(Module);
  Target.RemoveModule(Old);
  bool Added = Add();
  if (!Added)
    Target.AddModule(Old);
  for (lldb::SBModule Module : Behind)
    Target.AddModule(Module);
  if (Added)
    return Error::success();
  return createStringError(modulePath(Old) + ": LLDB cannot replace it");
}

Expected<lldb::SBModule> replaceModule(lldb::SBTarget Target,
                                       lldb::SBModule Module,
                                       StringRef SymbolFile) {
  std::string Path = modulePath(Module);
  if (Error E = checkNoProcess(Target, Path))
    return E;
  std::string Copy;
  if (Error E = makeCopy(Path).moveInto(Copy))
    return E;
  lldb::SBModuleSpec Spec;
  Spec.SetFileSpec(lldb::SBFileSpec(Copy.c_str(), /*resolve=*/false));
  Spec.SetPlatformFileSpec(lldb::SBFileSpec(Path.c_str(), /*resolve=*/false));
  Spec.SetSymbolFileSpec(
      lldb::SBFileSpec(SymbolFile.str().c_str(), /*resolve=*/false));
  lldb::SBModule New;
  Error E = exchange(Target, Module, [&] {
    New = Target.AddModule(Spec);
    return New.IsValid();
  });
  if (E) {
    ReplacedModules::removeLink(Copy);
    return E;
  }
  ReplacedModules::get().add(Copy, {Module, Path});
  return New;
}

Error restoreModule(lldb::SBTarget Target, lldb::SBModule Module) {
  std::string Copy = pathOf(Module.GetFileSpec());
  std::optional<Replaced> R = ReplacedModules::get().find(Copy);
  if (!R)
    return createStringError(Copy + ": no copy of a module");
  if (Error E = checkNoProcess(Target, R->Path))
    return E;
  if (Error E =
          exchange(Target, Module, [&] { return Target.AddModule(R->Module); }))
    return E;
  // LLDB keeps the module with the copy for later targets. If the program was
  // rebuilt, LLDB would use this module for it, unless the copy has changed,
  // too.
  ReplacedModules::get().remove(Copy);
  return Error::success();
}

} // namespace lidia
