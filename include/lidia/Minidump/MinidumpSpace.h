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
#include <functional>

namespace lidia {

class SharedModuleFinder;

/// Gives the build ID of a binary that is known by its debug ID, as
/// SymbolStore::findBuildID() does; empty if it is not known.
using BuildIDSource =
    std::function<llvm::SmallVector<uint8_t, 20>(const DebugID &ID)>;

/// Where the files of a minidump's modules and their identifiers come from.
struct MinidumpOptions {
  /// Where the files are opened that it names; none: nowhere.
  std::optional<RootFolder> Root;
  /// Folders to search for them first (ModuleFinderOptions::Folders).
  std::vector<RootFolder> Folders;
  /// For modules of which only the debug ID is known; may be empty.
  BuildIDSource FindBuildID;
};

/// A minidump: its modules are mappings of whole images, whose build IDs are
/// those of the dump; other memory is anonymous.
///
/// The file is read, never mapped. Nothing that it names is opened, but in the
/// folder that the caller gives.
class MinidumpSpace final : public AddressSpace {
public:
  /// Opens the minidump at \p Path.
  static llvm::Expected<std::unique_ptr<MinidumpSpace>>
  open(llvm::StringRef Path, MinidumpOptions Options, WarningFunction Warn);

  /// The same of a file that is open; \p Name is for messages.
  static llvm::Expected<std::unique_ptr<MinidumpSpace>>
  read(std::unique_ptr<OpenedFile> File, llvm::StringRef Name,
       MinidumpOptions Options, WarningFunction Warn);
  ~MinidumpSpace() override;

  const Minidump &dump() const { return Dump; }

  /// The module that \p Address is in; null if there is none.
  const MinidumpModule *moduleAt(uint64_t Address) const;

  /// The state of Minidump::Threads[\p Index], with the registers at the crash
  /// if that was in it.
  ThreadState thread(size_t Index) const;

  /// In bytes.
  uint64_t fileSize() const { return File->size(); }

  const UnwindMachine *machine() const override;
  llvm::Expected<ThreadVisitFigures>
  visitThreads(ThreadVisitor Visit,
               std::optional<uint64_t> Only) const override;
  size_t readMemory(uint64_t Address,
                    llvm::MutableArrayRef<uint8_t> To) const override;

private:
  MinidumpSpace(std::unique_ptr<OpenedFile> File, Minidump Dump,
                MinidumpOptions Options);

  void findBuildIDs(const BuildIDSource &Find);
  void addModules();
  void addAnonymous();
  llvm::Expected<std::unique_ptr<OpenedFile>>
  openFile(const Mapping &M) const override;

  const std::unique_ptr<OpenedFile> File;
  Minidump Dump;
  const std::unique_ptr<SharedModuleFinder> Files;
  /// Indices in Dump.Modules by index of the file in mappings().
  std::vector<size_t> ModuleOfFile;
};

} // namespace lidia

#endif // LIDIA_MINIDUMP_MINIDUMPSPACE_H
