//===- TemporaryMapping.cpp - An unnamed mapped file ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryMapping.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

static Error lastError(const Twine &What) {
  std::error_code EC = errnoAsErrorCode();
  return createStringError(EC, What + ": " + EC.message());
}

Error temporaryFileError(std::error_code EC) {
  SmallString<128> Folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Folder);
  return createStringError(
      EC, "cannot make a temporary file in " + Folder + ": " + EC.message() +
              " (set TMPDIR to a folder that is writable)");
}

Expected<std::unique_ptr<TemporaryMapping>> TemporaryMapping::create() {
  SmallString<128> Path;
  int FD;
  if (std::error_code EC =
          sys::fs::createTemporaryFile("lidia", "section", FD, Path))
    return temporaryFileError(EC);
  sys::fs::remove(Path);
  return std::unique_ptr<TemporaryMapping>(new TemporaryMapping(FD));
}

TemporaryMapping::~TemporaryMapping() { ::close(FD); }

Error TemporaryMapping::append(ArrayRef<uint8_t> Bytes) {
  while (!Bytes.empty()) {
    ssize_t Written =
        sys::RetryAfterSignal(-1, ::write, FD, Bytes.data(), Bytes.size());
    if (Written <= 0)
      return lastError("cannot write a temporary file (set TMPDIR?)");
    Size += Written;
    Bytes = Bytes.drop_front(Written);
  }
  return Error::success();
}

Error TemporaryMapping::map() {
  if (!Size)
    return Error::success();
  std::error_code EC;
  Region = sys::fs::mapped_file_region(
      FD, sys::fs::mapped_file_region::readonly, Size, 0, EC);
  if (EC)
    return createStringError(EC,
                             "cannot map a temporary file: " + EC.message());
  return Error::success();
}

StringRef TemporaryMapping::contents() const {
  return Size ? StringRef(Region.const_data(), Size) : StringRef();
}

void releasePages(StringRef Part) {
  static const uintptr_t PageSize = sys::Process::getPageSizeEstimate();
  uintptr_t Start = reinterpret_cast<uintptr_t>(Part.begin());
  uintptr_t End = reinterpret_cast<uintptr_t>(Part.end());
  Start = (Start + PageSize - 1) / PageSize * PageSize;
  End = End / PageSize * PageSize;
  if (Start < End)
    ::madvise(reinterpret_cast<void *>(Start), End - Start, MADV_DONTNEED);
}

} // namespace lidia
