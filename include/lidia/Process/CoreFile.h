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

/// A thread of a core, from its NT_PRSTATUS.
struct CoreThread {
  uint64_t ID = 0;
  /// The signal that the thread received; zero if none. Linux writes that of
  /// the first thread for each.
  unsigned Signal = 0;
  /// Whether the fields below are known: the core's machine is x86-64, i386 or
  /// AArch64.
  bool HasRegisters = false;
  /// The program counter, the stack pointer and the frame pointer (rbp, ebp,
  /// x29).
  uint64_t PC = 0;
  uint64_t SP = 0;
  uint64_t FP = 0;
  /// The bits of a return address that hold no address (AArch64's pointer
  /// authentication).
  uint64_t CodeMask = 0;
};

/// A frame of a thread's stack.
struct StackFrame {
  uint64_t Address = 0;
  /// Whether the address is that after a call, as in all frames but the
  /// innermost.
  bool IsReturnAddress = false;
};

/// A core: an ELF file of the type ET_CORE, of any class and byte order, whole
/// or cut off.
///
/// Mappings are those of its NT_FILE, with the permissions of its segments;
/// segments without a file are anonymous, and the one that AT_SYSINFO_EHDR is
/// in is the vdso. Build IDs are in the pages that were dumped: Linux dumps the
/// first page of each ELF file by default (coredump_filter, bit 4).
///
/// The file is read, never mapped, and may be as large as memory was.
class CoreFile final : public AddressSpace {
public:
  /// Opens the core at \p Path. The files that it names are opened in \p Root,
  /// or not at all if it is empty.
  static llvm::Expected<std::unique_ptr<CoreFile>>
  open(llvm::StringRef Path, std::optional<RootFolder> Root,
       WarningFunction Warn);
  ~CoreFile() override;

  /// In the order of the core: the thread that ended the process is the first.
  llvm::ArrayRef<CoreThread> threads() const { return Threads; }

  /// The stack of \p T, innermost first, as far as frame pointers lead, and no
  /// more than \p Most frames. Nothing for a thread without registers. Ends at
  /// a return address that is not in executable memory, and at a frame that is
  /// not further up the stack than the one before it.
  ///
  /// A function without a frame (a leaf, a prologue) hides its caller, and code
  /// without frame pointers ends the stack or leads it astray: this needs no
  /// unwind tables, and is no replacement for a debugger.
  std::vector<StackFrame> stack(const CoreThread &T, size_t Most = 1024) const;

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

  CoreFile(std::unique_ptr<OpenedFile> File, std::optional<RootFolder> Root);
  void readSegments();
  std::vector<uint8_t> readPieces(uint64_t Offset, uint64_t Size) const;
  void readNote(const Note &N, bool &HasFiles);
  void readNotes(WarningFunction Warn);
  void readThread(llvm::ArrayRef<uint8_t> Status);
  bool readMappedFiles(llvm::ArrayRef<uint8_t> Contents);
  void readAuxiliaryVector(llvm::ArrayRef<uint8_t> Contents);
  void addAnonymous();
  uint64_t word(llvm::ArrayRef<uint8_t> Bytes, uint64_t Index) const;
  unsigned wordSize() const;
  const Dump *findDump(uint64_t Address) const;

  llvm::Expected<std::unique_ptr<OpenedFile>>
  openFile(const Mapping &M) const override;

  const std::unique_ptr<OpenedFile> File;
  const std::optional<RootFolder> Root;
  std::unique_ptr<ELFHeaders> Headers;
  /// In order of address, without overlaps.
  std::vector<Dump> Dumps;
  std::vector<CoreThread> Threads;
  /// Where the vdso is; zero if it is not known.
  uint64_t VDSO = 0;
};

} // namespace lidia

#endif // LIDIA_PROCESS_COREFILE_H
