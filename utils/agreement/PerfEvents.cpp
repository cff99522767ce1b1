//===- PerfEvents.cpp - The events of a recording, one by one -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Prints each sample of a perf recording, in order of time, for
/// compare-with-perf-script.py, because a profile has only their sums.
///
///     lidia-perf-events [--sysroot=FOLDER] [--store=STORE] perf.data
///
/// A sample is a line "E", comm, pid, tid, time, period and event. Each frame
/// is a line "F", the runtime address, whether it is a return address (1 or 0),
/// the offset in the file, the file and the function. Fields are separated by
/// tabs.
///
//===----------------------------------------------------------------------===//

#include "Profile/PerfDataReader.h"
#include "lidia/Cache/Cache.h"
#include "lidia/Profile/ProfileSymbolizer.h"
#include "lidia/Store/SymbolStore.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace lidia;
using namespace llvm;

namespace {
struct PrintedEvent {
  std::string Line;
  std::vector<PerfDataReader::Frame> Stack;
};

class Observer final : public ConvertObserver {
public:
  void warning(const Twine &Message) override {
    WithColor::warning() << Message << '\n';
  }
  void progress(StringRef, uint64_t, uint64_t) override {}
};
} // namespace

static void printFrame(const Profile &P, const PerfDataReader::Frame &F) {
  const Profile::Location &L = P.Locations[F.Location];
  uint64_t Offset = F.Address;
  StringRef File;
  if (L.Mapping != Profile::None) {
    const Profile::Mapping &M = P.Mappings[L.Mapping];
    File = P.Strings[M.File];
    Offset = F.Address - M.Start + M.Offset;
  }
  StringRef Function;
  if (L.LineCount != 0)
    Function = P.Strings[P.Functions[P.lines(L).back().Function].SystemName];
  outs() << "F\t" << format_hex_no_prefix(F.Address, 1) << '\t'
         << F.IsReturnAddress << '\t' << format_hex_no_prefix(Offset, 1) << '\t'
         << File << '\t' << Function << '\n';
}

static Error printEvents(StringRef Path, StringRef Root, StringRef Store) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return errorCodeToError(Buffer.getError());
  Observer Messages;
  auto Warn = [&](const Twine &Message) { Messages.warning(Message); };
  SymbolSources Sources;
  Sources.Root = Root.str();
  ModuleArchivesOptions &Options = Sources.Archives;
  if (!Store.empty())
    if (Error E =
            openArchiveSource(Store, Options.Open).moveInto(Options.Store))
      return E;
  Cache C;
  Expected<std::unique_ptr<ModuleResolver>> Modules =
      ModuleResolver::create(std::move(Sources), C, Messages);
  if (!Modules)
    return Modules.takeError();

  Expected<PerfFile> File = PerfFile::open(**Buffer, Warn);
  if (!File)
    return File.takeError();
  ProfileReadOptions Reading;
  Reading.Modules = Modules->get();
  PerfDataReader Reader(std::move(*File), Path, Reading, Warn);
  std::vector<PrintedEvent> Events;
  Reader.Visit = [&](const PerfDataReader::Event &E) {
    std::string Line;
    raw_string_ostream OS(Line);
    OS << "E\t" << E.Comm << '\t' << int32_t(E.Who.PID) << '\t'
       << int32_t(E.Who.TID) << '\t' << E.Who.Time << '\t' << E.Period << '\t'
       << E.Name;
    OS.flush();
    Events.push_back({std::move(Line), E.Stack.vec()});
  };
  Expected<Profile> P = Reader.read();
  if (!P)
    return P.takeError();
  symbolizeProfile(*P, **Modules, ProfileSymbolizerOptions());
  for (const PrintedEvent &E : Events) {
    outs() << E.Line << '\n';
    for (const PerfDataReader::Frame &F : E.Stack)
      printFrame(*P, F);
  }
  return (*Modules)->archives().damage();
}

int main(int argc, char **argv) {
  InitLLVM Init(argc, argv);
  StringRef Root;
  StringRef Store;
  StringRef Path;
  for (int I = 1; I != argc; ++I) {
    StringRef Argument = argv[I];
    if (Argument.consume_front("--sysroot="))
      Root = Argument;
    else if (Argument.consume_front("--store="))
      Store = Argument;
    else
      Path = Argument;
  }
  if (Error E = printEvents(Path, Root, Store)) {
    WithColor::error() << toString(std::move(E)) << '\n';
    return 1;
  }
  return 0;
}
