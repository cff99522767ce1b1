//===- WholeInput.cpp - Reads a whole input -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WholeInput.h"
#include "BinaryInput.h"
#include "Support/InputFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include <unistd.h>

using namespace llvm;

namespace lidia {

Expected<std::unique_ptr<MemoryBuffer>> readWholeInput(StringRef Path) {
  // A device may be endless.
  if (Path != "-" && isDevice(Path))
    return createStringError(Path + " is a device");
  // The memory of a large file can be dropped and read again, unlike a pipe's.
  Expected<std::string> File = readableTwice(Path);
  if (!File)
    return File.takeError();
  // Whoever opened a file for standard input may have had other rights.
  bool IsOpen = *File == "/dev/stdin";
  if (Path == "-")
    Path = "standard input";
  int FD = STDIN_FILENO;
  if (std::error_code EC =
          IsOpen ? std::error_code() : sys::fs::openFileForRead(*File, FD))
    return createStringError(EC, Path + ": " + EC.message());
  auto Close = make_scope_exit([&] {
    if (!IsOpen)
      ::close(FD);
  });
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      MemoryBuffer::getOpenFile(FD, Path, /*FileSize=*/-1,
                                /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return createStringError(Buffer.getError(),
                             Path + ": " + Buffer.getError().message());
  if ((*Buffer)->getBufferSize() == 0)
    return createStringError(Path + ": is empty");
  return std::move(*Buffer);
}

} // namespace lidia
