//===- CoreFile.cpp - The address space and threads of a core -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Process/CoreFile.h"
#include "ByteStream.h"
#include "KeptCore.h"
#include "KernelRegisters.h"
#include "MemoryWindows.h"
#include "Modules/ELFHeaders.h"
#include "Object/Notes.h"
#include "Support/StableSort.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

// Types of notes of the owner "CORE" and, for the last one, "LINUX"
// (linux/elf.h).
constexpr uint32_t NotePRSTATUS = 1;
constexpr uint32_t NotePRPSINFO = 3;
constexpr uint32_t NoteAUXV = 6;
constexpr uint32_t NoteFILE = 0x46494c45;
constexpr uint32_t NoteSIGINFO = 0x53494749;
constexpr uint32_t NoteARMPACMask = 0x406;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

CoreFile::CoreFile(std::unique_ptr<const ByteReader> Bytes, uint64_t Size)
    : AddressSpace(MappingList()), Bytes(std::move(Bytes)), Size(Size) {}

CoreFile::~CoreFile() = default;

Expected<std::unique_ptr<CoreFile>>
CoreFile::ofBytes(std::unique_ptr<const ByteReader> Bytes, uint64_t Size,
                  StringRef Name, CoreOptions Options, WarningFunction Warn) {
  Expected<ELFHeaders> Headers = readELFHeaders(*Bytes, Name);
  if (!Headers)
    return Headers.takeError();
  if (Headers->Identity.Type != ELF::ET_CORE)
    return make_error<UnsupportedError>(Name, "an ELF file, but not a core");
  std::unique_ptr<CoreFile> Core(new CoreFile(std::move(Bytes), Size));
  if (Options.Files)
    Core->searchWith(*Options.Files);
  Core->Headers = std::make_unique<ELFHeaders>(std::move(*Headers));
  Core->Machine = unwindMachineOf(*Core->Headers);
  auto WarnOfCore = [&](const Twine &Message) { Warn(Name + ": " + Message); };
  Core->readSegments();
  Core->checkSize(WarnOfCore);
  Core->readNotes(WarnOfCore);
  Core->finishThreads();
  Core->addAnonymous();
  Core->complete(/*ReadBuildIDs=*/true);
  return Core;
}

/// Opens a core that can be read only once.
Expected<std::unique_ptr<CoreFile>> CoreFile::keep(int Descriptor,
                                                   StringRef Name,
                                                   CoreOptions Options,
                                                   WarningFunction Warn) {
  bool IsOnce = ::lseek(Descriptor, 0, SEEK_CUR) < 0;
  auto Open = [&] {
    if (!IsOnce)
      ::lseek(Descriptor, 0, SEEK_SET);
    return openByteStream(Descriptor, Name);
  };
  Expected<KeptCore> Kept = keepCore(Open, IsOnce, Options.MaxMemory, Name);
  if (!Kept)
    return Kept.takeError();
  std::string Max = std::to_string(Options.MaxMemory >> 20) + " MiB";
  Expected<std::unique_ptr<CoreFile>> Core =
      ofBytes(std::move(Kept->Bytes), Kept->CutAt.value_or(UINT64_MAX), Name,
              std::move(Options), Warn);
  if (!Core)
    return Core.takeError();
  (*Core)->IsKept = true;
  if (Kept->LeftOut != 0)
    Warn(Name + ": it is read once, and " +
         Twine((Kept->LeftOut + 1023) >> 10) +
         " KiB of memory outside of the threads' stacks are left out");
  if (Kept->StacksShortened)
    Warn(Name + ": the stacks have more than " + Max +
         ", and the outer part of some is left out: --max-memory= allows more");
  return Core;
}

Expected<std::unique_ptr<CoreFile>>
CoreFile::open(StringRef Path, CoreOptions Options, WarningFunction Warn) {
  if (Path == "-")
    return keep(STDIN_FILENO, "standard input", std::move(Options), Warn);
  Expected<std::unique_ptr<OpenedFile>> File = openRegularFile(AT_FDCWD, Path);
  if (!File)
    return File.takeError();
  uint8_t Begin[4] = {};
  if ((*File)->readAll(0, Begin) && isPackedStream(Begin))
    return keep((*File)->descriptor(), Path, std::move(Options), Warn);
  uint64_t Size = (*File)->size();
  return ofBytes(std::move(*File), Size, Path, std::move(Options), Warn);
}

/// Warns about dumped memory that is missing from the file.
void CoreFile::checkSize(WarningFunction Warn) const {
  uint64_t End = 0;
  for (const Dump &D : Dumps)
    if (D.FileSize <= UINT64_MAX - D.Offset && D.FileSize != 0)
      End = std::max(End, D.Offset + D.FileSize);
  if (End > Size)
    Warn("is cut off: it has " + Twine(Size) + " bytes, and " +
         Twine(End - Size) + " are missing");
}

unsigned CoreFile::wordSize() const { return Headers->is64() ? 8 : 4; }

/// Word \p Index of \p Bytes, which must be inside.
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
  // As with mappings, the first of two that overlap keeps its addresses.
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
    size_t Got = Bytes->read(D->Offset + At, To.slice(Done, Want));
    Done += Got;
    if (Got != Want)
      break;
  }
  return Done;
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

/// Reads up to \p Count bytes at \p Offset, piece by piece, because \p Count is
/// untrusted.
std::vector<uint8_t> CoreFile::readPieces(uint64_t Offset,
                                          uint64_t Count) const {
  constexpr uint64_t Piece = 1 << 20;
  std::vector<uint8_t> Read;
  while (Read.size() < Count) {
    size_t Done = Read.size();
    Read.resize(Done + std::min(Piece, Count - Done));
    size_t Got =
        Bytes->read(Offset + Done, MutableArrayRef(Read).drop_front(Done));
    if (Done + Got == Read.size())
      continue;
    Read.resize(Done + Got);
    break;
  }
  return Read;
}

/// Reads a note that follows the NT_PRSTATUS of its thread.
void CoreFile::readThreadNote(const Note &N) {
  ThreadState &T = Threads.back();
  if (N.Owner == "CORE" && N.Type == NoteSIGINFO)
    T.Stop = readSignalInfo(N.Contents, wordSize(),
                            Headers->order() == endianness::little);
  else if (N.Owner == "LINUX" && N.Type == NoteARMPACMask &&
           N.Contents.size() >= 16 && Headers->is64())
    // The masks of data and of code.
    T.CodeMask = word(N.Contents, 1);
}

/// Reads one note; sets \p HasFiles if it is the list of mapped files.
void CoreFile::readNote(const Note &N, bool &HasFiles) {
  if (N.Owner == "CORE" && N.Type == NotePRSTATUS)
    readThread(N.Contents);
  else if (N.Owner == "CORE" && N.Type == NoteFILE)
    HasFiles |= readMappedFiles(N.Contents);
  else if (N.Owner == "CORE" && N.Type == NoteAUXV)
    readAuxiliaryVector(N.Contents);
  else if (N.Owner == "CORE" && N.Type == NotePRPSINFO)
    readProcess(N.Contents);
  else if (!Threads.empty())
    readThreadNote(N);
}

void CoreFile::readNotes(WarningFunction Warn) {
  // A thread has 3 KB of registers, a mapping 24 bytes and a path. Segments may
  // share bytes, so a few kilobytes could be read very many times.
  uint64_t Budget = std::min(Size, uint64_t(1) << 30);
  bool HasFiles = false, IsCut = false, IsTooMuch = false;
  for (const ELFSegment &S : Headers->Segments) {
    if (S.Type != ELF::PT_NOTE)
      continue;
    std::vector<uint8_t> Notes =
        readPieces(S.Offset, std::min(S.FileSize, Budget));
    IsCut |= Notes.size() < std::min(S.FileSize, Budget) || S.FileSize > Size;
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
  ThreadState T;
  uint64_t ID = Headers->is64() ? 32 : 24;
  if (Status.size() < ID + 4)
    return;
  T.ID = support::endian::read<uint32_t>(Status.data() + ID, Headers->order());
  // After pr_info, three ints.
  if (Threads.empty())
    T.Stop.Signal =
        support::endian::read<uint16_t>(Status.data() + 12, Headers->order());
  uint64_t Registers = offsetInStatus(wordSize());
  if (Machine && Status.size() > Registers)
    readRegisterSet(*Machine, Status.drop_front(Registers), T);
  Threads.push_back(std::move(T));
}

/// Reads struct elf_prpsinfo (include/linux/elfcore.h): the process's number
/// and, in its last 96 bytes, its name and arguments. The length of the part
/// before depends on the size of user IDs.
void CoreFile::readProcess(ArrayRef<uint8_t> Info) {
  constexpr uint64_t NameSize = 16, ArgumentsSize = 80;
  // The numbers of the process, its parent, its group and its session.
  constexpr uint64_t NumbersSize = 16;
  if (Info.size() < NumbersSize + NameSize + ArgumentsSize)
    return;
  uint64_t Name = Info.size() - ArgumentsSize - NameSize;
  ProcessID = support::endian::read<uint32_t>(Info.data() + Name - NumbersSize,
                                              Headers->order());
  ProcessName = toStringRef(Info.slice(Name, NameSize)).take_until([](char C) {
    return C == '\0';
  });
}

/// Sets what depends on the notes of several threads, which may be in any
/// order.
void CoreFile::finishThreads() {
  if (Threads.empty())
    return;
  Threads.front().Name = ProcessName;
  // abort() sends the signal to itself.
  for (ThreadState &T : Threads)
    if (T.Stop.Sender == ProcessID)
      T.Stop.Sender.reset();
}

/// Reads the number of files, the unit of offsets, three words for each file
/// (begin, end, offset) and the paths, each with a NUL (fs/binfmt_elf.c).
/// Returns false if nothing in it is usable.
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
    F.Type = MappedFile::Kind::File;
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
  constexpr uint64_t Random = 25, SysinfoEHdr = 33;
  uint64_t Words = Contents.size() / wordSize();
  for (uint64_t I = 0; I + 1 < Words; I += 2) {
    if (word(Contents, I) == SysinfoEHdr)
      VDSO = word(Contents, I + 1);
    // Bytes for the C library, above the first frame.
    if (word(Contents, I) == Random)
      FirstStack = word(Contents, I + 1);
  }
}

/// Adds the parts of the dumped memory that no file covers.
void CoreFile::addAnonymous() {
  std::vector<Mapping> Dumped;
  for (const Dump &D : Dumps) {
    Mapping M;
    M.Begin = D.Address;
    M.End = D.Address + D.MemorySize;
    M.Readable = D.Flags & ELF::PF_R;
    M.Writable = D.Flags & ELF::PF_W;
    M.Executable = D.Flags & ELF::PF_X;
    Dumped.push_back(M);
  }
  for (const Mapping &M : List.uncovered(Dumped)) {
    MappedFile F;
    if (VDSO >= M.Begin && VDSO < M.End) {
      F.Type = MappedFile::Kind::Image;
      F.Path = "[vdso]";
    }
    List.add(M, F);
  }
  List.finish();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Expected<ThreadVisitStatistics>
CoreFile::visitThreads(ThreadVisitor Visit,
                       std::optional<uint64_t> Only) const {
  ThreadVisitStatistics Statistics;
  MemoryWindows Memory([&](uint64_t Address, MutableArrayRef<uint8_t> To) {
    return readMemory(Address, To);
  });
  auto Read = [&](uint64_t Address, MutableArrayRef<uint8_t> To) {
    return Memory.read(Address, To);
  };
  for (const ThreadState &T : Threads) {
    if (Only && T.ID != *Only)
      continue;
    ++Statistics.Threads;
    Visit(T, Read);
  }
  return Statistics;
}

} // namespace lidia
