//===- Host.cpp - The LLDB that loaded the plugin -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <vector>

using namespace llvm;

namespace lidia {

// A function that every LLDB has: SBDebugger::GetVersionString().
static constexpr const char PublicSymbol[] =
    "_ZN4lldb10SBDebugger16GetVersionStringEv";

// The function that registers symbol files: PluginManager::RegisterPlugin(
// StringRef, StringRef, SymbolFileCreateInstance, DebuggerInitializeCallback).
static constexpr const char PrivateSymbol[] =
    "_ZN12lldb_private13PluginManager14RegisterPluginEN4llvm9StringRefES2_"
    "PFPNS_10SymbolFileESt10shared_ptrINS_10ObjectFileEEEPFvRNS_8DebuggerEE";

/// Collects the names of libraries that may be LLDB's. The file may be named
/// liblldb.so.19.1, liblldb-19.so.1 or, as Python's module,
/// _lldb.cpython-311-x86_64-linux-gnu.so.
static int noteCandidate(dl_phdr_info *Info, size_t, void *Candidates) {
  StringRef Name = Info->dlpi_name ? Info->dlpi_name : "";
  if (sys::path::filename(Name).contains("lldb"))
    static_cast<std::vector<std::string> *>(Candidates)->push_back(Name.str());
  return 0;
}

/// Makes the symbols of the library \p Name global if it is LLDB's. Returns
/// whether it is.
static bool promoteIfHost(const char *Name) {
  void *Library = dlopen(Name, RTLD_LAZY | RTLD_NOLOAD);
  if (!Library)
    return false;
  bool IsHost = dlsym(Library, PublicSymbol);
  // This reference is kept, because the plugin is never unloaded.
  if (IsHost)
    IsHost = dlopen(Name, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  dlclose(Library);
  return IsHost;
}

void shareSymbolsOfHost() {
  if (dlsym(RTLD_DEFAULT, PublicSymbol))
    return;
  std::vector<std::string> Candidates;
  dl_iterate_phdr(noteCandidate, &Candidates);
  for (const std::string &Name : Candidates)
    if (promoteIfHost(Name.c_str()))
      return;
}

bool hostExportsPrivate() { return dlsym(RTLD_DEFAULT, PrivateSymbol); }

static std::string lastError() {
  const char *Message = dlerror();
  return Message ? Message : "unknown error";
}

StringRef pluginPath() {
  Dl_info Self;
  if (!dladdr(reinterpret_cast<void *>(&pluginPath), &Self) || !Self.dli_fname)
    return StringRef();
  return Self.dli_fname;
}

Error loadNativePlugin(ArchiveLocator Locator) {
  StringRef Plugin = pluginPath();
  if (Plugin.empty())
    return createStringError("cannot find the folder of the plugin");
  SmallString<256> Path(sys::path::parent_path(Plugin));
  sys::path::append(Path, "liblldbPluginLidiaNative.so");
  // Bind all symbols now: a symbol that this host lacks causes an error here
  // instead of a crash later.
  void *Library = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Library)
    return createStringError(lastError());
  auto *Initialize = reinterpret_cast<InitializeNative *>(
      dlsym(Library, "lidiaInitializeNative"));
  if (!Initialize)
    return createStringError(lastError());
  if (const char *Message = Initialize(Locator))
    return createStringError(Path + ": " + Message);
  return Error::success();
}

} // namespace lidia
