//===- LogModules.h - The binaries that a log names -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LOG_LOGMODULES_H
#define LIDIA_LOG_LOGMODULES_H

#include "lidia/Log/LogLine.h"
#include "lidia/Modules/MissingModule.h"
#include "lidia/Modules/ModuleResolver.h"
#include "lidia/Support/RecentlyUsed.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>

namespace lidia {

/// A binary that a log names, with its archive.
class LogModule {
public:
  /// \p Its has an archive.
  LogModule(ResolvedModule Its, const SymbolizerOptions &Options);

  Symbolizer &symbolizer() { return S; }

  /// ResolvedModule::LeftOut.
  MissCode leftOut() const { return Its.LeftOut; }

  /// Whether the module is linked to fixed addresses, so that its addresses are
  /// also its runtime addresses.
  bool isFixed() const;

  /// The start of the piece of code of a function named \p Name that has
  /// \p Size bytes, without the padding before the next function. None unless
  /// exactly one piece matches.
  std::optional<uint64_t> startOf(llvm::StringRef Name, uint64_t Size);

  /// The addresses of the functions named \p Name in the dynamic symbol table,
  /// which backtrace_symbols() reads, or else in the full one.
  llvm::ArrayRef<uint64_t> addressesOf(llvm::StringRef Name);

  /// The address of the byte that is at \p Runtime in \p Map. If the mapping's
  /// file offset is not known, the address is found only if exactly one segment
  /// of code has the mapping's size.
  std::optional<uint64_t> addressIn(const LogMapping &Map,
                                    uint64_t Runtime) const;

private:
  void readSymbols();
  void readFunctions();

  const ResolvedModule Its;
  const Archive &A;
  Symbolizer S;
  bool FunctionsRead = false;
  /// Indices of the ranges of depth 0 by name.
  llvm::StringMap<llvm::SmallVector<uint64_t, 1>> Functions;
  bool SymbolsRead = false;
  llvm::StringMap<llvm::SmallVector<uint64_t, 1>> Symbols;
};

/// Opens the binaries that a log names, each when it is first needed. The most
/// recently used ones stay open.
class LogModules {
public:
  /// \p TheResolver must outlive this object. \p TheWarn receives the reason
  /// why a module cannot be opened, once for each module.
  LogModules(ModuleResolver &TheResolver, const SymbolizerOptions &TheOptions,
             std::function<void(const llvm::Twine &)> TheWarn)
      : Resolver(TheResolver), Options(TheOptions), Warn(std::move(TheWarn)),
        Open(MaxOpen) {}

  /// The module with \p Path, \p BuildID, or both; null if it is not found,
  /// which causes a warning unless \p MayBeMissing. Valid until the next call.
  LogModule *get(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID,
                 bool MayBeMissing);

  /// The kernel's image: the file \p Path if the user named one, otherwise the
  /// image with \p BuildID. Null if there is none. Valid as long as this
  /// object.
  LogModule *getKernel(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID);

  /// The kernel module named \p Name, with \p BuildID unless that is empty.
  /// Null if it is not found, which causes a warning unless \p MayBeMissing and
  /// there was no place to search. Valid until the next call.
  LogModule *getKernelModule(llvm::StringRef Name,
                             llvm::ArrayRef<uint8_t> BuildID,
                             bool MayBeMissing);

  /// Reports \p Reason, why something is not answered, if it was not reported
  /// before.
  void warn(const std::string &Reason) {
    if (Reported.insert(Reason).second)
      Warn(Reason);
  }

  /// From now on, modules whose base name is \p Name and that have no build ID
  /// are assumed to have \p BuildID.
  void assume(llvm::StringRef Name, llvm::ArrayRef<uint8_t> BuildID) {
    Assumed[Name] = BuildID.vec();
  }

  /// The modules that were not found, including those that may be missing, in
  /// the order in which they were requested; at most a thousand.
  llvm::ArrayRef<MissingModule> missing() const { return Missing; }

  /// Whether \p Name is the base name of a file that the user named.
  bool isNamed(llvm::StringRef Name) { return Resolver.files().isNamed(Name); }

private:
  static constexpr size_t MaxOpen = 64;

  std::unique_ptr<LogModule> open(const ModuleIdentity &M, bool MayBeMissing);

  ModuleResolver &Resolver;
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
