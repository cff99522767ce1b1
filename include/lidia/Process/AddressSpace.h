//===- AddressSpace.h - Address spaces and their modules --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_ADDRESSSPACE_H
#define LIDIA_PROCESS_ADDRESSSPACE_H

#include "lidia/Modules/LoadedModule.h"
#include "lidia/Process/Mappings.h"
#include "lidia/Process/NamedRanges.h"
#include "lidia/Process/Threads.h"
#include <memory>

namespace lidia {

class ForeignFileReader;
class ModuleFinder;

/// Statistics about a call of AddressSpace::visitThreads().
struct ThreadVisitStatistics {
  uint64_t Threads = 0;
  /// How long each thread of a live process was stopped, in microseconds and in
  /// the order of the visits.
  std::vector<uint32_t> Stopped;
};

/// A process, a core (CoreFile.h) or a saved list of mappings. Thread-safe.
///
/// Nothing in it is trusted: paths are opened as RootFolder describes, and if
/// memory or the list of mappings has a build ID, a file is used only if it has
/// the same one.
class AddressSpace {
public:
  virtual ~AddressSpace();

  /// The live process \p PID. The mappings are read now; files are opened when
  /// they are needed, by their paths in the process's mount namespace
  /// (/proc/PID/root) or, if they were deleted or replaced, through
  /// /proc/PID/map_files and /proc/PID/exe. Errors and reasons name the missing
  /// privilege.
  static llvm::Expected<std::unique_ptr<AddressSpace>>
  ofProcess(uint64_t PID, WarningFunction Warn);

  /// The saved list \p Maps (MappingList::parse), named \p Name. Its files are
  /// found by \p Files, which must outlive the result; null if there are none.
  static llvm::Expected<std::unique_ptr<AddressSpace>>
  ofMaps(llvm::StringRef Maps, llvm::StringRef Name, ModuleFinder *Files,
         WarningFunction Warn);

  /// An address space without mappings, for addresses of the kernel.
  static std::unique_ptr<AddressSpace> ofNothing();

  const MappingList &mappings() const { return List; }

  /// Adds the build IDs found in memory to mappings(). Not thread-safe.
  void readBuildIDs();

  /// From now on, looks for files with \p Finder, which must outlive this
  /// object, before it opens them itself. Not thread-safe.
  void searchWith(ModuleFinder &Finder) { Files = &Finder; }

  /// Opens the module or image that \p M maps. Takes some system calls.
  LoadedModule load(const Mapping &M) const;

  /// Sets the file of \p To, the module that \p M maps, to a copy of its
  /// segments in memory, if these have symbols or rows for unwinding. For
  /// modules whose files are gone.
  void loadFromMemory(const Mapping &M, LoadedModule &To) const;

  /// Reads memory and returns the number of bytes read, which is zero for a
  /// list of mappings, and without the privilege to trace the process.
  virtual size_t readMemory(uint64_t Address,
                            llvm::MutableArrayRef<uint8_t> To) const;

  /// Whether this is the address space of a live process.
  virtual bool isLive() const { return false; }

  /// The map of just-in-time compiled code that a live process writes,
  /// /tmp/perf-PID.map in its mount and process namespaces; null if there is
  /// none. Because anybody can write to /tmp, a map that does not belong to the
  /// process's user, to root or to the caller is ignored with a warning.
  virtual std::unique_ptr<PerfMap> findPerfMap(WarningFunction Warn) const;

  /// The machine whose rules unwind the threads' stacks; null if there are no
  /// threads or the machine is not known.
  virtual const UnwindMachine *machine() const { return nullptr; }

  /// Calls \p Visit for each thread, starting with the one that ended the
  /// process, or only for the thread \p Only. A thread of a live process is
  /// stopped with ptrace while its registers are read and its stack is copied,
  /// and resumes before the visit. A thread that cannot be read is visited
  /// without registers.
  virtual llvm::Expected<ThreadVisitStatistics>
  visitThreads(ThreadVisitor Visit, std::optional<uint64_t> Only) const;

protected:
  explicit AddressSpace(MappingList List);

  /// Opens the file of \p M, or the zip file that has it. By default, it is
  /// found by Files.
  virtual llvm::Expected<std::unique_ptr<OpenedFile>>
  openFile(const Mapping &M) const;

  /// Completes a new list: finds the modules in zip files, the build IDs in
  /// memory if \p ReadBuildIDs, and code that was moved.
  void complete(bool ReadBuildIDs);

  MappingList List;
  /// Identifies files that are not ELF.
  const std::unique_ptr<ForeignFileReader> Foreign;

private:
  /// Finds code that the process moved to other memory (Mapping::IsMoved) by
  /// the program headers of the files around it, and compares it with the
  /// file, as far as these can be read.
  void findMovedText();
  /// Finds the modules that are mapped from where they are stored in zip files.
  void findPackedModules();
  bool mayBePackage(uint32_t File) const;
  std::optional<MappedFile> moduleInMemory(const Mapping &M) const;
  llvm::Expected<std::unique_ptr<OpenedFile>>
  openSource(const Mapping &M) const;
  Mapping firstOfFile(const Mapping &M) const;
  llvm::Expected<std::unique_ptr<OpenedFile>> openImage(const Mapping &M) const;
  bool loadNamed(const MappedFile &Source, LoadedModule &Into) const;

  ModuleFinder *Files = nullptr;
};

} // namespace lidia

#endif // LIDIA_PROCESS_ADDRESSSPACE_H
