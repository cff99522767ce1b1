//===- CoreFile.cpp - The address space and threads of a core -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Process/CoreFile.h"
#include "ADT/StableSort.h"
#include "ELFHeaders.h"
#include "Object/Notes.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <fcntl.h>

using namespace llvm;

namespace lidia {

namespace {
/// Where the kernel's struct elf_prstatus of a machine has what CoreThread
/// needs: arch/*/include/asm/elf.h and include/linux/elfcore.h in Linux.
struct ThreadLayout {
  uint16_t Machine;
  uint8_t Class;
  /// Offset in bytes.
  unsigned Registers;
  /// Indices of registers.
  unsigned PC;
  unsigned SP;
  unsigned FP;
};
} // namespace

static const ThreadLayout ThreadLayouts[] = {
    {ELF::EM_X86_64, ELF::ELFCLASS64, 112, 16, 19, 4},
    {ELF::EM_AARCH64, ELF::ELFCLASS64, 112, 32, 31, 29},
    {ELF::EM_386, ELF::ELFCLASS32, 72, 12, 15, 5},
};

// Of the notes' owner "CORE", and of "LINUX" the last (linux/elf.h).
constexpr uint32_t NotePRSTATUS = 1;
constexpr uint32_t NoteAUXV = 6;
constexpr uint32_t NoteFILE = 0x46494c45;
constexpr uint32_t NoteARMPACMask = 0x406;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

CoreFile::CoreFile(std::unique_ptr<OpenedFile> File,
                   std::optional<RootFolder> Root)
    : AddressSpace(MappingList()), File(std::move(File)),
      Root(std::move(Root)) {}

CoreFile::~CoreFile() = default;

Expected<std::unique_ptr<CoreFile>>
CoreFile::open(StringRef Path, std::optional<RootFolder> Root,
               WarningFunction Warn) {
  Expected<std::unique_ptr<OpenedFile>> File = openRegularFile(AT_FDCWD, Path);
  if (!File)
    return File.takeError();
  Expected<ELFHeaders> Headers = readELFHeaders(**File, Path);
  if (!Headers)
    return Headers.takeError();
  if (Headers->Identity.Type != ELF::ET_CORE)
    return make_error<UnsupportedError>(Path, "an ELF file, but no core");
  std::unique_ptr<CoreFile> Core(
      new CoreFile(std::move(*File), std::move(Root)));
  Core->Headers = std::make_unique<ELFHeaders>(std::move(*Headers));
  auto WarnOfCore = [&](const Twine &Message) { Warn(Path + ": " + Message); };
  Core->readSegments();
  Core->readNotes(WarnOfCore);
  Core->addAnonymous();
  Core->readBuildIDs();
  return Core;
}

unsigned CoreFile::wordSize() const { return Headers->is64() ? 8 : 4; }

/// Word \p Index of \p Bytes, which must have it.
uint64_t CoreFile::word(ArrayRef<uint8_t> Bytes, uint64_t Index) const {
  const uint8_t *Word = Bytes.data() + Index * wordSize();
  return Headers->is64()
             ? support::endian::read<uint64_t>(Word, Headers->order())
             : support::endian::read<uint32_t>(Word, Headers->order());
}

void CoreFile::readSegments() {
  for (const ELFSegment &S : Headers->Segments)
    if (S.Type == ELF::PT_LOAD && S.MemorySize != 0)
      Dumps.push_back({S.Address,
                       std::min(S.MemorySize, UINT64_MAX - S.Address), S.Offset,
                       std::min(S.FileSize, S.MemorySize), S.Flags});
  stableSort(Dumps, [](const Dump &D) { return D.Address; });
  // As with mappings, the first keeps its addresses.
  uint64_t End = 0;
  for (Dump &D : Dumps) {
    uint64_t Lost =
        D.Address < End ? std::min(End - D.Address, D.MemorySize) : 0;
    D.Address += Lost;
    D.Offset += Lost;
    D.MemorySize -= Lost;
    D.FileSize -= std::min(Lost, D.FileSize);
    End = std::max(End, D.Address + D.MemorySize);
  }
  llvm::erase_if(Dumps, [](const Dump &D) { return D.MemorySize == 0; });
}

const CoreFile::Dump *CoreFile::findDump(uint64_t Address) const {
  auto After = partition_point(
      Dumps, [&](const Dump &D) { return D.Address <= Address; });
  if (After == Dumps.begin() ||
      Address - std::prev(After)->Address >= std::prev(After)->MemorySize)
    return nullptr;
  return &*std::prev(After);
}

size_t CoreFile::readMemory(uint64_t Address,
                            MutableArrayRef<uint8_t> To) const {
  size_t Done = 0;
  while (Done != To.size()) {
    const Dump *D = findDump(Address + Done);
    if (!D)
      break;
    uint64_t At = Address + Done - D->Address;
    if (At >= D->FileSize)
      break;
    size_t Want = std::min<uint64_t>(To.size() - Done, D->FileSize - At);
    size_t Got = File->read(D->Offset + At, To.slice(Done, Want));
    Done += Got;
    if (Got != Want)
      break;
  }
  return Done;
}

Expected<std::unique_ptr<OpenedFile>>
CoreFile::openFile(const Mapping &M) const {
  return openByPath(Root, M);
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

/// Reads \p Size bytes at \p Offset, or those that are there, piece by piece:
/// the size may be anything.
std::vector<uint8_t> CoreFile::readPieces(uint64_t Offset,
                                          uint64_t Size) const {
  constexpr uint64_t Piece = 1 << 20;
  std::vector<uint8_t> Bytes;
  while (Bytes.size() < Size) {
    size_t Done = Bytes.size();
    Bytes.resize(Done + std::min(Piece, Size - Done));
    size_t Got =
        File->read(Offset + Done, MutableArrayRef(Bytes).drop_front(Done));
    if (Done + Got == Bytes.size())
      continue;
    Bytes.resize(Done + Got);
    break;
  }
  return Bytes;
}

/// Reads one note; sets \p HasFiles if it is the list of mapped files.
void CoreFile::readNote(const Note &N, bool &HasFiles) {
  if (N.Owner == "CORE" && N.Type == NotePRSTATUS)
    readThread(N.Contents);
  else if (N.Owner == "CORE" && N.Type == NoteFILE)
    HasFiles |= readMappedFiles(N.Contents);
  else if (N.Owner == "CORE" && N.Type == NoteAUXV)
    readAuxiliaryVector(N.Contents);
  else if (N.Owner == "LINUX" && N.Type == NoteARMPACMask &&
           N.Contents.size() >= 16 && Headers->is64() && !Threads.empty())
    // The masks of data and of code.
    Threads.back().CodeMask = word(N.Contents, 1);
}

void CoreFile::readNotes(WarningFunction Warn) {
  // A thread has 3 KB of registers, a mapping 24 bytes and a path. Segments may
  // share their bytes, so that a few kilobytes could be read without end.
  uint64_t Budget = std::min(File->size(), uint64_t(1) << 30);
  bool HasFiles = false, IsCut = false, IsTooMuch = false;
  for (const ELFSegment &S : Headers->Segments) {
    if (S.Type != ELF::PT_NOTE)
      continue;
    std::vector<uint8_t> Notes =
        readPieces(S.Offset, std::min(S.FileSize, Budget));
    IsCut |= Notes.size() < std::min(S.FileSize, Budget) ||
             S.FileSize > File->size();
    IsTooMuch |= S.FileSize > Budget;
    Budget -= Notes.size();
    forEachNote(Notes, S.Align, Headers->order(), [&](const Note &N) {
      readNote(N, HasFiles);
      return true;
    });
  }
  if (IsCut)
    Warn("the notes are cut off: the core is incomplete");
  else if (IsTooMuch)
    Warn("the notes have more bytes than the file, or than 1 GiB: the rest of "
         "them is left out");
  if (!HasFiles)
    Warn("has no list of mapped files (NT_FILE), so that its modules are not "
         "known");
  if (size_t Cut = List.finish())
    Warn(Twine(Cut) + " mappings overlap others, which keep their addresses");
}

void CoreFile::readThread(ArrayRef<uint8_t> Status) {
  const ELFIdentity &Machine = Headers->Identity;
  const auto *Layout = find_if(ThreadLayouts, [&](const ThreadLayout &L) {
    return L.Machine == Machine.Machine && L.Class == Machine.Class;
  });
  CoreThread T;
  uint64_t ID = Headers->is64() ? 32 : 24;
  if (Status.size() < ID + 4)
    return;
  T.ID = support::endian::read<uint32_t>(Status.data() + ID, Headers->order());
  // After pr_info, three ints.
  T.Signal =
      support::endian::read<uint16_t>(Status.data() + 12, Headers->order());
  if (Layout != std::end(ThreadLayouts)) {
    uint64_t Last = std::max({Layout->PC, Layout->SP, Layout->FP});
    if (Status.size() >= Layout->Registers + (Last + 1) * wordSize()) {
      ArrayRef<uint8_t> Registers = Status.drop_front(Layout->Registers);
      T.HasRegisters = true;
      T.PC = word(Registers, Layout->PC);
      T.SP = word(Registers, Layout->SP);
      T.FP = word(Registers, Layout->FP);
    }
  }
  Threads.push_back(T);
}

/// Reads the number of files, the unit of offsets, three words for each file
/// (begin, end, offset) and the paths, each with a NUL (fs/binfmt_elf.c).
/// False if nothing of it is usable.
bool CoreFile::readMappedFiles(ArrayRef<uint8_t> Contents) {
  uint64_t Words = Contents.size() / wordSize();
  if (Words < 2)
    return false;
  uint64_t Count = std::min(word(Contents, 0), (Words - 2) / 3);
  uint64_t Unit = word(Contents, 1);
  StringRef Paths =
      toStringRef(Contents.drop_front((2 + 3 * Count) * wordSize()));
  for (uint64_t I = 0; I != Count; ++I) {
    size_t Length = Paths.find('\0');
    if (Length == StringRef::npos)
      return I != 0;
    Mapping M;
    M.Begin = word(Contents, 2 + 3 * I);
    M.End = word(Contents, 3 + 3 * I);
    M.Offset = word(Contents, 4 + 3 * I) * Unit;
    MappedFile F;
    F.What = MappedFile::Kind::File;
    StringRef Path = Paths.take_front(Length);
    F.Deleted = Path.consume_back(" (deleted)");
    F.Path = Path.str();
    Paths = Paths.drop_front(Length + 1);
    if (M.Begin >= M.End)
      continue;
    const Dump *D = findDump(M.Begin);
    // Code that was not dumped and has no segment counts as executable.
    M.Readable = M.Executable = true;
    if (D) {
      M.Readable = D->Flags & ELF::PF_R;
      M.Writable = D->Flags & ELF::PF_W;
      M.Executable = D->Flags & ELF::PF_X;
    }
    List.add(M, F);
  }
  return true;
}

void CoreFile::readAuxiliaryVector(ArrayRef<uint8_t> Contents) {
  // linux/auxvec.h
  constexpr uint64_t SysinfoEHdr = 33;
  uint64_t Words = Contents.size() / wordSize();
  for (uint64_t I = 0; I + 1 < Words; I += 2)
    if (word(Contents, I) == SysinfoEHdr)
      VDSO = word(Contents, I + 1);
}

/// Adds the parts of the dumped memory that no file covers.
void CoreFile::addAnonymous() {
  std::vector<Mapping> Rest;
  ArrayRef<Mapping> Known = List.mappings();
  for (const Dump &D : Dumps) {
    Mapping M;
    M.Readable = D.Flags & ELF::PF_R;
    M.Writable = D.Flags & ELF::PF_W;
    M.Executable = D.Flags & ELF::PF_X;
    uint64_t Begin = D.Address, End = D.Address + D.MemorySize;
    auto AddUpTo = [&](uint64_t Limit) {
      M.Begin = Begin;
      M.End = std::min(Limit, End);
      if (M.Begin < M.End)
        Rest.push_back(M);
    };
    while (!Known.empty() && Known.front().End <= Begin)
      Known = Known.drop_front();
    for (const Mapping &File : Known) {
      if (File.Begin >= End)
        break;
      AddUpTo(File.Begin);
      Begin = std::max(Begin, File.End);
    }
    AddUpTo(End);
  }
  for (const Mapping &M : Rest) {
    MappedFile F;
    if (VDSO >= M.Begin && VDSO < M.End) {
      F.What = MappedFile::Kind::Image;
      F.Path = "[vdso]";
    }
    List.add(M, F);
  }
  List.finish();
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

std::vector<StackFrame> CoreFile::stack(const CoreThread &T,
                                        size_t Most) const {
  std::vector<StackFrame> Frames;
  if (!T.HasRegisters || Most == 0)
    return Frames;
  Frames.push_back({T.PC, false});
  // A frame is the caller's frame pointer and the return address.
  uint8_t Bytes[16];
  MutableArrayRef<uint8_t> Record(Bytes, 2 * wordSize());
  uint64_t FP = T.FP;
  // A frame pointer that is not on the stack is some other value.
  if (FP < T.SP)
    return Frames;
  while (Frames.size() < Most && FP % wordSize() == 0 &&
         readMemory(FP, Record) == Record.size()) {
    uint64_t Caller = word(Record, 0);
    uint64_t Return = word(Record, 1) & ~T.CodeMask;
    const Mapping *M = Return == 0 ? nullptr : List.find(Return - 1);
    if (!M || !M->Executable)
      break;
    Frames.push_back({Return, true});
    if (Caller <= FP)
      break;
    FP = Caller;
  }
  return Frames;
}

} // namespace lidia
