//===- AddToStore.cpp - Adds binaries and packages to a store -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// There are two passes. The first reads all inputs to find out which belong
/// together: files are mapped, binaries in packages are written to the work
/// folder, and stay there as long as there is space. The second makes archives,
/// and reads packages again for the binaries that did not stay.
///
//===----------------------------------------------------------------------===//

#include "lidia/Store/AddToStore.h"
#include "AddBatches.h"
#include "lidia/Error.h"
#include "lidia/Support/Interrupt.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Threading.h"

using namespace lidia;
using namespace llvm;

/// Fails if the store cannot be used at all. It need not exist or contain
/// anything yet, and the keys may allow only single objects.
static Error checkReachable(SymbolStore &Store) {
  if (!Store.isFar())
    return Error::success();
  return handleErrors(Store.any().takeError(),
                      [](std::unique_ptr<ErrorInfoBase> Info) -> Error {
                        if (Info->convertToErrorCode() ==
                            std::errc::permission_denied)
                          return Error::success();
                        return Error(std::move(Info));
                      });
}

Expected<AddStatistics> lidia::addToStore(SymbolStore &Store,
                                          ArrayRef<std::string> Inputs,
                                          const AddOptions &Options,
                                          AddObserver &Observer) {
  if (!sys::fs::is_directory(Options.WorkFolder))
    return make_error<ArgumentError>(Options.WorkFolder, "not a folder");
  if (Error E = checkReachable(Store))
    return E;
  unsigned Threads = Options.Conversion.Threads
                         ? Options.Conversion.Threads
                         : hardware_concurrency().compute_thread_count();
  AddState State(Store, Options, Observer);
  InterruptScope Scope([&] { return !State.isCancelled(); });
  OutputFileOptions Output;
  Output.RemoveOnSignals = Options.Conversion.Output.RemoveOnSignals;
  WorkFolder Folder(Options.WorkFolder, Options.MaxDisk, Output);
  std::vector<AddSource> Sources =
      findSources(Inputs, [&](Error E) { State.fail(std::move(E)); });
  auto Scanned = scanSources(Sources, Store, Options, Threads, Folder, State);
  addArchives(Scanned, Sources, Store.options().Layout, Options, Threads,
              Folder, State);
  if (State.isCancelled())
    return cancelledError("");
  return State.counts();
}
