//===- CachedIndex.cpp - Debug files with an index, in the cache ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Index/CachedIndex.h"
#include "lidia/Error.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>

using namespace llvm;

namespace lidia {

static constexpr char Extension[] = ".debug";

static Expected<CacheKey> keyOf(StringRef Path) {
  sys::fs::file_status Status;
  if (std::error_code EC = sys::fs::status(Path, Status))
    return make_error<SystemError>(EC, Path);
  if (!sys::fs::is_regular_file(Status))
    return make_error<UnsupportedError>(Path, "not a regular file");
  SmallString<256> Full(Path);
  if (std::error_code EC = sys::fs::make_absolute(Full))
    return make_error<SystemError>(EC, Path);
  CacheKey Key("indexed-dwarf");
  // The version of the index format.
  Key.add(1)
      .add(Full)
      .add(Status.getSize())
      .add(Status.getUniqueID().getFile());
  Key.add(Status.getLastModificationTime().time_since_epoch().count());
  return Key;
}

Expected<CachedFile> cachedIndexed(Cache &C, StringRef Path, unsigned Threads,
                                   function_ref<void(StringRef Message)> Warn) {
  auto Start = std::chrono::steady_clock::now();
  Expected<CacheKey> Key = keyOf(Path);
  if (!Key)
    return Key.takeError();
  auto Write = [&](raw_ostream &OS) -> Error {
    IndexOptions Options;
    Options.Threads = Threads;
    Options.Unpack = true;
    Options.AllUnits = true;
    Expected<std::unique_ptr<IndexedFile>> File =
        IndexedFile::read(Path, Options, Warn);
    if (!File)
      return File.takeError();
    if ((*File)->counts().SplitUnits)
      return make_error<UnsupportedError>(
          Path, "debuggers look for its .dwo files and its package beside it "
                "only, so a copy cannot take its place (llvm-lidia index "
                "--in-place changes the file itself)");
    return (*File)->write(OS);
  };
  CachedFile Indexed;
  if (Error E =
          C.get(*Key, Extension, Write, &Indexed.Made).moveInto(Indexed.Path))
    return E;
  std::chrono::duration<double> Seconds =
      std::chrono::steady_clock::now() - Start;
  Indexed.Seconds = Seconds.count();
  return Indexed;
}

std::optional<std::string> findCachedIndexed(Cache &C, StringRef Path) {
  Expected<CacheKey> Key = keyOf(Path);
  if (Key)
    return C.find(*Key, Extension);
  consumeError(Key.takeError());
  return std::nullopt;
}

} // namespace lidia
