//===- Serve.cpp - Archives as the symbol files of modules ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Serve.h"
#include "ArchiveFinder.h"
#include "ModuleMatch.h"
#include "Output.h"
#include "ReplaceModule.h"
#include "lidia/Cache/StableArchive.h"
#include "lldb/API/SBCommandInterpreter.h"
#include "lldb/API/SBCommandReturnObject.h"
#include "lldb/API/SBFileSpec.h"
#include "lldb/API/SBSection.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"
#include <chrono>
#include <mutex>

using namespace llvm;

namespace lidia {

namespace {
/// The files passed to LLDB, by path. Common to the whole process, because LLDB
/// shares modules between its debuggers.
struct Services {
  std::mutex Mutex;
  StringMap<Service> ByFile;
  /// The debug files of copies with an index, by path of the copy.
  StringMap<std::string> Indexed;

  static Services &get() {
    // Never destroyed, because LLDB may use it until the process ends.
    static Services *S = new Services;
    return *S;
  }
};
} // namespace

bool isArchive(StringRef Path) {
  if (!sys::fs::is_regular_file(Path))
    return false;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Start = MemoryBuffer::getFileSlice(
      Path, /*MapSize=*/sizeof(format::Header), /*Offset=*/0);
  return Start && Archive::hasMagic((*Start)->getBuffer());
}

std::string quoted(StringRef Text) {
  std::string Result = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result + '"';
}

static thread_local unsigned SymbolsAddDepth = 0;

bool inSymbolsAdd() { return SymbolsAddDepth != 0; }

Expected<std::string> runSymbolsAdd(lldb::SBDebugger Debugger,
                                    StringRef Options, StringRef File) {
  SaveAndRestore Inside(SymbolsAddDepth, SymbolsAddDepth + 1);
  lldb::SBCommandReturnObject Result;
  std::string Command =
      ("target symbols add" + Options + " -- " + quoted(File)).str();
  Debugger.GetCommandInterpreter().HandleCommand(Command.c_str(), Result,
                                                 /*add_to_history=*/false);
  if (Result.Succeeded())
    return StringRef(Result.GetOutput()).str();
  StringRef Message = StringRef(Result.GetError()).trim();
  Message.consume_front("error: ");
  return createStringError(Message);
}

Cache &theCache() {
  // Its destruction at exit removes private files.
  static Cache C;
  return C;
}

Cache &theCache(lldb::SBDebugger Debugger) {
  Cache &C = theCache();
  // Capture the ID, because a reference would keep the debugger alive.
  C.setWarningHandler([ID = Debugger.GetID()](const Twine &Message) {
    printWarning(lldb::SBDebugger::FindDebuggerWithID(ID), Message);
  });
  return C;
}

/// The file that LLDB reads, and whether it was made now.
static Expected<CachedFile> fileToRead(const Archive &A, StringRef ModulePath,
                                       ServeMode Mode) {
  if (Mode == ServeMode::Native)
    return CachedFile{A.name().str(), /*Made=*/false, /*Seconds=*/0};
  return cachedDWARFForLLDB(theCache(), A, ModulePath);
}

std::string symbolFileOf(lldb::SBModule Module) {
  return pathOf(Module.GetSymbolFileSpec());
}

bool readsOwnDWARF(lldb::SBModule Module) {
  // Do not ask LLDB: it would create its symbol table, and drop it when the
  // archive is added.
  if (!buildIDWithoutDWARF(modulePath(Module)).empty())
    return false;
  // The module's sections include those of an added symbol file.
  return (Module.FindSection(".debug_info").IsValid() ||
          Module.FindSection(".zdebug_info").IsValid()) &&
         symbolFileOf(Module) == modulePath(Module);
}

std::string debugFileOf(lldb::SBModule Module) {
  // LLDB looks for a debug file now if it has not done so yet.
  std::string File = symbolFileOf(Module);
  bool HasDWARF = Module.FindSection(".debug_info").IsValid() ||
                  Module.FindSection(".zdebug_info").IsValid();
  if (File.empty() || File == pathOf(Module.GetFileSpec()) || !HasDWARF ||
      serviceOf(Module))
    return std::string();
  return File;
}

void noteIndexed(StringRef File, StringRef Original) {
  Services &S = Services::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  S.Indexed[File] = Original.str();
}

std::string indexedOriginal(StringRef File) {
  Services &S = Services::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  return S.Indexed.lookup(File);
}

bool readsDWARF(lldb::SBModule Module) {
  return readsOwnDWARF(Module) || !debugFileOf(Module).empty();
}

static std::string buildIDOf(const Archive &A) {
  return A.info() ? toHex(A.info()->BuildID, /*LowerCase=*/true) : "";
}

/// Refuses an archive that matches \p Module only by name if it would replace
/// one with the module's build ID.
static Error checkNotLess(const Archive &A, lldb::SBModule Module,
                          const ServeRequest &R) {
  if (!buildIDOf(A).empty() || !R.ModuleName.empty())
    return Error::success();
  std::optional<Service> Now = serviceOf(Module);
  if (!Now || Now->BuildID.empty())
    return Error::success();
  return createStringError(
      A.name() + ": it has no build ID, and " + Now->Archive +
      ", which has that of " + modulePath(Module) +
      ", would be replaced: name the module with --shlib to do so");
}

Expected<std::pair<Archive, lldb::SBModule>>
openForModule(lldb::SBTarget Target, const ServeRequest &R) {
  Expected<Archive> A = openVerifiedArchive(R.Path);
  if (!A)
    return A.takeError();
  lldb::SBModule Module;
  if (Error E = findModuleOf(*A, Target, R.ModuleName).moveInto(Module))
    return E;
  if (Error E = checkNotLess(*A, Module, R))
    return E;
  return std::pair(std::move(*A), Module);
}

static std::string keepsDWARF(lldb::SBModule Module, const ServeRequest &R) {
  std::string DebugFile = debugFileOf(Module);
  std::string Original = indexedOriginal(DebugFile);
  if (!Original.empty())
    DebugFile = Original;
  return modulePath(Module) +
         (DebugFile.empty() ? " has DWARF of its own"
                            : " has the debug file " + DebugFile) +
         ", which LLDB keeps: " + R.Path +
         " is not used ('lidia add --replace' uses it instead of the DWARF, "
         "for speed, without types and variables)\n";
}

/// Makes LLDB read \p File for \p Module. Returns LLDB's output.
static Expected<std::string>
passToLLDB(lldb::SBDebugger Debugger, lldb::SBTarget Target,
           lldb::SBModule Module, const ServeRequest &R,
           const std::string &File, ServeMode Mode) {
  if (Mode == ServeMode::Native || !readsOwnDWARF(Module))
    return runSymbolsAdd(
        Debugger, R.Options + " --shlib " + quoted(modulePath(Module)), File);
  if (Error E = replaceModule(Target, Module, File).takeError())
    return E;
  return "symbol file '" + File + "' has replaced the DWARF in '" +
         modulePath(Module) + "'\n";
}

/// The debug file that an archive is about to replace, or that the archive of
/// \p Module has replaced.
static std::string replacedDebugFile(lldb::SBModule Module) {
  if (std::optional<Service> Now = serviceOf(Module))
    return Now->DebugFile;
  return debugFileOf(Module);
}

Expected<std::string> serveArchive(lldb::SBDebugger Debugger,
                                   lldb::SBTarget Target, const ServeRequest &R,
                                   ServeMode Mode) {
  auto Start = std::chrono::steady_clock::now();
  Expected<std::pair<Archive, lldb::SBModule>> Found = openForModule(Target, R);
  if (!Found)
    return Found.takeError();
  auto &[A, Module] = *Found;
  if (Mode == ServeMode::Exported && !R.Replace && readsDWARF(Module))
    return keepsDWARF(Module, R);
  std::string DebugFile = replacedDebugFile(Module);
  theCache(Debugger);
  Expected<CachedFile> File = fileToRead(A, modulePath(Module), Mode);
  if (!File)
    return File.takeError();
  std::chrono::duration<double> Seconds =
      std::chrono::steady_clock::now() - Start;
  const std::string &Shown = R.Shown.empty() ? R.Path : R.Shown;

  Expected<std::string> Output =
      passToLLDB(Debugger, Target, Module, R, File->Path, Mode);
  if (!Output)
    return Output;
  {
    Services &S = Services::get();
    std::lock_guard<std::mutex> Lock(S.Mutex);
    S.ByFile[File->Path] = {
        Shown,           R.How,      File->Path,
        buildIDOf(A),    File->Made, modificationTime(modulePath(Module)),
        Seconds.count(), DebugFile};
  }
  // LLDB prints the file that it reads, but the user only knows the archive.
  size_t At = Output->find(File->Path);
  if (At != std::string::npos)
    Output->replace(At, File->Path.size(), Shown);
  return Output;
}

Expected<std::string> prepareArchive(const Archive &A, StringRef Shown,
                                     StringRef How, StringRef ModulePath,
                                     ServeMode Mode) {
  auto Start = std::chrono::steady_clock::now();
  Expected<CachedFile> File = fileToRead(A, ModulePath, Mode);
  if (!File)
    return File.takeError();
  std::chrono::duration<double> Seconds =
      std::chrono::steady_clock::now() - Start;
  Services &S = Services::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  S.ByFile[File->Path] = {Shown.str(),     How.str(),
                          File->Path,      buildIDOf(A),
                          File->Made,      modificationTime(ModulePath),
                          Seconds.count(), /*DebugFile=*/std::string()};
  return File->Path;
}

void noteLink(StringRef Link, StringRef File) {
  Services &S = Services::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  S.ByFile[Link] = Service(S.ByFile[File]);
}

std::optional<sys::TimePoint<>> modificationTime(StringRef Path) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status))
    return std::nullopt;
  return Status.getLastModificationTime();
}

void noteNativeArchive(const Archive &A, StringRef Path,
                       lldb::SBModule Module) {
  std::string DebugFile = replacedDebugFile(Module);
  Services &S = Services::get();
  std::lock_guard<std::mutex> Lock(S.Mutex);
  Service &Noted = S.ByFile[Path];
  Noted = Service();
  Noted.Archive = Noted.File = Path.str();
  Noted.BuildID = buildIDOf(A);
  Noted.ModuleTime = modificationTime(modulePath(Module));
  Noted.DebugFile = std::move(DebugFile);
}

std::optional<Service> serviceOf(lldb::SBModule Module) {
  std::string File = symbolFileOf(Module);
  {
    Services &S = Services::get();
    std::lock_guard<std::mutex> Lock(S.Mutex);
    auto Found = S.ByFile.find(File);
    if (Found != S.ByFile.end())
      return Found->second;
  }
  // An archive that `target create --symfile` passed to the symbol file plugin.
  if (!isArchive(File))
    return std::nullopt;
  Service Unknown;
  Unknown.Archive = Unknown.File = File;
  return Unknown;
}

/// Runs `target symbols add` for the module \p Path with a file without
/// symbols; if it \p HasDWARF, with the module's own file.
static void addNothing(lldb::SBDebugger Debugger, StringRef Path,
                       bool HasDWARF) {
  auto Add = [&](const std::string &Options, StringRef File) {
    consumeError(runSymbolsAdd(Debugger, Options, File).takeError());
  };
  if (sys::path::is_absolute(Path))
    return Add(" --shlib " + quoted(Path), HasDWARF ? Path : "/dev/null");
  // A library that was loaded by a relative path. LLDB makes the argument of
  // --shlib absolute, and then finds no such module. It only finds the module
  // by a file with the same name.
  SmallString<128> Folder;
  if (sys::fs::createUniqueDirectory("lidia", Folder))
    return;
  SmallString<128> Link(Folder);
  sys::path::append(Link, sys::path::filename(Path));
  if (!sys::fs::create_link("/dev/null", Link))
    Add("", Link);
  (void)sys::fs::remove(Link);
  (void)sys::fs::remove(Folder);
}

/// Makes LLDB read the debug file \p File for \p Module. The link to a copy
/// with an index may be gone: the file that was copied then takes its place.
static Error addDebugFile(lldb::SBDebugger Debugger, lldb::SBModule Module,
                          std::string File) {
  std::string Original = indexedOriginal(File);
  if (!Original.empty() && !sys::fs::exists(File))
    File = Original;
  return runSymbolsAdd(Debugger, " --shlib " + quoted(modulePath(Module)), File)
      .takeError();
}

/// LLDB's command removes a module's symbol file before it reads the new one,
/// and does not keep a new one that it cannot read. The public interface has no
/// other way. If LLDB can read the file, it also recomputes the frames of a
/// process, which still point to functions of the archive.
bool takeArchiveAway(lldb::SBDebugger Debugger, lldb::SBModule Module) {
  // The module's sections include those of an exported archive.
  bool HasDWARF = isArchive(symbolFileOf(Module)) &&
                  (Module.FindSection(".debug_info").IsValid() ||
                   Module.FindSection(".zdebug_info").IsValid());
  std::optional<Service> Now = serviceOf(Module);
  addNothing(Debugger, modulePath(Module), HasDWARF);
  if (Now && !Now->DebugFile.empty())
    consumeError(addDebugFile(Debugger, Module, Now->DebugFile));
  return !serviceOf(Module);
}

Error leaveIndexedCopy(lldb::SBDebugger Debugger, lldb::SBModule Module) {
  return addDebugFile(Debugger, Module, indexedOriginal(symbolFileOf(Module)));
}

} // namespace lidia
