//===- CoreFuzzer.cpp - Any bytes as a core -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Any file is read as a core, plain or compressed, and as one that can be read
/// only once. Its mappings must be in order and not overlap, its modules have
/// headers or none, and its stacks must end, with and without a scan for return
/// addresses. No file that the core names is opened. The memory for the parts
/// that are kept is bounded.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "Process/KeptCore.h"
#include "lidia/Process/CoreFile.h"
#include "lidia/Process/Goroutines.h"
#include "lidia/Process/SpaceModule.h"
#include "lidia/Process/Stacks.h"

using namespace lidia;
using namespace llvm;

namespace {
/// Modules without archives and so without unwind rows.
class CoreModules final : public UnwindModules {
public:
  explicit CoreModules(const CoreFile &Core) : Core(Core) {}

  Place find(uint64_t Address) override {
    Place P;
    const Mapping *M = Core.mappings().find(Address);
    P.IsCode = M && M->Executable;
    return P;
  }

private:
  const CoreFile &Core;
};
} // namespace

static void checkStacks(const CoreFile &Core) {
  CoreModules Modules(Core);
  UnwindOptions O;
  O.MaxFrames = 100;
  O.Scan = true;
  auto Visit = [&](const ThreadState &T, Unwinder::ReadMemory Read) {
    if (!T.HasRegisters)
      return;
    O.CodeMask = T.CodeMask;
    UnwoundStack Stack =
        Unwinder(*Core.machine(), Modules).unwind(T.Registers, Read, O);
    check(Stack.Frames.size() <= O.MaxFrames, "a stack is too long");
  };
  Expected<ThreadVisitStatistics> Statistics =
      Core.visitThreads(Visit, std::nullopt);
  check(bool(Statistics), "threads of a core cannot be visited");
  check(Statistics->Threads == Core.threads().size(), "threads are missing");
}

/// The goroutine reader accepts any memory as that of Go's runtime.
static void checkGoroutines(const CoreFile &Core) {
  Expected<GoroutineReader> Reader = GoroutineReader::open(Core);
  if (!Reader)
    return consumeError(Reader.takeError());
  CoreModules Modules(Core);
  Unwinder U(*Core.machine(), Modules);
  UnwindOptions O;
  O.MaxFrames = 100;
  for (const Goroutine &G : Reader->list().Goroutines) {
    check(G.StackBegin < G.StackEnd, "a goroutine has no stack");
    for (const UnwoundFrame &F : Reader->unwind(U, G, O).Frames)
      check(F.SP == G.SavedSP ||
                F.SP - G.StackBegin <= G.StackEnd - G.StackBegin + 4096,
            "a frame is not on its goroutine's stack");
  }
}

namespace {
class MemoryStream final : public ByteStream {
public:
  explicit MemoryStream(ArrayRef<uint8_t> Bytes) : Bytes(Bytes) {}

  Expected<size_t> read(MutableArrayRef<uint8_t> To) override {
    size_t Count = std::min(To.size(), Bytes.size());
    llvm::copy(Bytes.take_front(Count), To.begin());
    Bytes = Bytes.drop_front(Count);
    return Count;
  }

private:
  ArrayRef<uint8_t> Bytes;
};
} // namespace

/// Reads \p Bytes as from a pipe (\p IsOnce), or from a file that is read
/// twice.
static void checkKept(ArrayRef<uint8_t> Bytes, bool IsOnce) {
  auto Open = [&]() -> Expected<std::unique_ptr<ByteStream>> {
    return std::make_unique<MemoryStream>(Bytes);
  };
  constexpr uint64_t Max = 64 * 1024;
  Expected<KeptCore> Kept = keepCore(Open, IsOnce, Max, "input");
  if (!Kept)
    return consumeError(Kept.takeError());
  // At least the first page is read.
  check(Kept->Bytes->size() <= Max + 4096, "too much is kept");
  Expected<std::unique_ptr<CoreFile>> Core = CoreFile::ofBytes(
      std::move(Kept->Bytes), Kept->CutAt.value_or(UINT64_MAX), "input",
      CoreOptions(), [](const Twine &) {});
  if (Core)
    checkStacks(**Core);
  else
    consumeError(Core.takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  Expected<std::unique_ptr<OpenedFile>> File =
      OpenedFile::ofImage(ArrayRef(Data, Size), "input");
  check(bool(File), "no file in memory");
  for (bool IsOnce : {false, true})
    checkKept(ArrayRef(Data, Size), IsOnce);
  Expected<std::unique_ptr<CoreFile>> Core =
      CoreFile::open((*File)->path(), CoreOptions(), [](const Twine &) {});
  if (!Core) {
    consumeError(Core.takeError());
    return 0;
  }
  checkGoroutines(**Core);
  const MappingList &List = (*Core)->mappings();
  uint64_t End = 0;
  for (const Mapping &M : List.mappings()) {
    check(M.Begin >= End && M.Begin < M.End, "mappings overlap");
    End = M.End;
    if (List.file(M).Type == MappedFile::Kind::Anonymous)
      continue;
    ResolvedModule Module;
    Module.Loaded = (*Core)->load(M);
    check(!Module.Loaded.File || List.file(M).Type == MappedFile::Kind::Image,
          "a file was opened");
    addressIn(Module, List, M, M.Begin);
    addressIn(Module, List, M, M.End - 1);
  }
  checkStacks(**Core);
  std::string Text;
  raw_string_ostream OS(Text);
  List.print(OS);
  return 0;
}
