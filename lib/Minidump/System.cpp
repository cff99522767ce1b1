//===- System.cpp - The system and the process of a minidump --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MinidumpReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace llvm::minidump;

namespace lidia {

namespace {
/// The first fields of MINIDUMP_MISC_INFO.
struct MiscInfo {
  static constexpr uint32_t HasProcessID = 1;
  static constexpr uint32_t HasProcessTimes = 2;

  support::ulittle32_t Size;
  support::ulittle32_t Flags;
  support::ulittle32_t ProcessID;
  support::ulittle32_t ProcessCreateTime;
};
} // namespace

unsigned MinidumpSystem::addressSize() const {
  switch (CPU) {
  case MinidumpCPU::X86:
  case MinidumpCPU::Arm:
  case MinidumpCPU::PPC:
  case MinidumpCPU::SPARC:
  case MinidumpCPU::MIPS:
    return 4;
  case MinidumpCPU::X86_64:
  case MinidumpCPU::AArch64:
  case MinidumpCPU::PPC64:
  case MinidumpCPU::MIPS64:
    return 8;
  case MinidumpCPU::Unknown:
    return 0;
  }
  llvm_unreachable("no other CPU");
}

static MinidumpCPU cpuOf(ProcessorArchitecture A) {
  using PA = ProcessorArchitecture;
  switch (A) {
  case PA::X86:
  case PA::X86Win64:
    return MinidumpCPU::X86;
  case PA::AMD64:
    return MinidumpCPU::X86_64;
  case PA::ARM:
    return MinidumpCPU::Arm;
  case PA::ARM64:
  case PA::BP_ARM64:
    return MinidumpCPU::AArch64;
  case PA::PPC:
    return MinidumpCPU::PPC;
  case PA::BP_PPC64:
    return MinidumpCPU::PPC64;
  case PA::BP_SPARC:
    return MinidumpCPU::SPARC;
  case PA::MIPS:
    return MinidumpCPU::MIPS;
  case PA::BP_MIPS64:
    return MinidumpCPU::MIPS64;
  default:
    return MinidumpCPU::Unknown;
  }
}

static MinidumpOS osOf(OSPlatform P) {
  switch (P) {
  case OSPlatform::Win32Windows:
  case OSPlatform::Win32NT:
    return MinidumpOS::Windows;
  case OSPlatform::MacOSX:
    return MinidumpOS::MacOS;
  case OSPlatform::IOS:
    return MinidumpOS::IOS;
  case OSPlatform::Linux:
    return MinidumpOS::Linux;
  case OSPlatform::Solaris:
    return MinidumpOS::Solaris;
  case OSPlatform::Android:
    return MinidumpOS::Android;
  case OSPlatform::PS3:
    return MinidumpOS::PS3;
  case OSPlatform::NaCl:
    return MinidumpOS::NaCl;
  default:
    return MinidumpOS::Unknown;
  }
}

/// On Linux, Breakpad and Crashpad store no numbers, but "Linux 6.1.0-18-amd64
/// #1 SMP ... x86_64", which Breakpad follows with "GNU/Linux".
static void splitLinuxVersion(MinidumpSystem &System) {
  SmallVector<StringRef, 16> Words;
  StringRef(System.Build).split(Words, ' ');
  if (System.OS != MinidumpOS::Linux || System.Version != "0.0.0" ||
      Words.size() < 2 || Words[1] == "0.0.0")
    return;
  System.Version = Words[1].str();
  ArrayRef<StringRef> Rest = ArrayRef(Words).drop_front(2);
  // Drop the machine, which the CPU already says.
  Rest = Rest.drop_back(std::min<size_t>(1, Rest.size()));
  System.Build = join(Rest, " ");
}

static std::string cpuInfoOf(const SystemInfo &Info, MinidumpCPU CPU) {
  std::string Text;
  raw_string_ostream OS(Text);
  unsigned Level = Info.ProcessorLevel, Revision = Info.ProcessorRevision;
  if (CPU == MinidumpCPU::X86)
    OS << StringRef(Info.CPU.X86.VendorID, sizeof(Info.CPU.X86.VendorID))
       << ' ';
  if (CPU == MinidumpCPU::X86 || CPU == MinidumpCPU::X86_64)
    OS << "family " << Level << " model " << (Revision >> 8) << " stepping "
       << (Revision & 0xff);
  else if (CPU == MinidumpCPU::Arm)
    OS << "ARMv" << Level;
  return Text;
}

static void readMiscInfo(MinidumpReader &R, Minidump &To) {
  if (auto Info = R.first<MiscInfo>(StreamType::MiscInfo)) {
    if (Info->Flags & MiscInfo::HasProcessID)
      To.ProcessID = Info->ProcessID;
    if (Info->Flags & MiscInfo::HasProcessTimes)
      To.ProcessTime = Info->ProcessCreateTime;
    return;
  }
  for (StringRef Line : split(To.LinuxStatus, '\n')) {
    uint32_t ID = 0;
    if (Line.consume_front("Pid:") && !Line.trim().getAsInteger(10, ID))
      To.ProcessID = ID;
  }
}

void readSystem(MinidumpReader &R, Minidump &To) {
  To.LinuxStatus = R.textStream(StreamType::LinuxProcStatus);
  To.LinuxRelease = R.textStream(StreamType::LinuxLSBRelease);
  To.LinuxCPUInfo = R.textStream(StreamType::LinuxCPUInfo);
  readMiscInfo(R, To);
  auto Info = R.first<SystemInfo>(StreamType::SystemInfo);
  if (!Info) {
    R.warn("does not say which system it is from: registers cannot be read");
    return;
  }
  MinidumpSystem &System = To.System;
  System.Platform = uint32_t(OSPlatform(Info->PlatformId));
  System.OS = osOf(Info->PlatformId);
  System.CPU = cpuOf(Info->ProcessorArch);
  System.CPUCount = Info->NumberOfProcessors;
  System.CPUInfo = cpuInfoOf(*Info, System.CPU);
  System.Version = (Twine(Info->MajorVersion) + "." +
                    Twine(Info->MinorVersion) + "." + Twine(Info->BuildNumber))
                       .str();
  std::string Build = R.text(Info->CSDVersionRVA);
  System.Build = StringRef(Build).trim().str();
  splitLinuxVersion(System);
}

} // namespace lidia
