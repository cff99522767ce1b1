//===- MinidumpSpace.h - The address space of a minidump --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MINIDUMP_MINIDUMPSPACE_H
#define LIDIA_MINIDUMP_MINIDUMPSPACE_H

#include "lidia/Minidump/Minidump.h"
#include "lidia/Process/AddressSpace.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <mutex>

namespace lidia {

class SharedModuleFinder;

/// Returns the build ID of the binary with a debug ID, like
/// SymbolStore::findBuildID(); empty if it is not known.
using BuildIDSource =
    std::function<llvm::SmallVector<uint8_t, 20>(const DebugID &ID)>;

/// Returns the path of the file \p Name with the identifier \p ID, a code ID or
/// debug ID as symbol servers have them in paths, from symbol servers or
/// folders in their layout; empty if there is none. \p IsRight says whether the
/// file at a path is the right one.
using SymbolFileSource = std::function<std::string(
    llvm::StringRef Name, llvm::StringRef ID,
    llvm::function_ref<bool(llvm::StringRef)> IsRight)>;

/// Where to find the files of a minidump's modules and their build IDs.
struct MinidumpOptions {
  /// The folder in which files that the dump names are opened. If none, they
  /// are not opened.
  std::optional<RootFolder> Root;
  /// Folders to search for these files first (ModuleFinderOptions::Folders).
  std::vector<RootFolder> Folders;
  /// Finds the build ID of modules with only a debug ID; may be empty.
  BuildIDSource FindBuildID;
  /// Finds the file of a PE module, or else its PDB file, that is neither in
  /// Folders nor in Root; may be empty. Called by several threads.
  SymbolFileSource FindSymbolFile;
};

/// The address space of a minidump. Modules are mappings of whole images with
/// the build IDs in the dump; other memory is anonymous.
///
/// The file is read, never mapped. Files that it names are opened only in the
/// folders that the caller gives.
class MinidumpSpace final : public AddressSpace {
public:
  /// Receives warnings as long as the space exists, from one thread at a time.
  using KeptWarningFunction = std::function<void(const llvm::Twine &)>;

  /// Opens the minidump at \p Path. If nothing in it identifies a module's
  /// file, \p Warn later names the file that was found by its name.
  static llvm::Expected<std::unique_ptr<MinidumpSpace>>
  open(llvm::StringRef Path, MinidumpOptions Options, KeptWarningFunction Warn);

  /// Opens the minidump in an open file; \p Name is for messages.
  static llvm::Expected<std::unique_ptr<MinidumpSpace>>
  read(std::unique_ptr<OpenedFile> File, llvm::StringRef Name,
       MinidumpOptions Options, KeptWarningFunction Warn);
  ~MinidumpSpace() override;

  const Minidump &dump() const { return Dump; }

  /// The module that contains \p Address; null if there is none.
  const MinidumpModule *moduleAt(uint64_t Address) const;

  /// The state of Minidump::Threads[\p Index]. If the crash was in this thread,
  /// it has the registers at the crash.
  ThreadState thread(size_t Index) const;

  /// The size of the dump in bytes.
  uint64_t fileSize() const { return File->size(); }

  const UnwindMachine *machine() const override;
  llvm::Expected<ThreadVisitFigures>
  visitThreads(ThreadVisitor Visit,
               std::optional<uint64_t> Only) const override;
  size_t readMemory(uint64_t Address,
                    llvm::MutableArrayRef<uint8_t> To) const override;

private:
  MinidumpSpace(std::unique_ptr<OpenedFile> File, Minidump Dump,
                MinidumpOptions Options, KeptWarningFunction Warn);

  void findBuildIDs(const BuildIDSource &Find);
  bool isPE(const MinidumpModule &M) const;
  void addModules();
  void addAnonymous();
  llvm::Expected<std::unique_ptr<OpenedFile>>
  openForeignFile(const MinidumpModule &M) const;
  llvm::Expected<std::unique_ptr<OpenedFile>>
  openELFFile(const MappedFile &Source, const MinidumpModule &M) const;
  llvm::StringRef missingIdentity(const MappedFile &Source,
                                  const MinidumpModule &M) const;
  std::unique_ptr<OpenedFile> openIfRight(const MinidumpModule &M,
                                          llvm::StringRef Path) const;
  std::unique_ptr<OpenedFile> openSymbolFile(const MinidumpModule &M) const;
  llvm::Expected<std::unique_ptr<OpenedFile>>
  openFile(const Mapping &M) const override;
  void warnOnce(const llvm::Twine &Message) const;

  const std::unique_ptr<OpenedFile> File;
  Minidump Dump;
  const std::unique_ptr<SharedModuleFinder> Files;
  const SymbolFileSource FindSymbolFile;
  /// Maps the index of a file in mappings() to the index in Dump.Modules.
  std::vector<size_t> ModuleOfFile;
  const KeptWarningFunction Warn;
  /// Guards Warn and Warned, the messages so far.
  mutable std::mutex WarnMutex;
  mutable llvm::StringSet<> Warned;
};

} // namespace lidia

#endif // LIDIA_MINIDUMP_MINIDUMPSPACE_H
