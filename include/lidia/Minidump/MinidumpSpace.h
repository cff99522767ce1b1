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
#include "lidia/Modules/ModuleResolver.h"
#include "lidia/Process/AddressSpace.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <mutex>

namespace lidia {

/// The address space of a minidump. Modules are mappings of whole images with
/// the build IDs in the dump; other memory is anonymous.
///
/// The file is read, never mapped. Files that it names are opened only in the
/// folders that the caller gives.
class MinidumpSpace final : public AddressSpace {
public:
  /// Receives warnings as long as the space exists, from one thread at a time.
  using KeptWarningFunction = std::function<void(const llvm::Twine &)>;

  /// Opens the minidump at \p Path. Its modules are found by \p Modules, which
  /// must outlive the result. If nothing in it identifies a module's file,
  /// \p Warn later names the file that was found by its name.
  static llvm::Expected<std::unique_ptr<MinidumpSpace>>
  open(llvm::StringRef Path, ModuleResolver &Modules, KeptWarningFunction Warn);

  /// Opens the minidump in an open file; \p Name is for messages.
  static llvm::Expected<std::unique_ptr<MinidumpSpace>>
  read(std::unique_ptr<OpenedFile> File, llvm::StringRef Name,
       ModuleResolver &Modules, KeptWarningFunction Warn);
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
  llvm::Expected<ThreadVisitStatistics>
  visitThreads(ThreadVisitor Visit,
               std::optional<uint64_t> Only) const override;
  size_t readMemory(uint64_t Address,
                    llvm::MutableArrayRef<uint8_t> To) const override;

private:
  MinidumpSpace(std::unique_ptr<OpenedFile> File, Minidump Dump,
                ModuleResolver &Modules, KeptWarningFunction Warn);

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
  ModuleResolver &Modules;
  /// Maps the index of a file in mappings() to the index in Dump.Modules.
  std::vector<size_t> ModuleOfFile;
  const KeptWarningFunction Warn;
  /// Guards Warn and Warned, the messages so far.
  mutable std::mutex WarnMutex;
  mutable llvm::StringSet<> Warned;
};

} // namespace lidia

#endif // LIDIA_MINIDUMP_MINIDUMPSPACE_H
