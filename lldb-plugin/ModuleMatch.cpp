//===- ModuleMatch.cpp - Finds an archive's module ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleMatch.h"
#include "Object/BinaryIdentity.h"
#include "ReplaceModule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace lidia {

std::string pathOf(lldb::SBFileSpec File) {
  SmallString<256> Path(StringRef(File.GetDirectory()));
  sys::path::append(Path, StringRef(File.GetFilename()));
  return Path.str().str();
}

std::string modulePath(lldb::SBModule Module) {
  std::string Path = pathOf(Module.GetFileSpec());
  return originalOfCopy(Path).value_or(Path);
}

static StringRef moduleName(lldb::SBModule Module) {
  return Module.GetFileSpec().GetFilename();
}

std::string buildIDOf(lldb::SBModule Module) {
  const char *UUID = Module.GetUUIDString();
  std::string Digits = StringRef(UUID).lower();
  erase(Digits, '-');
  return Digits;
}

/// Empty for an archive without a build ID.
static std::string buildID(const Archive &A) {
  return A.info() ? toHex(A.info()->BuildID, /*LowerCase=*/true) : "";
}

/// The machines that a module of triple \p T may be for. Empty if unknown.
static SmallVector<uint16_t, 2> machinesOf(const Triple &T) {
  switch (T.getArch()) {
  case Triple::x86:
    return {ELF::EM_386};
  case Triple::x86_64:
    return {ELF::EM_X86_64};
  case Triple::arm:
  case Triple::armeb:
  case Triple::thumb:
  case Triple::thumbeb:
    return {ELF::EM_ARM};
  case Triple::aarch64:
  case Triple::aarch64_be:
  case Triple::aarch64_32:
    return {ELF::EM_AARCH64};
  case Triple::ppc:
  case Triple::ppcle:
    return {ELF::EM_PPC};
  case Triple::ppc64:
  case Triple::ppc64le:
    return {ELF::EM_PPC64};
  case Triple::riscv32:
  case Triple::riscv64:
    return {ELF::EM_RISCV};
  case Triple::mips:
  case Triple::mipsel:
  case Triple::mips64:
  case Triple::mips64el:
    return {ELF::EM_MIPS};
  case Triple::systemz:
    return {ELF::EM_S390};
  case Triple::loongarch32:
  case Triple::loongarch64:
    return {ELF::EM_LOONGARCH};
  default:
    return {};
  }
}

static bool sameArchitecture(const ArchiveInfo &Info, const Triple &T) {
  SmallVector<uint16_t, 2> Machines = machinesOf(T);
  if (Machines.empty())
    return true;
  return is_contained(Machines, Info.Machine) &&
         (Info.Class == ELF::ELFCLASS64) == T.isArch64Bit() &&
         (Info.Data == ELF::ELFDATA2LSB) == T.isLittleEndian();
}

/// Anybody can copy a build ID, but not the code. The module's file may be on
/// another machine, or have no code, like a debug file.
static Error checkIdentity(const ArchiveInfo &Info, const Archive &A,
                           const std::string &Path) {
  if (!hasOtherIdentity(Path, Info, Info.BuildID))
    return Error::success();
  return createStringError(
      A.name() + ": made from another binary than " + Path +
      ", whose code differs" +
      (Info.BuildID.empty() ? "" : " though it has the same build ID"));
}

Error checkMatch(const Archive &A, lldb::SBModule Module) {
  const ArchiveInfo *Info = A.info();
  if (!Info)
    return Error::success();
  std::string ID = buildID(A);
  if (!ID.empty() && ID != buildIDOf(Module))
    return createStringError(A.name() + ": made from a binary with build ID " +
                             ID + ", but " + modulePath(Module) +
                             " has build ID " + buildIDOf(Module));
  Triple T(Module.GetTriple());
  if (!sameArchitecture(*Info, T))
    return createStringError(
        A.name() + ": made from a binary for " +
        ELF::convertEMachineToArchName(Info->Machine) + " (" +
        (Info->Class == ELF::ELFCLASS64 ? "64" : "32") + "-bit, " +
        (Info->Data == ELF::ELFDATA2LSB ? "little" : "big") + "-endian), but " +
        modulePath(Module) + " is for " + T.getArchName());
  return checkIdentity(*Info, A, modulePath(Module));
}

/// The only module of \p Target that satisfies \p Matches; an invalid one if
/// there is none.
static Expected<lldb::SBModule>
findOnly(const Archive &A, lldb::SBTarget Target,
         function_ref<bool(lldb::SBModule)> Matches) {
  lldb::SBModule Found;
  for (uint32_t I = 0, E = Target.GetNumModules(); I != E; ++I) {
    lldb::SBModule Module = Target.GetModuleAtIndex(I);
    if (Module == Found || !Matches(Module))
      continue;
    if (Found.IsValid())
      return createStringError(A.name() + ": it may belong to " +
                               modulePath(Found) + " or to " +
                               modulePath(Module) + ": name one with --shlib");
    Found = Module;
  }
  return Found;
}

static Expected<lldb::SBModule> findByName(const Archive &A,
                                           lldb::SBTarget Target) {
  StringRef Name = sys::path::filename(A.name());
  while (true) {
    Expected<lldb::SBModule> Module = findOnly(
        A, Target, [&](lldb::SBModule M) { return moduleName(M) == Name; });
    if (!Module || Module->IsValid())
      return Module;
    StringRef Shorter = sys::path::stem(Name);
    if (Shorter.empty() || Shorter == Name)
      return *Module;
    Name = Shorter;
  }
}

static Expected<lldb::SBModule>
findNamed(const Archive &A, lldb::SBTarget Target, StringRef Name) {
  Expected<lldb::SBModule> Module = findOnly(A, Target, [&](lldb::SBModule M) {
    return moduleName(M) == Name || modulePath(M) == Name;
  });
  if (Module && !Module->IsValid())
    return createStringError(A.name() + ": the target has no module '" + Name +
                             "'");
  return Module;
}

Expected<lldb::SBModule> findModuleOf(const Archive &A, lldb::SBTarget Target,
                                      StringRef Name) {
  lldb::SBModule Module;
  std::string ID = buildID(A);
  if (!Name.empty()) {
    if (Error E = findNamed(A, Target, Name).moveInto(Module))
      return E;
  } else if (!ID.empty()) {
    if (Error E = findOnly(A, Target, [&](lldb::SBModule M) {
                    return buildIDOf(M) == ID;
                  }).moveInto(Module))
      return E;
  }
  // A module with this name and another build ID allows a better message.
  if (!Module.IsValid())
    if (Error E = findByName(A, Target).moveInto(Module))
      return E;
  if (!Module.IsValid())
    return createStringError(
        A.name() + ": made from a binary that is not a module of the target" +
        (ID.empty()
             ? Twine(", judging by its name: name the module with --shlib")
             : Twine(" (build ID " + ID + ")")));
  if (Error E = checkMatch(A, Module))
    return E;
  return Module;
}

Expected<lldb::SBModule> findByBuildID(lldb::SBTarget Target,
                                       StringRef Digits) {
  std::string ID = Digits.lower();
  erase(ID, '-');
  for (uint32_t I = 0, E = Target.GetNumModules(); I != E; ++I)
    if (buildIDOf(Target.GetModuleAtIndex(I)) == ID && !ID.empty())
      return Target.GetModuleAtIndex(I);
  return createStringError("the target has no module with UUID '" + Digits +
                           "'");
}

Expected<std::vector<lldb::SBModule>>
chooseModules(lldb::SBTarget Target, ArrayRef<StringRef> Names,
              function_ref<bool(lldb::SBModule)> Unnamed) {
  std::vector<lldb::SBModule> Chosen;
  SmallVector<bool, 8> Used(Names.size());
  for (uint32_t I = 0, E = Target.GetNumModules(); I != E; ++I) {
    lldb::SBModule Module = Target.GetModuleAtIndex(I);
    bool Wanted = Names.empty() && Unnamed(Module);
    for (size_t N = 0; N != Names.size(); ++N)
      if (Names[N] == modulePath(Module) ||
          Names[N] == Module.GetFileSpec().GetFilename())
        Wanted = Used[N] = true;
    if (Wanted)
      Chosen.push_back(Module);
  }
  for (size_t N = 0; N != Names.size(); ++N)
    if (!Used[N])
      return createStringError("the target has no module '" + Names[N] + "'");
  return Chosen;
}

} // namespace lidia
