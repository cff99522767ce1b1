//===- CrashReason.cpp - The reason for a crash ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MinidumpReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace lidia {

namespace {

enum class Group : uint8_t {
  LinuxSignal,
  LinuxCode,
  SIGILLCode,
  SIGTRAPCode,
  SIGFPECode,
  SIGSEGVCode,
  SIGBUSCode,
  SIGSYSCode,
  MachException,
  MachAccess,
  MachAccessArm,
  MachAccessX86,
  MachInstructionArm,
  MachInstructionX86,
  MachArithmeticArm,
  MachArithmeticX86,
  MachSoftware,
  MachBreakpointArm,
  MachBreakpointX86,
  MachResource,
  MachGuard,
  WindowsException,
  WindowsStatus,
  WindowsAccess,
  WindowsFastFail,
};

struct ReasonName {
  Group In;
  uint32_t Code;
  const char *Name;
};

} // namespace

static const ReasonName Names[] = {
#define REASON(In, Code, Name) {Group::In, Code, #Name},
#include "CrashReasons.def"
};

/// Empty if the code has no name.
static StringRef nameOf(Group In, uint64_t Code) {
  const auto *Found = find_if(
      Names, [&](const ReasonName &R) { return R.In == In && R.Code == Code; });
  return Found == std::end(Names) ? StringRef() : Found->Name;
}

static std::string hex(uint64_t Value, unsigned Digits = 8) {
  std::string Text;
  raw_string_ostream(Text) << format_hex(Value, Digits + 2);
  return Text;
}

static std::string nameOrNumber(Group In, uint64_t Code) {
  StringRef Name = nameOf(In, Code);
  return Name.empty() ? hex(Code) : Name.str();
}

static std::string linuxReason(const MinidumpException &E) {
  static const std::pair<StringRef, Group> Codes[] = {
      {"SIGILL", Group::SIGILLCode}, {"SIGTRAP", Group::SIGTRAPCode},
      {"SIGFPE", Group::SIGFPECode}, {"SIGSEGV", Group::SIGSEGVCode},
      {"SIGBUS", Group::SIGBUSCode}, {"SIGSYS", Group::SIGSYSCode},
  };
  std::string Signal = nameOf(Group::LinuxSignal, E.Code).str();
  if (Signal.empty())
    return "";
  for (const auto &[Name, In] : Codes)
    if (Signal == Name && !nameOf(In, E.Flags).empty())
      return Signal + " / " + nameOf(In, E.Flags).str();
  // SI_USER has no information.
  if (E.Flags == 0)
    return Signal;
  return Signal + " / " + nameOrNumber(Group::LinuxCode, E.Flags);
}

/// The groups for the codes of a Mach exception: for any CPU, for x86 and for
/// Arm.
static SmallVector<Group, 2> machCodes(StringRef Exception, MinidumpCPU CPU) {
  bool IsX86 = CPU == MinidumpCPU::X86 || CPU == MinidumpCPU::X86_64;
  bool IsArm = CPU == MinidumpCPU::AArch64;
  auto Of = [&](Group X86, Group Arm) -> SmallVector<Group, 2> {
    if (IsX86)
      return {X86};
    if (IsArm)
      return {Arm};
    return {};
  };
  if (Exception == "EXC_BAD_ACCESS") {
    SmallVector<Group, 2> Groups =
        Of(Group::MachAccessX86, Group::MachAccessArm);
    Groups.insert(Groups.begin(), Group::MachAccess);
    return Groups;
  }
  if (Exception == "EXC_BAD_INSTRUCTION")
    return Of(Group::MachInstructionX86, Group::MachInstructionArm);
  if (Exception == "EXC_ARITHMETIC")
    return Of(Group::MachArithmeticX86, Group::MachArithmeticArm);
  if (Exception == "EXC_BREAKPOINT")
    return Of(Group::MachBreakpointX86, Group::MachBreakpointArm);
  if (Exception == "EXC_SOFTWARE")
    return {Group::MachSoftware};
  return {};
}

static std::string machReason(const MinidumpException &E, MinidumpCPU CPU) {
  // Crashpad's SimulateCrash().
  if (E.Code == 0x43507378)
    return "Simulated Exception";
  std::string Name = nameOf(Group::MachException, E.Code).str();
  if (Name.empty())
    return "";
  for (Group In : machCodes(Name, CPU))
    if (StringRef Code = nameOf(In, E.Flags); !Code.empty())
      return Name + " / " + Code.str();
  uint32_t Type = E.Flags >> 29;
  auto Parameter = [&](size_t I) {
    return hex(I < E.Parameters.size() ? E.Parameters[I] : 0, 16);
  };
  for (auto [Exception, In] : {std::pair("EXC_RESOURCE", Group::MachResource),
                               std::pair("EXC_GUARD", Group::MachGuard)})
    if (Name == Exception && !nameOf(In, Type).empty())
      return Name + " / " + nameOf(In, Type).str() + " / " + Parameter(1) +
             " / " + Parameter(2);
  return Name + " / " + hex(E.Flags);
}

/// The description of the exception \p Code; empty if it has none.
static StringRef windowsWords(uint32_t Code) {
  switch (Code) {
  case 0xe0000008:
    return "Out of Memory";
  case 0xe06d7363:
    return "Unhandled C++ Exception";
  case 0x0517a7ed:
    return "Simulated Exception";
  default:
    return "";
  }
}

static std::string windowsReason(const MinidumpException &E) {
  if (StringRef Words = windowsWords(E.Code); !Words.empty())
    return Words.str();
  std::string Name = nameOf(Group::WindowsException, E.Code).str();
  ArrayRef<uint64_t> Parameters = E.Parameters;
  StringRef Access =
      Parameters.empty() ? "" : nameOf(Group::WindowsAccess, Parameters[0]);
  if (Name == "EXCEPTION_ACCESS_VIOLATION" && !Access.empty())
    return Name + "_" + Access.str();
  if (Name == "EXCEPTION_IN_PAGE_ERROR" && !Access.empty() &&
      Parameters.size() >= 3)
    return Name + "_" + Access.str() + " / " +
           nameOrNumber(Group::WindowsStatus, uint32_t(Parameters[2]));
  if (!Name.empty())
    return Name;
  // STATUS_STACK_BUFFER_OVERRUN, which __fastfail raises.
  if (E.Code == 0xc0000409 && !Parameters.empty())
    return "EXCEPTION_STACK_BUFFER_OVERRUN / " +
           nameOrNumber(Group::WindowsFastFail, uint32_t(Parameters[0]));
  Name = nameOf(Group::WindowsStatus, E.Code).str();
  return Name.empty() ? "unknown " + hex(E.Code) : Name;
}

std::string crashReason(const MinidumpException &E,
                        const MinidumpSystem &System) {
  std::string Reason;
  if (System.isLinux())
    Reason = linuxReason(E);
  else if (System.isApple())
    Reason = machReason(E, System.CPU);
  else if (System.OS == MinidumpOS::Windows)
    Reason = windowsReason(E);
  if (Reason.empty())
    return "unknown " + hex(E.Code) + " / " + hex(E.Flags);
  return Reason;
}

} // namespace lidia
