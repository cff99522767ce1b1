//===- StatusCommand.cpp - lidia status -----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LidiaCommand.h"
#include "ModuleMatch.h"
#include "lidia/Cache/StableArchive.h"
#include "lldb/API/SBStructuredData.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace lidia {

static void printFile(raw_ostream &OS, StringRef Path) {
  OS << Path;
  uint64_t Size;
  if (std::error_code EC = sys::fs::file_size(Path, Size))
    OS << " (" << EC.message() << ')';
  else
    OS << " (" << Size << " bytes)";
}

static std::string textOf(lldb::SBStructuredData Value) {
  std::string Text(Value.GetStringValue(nullptr, 0) + 1, '\0');
  Value.GetStringValue(Text.data(), Text.size());
  Text.pop_back();
  return Text;
}

/// The seconds that LLDB itself has spent reading symbols so far, by path of
/// the module, from `statistics dump`.
static StringMap<double> readingTimes(lldb::SBTarget Target) {
  StringMap<double> Times;
  lldb::SBStructuredData Modules =
      Target.GetStatistics().GetValueForKey("modules");
  for (size_t I = 0, E = Modules.GetSize(); I != E; ++I) {
    lldb::SBStructuredData Module = Modules.GetItemAtIndex(I);
    double &Time = Times[textOf(Module.GetValueForKey("path"))];
    for (const char *What : {"debugInfoParseTime", "debugInfoIndexTime",
                             "symbolTableParseTime", "symbolTableIndexTime"})
      Time += Module.GetValueForKey(What).GetFloatValue();
  }
  return Times;
}

static void printService(raw_ostream &OS, const Service &S) {
  printFile(OS, S.Archive);
  if (!S.How.empty())
    OS << ", " << S.How;
  if (S.File == S.Archive) {
    OS << ", read as it is";
  } else {
    OS << (isArchive(S.File) ? ", unpacked as " : ", exported as ");
    printFile(OS, S.File);
    OS << (S.Made ? ", made" : ", found in the cache") << " in "
       << llvm::format("%.3f", S.Seconds) << " s";
  }
}

/// Prints the symbols of a module without an archive.
static void printSymbols(raw_ostream &OS, lldb::SBModule Module) {
  auto Has = [&](const char *Section) {
    return Module.FindSection(Section).IsValid();
  };
  std::string File = symbolFileOf(Module);
  if (!File.empty() && File != modulePath(Module)) {
    std::string Original = indexedOriginal(File);
    OS << "debug file ";
    printFile(OS, Original.empty() ? File : Original);
    if (!Original.empty())
      printFile(OS << ", read with an index as ", File);
  } else if (readsOwnDWARF(Module)) {
    OS << "DWARF of its own";
  } else if (Has(".symtab") || Has(".gnu_debugdata")) {
    OS << "symbol table only";
  } else {
    OS << (Has(".dynsym") ? "dynamic symbols only" : "no symbols");
  }
}

/// Whether the file of a module with an archive is no longer the one that LLDB
/// opened.
static bool hasChanged(lldb::SBModule Module) {
  std::optional<Service> S = serviceOf(Module);
  return S && S->ModuleTime &&
         S->ModuleTime != modificationTime(modulePath(Module));
}

/// What \p Module lacks, and how to get it; empty if it lacks nothing.
static std::string hintOf(lldb::SBModule Module) {
  std::optional<Service> S = serviceOf(Module);
  if (!S) {
    bool CanConvert =
        !readsDWARF(Module) && sys::fs::is_regular_file(modulePath(Module));
    return CanConvert ? "; 'lidia create' makes an archive" : "";
  }
  Expected<Archive> A = openStableArchive(S->Archive);
  if (!A) {
    consumeError(A.takeError());
    return "";
  }
  bool HasVariables = A->findExtensionSection(format::ET_Variables).has_value();
  return HasVariables ? "" : "; no variables ('llvm-lidia --variables')";
}

Error StatusCommand::run(lldb::SBDebugger, lldb::SBTarget Target,
                         Arguments Args, lldb::SBCommandReturnObject &Result) {
  Expected<std::vector<lldb::SBModule>> Chosen =
      chooseModules(Target, Args, [](lldb::SBModule) { return true; });
  if (!Chosen)
    return Chosen.takeError();
  std::vector<lldb::SBModule> Modules;
  for (uint32_t I = 0, E = Target.GetNumModules(); I != E; ++I)
    Modules.push_back(Target.GetModuleAtIndex(I));
  // For its statistics, LLDB reads all symbol tables from mapped files, and
  // crashes if one was truncated.
  bool IsSafe = none_of(Modules, hasChanged);
  StringMap<double> Times = IsSafe ? readingTimes(Target) : StringMap<double>();
  for (const auto &[I, Module] : enumerate(Modules)) {
    if (!is_contained(*Chosen, Module))
      continue;
    std::string Path = modulePath(Module), Text;
    raw_string_ostream OS(Text);
    OS << llvm::format("[%3u] ", unsigned(I)) << Path << ": ";
    if (std::optional<Service> S = serviceOf(Module))
      printService(OS, *S);
    else
      printSymbols(OS << "no archive, ", Module);
    if (IsSafe)
      OS << ", " << llvm::format("%.3f", Times.lookup(Path))
         << " s spent reading it" << hintOf(Module);
    else if (hasChanged(Module))
      OS << "; the module's file has changed";
    OS << '\n';
    append(Result, Text);
  }
  return Error::success();
}

} // namespace lidia
