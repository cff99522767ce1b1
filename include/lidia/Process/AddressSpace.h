//===- AddressSpace.h - Address spaces and their modules --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_ADDRESSSPACE_H
#define LIDIA_PROCESS_ADDRESSSPACE_H

#include "lidia/Process/Mappings.h"
#include "lidia/Process/NamedRanges.h"
#include "lidia/Process/OpenedFile.h"
#include "lidia/Process/Threads.h"
#include <memory>

namespace lidia {

struct ELFHeaders;

/// An ELF file or image of an address space.
struct LoadedModule {
  LoadedModule();
  LoadedModule(LoadedModule &&);
  LoadedModule &operator=(LoadedModule &&);
  ~LoadedModule();

  /// The file, if it could be opened and has the build ID that the address
  /// space knows; else null, and WhyNoFile tells the reason.
  std::unique_ptr<OpenedFile> File;
  std::string WhyNoFile;
  /// From the list of mappings, memory or the file, in this order; empty if
  /// none has one.
  std::vector<uint8_t> BuildID;
  /// From the file or else from memory; null if neither has them.
  std::unique_ptr<ELFHeaders> Headers;

  /// The module's own address, as in its symbol table, of the runtime address
  /// \p Address in \p M, by the file offset and the segments. None if no
  /// segment loads that byte, or without headers.
  std::optional<uint64_t> addressOf(const Mapping &M, uint64_t Address) const;

  /// Sets File and Headers if \p Opened is an ELF file with the build ID
  /// BuildID, or any if that is empty, and WhyNoFile if not. \p Path is for
  /// messages.
  void setFile(llvm::Expected<std::unique_ptr<OpenedFile>> Opened,
               llvm::StringRef Path);
};

/// What AddressSpace::visitThreads() has done.
struct ThreadVisitFigures {
  uint64_t Threads = 0;
  /// For how long each thread of a live process stood still, in microseconds
  /// and in the order of the visits.
  std::vector<uint32_t> Stopped;
};

/// A process, a core (CoreFile.h) or a saved list of mappings. Safe for
/// threads.
///
/// Nothing in it is trusted: paths are opened as RootFolder says, and a file
/// counts only if its build ID is the one in memory or in the list of mappings,
/// where there is one.
class AddressSpace {
public:
  virtual ~AddressSpace();

  /// The live process \p PID. The mappings are read now; files are opened when
  /// they are asked for, by their paths in the process's mount namespace
  /// (/proc/PID/root), or, for those that were deleted or replaced, through
  /// /proc/PID/map_files and /proc/PID/exe. Errors and reasons name the missing
  /// privilege.
  static llvm::Expected<std::unique_ptr<AddressSpace>>
  ofProcess(uint64_t PID, WarningFunction Warn);

  /// The saved list \p Maps (MappingList::parse), named \p Name. Files are
  /// opened in \p Root, or not at all if it is empty.
  static llvm::Expected<std::unique_ptr<AddressSpace>>
  ofMaps(llvm::StringRef Maps, llvm::StringRef Name,
         std::optional<RootFolder> Root, WarningFunction Warn);

  /// One without mappings, for addresses of the kernel alone.
  static std::unique_ptr<AddressSpace> ofNothing();

  const MappingList &mappings() const { return List; }

  /// Adds to mappings() the build IDs that memory has. Not safe for threads.
  void readBuildIDs();

  /// Opens the module that \p M maps, or the image. Costs some system calls.
  LoadedModule load(const Mapping &M) const;

  /// Reads memory; nothing for a list of mappings, and without the privilege to
  /// trace the process.
  virtual size_t readMemory(uint64_t Address,
                            llvm::MutableArrayRef<uint8_t> To) const;

  /// Whether it is that of a process that may run.
  virtual bool isLive() const { return false; }

  /// The map of just-in-time compiled code that a live process writes,
  /// /tmp/perf-PID.map in its mount and process namespaces; null if there is
  /// none. One that belongs neither to the process's user nor to root or the
  /// caller is ignored with a warning: anybody can write to /tmp.
  virtual std::unique_ptr<PerfMap> findPerfMap(WarningFunction Warn) const;

  /// What the stacks of its threads are unwound with; null if it has no
  /// threads, or those of a machine that is not known.
  virtual const UnwindMachine *machine() const { return nullptr; }

  /// Calls \p Visit for each thread, the one that ended the process first, or
  /// for the thread \p Only. A thread of a live process is stopped (by ptrace)
  /// while its registers are read and its stack is copied, and goes on before
  /// the visit. A thread that cannot be read is visited without registers.
  virtual llvm::Expected<ThreadVisitFigures>
  visitThreads(ThreadVisitor Visit, std::optional<uint64_t> Only) const;

protected:
  explicit AddressSpace(MappingList List) : List(std::move(List)) {}

  virtual llvm::Expected<std::unique_ptr<OpenedFile>>
  openFile(const Mapping &M) const = 0;

  /// Opens the file of \p M in \p Root, for address spaces that only have its
  /// path.
  llvm::Expected<std::unique_ptr<OpenedFile>>
  openByPath(const std::optional<RootFolder> &Root, const Mapping &M) const;

  MappingList List;

private:
  llvm::Expected<std::unique_ptr<OpenedFile>> openImage(const Mapping &M) const;
};

} // namespace lidia

#endif // LIDIA_PROCESS_ADDRESSSPACE_H
