//===- BinaryInput.cpp - Binaries in place of archives --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryInput.h"
#include "Object/Binary.h"
#include "Object/ObjectArchive.h"
#include "lidia/Error.h"
#include "lidia/Object/FileKind.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <sys/mman.h>

using namespace llvm;

namespace lidia {

bool isBinary(StringRef Path) {
  if (isInsideFile(Path))
    return true;
  Expected<std::string> File = binaryFile(Path);
  if (!File) {
    consumeError(File.takeError());
    return true;
  }
  FileKind Kind = fileKindOf(*File);
  return isObjectFile(Kind) || isSymbolFile(Kind) ||
         (isCompressed(Kind) && isPackedBinary(*File));
}

/// A file without a name. Returns -1 and sets errno on failure.
static int openUnnamed() {
  SmallString<64> Folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Folder);
  int FD = ::open(Folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  return FD >= 0 ? FD : ::memfd_create("lidia-input", MFD_CLOEXEC);
}

Expected<std::string> readableTwice(StringRef Given) {
  std::string Path = Given == "-" ? "/dev/stdin" : Given.str();
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) ||
      (Status.type() != sys::fs::file_type::fifo_file &&
       Status.type() != sys::fs::file_type::socket_file))
    return Path;
  int FD = openUnnamed();
  std::error_code EC =
      FD < 0 ? errnoAsErrorCode() : sys::fs::copy_file(Path, FD);
  if (EC)
    return make_error<SystemError>(EC, Given);
  return "/proc/self/fd/" + std::to_string(FD);
}

} // namespace lidia
