//===- KernelSymbols.cpp - The kernel's symbols at run time ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/StableSort.h"
#include "TextLines.h"
#include "lidia/Error.h"
#include "lidia/Process/NamedRanges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

/// Reads "<address> <type> <name>[\t[<module>]]".
bool KernelSymbols::readSymbol(StringRef Line) {
  NamedRange R;
  if (Line.empty())
    return true;
  if (Line.consumeInteger(16, R.Begin) || !Line.consume_front(" ") ||
      Line.size() < 3 || Line[1] != ' ')
    return false;
  char Type = Line[0];
  std::tie(R.Name, R.Module) = Line.drop_front(2).split('\t');
  R.Module.consume_front("[");
  R.Module.consume_back("]");
  if (R.Begin != 0)
    OnlyZeros = false;
  if (R.Module.empty()) {
    if (R.Name == "_text" || (R.Name == "_stext" && ImageBegin == 0)) {
      ImageBegin = R.Begin;
      ImageBeginSymbol = R.Name;
    } else if (R.Name == "_end") {
      ImageEnd = R.Begin;
    }
  }
  // A data symbol has no name here and only ends the code before it.
  if (!StringRef("tTwWi").contains(Type))
    R.Name = {};
  Ranges.push_back(R);
  return true;
}

/// Reads "<name> <size> <references> <dependents> <state> 0x<address> ...".
bool KernelSymbols::readModule(StringRef Line) {
  if (Line.empty())
    return true;
  SmallVector<StringRef, 8> Words;
  Line.split(Words, ' ', /*MaxSplit=*/6);
  NamedRange M;
  uint64_t Size;
  if (Words.size() < 6 || Words[1].getAsInteger(10, Size) ||
      !Words[5].consume_front("0x") || Words[5].getAsInteger(16, M.Begin) ||
      Size > UINT64_MAX - M.Begin)
    return false;
  M.End = M.Begin + Size;
  M.Module = Words[0];
  if (M.Begin != 0)
    Modules.push_back(M);
  return true;
}

/// Where the code of the last symbol of the kernel, or of a module of unknown
/// size, ends: with its page, as in perf. The next code is far away, or belongs
/// to another module.
static uint64_t endOfPage(uint64_t Address) {
  constexpr uint64_t Page = 4096;
  return Address > UINT64_MAX - Page ? UINT64_MAX : alignTo(Address + 1, Page);
}

void KernelSymbols::finish() {
  auto Begin = [](const NamedRange &R) { return R.Begin; };
  stableSort(Ranges, Begin);
  stableSort(Modules, Begin);
  // The first symbol of code at an address names it.
  std::vector<NamedRange> First;
  for (const NamedRange &R : Ranges) {
    if (First.empty() || First.back().Begin != R.Begin)
      First.push_back(R);
    else if (First.back().Name.empty())
      First.back() = R;
  }
  Ranges = std::move(First);
  for (size_t I = 0; I != Ranges.size(); ++I) {
    NamedRange &R = Ranges[I];
    const NamedRange *Next = I + 1 != Ranges.size() ? &Ranges[I + 1] : nullptr;
    R.End = Next ? Next->Begin : UINT64_MAX;
    auto After = partition_point(
        Modules, [&](const NamedRange &M) { return M.Begin <= R.Begin; });
    if (After != Modules.begin() && R.Begin < std::prev(After)->End)
      R.End = std::min(R.End, std::prev(After)->End);
    else if (!Next || R.Module != Next->Module)
      R.End = std::min(R.End, endOfPage(R.Begin));
  }
  if (ImageEnd < ImageBegin)
    ImageEnd = UINT64_MAX;
}

Expected<KernelSymbols>
KernelSymbols::parse(std::unique_ptr<MemoryBuffer> Kallsyms,
                     std::unique_ptr<MemoryBuffer> Modules,
                     WarningFunction Warn) {
  KernelSymbols K;
  K.Text = std::move(Kallsyms);
  K.ModulesText = std::move(Modules);
  std::string Name = K.Text->getBufferIdentifier().str();
  MalformedLines Malformed;
  forEachLine(K.Text->getBuffer(), [&](StringRef Line, size_t Number) {
    if (!K.readSymbol(Line))
      Malformed.add(Number);
  });
  if (K.Ranges.empty())
    return make_error<DamagedError>(Name,
                                    "no line has the format of /proc/kallsyms");
  if (K.OnlyZeros)
    return make_error<SystemError>(
        std::make_error_code(std::errc::permission_denied), Name,
        "the kernel shows all addresses as zero: reading them needs the "
        "privilege CAP_SYSLOG, or kernel.kptr_restrict=0 and "
        "kernel.perf_event_paranoid=1 or less");
  Malformed.report(Name, Warn);
  if (K.ModulesText) {
    MalformedLines MalformedModules;
    forEachLine(K.ModulesText->getBuffer(), [&](StringRef Line, size_t Number) {
      if (!K.readModule(Line))
        MalformedModules.add(Number);
    });
    MalformedModules.report(K.ModulesText->getBufferIdentifier(), Warn);
  }
  K.finish();
  return K;
}

Expected<KernelSymbols> KernelSymbols::ofThisSystem(WarningFunction Warn) {
  const char *Path = "/proc/kallsyms";
  ErrorOr<std::unique_ptr<MemoryBuffer>> Kallsyms =
      MemoryBuffer::getFileAsStream(Path);
  if (!Kallsyms)
    return make_error<SystemError>(Kallsyms.getError(), Twine(Path));
  // A kernel without loadable modules has no such file.
  ErrorOr<std::unique_ptr<MemoryBuffer>> Modules =
      MemoryBuffer::getFileAsStream("/proc/modules");
  return parse(std::move(*Kallsyms), Modules ? std::move(*Modules) : nullptr,
               Warn);
}

const NamedRange *KernelSymbols::find(uint64_t Address) const {
  auto LastOf = [&](const std::vector<NamedRange> &In) -> const NamedRange * {
    auto After = partition_point(
        In, [&](const NamedRange &R) { return R.Begin <= Address; });
    if (After == In.begin() || Address >= std::prev(After)->End)
      return nullptr;
    return &*std::prev(After);
  };
  const NamedRange *R = LastOf(Ranges);
  if (R && !R->Name.empty())
    return R;
  return LastOf(Modules);
}

} // namespace lidia
