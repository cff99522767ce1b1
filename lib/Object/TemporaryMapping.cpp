//===- TemporaryMapping.cpp - Bytes in memory or in a file ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryMapping.h"
#include "lidia/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

static Error lastError(const Twine &What) {
  std::error_code EC = errnoAsErrorCode();
  return make_error<SystemError>(EC, "", What + ": " + EC.message());
}

SmallString<128> temporaryFolder() {
  SmallString<128> Folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Folder);
  return Folder;
}

Error temporaryFileError(std::error_code EC) {
  return make_error<SystemError>(
      EC, "",
      "cannot make a temporary file in " + temporaryFolder() + ": " +
          EC.message() + " (set TMPDIR to a folder that is writable)");
}

Expected<std::unique_ptr<TemporaryMapping>> TemporaryMapping::create() {
  SmallString<128> Path = temporaryFolder();
  // Not every file system supports files without a name.
  int FD = ::open(Path.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (FD < 0) {
    if (std::error_code EC =
            sys::fs::createTemporaryFile("lidia", "section", FD, Path))
      return temporaryFileError(EC);
    sys::fs::remove(Path);
  }
  return std::unique_ptr<TemporaryMapping>(new TemporaryMapping(FD));
}

/// The number of bytes written to a file at a time: enough to hide the cost of
/// system calls, few enough to stay in the second-level cache.
static constexpr size_t ChunkSize = 256 * 1024;

/// With pages of 4 KiB, clearing and mapping memory takes longer than writing
/// it.
static constexpr uint64_t HugePage = 2 << 20;

std::unique_ptr<TemporaryMapping>
TemporaryMapping::createInMemory(uint64_t Size) {
  // Reserves one byte more, to detect data that do not fit.
  if (Size >= SIZE_MAX - 3 * HugePage)
    return nullptr;
  size_t Bytes = alignTo(Size + 1, sys::Process::getPageSizeEstimate());
  // Only an aligned huge page is moved as one.
  size_t Reserved = Bytes + HugePage;
  void *Reservation =
      ::mmap(nullptr, Reserved, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Reservation == MAP_FAILED)
    return nullptr;
  (void)::madvise(Reservation, Reserved, MADV_HUGEPAGE);
  std::unique_ptr<TemporaryMapping> Result(new TemporaryMapping(-1));
  Result->Reservation = sys::MemoryBlock(Reservation, Reserved);
  uintptr_t Start = reinterpret_cast<uintptr_t>(Reservation);
  Result->Memory = {reinterpret_cast<uint8_t *>(Reservation) +
                        (alignTo(Start, HugePage) - Start),
                    Bytes};
  return Result;
}

/// Larger output goes to a file, so that the kernel can drop parts of it when
/// memory is short.
static constexpr uint64_t MaxInMemory = uint64_t(256) << 20;

Expected<std::unique_ptr<TemporaryMapping>>
TemporaryMapping::createFor(uint64_t Size) {
  if (Size <= MaxInMemory)
    if (std::unique_ptr<TemporaryMapping> Result = createInMemory(Size))
      return Result;
  return create();
}

TemporaryMapping::~TemporaryMapping() {
  if (inMemory())
    ::munmap(Reservation.base(), Reservation.allocatedSize());
  else
    ::close(FD);
}

MutableArrayRef<uint8_t> TemporaryMapping::room() {
  if (inMemory()) {
    uint64_t Begin = std::min<uint64_t>(Size, Memory.size() - 1);
    uint64_t End = std::min<uint64_t>(alignDown(Begin, HugePage) + 2 * HugePage,
                                      Memory.size());
    giveSpareMemory(End);
    return Memory.slice(Begin, End - Begin);
  }
  Chunk.resize(ChunkSize);
  return Chunk;
}

Error TemporaryMapping::append(size_t Count) {
  if (inMemory()) {
    Size += Count;
    return Error::success();
  }
  ArrayRef<uint8_t> Bytes = ArrayRef(Chunk).take_front(Count);
  while (!Bytes.empty()) {
    ssize_t Written =
        sys::RetryAfterSignal(-1, ::write, FD, Bytes.data(), Bytes.size());
    if (Written <= 0)
      return lastError("cannot write a temporary file (set TMPDIR?)");
    Size += Written;
    Bytes = Bytes.drop_front(Written);
  }
  return Error::success();
}

/// The number of huge pages that wait to be used again. Readers forget as many
/// bytes as are written, but not in step.
static constexpr uint64_t MaxSpare = 2;
/// The number of pages that are used again: each may be a mapping of its own,
/// and the kernel allows a process 65,530 mappings.
static constexpr unsigned MaxMoved = 4096;

void TemporaryMapping::forget(uint64_t End) {
  std::lock_guard<std::mutex> Lock(SpareMutex);
  End = alignDown(std::min<uint64_t>(End, Memory.size()), HugePage);
  if (End <= Forgotten)
    return;
  Forgotten = End;
  uint64_t FirstSpare = Forgotten - std::min(Forgotten, MaxSpare * HugePage);
  if (Moved == MaxMoved)
    FirstSpare = Forgotten;
  if (FirstSpare <= Spare)
    return;
  ::madvise(Memory.data() + Spare, FirstSpare - Spare, MADV_DONTNEED);
  Spare = FirstSpare;
}

/// Gives the memory of forgotten bytes to those up to \p End, the end of
/// room(). The kernel would clear new memory, which takes a sixth of the time
/// of unpacking.
void TemporaryMapping::giveSpareMemory(uint64_t End) {
  std::lock_guard<std::mutex> Lock(SpareMutex);
#ifdef MREMAP_DONTUNMAP
  for (; WithMemory + HugePage <= End && Spare < Forgotten && Moved != MaxMoved;
       WithMemory += HugePage, Spare += HugePage, ++Moved)
    if (::mremap(Memory.data() + Spare, HugePage, HugePage,
                 MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
                 Memory.data() + WithMemory) == MAP_FAILED) {
      // Not every kernel can do this.
      Moved = MaxMoved;
      break;
    }
#endif
  WithMemory = std::max(WithMemory, alignTo(End, HugePage));
}

Error TemporaryMapping::map() {
  Chunk = std::vector<uint8_t>();
  if (!Size || inMemory())
    return Error::success();
  std::error_code EC;
  Region = sys::fs::mapped_file_region(
      FD, sys::fs::mapped_file_region::readwrite, Size, 0, EC);
  if (EC)
    return make_error<SystemError>(
        EC, "", "cannot map a temporary file: " + EC.message());
  return Error::success();
}

StringRef TemporaryMapping::contents() const {
  if (!Size)
    return StringRef();
  if (inMemory())
    return toStringRef(Memory.take_front(Size));
  return StringRef(Region.const_data(), Size);
}

MutableArrayRef<uint8_t> TemporaryMapping::writable() {
  StringRef Bytes = contents();
  return {reinterpret_cast<uint8_t *>(const_cast<char *>(Bytes.data())),
          Bytes.size()};
}

namespace {

/// A buffer of a mapped file, which owns the mapping.
class MappedBuffer final : public MemoryBuffer {
public:
  explicit MappedBuffer(std::unique_ptr<TemporaryMapping> Owned)
      : Mapping(std::move(Owned)) {
    StringRef Bytes = Mapping->contents();
    init(Bytes.begin(), Bytes.end(), /*RequiresNullTerminator=*/false);
  }

  BufferKind getBufferKind() const override { return MemoryBuffer_MMap; }

private:
  std::unique_ptr<TemporaryMapping> Mapping;
};

} // namespace

std::unique_ptr<MemoryBuffer>
asBuffer(std::unique_ptr<TemporaryMapping> Mapping) {
  return std::make_unique<MappedBuffer>(std::move(Mapping));
}

void releasePages(StringRef Part) {
  static const uintptr_t PageSize = sys::Process::getPageSizeEstimate();
  uintptr_t Start = reinterpret_cast<uintptr_t>(Part.begin());
  uintptr_t End = reinterpret_cast<uintptr_t>(Part.end());
  Start = (Start + PageSize - 1) / PageSize * PageSize;
  End = End / PageSize * PageSize;
  if (Start < End)
    ::madvise(reinterpret_cast<void *>(Start), End - Start, MADV_DONTNEED);
}

} // namespace lidia
