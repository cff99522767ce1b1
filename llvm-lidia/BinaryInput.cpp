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
#include "lidia/Store/OpenArchive.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

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

/// Copies what can be read from \p From to \p To.
static std::error_code copyAll(int From, int To) {
  raw_fd_ostream OS(To, /*shouldClose=*/false, /*unbuffered=*/true);
  std::vector<char> Buffer(size_t(1) << 20);
  Expected<size_t> Size = 0;
  while ((Size = sys::fs::readNativeFile(From, Buffer)) && *Size != 0)
    OS.write(Buffer.data(), *Size);
  std::error_code EC = OS.error();
  OS.clear_error();
  return Size ? EC : errorToErrorCode(Size.takeError());
}

Expected<std::string> readableTwice(StringRef Given) {
  bool IsStandardInput = Given == "-";
  std::string Path = IsStandardInput ? "/dev/stdin" : Given.str();
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) ||
      (Status.type() != sys::fs::file_type::fifo_file &&
       Status.type() != sys::fs::file_type::socket_file))
    return Path;
  // A socket cannot be opened by its path.
  int From = IsStandardInput ? STDIN_FILENO
                             : ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  int To = From < 0 ? -1 : openUnnamed();
  std::error_code EC = To < 0 ? errnoAsErrorCode() : copyAll(From, To);
  if (!IsStandardInput && From >= 0)
    ::close(From);
  if (EC)
    return make_error<SystemError>(EC, Given);
  return "/proc/self/fd/" + std::to_string(To);
}

Expected<Archive> openGivenArchive(StringRef Where) {
  Expected<Archive> A = openWholeArchiveAt(Where);
  if (A)
    return A;
  Error E = A.takeError();
  if (!E.isA<NotAnArchiveError>() || isURL(Where) || !isBinary(Where))
    return E;
  consumeError(std::move(E));
  return make_error<NotAnArchiveError>(
      Where, "is a binary, not an archive (llvm-lidia create makes one)");
}

} // namespace lidia
