//===- PerfNames.cpp - Names of code without a file -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfNames.h"
#include "Object/Notes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace llvm;

namespace lidia {

PerfNames::PerfNames(StringRef Folder, WarningFunction Warn) : Warn(Warn) {
  if (Folder.empty())
    return;
  Expected<RootFolder> Opened = RootFolder::open(Folder);
  if (Opened)
    Root.emplace(std::move(*Opened));
  else
    consumeError(Opened.takeError());
}

void PerfNames::setKernel(StringRef BuildID, uint64_t Begin) {
  KernelBuildID = BuildID.str();
  KernelBegin = Begin;
}

/// The contents of \p Path, which may be a file without a known size; null if
/// it cannot be read.
static std::unique_ptr<MemoryBuffer> readText(const RootFolder &Root,
                                              StringRef Path) {
  constexpr size_t Max = size_t(256) << 20;
  constexpr size_t Piece = size_t(1) << 20;
  Expected<std::unique_ptr<OpenedFile>> File = Root.openFile(Path);
  if (!File) {
    consumeError(File.takeError());
    return nullptr;
  }
  SmallVector<char, 0> Bytes;
  for (size_t Got = Piece; Got == Piece && Bytes.size() < Max;) {
    size_t Done = Bytes.size();
    Bytes.resize_for_overwrite(Done + Piece);
    Got = (*File)->read(
        Done,
        MutableArrayRef(reinterpret_cast<uint8_t *>(&Bytes[Done]), Piece));
    Bytes.truncate(Done + Got);
  }
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(Bytes), Path, /*RequiresNullTerminator=*/false);
}

std::optional<KernelSymbols> PerfNames::readKernel() {
  if (!Root || KernelBegin == 0)
    return std::nullopt;
  std::unique_ptr<MemoryBuffer> Notes = readText(*Root, "/sys/kernel/notes");
  if (Notes && !KernelBuildID.empty()) {
    ArrayRef<uint8_t> Its =
        findBuildID(arrayRefFromStringRef<uint8_t>(Notes->getBuffer()), 4,
                    endianness::native);
    if (!Its.empty() && toHex(Its, /*LowerCase=*/true) != KernelBuildID)
      return std::nullopt;
  }
  std::unique_ptr<MemoryBuffer> Symbols = readText(*Root, "/proc/kallsyms");
  if (!Symbols)
    return std::nullopt;
  Expected<KernelSymbols> K = KernelSymbols::parse(
      std::move(Symbols), readText(*Root, "/proc/modules"), Warn);
  if (!K) {
    consumeError(K.takeError());
    return std::nullopt;
  }
  if (K->imageBegin() != KernelBegin)
    return std::nullopt;
  return std::move(*K);
}

StringRef PerfNames::inKernel(uint64_t Address) {
  if (!std::exchange(KernelRead, true))
    Kernel = readKernel();
  const NamedRange *R = Kernel ? Kernel->find(Address) : nullptr;
  return R ? R->Name : "";
}

/// Each process has one dump, and maps it when it starts.
void PerfNames::noteMapped(uint32_t PID, StringRef Path) {
  if (Root && isJITDump(Path) && Dumps.find(PID) == Dumps.end())
    DumpPaths[PID] = Path.str();
}

bool PerfNames::isMadeAtRunTime(StringRef File) {
  return File.empty() || File.starts_with("//anon") ||
         File.starts_with("/memfd:") || File.starts_with("/dev/zero") ||
         File.starts_with("[anon") || File.starts_with("[heap]") ||
         File.starts_with("[stack") || File.starts_with("/SYSV");
}

/// The dump of \p PID at the current time; null if there is none.
JITDump *PerfNames::dumpOf(uint32_t PID) {
  if (auto Path = DumpPaths.find(PID); Path != DumpPaths.end()) {
    Expected<std::unique_ptr<OpenedFile>> File = Root->openFile(Path->second);
    if (File)
      Dumps[PID] = JITDump::read(**File, Path->second, Warn);
    else
      Warn(Path->second + " has names of compiled code, but cannot be read: " +
           toString(File.takeError()));
    DumpPaths.erase(Path);
  }
  auto Dump = Dumps.find(PID);
  if (Dump == Dumps.end() || !Dump->second)
    return nullptr;
  Dump->second->advance(Now);
  return Dump->second.get();
}

/// Null if there is none.
const PerfMap *PerfNames::mapOf(uint32_t PID) {
  auto [It, New] = Maps.try_emplace(PID);
  if (New && Root) {
    std::string Path = "/tmp/perf-" + utostr(PID) + ".map";
    Expected<std::unique_ptr<OpenedFile>> File = Root->openFile(Path);
    if (File)
      It->second = PerfMap::ofFile(**File, Path, Warn);
    else
      consumeError(File.takeError());
  }
  return It->second.get();
}

CompiledCode PerfNames::inProcess(uint32_t PID, uint64_t Address) {
  if (const JITDump *Dump = dumpOf(PID))
    if (CompiledCode C = Dump->find(Address); !C.Name.empty())
      return C;
  const PerfMap *Map = mapOf(PID);
  const NamedRange *R = Map ? Map->find(Address) : nullptr;
  CompiledCode C;
  C.Name = R ? R->Name : "";
  return C;
}

UnwindModules::Place PerfNames::rowsInProcess(uint32_t PID, uint64_t Address,
                                              const UnwindMachine &Machine) {
  JITDump *Dump = dumpOf(PID);
  return Dump ? Dump->findRows(Address, Machine) : UnwindModules::Place();
}

size_t PerfNames::rowsVersion(uint32_t PID) {
  const JITDump *Dump = dumpOf(PID);
  return Dump ? Dump->version() : 0;
}

std::string PerfNames::whyNoRows(uint32_t PID, uint64_t Address) {
  constexpr StringLiteral Dumping =
      "python -X perf_jit, node --perf-prof --perf-prof-unwinding-info";
  const std::string Code = "it is memory, with code made at run time";
  if (!Root)
    return Code + ", and its jitdump (jit-PID.dump) was not opened, because no "
                  "root folder is given";
  if (const JITDump *Dump = dumpOf(PID))
    return Code + (Dump->find(Address).Name.empty()
                       ? ", which its jitdump does not have"
                       : ", for which its jitdump has no unwind tables (" +
                             Dumping + " write some)")
                      .str();
  std::string Why = Code;
  if (mapOf(PID))
    Why += ", and a perf map (/tmp/perf-PID.map) has no unwind tables";
  else
    Why += ", and neither a jitdump (jit-PID.dump) nor a perf map "
           "(/tmp/perf-PID.map) was found";
  return Why +
         ": record, with perf record -k mono, a program that writes a "
         "jitdump with unwind tables (" +
         Dumping.str() + "), or use --call-graph fp";
}

} // namespace lidia
