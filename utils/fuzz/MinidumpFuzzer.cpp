//===- MinidumpFuzzer.cpp - Any bytes as a minidump -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Any file is read as a minidump: its memory ranges are inside the file, in
/// order and without overlaps, and the file's size limits its lists and texts.
/// As an address space, its mappings are in order, and no file that it names is
/// opened.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "lidia/Minidump/MinidumpSpace.h"

using namespace lidia;
using namespace llvm;

template <typename T> static void checkOrder(const std::vector<T> &Ranges) {
  uint64_t End = 0;
  for (const T &R : Ranges) {
    check(R.Begin >= End && R.Begin < R.End, "ranges overlap");
    End = R.End;
  }
}

/// The total size of the texts that are read from the file.
static size_t textOf(const Minidump &Dump) {
  size_t Size = 0;
  for (const MinidumpThread &T : Dump.Threads)
    Size += T.Name ? T.Name->size() : 0;
  for (const MinidumpModule &M : Dump.Modules)
    Size += M.Path.size();
  for (const MinidumpModule &M : Dump.UnloadedModules)
    Size += M.Path.size();
  if (Dump.Crashpad)
    for (const auto &[Key, Value] : Dump.Crashpad->Annotations)
      Size += Key.size() + Value.size();
  return Size;
}

namespace {
class Quiet final : public ConvertObserver {
  void warning(const Twine &) override {}
  void progress(StringRef, uint64_t, uint64_t) override {}
};
} // namespace

/// Checks the minidump at \p Path.
static void checkSpace(StringRef Path) {
  Cache Unused;
  Unused.disable();
  Quiet Observer;
  std::unique_ptr<ModuleResolver> Modules =
      cantFail(ModuleResolver::create({}, Unused, Observer));
  Expected<std::unique_ptr<MinidumpSpace>> Space =
      MinidumpSpace::open(Path, *Modules, [](const Twine &) {});
  check(bool(Space), "no address space");
  checkOrder((*Space)->mappings().mappings().vec());
  for (const Mapping &M : (*Space)->mappings().mappings())
    if (const MinidumpModule *Module = (*Space)->moduleAt(M.Begin))
      check(M.Begin >= Module->Begin && M.End <= Module->End,
            "a mapping is not in its module");
  constexpr size_t Max = 8;
  size_t Loaded = 0;
  for (const Mapping &M : (*Space)->mappings().mappings())
    if (M.IsImage && Loaded++ < Max)
      check(!(*Space)->load(M).File, "a file was opened");
  uint8_t Byte;
  for (const DumpedMemory &D : (*Space)->dump().Memory) {
    check((*Space)->readMemory(D.Begin, Byte) == 1, "no memory");
    check((*Space)->readMemory(D.End - 1, Byte) == 1, "no memory");
  }
  cantFail((*Space)->visitThreads(
      [](const ThreadState &, Unwinder::ReadMemory) {}, std::nullopt));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  Expected<std::unique_ptr<OpenedFile>> File =
      OpenedFile::ofImage(ArrayRef(Data, Size), "input");
  check(bool(File), "no file in memory");
  size_t Warnings = 0;
  Expected<Minidump> Dump =
      Minidump::read(**File, "input", [&](const Twine &) { ++Warnings; });
  check(Warnings < 32, "too many warnings");
  if (!Dump) {
    consumeError(Dump.takeError());
    return 0;
  }
  checkSpace((*File)->path());
  checkOrder(Dump->Memory);
  checkOrder(Dump->Regions);
  for (const DumpedMemory &M : Dump->Memory)
    check(M.Offset <= Size && M.End - M.Begin <= Size - M.Offset,
          "memory is not in the file");
  check(Dump->Threads.size() + Dump->Modules.size() +
                Dump->UnloadedModules.size() + Dump->Memory.size() <=
            Size,
        "a list is longer than the file");
  // UTF-8 needs at most three bytes for two bytes of UTF-16.
  check(textOf(*Dump) <= 2 * ((1 << 16) + 4 * Size), "texts are too long");
  if (std::optional<size_t> I = Dump->crashingThread())
    check(*I < Dump->Threads.size(), "no such thread");
  for (const MinidumpModule &M : Dump->Modules) {
    check(M.Begin <= M.End, "a module ends before it begins");
    M.name();
    if (M.ID)
      check(DebugID::parse(M.ID->text()) == M.ID, "a debug ID changes");
  }
  return 0;
}
