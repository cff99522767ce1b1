//===- CacheAdd.cpp - Adds an entry to the cache --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheAdd.h"
#include "CacheOptions.h"
#include "ContentOptions.h"
#include "HelperProgram.h"
#include "Object/BinaryIdentity.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "lidia/Cache/CachedFiles.h"
#include "lidia/Index/CachedIndex.h"
#include "lidia/Modules/CachedArchive.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

AddRequest readAddRequest(CommandLine &Line, StringRef Binary) {
  AddRequest R;
  R.Binary = Binary.str();
  keepAllForLookup(R.Options);
  readContentOptions(Line, R.Options);
  readSourceOptions(Line, R.Options);
  R.Statistics = Line.args().hasArg(OPT_statistics);
  R.Quiet = Line.args().hasArg(OPT_quiet);
  R.OrTemporary = Line.args().hasArg(OPT_or_temporary);
  R.EndWith = Line.number(OPT_end_with_EQ, 0);
  return R;
}

void refuseAddOptions(CommandLine &Line) {
  for (const opt::Arg *A : Line.args())
    if (!A->getOption().matches(OPT_cache_dir_EQ) &&
        !A->getOption().matches(OPT_policy_EQ) &&
        !A->getOption().matches(OPT_format_EQ) &&
        !A->getOption().matches(OPT_UNKNOWN) &&
        !A->getOption().matches(OPT_INPUT))
      Line.fail(A->getSpelling() + " applies to llvm-lidia cache add only");
}

static void print(const AddRequest &R, const CachedFile &File, bool IsPrivate) {
  outs() << File.Path << '\n';
  if (!R.Statistics)
    return;
  uint64_t Size = 0;
  (void)sys::fs::file_size(File.Path, Size);
  outs() << Size << " bytes, "
         << (IsPrivate   ? "made outside the cache"
             : File.Made ? "made"
                         : "found in the cache")
         << " in " << llvm::format("%.3f", File.Seconds) << " s\n";
}

/// Calls \p Make to make or find an entry, and prints the entry's path.
static Error
addEntry(StringRef Folder, const AddRequest &R, StringRef What,
         function_ref<Expected<CachedFile>(Cache &, Progress &)> Make) {
  if (R.EndWith && !endWithParent(pid_t(R.EndWith)))
    return createStringError("--end-with=: this was not started by process " +
                             Twine(R.EndWith) + ", or that has ended");
  Progress Observer(R.Quiet);
  CommandCache C({Folder.str(), /*UseCache=*/true}, Observer);
  Expected<CachedFile> File = Make(C, Observer);
  if (!File)
    return File.takeError();
  bool IsPrivate = C.isPrivate(File->Path);
  if (IsPrivate) {
    std::string NotKept = R.Binary + ": its " + What.str() +
                          " is not kept, because the cache " +
                          C.folder().str() +
                          " cannot be used (name another one with "
                          "--cache-dir= or LIDIA_CACHE_DIR)";
    // The cache object removes the temporary file.
    if (!R.OrTemporary)
      return createStringError(NotKept);
    Observer.warning(NotKept);
    C.releasePrivate(File->Path);
  }
  print(R, *File, IsPrivate);
  return Error::success();
}

Error addToCache(StringRef Folder, const AddRequest &R) {
  return addEntry(Folder, R, "archive", [&](Cache &C, Progress &Observer) {
    return cachedArchive(C, R.Binary, R.Options, Observer);
  });
}

Error addIndexToCache(StringRef Folder, const AddRequest &R) {
  unsigned Threads = R.Options.Threads
                         ? R.Options.Threads
                         : hardware_concurrency().compute_thread_count();
  return addEntry(Folder, R, "copy", [&](Cache &C, Progress &Observer) {
    return cachedIndexed(C, R.Binary, Threads,
                         [&](StringRef Message) { Observer.warning(Message); });
  });
}

static Expected<Archive> archiveToExport(Cache &C, const AddRequest &R,
                                         Progress &Observer) {
  if (R.Archive.empty())
    return openCachedArchive(C, R.Binary, R.Options, Observer);
  Expected<Archive> A = Archive::open(R.Archive);
  if (!A)
    return A.takeError();
  // Otherwise LLDB would not ask for the result.
  Expected<std::unique_ptr<Binary>> Opened = openBinaryOfArchive(
      R.Binary, A->info() ? A->info()->BuildID : ArrayRef<uint8_t>());
  if (!Opened)
    return Opened.takeError();
  return A;
}

Error addExportToCache(StringRef Folder, const AddRequest &R) {
  auto Add = [&](Cache &C, Progress &Observer) -> Expected<CachedFile> {
    Expected<Archive> A = archiveToExport(C, R, Observer);
    if (!A)
      return A.takeError();
    return cachedDWARFForLLDB(C, *A, R.Binary);
  };
  return addEntry(Folder, R, "export", Add);
}

} // namespace lidia
