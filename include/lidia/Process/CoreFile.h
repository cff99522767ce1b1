//===- CoreFile.h - The address space and threads of a core -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_COREFILE_H
#define LIDIA_PROCESS_COREFILE_H

#include "lidia/Process/AddressSpace.h"

namespace lidia {

struct Note;

struct CoreOptions {
  /// Finds the files that the core names; must outlive the core. If null, they
  /// are not opened.
  ModuleFinder *Files = nullptr;
  /// The maximum size in bytes of what is kept in memory of a core that can be
  /// read only once.
  uint64_t MaxMemory = uint64_t(256) << 20;
};

/// A core: an ELF file of the type ET_CORE, of any class and byte order, which
/// may be truncated.
///
/// Mappings are those in the note NT_FILE, with the permissions of the
/// segments. Segments without a file are anonymous; the segment that contains
/// AT_SYSINFO_EHDR is the vdso. Build IDs are read from dumped pages: Linux
/// dumps the first page of each ELF file by default (coredump_filter, bit 4).
///
/// The file is read, never mapped, because it may be as large as the process's
/// memory. A core that is compressed by zstd or lz4, or comes from a pipe, is
/// read once; the parts that are needed for stacks are kept in memory, and
/// nothing is written to a disk.
class CoreFile final : public AddressSpace {
public:
  /// Opens the core at \p Path, or standard input if that is "-".
  static llvm::Expected<std::unique_ptr<CoreFile>>
  open(llvm::StringRef Path, CoreOptions Options, WarningFunction Warn);

  /// Opens the core in \p Bytes, which returns nothing from the offset \p Size
  /// on. \p Name is for messages.
  static llvm::Expected<std::unique_ptr<CoreFile>>
  ofBytes(std::unique_ptr<const ByteReader> Bytes, uint64_t Size,
          llvm::StringRef Name, CoreOptions Options, WarningFunction Warn);
  ~CoreFile() override;

  /// The threads from the notes NT_PRSTATUS, in the order of the core: the
  /// thread that ended the process is the first. Linux writes the first
  /// thread's signal for all threads; here only the first thread has it, and
  /// threads for which NT_SIGINFO has one. The process's name is given to the
  /// first thread.
  llvm::ArrayRef<ThreadState> threads() const { return Threads; }

  const UnwindMachine *machine() const override { return Machine; }
  llvm::Expected<ThreadVisitStatistics>
  visitThreads(ThreadVisitor Visit,
               std::optional<uint64_t> Only) const override;

  /// An address in the initial stack of the process; zero if it is not known.
  uint64_t firstStack() const { return FirstStack; }

  /// Whether only the parts that are needed for stacks are available
  /// (CoreOptions::MaxMemory).
  bool isKept() const { return IsKept; }

  size_t readMemory(uint64_t Address,
                    llvm::MutableArrayRef<uint8_t> To) const override;

private:
  /// A dumped run of memory.
  struct Dump {
    uint64_t Address = 0;
    uint64_t MemorySize = 0;
    uint64_t Offset = 0;
    uint64_t FileSize = 0;
    uint32_t Flags = 0;
  };

  CoreFile(std::unique_ptr<const ByteReader> Bytes, uint64_t Size);
  static llvm::Expected<std::unique_ptr<CoreFile>> keep(int Descriptor,
                                                        llvm::StringRef Name,
                                                        CoreOptions Options,
                                                        WarningFunction Warn);
  void readSegments();
  std::vector<uint8_t> readPieces(uint64_t Offset, uint64_t Count) const;
  void readNote(const Note &N, bool &HasFiles);
  void readNotes(WarningFunction Warn);
  void readThread(llvm::ArrayRef<uint8_t> Status);
  void readThreadNote(const Note &N);
  void finishThreads();
  void checkSize(WarningFunction Warn) const;
  void readProcess(llvm::ArrayRef<uint8_t> Info);
  bool readMappedFiles(llvm::ArrayRef<uint8_t> Contents);
  void readAuxiliaryVector(llvm::ArrayRef<uint8_t> Contents);
  void addAnonymous();
  uint64_t word(llvm::ArrayRef<uint8_t> Bytes, uint64_t Index) const;
  unsigned wordSize() const;
  const Dump *findDump(uint64_t Address) const;

  const std::unique_ptr<const ByteReader> Bytes;
  const uint64_t Size;
  std::unique_ptr<ELFHeaders> Headers;
  /// In order of address, without overlaps.
  std::vector<Dump> Dumps;
  std::vector<ThreadState> Threads;
  const UnwindMachine *Machine = nullptr;
  /// The process's ID and name from NT_PRPSINFO; zero and empty if there is
  /// none.
  uint32_t ProcessID = 0;
  std::string ProcessName;
  /// The address of the vdso; zero if it is not known.
  uint64_t VDSO = 0;
  uint64_t FirstStack = 0;
  bool IsKept = false;
};

} // namespace lidia

#endif // LIDIA_PROCESS_COREFILE_H
