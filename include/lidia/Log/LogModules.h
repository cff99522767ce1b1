//===- LogModules.h - The binaries that a log names -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LOG_LOGMODULES_H
#define LIDIA_LOG_LOGMODULES_H

#include "lidia/ADT/RecentlyUsed.h"
#include "lidia/Cache/ModuleArchives.h"
#include "lidia/Process/MissingModule.h"
#include "lidia/Process/ModuleFinder.h"
#include "lidia/Symbolize/LogLine.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>

namespace lidia {

struct ELFHeaders;

/// A binary that a log names, with its archive.
class LogModule {
public:
  /// \p File is null for a module that is known by its build ID alone.
  /// \p Headers may be null.
  LogModule(std::shared_ptr<const Archive> A, const SymbolizerOptions &Options,
            std::unique_ptr<OpenedFile> File,
            std::unique_ptr<ELFHeaders> Headers);
  ~LogModule();

  Symbolizer &symbolizer() { return S; }

  /// Whether it is linked to fixed addresses, which are those at run time.
  bool isFixed() const;

  /// The code of the function \p Name, a piece of it or one of several with
  /// this name, that has \p Size bytes, without what fills the space up to the
  /// next function. None if there is not exactly one.
  std::optional<uint64_t> startOf(llvm::StringRef Name, uint64_t Size);

  /// The addresses of the functions named \p Name in the dynamic symbol table,
  /// which backtrace_symbols() reads, or else in the full one.
  llvm::ArrayRef<uint64_t> addressesOf(llvm::StringRef Name);

  /// The address of the byte that is at \p Runtime in \p Map. If its offset in
  /// the file is not known, the mapping must be as large as only one segment of
  /// code.
  std::optional<uint64_t> addressIn(const LogMapping &Map,
                                    uint64_t Runtime) const;

private:
  void readSymbols();
  void readFunctions();

  const std::shared_ptr<const Archive> A;
  Symbolizer S;
  const std::unique_ptr<OpenedFile> File;
  const std::unique_ptr<ELFHeaders> Headers;
  bool FunctionsRead = false;
  /// Indices of the ranges of depth 0 by name.
  llvm::StringMap<llvm::SmallVector<uint64_t, 1>> Functions;
  bool SymbolsRead = false;
  llvm::StringMap<llvm::SmallVector<uint64_t, 1>> Symbols;
};

/// Opens the binaries that a log names, each when it is first needed. The ones
/// used last stay open.
class LogModules {
public:
  /// \p Archives must outlive this object. \p Warn receives why a module cannot
  /// be opened, once for each.
  LogModules(ModuleArchives &Archives, ModuleFinder Files,
             const SymbolizerOptions &Options,
             std::function<void(const llvm::Twine &)> Warn)
      : Archives(Archives), Files(std::move(Files)), Options(Options),
        Warn(std::move(Warn)), Open(MaxOpen) {}

  /// The module \p Path, or \p BuildID, or both; null if there is none, which
  /// is no reason for a warning if \p MayBeMissing. Valid until the next call.
  LogModule *get(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID,
                 bool MayBeMissing);

  /// The kernel's image in the file \p Path, which the user named, or else with
  /// \p BuildID; null if there is none. Valid as long as this object.
  LogModule *getKernel(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID);

  /// The module of the kernel named \p Name, with \p BuildID unless that is
  /// empty; null if there is none, which is no reason for a warning if
  /// \p MayBeMissing and nothing could be searched for it. Valid until the next
  /// call.
  LogModule *getKernelModule(llvm::StringRef Name,
                             llvm::ArrayRef<uint8_t> BuildID,
                             bool MayBeMissing);

  /// Reports why something is not answered, once.
  void warn(const std::string &Reason) {
    if (Reported.insert(Reason).second)
      Warn(Reason);
  }

  /// Modules whose base name is \p Name and that have no build ID have
  /// \p BuildID.
  void assume(llvm::StringRef Name, llvm::ArrayRef<uint8_t> BuildID) {
    Assumed[Name] = BuildID.vec();
  }

  /// The modules that were not found, those included that may be missing, in
  /// the order in which they were asked for, the first thousand.
  llvm::ArrayRef<MissingModule> missing() const { return Missing; }

  /// Whether \p Name is the base name of a file that the user named.
  bool isNamed(llvm::StringRef Name) { return Files.isNamed(Name); }

private:
  static constexpr size_t MaxOpen = 64;

  void miss(const WantedModule &W, const std::string &Reason, bool MayBe);
  std::unique_ptr<LogModule> open(const WantedModule &W, bool MayBeMissing);

  ModuleArchives &Archives;
  ModuleFinder Files;
  const SymbolizerOptions Options;
  const std::function<void(const llvm::Twine &)> Warn;
  RecentlyUsed<std::unique_ptr<LogModule>> Open;
  std::optional<std::unique_ptr<LogModule>> Kernel;
  llvm::StringSet<> Reported;
  std::vector<MissingModule> Missing;
  llvm::StringMap<std::vector<uint8_t>> Assumed;
};

} // namespace lidia

#endif // LIDIA_LOG_LOGMODULES_H
