//===- AddressSpaceOptions.cpp - Options for address spaces ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressSpaceOptions.h"
#include "Archive/InputFile.h"

using namespace llvm;

namespace lidia {

AddressSpaceOptions readAddressSpaceOptions(CommandLine &Line, StringRef Root) {
  const opt::InputArgList &Args = Line.args();
  AddressSpaceOptions O;
  if (Args.hasArg(OPT_pid_EQ))
    O.PID = Line.number(OPT_pid_EQ, 0);
  O.Maps = Args.getLastArgValue(OPT_maps_EQ).str();
  O.Core = Args.getLastArgValue(OPT_core_EQ).str();
  O.MaxMemory = Line.size(OPT_max_memory_EQ, O.MaxMemory);
  O.Minidump = Args.getLastArgValue(OPT_minidump_EQ).str();
  if (unsigned(O.PID.has_value()) + !O.Maps.empty() + !O.Core.empty() > 1)
    Line.fail("--pid, --maps and --core exclude each other");
  if (!O.Minidump.empty() && (O.PID || !O.Core.empty()))
    Line.fail("--minidump, --pid and --core exclude each other");
  O.Root = Args.getLastArgValue(OPT_sysroot_EQ,
                                O.Minidump.empty() ? Root : StringRef())
               .str();
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

Expected<std::optional<RootFolder>> openRoot(StringRef Path) {
  if (Path.empty())
    return std::nullopt;
  Expected<RootFolder> Root = RootFolder::open(Path);
  if (!Root)
    return Root.takeError();
  return std::optional<RootFolder>(std::move(*Root));
}

static Expected<std::vector<RootFolder>>
openFolders(ArrayRef<std::string> Paths) {
  std::vector<RootFolder> Folders;
  for (const std::string &Path : Paths) {
    Expected<RootFolder> Folder = RootFolder::open(Path);
    if (!Folder)
      return Folder.takeError();
    Folders.push_back(std::move(*Folder));
  }
  return Folders;
}

/// Opens a core or a minidump.
static Expected<std::unique_ptr<AddressSpace>>
openDump(const AddressSpaceOptions &O, std::optional<RootFolder> Root,
         WarningFunction Warn) {
  Expected<std::vector<RootFolder>> Folders = openFolders(O.Folders);
  if (!Folders)
    return Folders.takeError();
  if (!O.Minidump.empty()) {
    MinidumpOptions Options;
    if (Root)
      Options.Root.emplace(std::move(*Root));
    Options.Folders = std::move(*Folders);
    Options.FindBuildID = O.FindBuildID;
    Options.FindSymbolFile = O.FindSymbolFile;
    return MinidumpSpace::open(O.Minidump, std::move(Options), Warn);
  }
  CoreOptions Options;
  if (Root)
    Options.Root.emplace(std::move(*Root));
  Options.MaxMemory = O.MaxMemory;
  Options.Folders = std::move(*Folders);
  return CoreFile::open(O.Core, std::move(Options), Warn);
}

Expected<std::unique_ptr<AddressSpace>>
openAddressSpace(const AddressSpaceOptions &O, WarningFunction Warn) {
  if (O.PID)
    return AddressSpace::ofProcess(*O.PID, Warn);
  if (!O.isSet())
    return AddressSpace::ofNothing();
  Expected<std::optional<RootFolder>> Root = openRoot(O.Root);
  if (!Root)
    return Root.takeError();
  if (O.Maps.empty())
    return openDump(O, std::move(*Root), Warn);
  Expected<std::unique_ptr<MemoryBuffer>> Text = readText(O.Maps);
  if (!Text)
    return Text.takeError();
  return AddressSpace::ofMaps((*Text)->getBuffer(), O.Maps, std::move(*Root),
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
