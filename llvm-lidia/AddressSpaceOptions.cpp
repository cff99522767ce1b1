//===- AddressSpaceOptions.cpp - Options for address spaces ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressSpaceOptions.h"
#include "Support/InputFile.h"

using namespace llvm;

namespace lidia {

AddressSpaceOptions readAddressSpaceOptions(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  AddressSpaceOptions O;
  if (Args.hasArg(OPT_pid_EQ))
    O.PID = Line.number(OPT_pid_EQ, 0);
  O.Maps = Args.getLastArgValue(OPT_maps_EQ).str();
  O.Core = Args.getLastArgValue(OPT_core_EQ).str();
  O.MaxMemory = Line.size(OPT_max_memory_EQ, O.MaxMemory);
  O.Minidump = Args.getLastArgValue(OPT_minidump_EQ).str();
  SmallVector<StringRef, 4> Given;
  for (const auto &[Name, IsGiven] : {std::pair("--pid", O.PID.has_value()),
                                      {"--core", !O.Core.empty()},
                                      {"--minidump", !O.Minidump.empty()},
                                      {"--maps", !O.Maps.empty()}})
    if (IsGiven)
      Given.push_back(Name);
  if (Given.size() > 1)
    Line.fail(join(Given, " and ") + " cannot be combined");
  return O;
}

KernelInput readKernelInput(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  KernelInput K;
  K.IsRunning = Args.hasArg(OPT_kernel);
  K.Kallsyms = Args.getLastArgValue(OPT_kallsyms_EQ).str();
  K.Modules = Args.getLastArgValue(OPT_kernel_modules_EQ).str();
  K.VMLinux = Args.getLastArgValue(OPT_vmlinux_EQ).str();
  if (K.Kallsyms.empty() && !K.Modules.empty())
    Line.fail("--kernel-modules needs --kallsyms");
  return K;
}

static Expected<KernelSymbols> readKernelSymbols(const KernelInput &K,
                                                 WarningFunction Warn) {
  if (K.Kallsyms.empty())
    return KernelSymbols::ofThisSystem(Warn);
  Expected<std::unique_ptr<MemoryBuffer>> Kallsyms = readText(K.Kallsyms);
  if (!Kallsyms)
    return Kallsyms.takeError();
  std::unique_ptr<MemoryBuffer> Modules;
  if (!K.Modules.empty()) {
    Expected<std::unique_ptr<MemoryBuffer>> Text = readText(K.Modules);
    if (!Text)
      return Text.takeError();
    Modules = std::move(*Text);
  }
  return KernelSymbols::parse(std::move(*Kallsyms), std::move(Modules), Warn);
}

KernelOptions kernelOptions(const KernelInput &K, const AddressSpace &Space,
                            std::function<void(const Twine &)> Warn) {
  KernelOptions O;
  O.VMLinux = K.VMLinux;
  O.BuildID = Space.mappings().kernelBuildID().vec();
  if (K.Kallsyms.empty() && K.IsRunning && O.BuildID.empty())
    O.BuildID = runningKernelBuildID();
  if (!K.isSet())
    return O;
  O.Symbols = [K, Warn]() -> std::shared_ptr<const KernelSymbols> {
    Expected<KernelSymbols> Symbols = readKernelSymbols(K, Warn);
    if (Symbols)
      return std::make_shared<const KernelSymbols>(std::move(*Symbols));
    Warn(toString(Symbols.takeError()));
    return nullptr;
  };
  return O;
}

Expected<std::unique_ptr<MemoryBuffer>> readText(StringRef Path) {
  // A device may be endless.
  if (isDevice(Path))
    return createStringError(Path + " is a device");
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text =
      MemoryBuffer::getFileAsStream(Path);
  if (!Text)
    return createStringError(Text.getError(),
                             Path + ": " + Text.getError().message());
  return std::move(*Text);
}

Expected<std::unique_ptr<AddressSpace>>
openAddressSpace(const AddressSpaceOptions &O, ModuleResolver &Modules,
                 WarningFunction Warn) {
  if (O.PID) {
    Expected<std::unique_ptr<AddressSpace>> Space =
        AddressSpace::ofProcess(*O.PID, Warn);
    if (Space)
      (*Space)->searchWith(Modules.files());
    return Space;
  }
  if (!O.Minidump.empty())
    return MinidumpSpace::open(O.Minidump, Modules, Warn);
  if (!O.Core.empty())
    return CoreFile::open(O.Core, {&Modules.files(), O.MaxMemory}, Warn);
  if (O.Maps.empty())
    return AddressSpace::ofNothing();
  Expected<std::unique_ptr<MemoryBuffer>> Text = readText(O.Maps);
  if (!Text)
    return Text.takeError();
  return AddressSpace::ofMaps((*Text)->getBuffer(), O.Maps, &Modules.files(),
                              Warn);
}

Expected<std::shared_ptr<const PerfMap>>
openPerfMap(StringRef Path, const AddressSpace &Space, WarningFunction Warn) {
  if (Path.empty())
    return std::shared_ptr<const PerfMap>(Space.findPerfMap(Warn));
  Expected<std::unique_ptr<MemoryBuffer>> Text = readText(Path);
  if (!Text)
    return Text.takeError();
  return std::make_shared<const PerfMap>(std::move(*Text), Warn);
}

} // namespace lidia
