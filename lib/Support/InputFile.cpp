//===- InputFile.cpp - Input files that can be read whole -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputFile.h"
#include "lidia/Error.h"
#include "llvm/Support/Errno.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace lidia;
using namespace llvm;

static Error notRegular(StringRef Path, bool IsFolder) {
  if (IsFolder)
    return make_error<SystemError>(
        std::make_error_code(std::errc::is_a_directory), Path);
  return make_error<ArgumentError>(Path, "not a regular file");
}

Expected<sys::fs::file_t> lidia::openRegularFile(StringRef Path) {
  std::string Name = Path.str();
  struct stat Status;
  if (::stat(Name.c_str(), &Status))
    return make_error<SystemError>(errnoAsErrorCode(), Path);
  if (!S_ISREG(Status.st_mode))
    return notRegular(Path, S_ISDIR(Status.st_mode));
  // The file may have been replaced by a pipe in the meantime.
  int FD = sys::RetryAfterSignal(-1, ::open, Name.c_str(),
                                 O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (FD < 0)
    return make_error<SystemError>(errnoAsErrorCode(), Path);
  if (::fstat(FD, &Status) == 0 && S_ISREG(Status.st_mode))
    return FD;
  ::close(FD);
  return notRegular(Path, S_ISDIR(Status.st_mode));
}

Expected<std::unique_ptr<MemoryBuffer>> lidia::readRegularFile(StringRef Path) {
  Expected<sys::fs::file_t> File = openRegularFile(Path);
  if (!File)
    return File.takeError();
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getOpenFile(
      *File, Path, /*FileSize=*/-1, /*RequiresNullTerminator=*/false);
  sys::fs::closeFile(*File);
  if (!Buffer)
    return make_error<SystemError>(Buffer.getError(), Path);
  return std::move(*Buffer);
}
