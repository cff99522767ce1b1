//===- StackwalkPrinter.cpp - A minidump in another tool's JSON -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StackwalkPrinter.h"
#include "Support/WindowsNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <set>

using namespace llvm;
using namespace llvm::json;

namespace lidia {

/// Untrusted text, or null if it is empty.
static Value textOrNull(StringRef Text) {
  if (Text.empty())
    return nullptr;
  return fixUTF8(Text);
}

std::string StackwalkPrinter::hex(uint64_t Address) const {
  std::string Text;
  unsigned Digits = 2 * Dump.System.addressSize();
  raw_string_ostream(Text) << format_hex(Address, Digits ? Digits + 2 : 1);
  return Text;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// The modules that were unloaded from \p Address, by path.
Value StackwalkPrinter::unloadedModules(uint64_t Address) const {
  std::map<StringRef, std::set<uint64_t>> Offsets;
  for (const MinidumpModule &M : Dump.UnloadedModules)
    if (Address >= M.Begin && Address < M.End)
      Offsets[M.Path].insert(Address - M.Begin);
  Array Modules;
  for (const auto &[Path, Places] : Offsets) {
    Array Texts;
    for (uint64_t Offset : Places)
      Texts.push_back(hex(Offset));
    Modules.push_back(
        Object{{"module", fixUTF8(Path)}, {"offsets", std::move(Texts)}});
  }
  return Modules.empty() ? Value(nullptr) : Value(std::move(Modules));
}

/// The function, file and line of a call.
static Object place(const SymbolizedFrame &F) {
  return Object{{"function", textOrNull(F.Function)},
                {"file", textOrNull(F.File)},
                {"line", F.Line ? Value(F.Line) : Value(nullptr)}};
}

/// The number that minidump-stackwalk subtracts from a return address to get
/// the address of the call: the instruction size, if all instructions have the
/// same size.
static unsigned callSize(MinidumpCPU CPU) {
  switch (CPU) {
  case MinidumpCPU::AArch64:
    return 4;
  case MinidumpCPU::Arm:
    return 2;
  default:
    return 1;
  }
}

Value StackwalkPrinter::frame(size_t Number, const UnwoundFrame &F) {
  ++FramesPrinted;
  std::shared_ptr<const ProcessAnswer> A =
      Bounded.answer(F.Address, F.IsReturnAddress);
  unsigned Back = F.IsReturnAddress ? callSize(Dump.System.CPU) : 0;
  uint64_t Address = F.Address - Back;
  const MinidumpModule *M = Space.moduleAt(Address);
  const SymbolizedFrame Unknown;
  const SymbolizedFrame &Function =
      A->Frames.empty() ? Unknown : A->Frames.back();
  Object Result = place(Function);
  Array Inlines;
  for (const SymbolizedFrame &Call : A->Frames)
    if (Call.IsInlined)
      Inlines.push_back(place(Call));
  Result["inlines"] =
      Inlines.empty() ? Value(nullptr) : Value(std::move(Inlines));
  Result["frame"] = int64_t(Number);
  Result["trust"] = toString(F.Trust);
  Result["offset"] = hex(Address);
  Result["missing_symbols"] = Function.Function.empty();
  Result["function_offset"] = nullptr;
  if (A->HasAddress && Function.StartAddress && !Function.Function.empty())
    // The answer is for the byte before the return address.
    Result["function_offset"] =
        hex(A->Address + F.IsReturnAddress - Back - *Function.StartAddress);
  Result["module"] = M ? Value(fixUTF8(M->name())) : Value(nullptr);
  Result["module_offset"] = M ? Value(hex(Address - M->Begin)) : Value(nullptr);
  Result["unloaded_modules"] = M ? Value(nullptr) : unloadedModules(Address);
  if (M)
    Asked.try_emplace(M, A->Reason.empty());
  return Result;
}

Value StackwalkPrinter::thread(size_t Index, const UnwoundStack &Stack) {
  const MinidumpThread &T = Dump.Threads[Index];
  Array Frames;
  for (auto [Number, F] : enumerate(Stack.Frames))
    Frames.push_back(frame(Number, F));
  return Object{
      {"thread_id", int64_t(T.ID)},
      {"thread_name", T.Name ? Value(fixUTF8(*T.Name)) : Value(nullptr)},
      {"last_error_value", nullptr},
      {"frame_count", int64_t(Frames.size())},
      {"frames", std::move(Frames)}};
}

void StackwalkPrinter::printThreads(Unwind UnwindThread) {
  JSON.attribute("thread_count", int64_t(Dump.Threads.size()));
  Value Crashing = nullptr;
  auto Read = [&](uint64_t Address, MutableArrayRef<uint8_t> To) {
    return Space.readMemory(Address, To);
  };
  JSON.attributeArray("threads", [&] {
    for (size_t I = 0; I != Dump.Threads.size(); ++I) {
      ThreadState T = Space.thread(I);
      UnwoundStack Stack;
      // The stack of the thread that wrote the dump says nothing about the
      // crash.
      if (T.HasRegisters && Dump.Threads[I].ID != Dump.DumpingThread)
        Stack = UnwindThread(T, Read);
      Value Printed = thread(I, Stack);
      JSON.value(Printed);
      if (Dump.crashingThread() != I || Stack.Frames.empty())
        continue;
      Crashing = std::move(Printed);
      Object &Thread = *Crashing.getAsObject();
      Thread["threads_index"] = int64_t(I);
      Object &First = *Thread.getArray("frames")->front().getAsObject();
      First["registers"] = registers(T.Registers);
    }
  });
  if (Crashing.getAsObject())
    JSON.attribute("crashing_thread", Crashing);
}

Value StackwalkPrinter::registers(const RegisterSet &Registers) const {
  Object Result;
  const UnwindMachine *Machine = Space.machine();
  for (unsigned Number = 0; Machine && Number != RegisterSet::Count; ++Number) {
    if (!Registers.has(Number))
      continue;
    std::string Name = Machine->registerName(Number);
    // minidump-stackwalk has other names for some registers.
    if (Dump.System.CPU == MinidumpCPU::AArch64)
      Name = Number == 29 ? "fp" : Number == 30 ? "lr" : std::move(Name);
    if (Dump.System.CPU == MinidumpCPU::Arm)
      Name = Number == 11 ? "fp" : std::move(Name);
    if (!Name.empty() && Name != "pc")
      Result[Name] = hex(*Registers.get(Number));
  }
  StringRef PC = Dump.System.CPU == MinidumpCPU::X86_64 ? "rip"
                 : Dump.System.CPU == MinidumpCPU::X86  ? "eip"
                                                        : "pc";
  Result[PC] = hex(Registers.PC);
  return Result;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

void StackwalkPrinter::printModules() {
  JSON.attributeArray("modules", [&] {
    for (const MinidumpModule &M : Dump.Modules) {
      auto WasAsked = Asked.find(&M);
      bool IsLoaded = WasAsked != Asked.end() && WasAsked->second;
      bool IsMissing = WasAsked != Asked.end() && !WasAsked->second;
      JSON.value(Object{{"base_addr", hex(M.Begin)},
                        {"end_addr", hex(M.End)},
                        {"filename", fixUTF8(M.name())},
                        {"code_id", fixUTF8(M.CodeID)},
                        {"debug_file", fixUTF8(baseNameOfWindows(M.DebugFile))},
                        {"debug_id", M.ID.value_or(DebugID()).text()},
                        {"version", textOrNull(M.Version)},
                        {"cert_subject", nullptr},
                        {"loaded_symbols", IsLoaded},
                        {"missing_symbols", IsMissing},
                        {"corrupt_symbols", false},
                        {"symbol_url", nullptr}});
    }
  });
  JSON.attributeArray("unloaded_modules", [&] {
    for (const MinidumpModule &M : Dump.UnloadedModules)
      JSON.value(Object{{"base_addr", hex(M.Begin)},
                        {"end_addr", hex(M.End)},
                        {"filename", fixUTF8(M.Path)},
                        {"code_id", fixUTF8(M.CodeID)},
                        {"cert_subject", nullptr}});
  });
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

static StringRef osName(MinidumpOS OS) {
  switch (OS) {
  case MinidumpOS::Windows:
    return "Windows NT";
  case MinidumpOS::MacOS:
    return "Mac OS X";
  case MinidumpOS::IOS:
    return "iOS";
  case MinidumpOS::Linux:
    return "Linux";
  case MinidumpOS::Solaris:
    return "Solaris";
  case MinidumpOS::Android:
    return "Android";
  case MinidumpOS::PS3:
    return "PS3";
  case MinidumpOS::NaCl:
    return "NaCl";
  case MinidumpOS::Unknown:
    return "";
  }
  llvm_unreachable("no other system");
}

static StringRef cpuName(MinidumpCPU CPU) {
  switch (CPU) {
  case MinidumpCPU::X86:
    return "x86";
  case MinidumpCPU::X86_64:
    return "amd64";
  case MinidumpCPU::Arm:
    return "arm";
  case MinidumpCPU::AArch64:
    return "arm64";
  case MinidumpCPU::PPC:
    return "ppc";
  case MinidumpCPU::PPC64:
    return "ppc64";
  case MinidumpCPU::SPARC:
    return "sparc";
  case MinidumpCPU::MIPS:
    return "mips";
  case MinidumpCPU::MIPS64:
    return "mips64";
  case MinidumpCPU::Unknown:
    return "unknown";
  }
  llvm_unreachable("no other CPU");
}

/// The value of a line "KEY<Separator>VALUE" in \p Text, without quotes and
/// spaces; empty if no line has one of \p Keys.
static StringRef valueOf(StringRef Text, char Separator,
                         ArrayRef<StringRef> Keys) {
  for (StringRef Line : split(Text, '\n')) {
    auto [Key, Value] = Line.split(Separator);
    if (!is_contained(Keys, Key.trim()))
      continue;
    Value = Value.trim();
    if (Value.size() >= 2 && Value.front() == '"' && Value.back() == '"')
      Value = Value.drop_front().drop_back();
    return Value;
  }
  return "";
}

Value StackwalkPrinter::systemInfo() const {
  const MinidumpSystem &System = Dump.System;
  std::string Version = System.Version;
  if (!System.Build.empty())
    Version += " " + System.Build;
  StringRef OS = osName(System.OS);
  StringRef Microcode = valueOf(Dump.LinuxCPUInfo, ':', {"microcode"});
  return Object{{"os", OS.empty() ? hex(System.Platform) : OS.str()},
                {"os_ver", textOrNull(Version)},
                {"cpu_arch", cpuName(System.CPU)},
                {"cpu_info", textOrNull(System.CPUInfo)},
                {"cpu_count", int64_t(System.CPUCount)},
                {"cpu_microcode_version", textOrNull(Microcode)}};
}

Value StackwalkPrinter::crashInfo() const {
  const std::optional<MinidumpException> &E = Dump.Exception;
  Object Info{{"type", nullptr},
              {"address", nullptr},
              {"adjusted_address", nullptr},
              {"instruction", nullptr},
              {"memory_accesses", nullptr},
              {"instruction_pointer_update", nullptr},
              {"possible_bit_flips", nullptr},
              {"crash_inconsistencies", nullptr},
              {"crashing_thread", nullptr},
              {"assertion", textOrNull(Dump.Assertion)}};
  if (E) {
    Info["type"] = E->Reason;
    Info["address"] = hex(E->Address);
  }
  if (std::optional<size_t> Index = Dump.crashingThread())
    Info["crashing_thread"] = int64_t(*Index);
  return Info;
}

Value StackwalkPrinter::release() const {
  if (Dump.LinuxRelease.empty())
    return nullptr;
  auto Of = [&](StringRef Key, StringRef OtherKey) -> Value {
    return fixUTF8(valueOf(Dump.LinuxRelease, '=', {Key, OtherKey}));
  };
  return Object{{"id", Of("DISTRIB_ID", "ID")},
                {"release", Of("DISTRIB_RELEASE", "VERSION_ID")},
                {"codename", Of("DISTRIB_CODENAME", "VERSION_CODENAME")},
                {"description", Of("DISTRIB_DESCRIPTION", "PRETTY_NAME")}};
}

Value StackwalkPrinter::mapCount() const {
  if (Dump.LinuxMaps.empty())
    return nullptr;
  return int64_t(StringRef(Dump.LinuxMaps).count('\n'));
}

Value StackwalkPrinter::uptime() const {
  if (!Dump.ProcessTime)
    return nullptr;
  return int64_t(Dump.Time - std::min(Dump.Time, *Dump.ProcessTime));
}

void StackwalkPrinter::print(Unwind UnwindThread) {
  JSON.object([&] {
    JSON.attribute("status", "OK");
    JSON.attribute("crash_info", crashInfo());
    JSON.attribute("system_info", systemInfo());
    JSON.attribute("pid", Dump.ProcessID ? Value(int64_t(*Dump.ProcessID))
                                         : Value(nullptr));
    JSON.attribute("process_uptime", uptime());
    JSON.attribute("linux_memory_map_count", mapCount());
    JSON.attribute("lsb_release", release());
    for (StringRef Key : {"proc_limits", "soft_errors", "mac_crash_info",
                          "mac_boot_args", "handles"})
      JSON.attribute(Key, nullptr);
    printThreads(UnwindThread);
    JSON.attribute("main_module", 0);
    JSON.attribute("modules_contains_cert_info", false);
    printModules();
  });
  Escaper << '\n';
  Escaper.flush();
}

} // namespace lidia
