//===- ProcessTextFuzzer.cpp - Any bytes as the kernel's texts ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// The first byte selects the reader: of /proc/PID/maps, of a map of
/// just-in-time compiled code, or of /proc/kallsyms with /proc/modules, which
/// follows a NUL. Mappings are in order and do not overlap; printed and read
/// again, they are the same. A mapping or symbol found at an address covers it.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "lidia/Process/Mappings.h"
#include "lidia/Process/NamedRanges.h"
#include "lidia/Symbolize/PrintableText.h"

using namespace lidia;
using namespace llvm;

static std::string print(const MappingList &List) {
  std::string Text;
  raw_string_ostream OS(Text);
  List.print(OS);
  return Text;
}

static void checkMaps(StringRef Text) {
  Expected<MappingList> List =
      MappingList::parse(Text, "maps", [](const Twine &) {});
  if (!List)
    return consumeError(List.takeError());
  uint64_t End = 0;
  bool IsPlain = true;
  for (const Mapping &M : List->mappings()) {
    check(M.Begin >= End && M.Begin < M.End, "mappings overlap");
    End = M.End;
    check(List->find(M.Begin) == &M && List->find(M.End - 1) == &M,
          "a mapping is not found");
    StringRef Path = List->file(M).Path;
    IsPlain &= isPrintableText(Path) && !Path.ends_with(" (deleted)") &&
               Path.trim() == Path && !Path.contains("\\012");
  }
  if (!IsPlain || List->mappings().empty())
    return;
  std::string Printed = print(*List);
  Expected<MappingList> Again =
      MappingList::parse(Printed, "printed", [](const Twine &) {});
  check(bool(Again), "what was printed cannot be read");
  check(print(*Again) == Printed, "what was printed is read as another list");
}

static std::unique_ptr<MemoryBuffer> buffer(StringRef Text) {
  return MemoryBuffer::getMemBufferCopy(Text, "text");
}

template <typename Names>
static void checkRange(const Names &In, uint64_t Address) {
  if (const NamedRange *R = In.find(Address))
    check(R->Begin <= Address && Address < R->End,
          "the range does not cover the address");
}

/// Calls \p Visit with each number at the start of a line, and its neighbours.
static void forEachAddress(StringRef Text, function_ref<void(uint64_t)> Visit) {
  while (!Text.empty()) {
    uint64_t Address;
    StringRef Line = Text.split('\n').first;
    if (!Line.consumeInteger(16, Address))
      for (uint64_t Near : {Address - 1, Address, Address + 1})
        Visit(Near);
    Text = Text.split('\n').second;
  }
}

static void checkPerfMap(StringRef Text) {
  PerfMap Map(buffer(Text), [](const Twine &) {});
  forEachAddress(Text, [&](uint64_t Address) { checkRange(Map, Address); });
}

static void checkKernel(StringRef Text) {
  auto [Kallsyms, Modules] = Text.split('\0');
  Expected<KernelSymbols> Symbols = KernelSymbols::parse(
      buffer(Kallsyms), buffer(Modules), [](const Twine &) {});
  if (!Symbols)
    return consumeError(Symbols.takeError());
  forEachAddress(Kallsyms,
                 [&](uint64_t Address) { checkRange(*Symbols, Address); });
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  FuzzInput Input(StringRef(reinterpret_cast<const char *>(Data), Size));
  switch (Input.byte() % 3) {
  case 0:
    checkMaps(Input.rest());
    break;
  case 1:
    checkPerfMap(Input.rest());
    break;
  default:
    checkKernel(Input.rest());
    break;
  }
  return 0;
}
