//===- PagedMemory.cpp - An archive's bytes, read on demand ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PagedMemory.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

using namespace lidia;
using namespace llvm;

PagedMemory::PagedMemory(std::unique_ptr<PartReader> Parts, uint64_t CacheSize)
    : Parts(std::move(Parts)), IsFar(this->Parts->isFar()),
      CacheSize(CacheSize) {}

PagedMemory::~PagedMemory() {
  if (Base)
    ::munmap(Base, Reserved);
}

Expected<std::unique_ptr<PagedMemory>>
PagedMemory::create(std::unique_ptr<PartReader> Parts, uint64_t CacheSize) {
  std::unique_ptr<PagedMemory> M(new PagedMemory(std::move(Parts), CacheSize));
  if (Error E = M->reserve())
    return E;
  return M;
}

Error PagedMemory::reserve() {
  Size = Parts->size();
  Shift = Log2_64(Parts->partSize());
  PageSize = sys::Process::getPageSizeEstimate();
  PageShift = Log2_64(PageSize);
  PartCount = divideCeil(Size, Parts->partSize());
  uint64_t PageCount = divideCeil(Size, PageSize);
  // A mapping has at least one page.
  Reserved = std::max<uint64_t>(PageCount, 1) * PageSize;
  void *Mapping = ::mmap(nullptr, Reserved, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Mapping == MAP_FAILED)
    return make_error<SystemError>(
        std::error_code(errno, std::generic_category()), "",
        "no address space for " + Twine(Size) + " bytes");
  Base = static_cast<char *>(Mapping);
  // A huge page would allocate memory for many parts: see expectReads().
  ::madvise(Base, Reserved, MADV_NOHUGEPAGE);
  for (auto [Array, Count] :
       {std::pair(&States, PartCount), std::pair(&Kept, PageCount)}) {
    void *Zeros = std::calloc(std::max<uint64_t>(Count, 1), 1);
    if (!Zeros)
      return make_error<SystemError>(
          std::make_error_code(std::errc::not_enough_memory), "");
    Array->reset(static_cast<std::atomic<uint8_t> *>(Zeros));
  }
  return Error::success();
}

MutableArrayRef<char> PagedMemory::part(uint64_t Index) const {
  uint64_t Begin = Index << Shift;
  return {Base + Begin, size_t(std::min(Size - Begin, Parts->partSize()))};
}

std::pair<uint64_t, uint64_t> PagedMemory::pagesOf(uint64_t Index) const {
  uint64_t Begin = Index << Shift;
  return {Begin / PageSize, divideCeil(Begin + part(Index).size(), PageSize)};
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

void PagedMemory::loadPart(uint64_t Index) const {
  // This need not be exact: a part that is found absent is filled under a lock.
  uint8_t Was = Present;
  if (States[Index].compare_exchange_strong(Was, Used,
                                            std::memory_order_acq_rel) ||
      Was == Used)
    return;
  Locks &L = locks();
  std::lock_guard<std::mutex> Lock(L.Filling[Index % std::size(L.Filling)]);
  if (States[Index].load(std::memory_order_acquire) == Absent)
    fill(Index);
}

bool PagedMemory::isLoaded(const void *Begin, uint64_t Count) const {
  uint64_t Offset = uint64_t(static_cast<const char *>(Begin) - Base);
  return all_of(seq_inclusive(Offset >> Shift, (Offset + Count - 1) >> Shift),
                [&](uint64_t Part) {
                  return States[Part].load(std::memory_order_acquire) != Absent;
                });
}

void PagedMemory::expectReads(uint64_t Count) const {
  // Where nearly all parts are read, one after another, huge pages need few
  // page faults: a twentieth less time for 100,000 addresses in 1,617 parts.
  constexpr uint64_t ReadsOfEachPart = 8;
  if (Count / ReadsOfEachPart >= PartCount && !HasHugePages.exchange(true))
    ::madvise(Base, Reserved, MADV_HUGEPAGE);
}

void PagedMemory::fill(uint64_t Index) const {
  auto [First, End] = pagesOf(Index);
  bool AnyKept = false;
  for (uint64_t Page = First; Page != End; ++Page)
    AnyKept |= isKept(Page);
#ifdef MADV_POPULATE_WRITE
  // One system call instead of a page fault for each page, where the system
  // supports it.
  if (!AnyKept)
    ::madvise(Base + First * PageSize, (End - First) * PageSize,
              MADV_POPULATE_WRITE);
#endif
  Error E = AnyKept ? fillAroundKept(Index) : Parts->read(Index, part(Index));
  if (E) {
    if (!AnyKept)
      release({First, End});
    noteDamage(std::move(E));
    if (IsFar)
      noteFailed(Index);
  }
  Reads.fetch_add(1, std::memory_order_relaxed);
  Resident.fetch_add(part(Index).size(), std::memory_order_relaxed);
  States[Index].store(Used, std::memory_order_release);
}

Error PagedMemory::fillAroundKept(uint64_t Index) const {
  MutableArrayRef<char> To = part(Index);
  std::unique_ptr<char[]> Copy(new char[To.size()]);
  if (Error E = Parts->read(Index, {Copy.get(), To.size()}))
    return E;
  uint64_t First = pagesOf(Index).first;
  for (size_t Offset = 0; Offset < To.size(); Offset += PageSize)
    if (!isKept(First + Offset / PageSize))
      std::memcpy(To.data() + Offset, Copy.get() + Offset,
                  std::min<size_t>(PageSize, To.size() - Offset));
  return Error::success();
}

void PagedMemory::noteDamage(Error E) const {
  std::lock_guard<std::mutex> Lock(locks().Damage);
  if (DamagedParts++)
    return consumeError(std::move(E));
  FirstDamage = RememberedError(std::move(E));
}

void PagedMemory::noteFailed(uint64_t Index) const {
  std::lock_guard<std::mutex> Lock(locks().Damage);
  Failed.push_back(Index);
  HasFailed.store(true, std::memory_order_release);
}

bool PagedMemory::anyFailed(uint64_t FirstPart, uint64_t LastPart) const {
  if (!HasFailed.load(std::memory_order_acquire))
    return false;
  std::lock_guard<std::mutex> Lock(locks().Damage);
  return any_of(Failed, [&](uint64_t Part) {
    return Part >= FirstPart && Part <= LastPart;
  });
}

/// The caller has exclusive access.
void PagedMemory::dropFailed() const {
  std::lock_guard<std::mutex> Lock(locks().Damage);
  PageRun Dropped;
  for (uint64_t Index : Failed)
    if (States[Index].load(std::memory_order_relaxed) != Absent)
      drop(Index, Dropped);
  release(Dropped);
  Failed.clear();
  HasFailed.store(false, std::memory_order_release);
}

Error PagedMemory::damage() const {
  std::lock_guard<std::mutex> Lock(locks().Damage);
  if (!DamagedParts)
    return Error::success();
  if (DamagedParts == 1)
    return FirstDamage.get();
  std::unique_ptr<LidiaError> First = toLidiaError(FirstDamage.get());
  First->addDetail(", and " + Twine(DamagedParts - 1) + " times more");
  return Error(std::move(First));
}

//===----------------------------------------------------------------------===//
// Prefetching
//===----------------------------------------------------------------------===//

void PagedMemory::prefetchParts(SmallVectorImpl<uint64_t> &Indices) const {
  llvm::sort(Indices);
  Indices.erase(llvm::unique(Indices), Indices.end());
  llvm::erase_if(Indices, [&](uint64_t Part) {
    return States[Part].load(std::memory_order_acquire) != Absent;
  });
  if (!Indices.empty())
    Parts->prefetch(Indices);
}

void PagedMemory::prefetch(ArrayRef<StringRef> Areas) const {
  if (!IsFar)
    return;
  SmallVector<uint64_t, 64> Indices;
  for (StringRef Area : Areas) {
    if (Area.empty() || isKept(Area))
      continue;
    uint64_t Offset = uint64_t(Area.data() - Base);
    for (uint64_t Part = Offset >> Shift;
         Part <= (Offset + Area.size() - 1) >> Shift; ++Part)
      Indices.push_back(Part);
  }
  prefetchParts(Indices);
}

//===----------------------------------------------------------------------===//
// Keeping
//===----------------------------------------------------------------------===//

bool PagedMemory::isKept(StringRef Bytes) const {
  uint64_t Begin = uint64_t(Bytes.data() - Base);
  uint64_t Last = (Begin + Bytes.size() - 1) >> PageShift;
  for (uint64_t Page = Begin >> PageShift; Page <= Last; ++Page)
    if (!isKept(Page))
      return false;
  return true;
}

void PagedMemory::keep(StringRef Bytes) const {
  if (Bytes.empty() || isKept(Bytes))
    return;
  prefetch(Bytes);
  PagedRead Read(this);
  load(Bytes.data(), Bytes.size());
  uint64_t Begin = uint64_t(Bytes.data() - Base);
  uint64_t End = Begin + Bytes.size() - 1;
  if (anyFailed(Begin >> Shift, End >> Shift))
    return;
  uint64_t Last = End >> PageShift;
  for (uint64_t Page = Begin >> PageShift; Page <= Last; ++Page)
    Kept[Page].store(true, std::memory_order_release);
}

void PagedMemory::keepText(StringRef Rest) const {
  while (!Rest.empty()) {
    uint64_t Begin = uint64_t(Rest.data() - Base);
    StringRef InPage = Rest.take_front(alignTo(Begin + 1, PageSize) - Begin);
    keep(InPage);
    if (InPage.contains('\0'))
      return;
    Rest = Rest.drop_front(InPage.size());
  }
}

Error PagedMemory::keepAll() const {
  // The number of bytes at a time, which a reader may have to hold in memory.
  constexpr uint64_t Step = 4 << 20;
  for (uint64_t Offset = 0; Offset < Size; Offset += Step)
    keep(bytes().substr(Offset, Step));
  // The next read tries again to fetch what could not be fetched.
  if (IsFar)
    if (Error E = damage())
      return E;
  // From now on there is nothing to load or to evict.
  std::lock_guard<std::shared_mutex> Lock(locks().Access);
  for (uint64_t Part = 0; Part != PartCount; ++Part)
    States[Part].store(Used, std::memory_order_release);
  Resident.store(0, std::memory_order_relaxed);
  AllKept.store(true, std::memory_order_release);
  if (Error E = damage())
    return E;
  return Parts->checkRest();
}

//===----------------------------------------------------------------------===//
// Making room
//===----------------------------------------------------------------------===//

void PagedMemory::release(PageRun Pages) const {
  if (Pages.First != Pages.End)
    ::madvise(Base + Pages.First * PageSize,
              (Pages.End - Pages.First) * PageSize, MADV_DONTNEED);
}

/// Makes part \p Index absent. Adds its pages to \p Dropped, whose pages it
/// releases before if they are not adjacent: a system call takes about as long
/// as the pages of a part.
void PagedMemory::drop(uint64_t Index, PageRun &Dropped) const {
  auto [First, End] = pagesOf(Index);
  for (uint64_t Page = First; Page != End; ++Page) {
    if (isKept(Page))
      continue;
    if (Dropped.End != Page) {
      release(Dropped);
      Dropped.First = Page;
    }
    Dropped.End = Page + 1;
  }
  States[Index].store(Absent, std::memory_order_relaxed);
  Resident.fetch_sub(part(Index).size(), std::memory_order_relaxed);
}

/// The caller has exclusive access.
void PagedMemory::makeRoom() const {
  // Make more room than is needed now, so that not every new part has to.
  const uint64_t Enough = CacheSize - CacheSize / 4;
  PageRun Dropped;
  // In the first round, all parts may be in use.
  for (uint64_t Step = 0; Step != 2 * PartCount; ++Step) {
    if (Resident.load(std::memory_order_relaxed) <= Enough)
      break;
    uint64_t Index = Hand;
    Hand = Hand + 1 == PartCount ? 0 : Hand + 1;
    uint8_t Now = States[Index].load(std::memory_order_relaxed);
    if (Now == Present)
      drop(Index, Dropped);
    else if (Now == Used)
      States[Index].store(Present, std::memory_order_relaxed);
  }
  release(Dropped);
}

//===----------------------------------------------------------------------===//
// PagedRead
//===----------------------------------------------------------------------===//

thread_local const PagedRead *PagedRead::Innermost = nullptr;

void PagedRead::enter() {
  if (Memory->isAllKept()) {
    Memory = nullptr;
    return;
  }
  for (const PagedRead *R = Innermost; R; R = R->Outer)
    if (R->Memory == Memory) {
      Memory = nullptr;
      return;
    }
  // Only threads that do not read may wait until no other thread reads. With
  // many threads, some thread may always be reading, so at some point new
  // readers have to wait. A failure to fetch affects only the reads that
  // encountered it.
  bool HasFailed = Memory->HasFailed.load(std::memory_order_acquire);
  bool MustWait = (Memory->isOverLimit(2) || HasFailed) && !Innermost;
  std::shared_mutex &Access = Memory->locks().Access;
  if (MustWait)
    Access.lock();
  if (MustWait ||
      ((Memory->isOverLimit(1) || HasFailed) && Access.try_lock())) {
    if (HasFailed)
      Memory->dropFailed();
    if (Memory->isOverLimit(1))
      Memory->makeRoom();
    Access.unlock();
  }
  Access.lock_shared();
  Outer = Innermost;
  Innermost = this;
}

void PagedRead::leave() {
  Innermost = Outer;
  Memory->locks().Access.unlock_shared();
}
