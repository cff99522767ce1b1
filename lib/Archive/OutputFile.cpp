//===- OutputFile.cpp - Files that are written whole or not at all --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

using WriteFunction = function_ref<Error(raw_ostream &)>;

static Error fileError(StringRef Path, std::error_code EC) {
  return createStringError(EC, Path + ": " + EC.message());
}

/// Writes with \p Write to \p OS. A stream that is destroyed with an error on
/// it ends the process, so the error is taken off it.
static Error writeTo(raw_fd_ostream &OS, StringRef Path, WriteFunction Write) {
  Error E = Write(OS);
  OS.flush();
  if (std::error_code EC = OS.error()) {
    OS.clear_error();
    if (!E)
      return joinErrors(std::move(E), fileError(Path, EC));
  }
  return E;
}

/// Where a file at \p Path really is, so that a symbolic link stays one.
static std::string resolveLink(StringRef Path) {
  SmallString<256> Real;
  if (sys::fs::is_symlink_file(Path) && !sys::fs::real_path(Path, Real))
    return std::string(Real);
  return Path.str();
}

static Error writeDirectly(StringRef Path, WriteFunction Write) {
  std::error_code EC;
  raw_fd_ostream OS(Path, EC);
  return EC ? fileError(Path, EC) : writeTo(OS, Path, Write);
}

Error writeOutputFile(StringRef Path, WriteFunction Write) {
  sys::fs::file_status Status;
  bool Exists = !sys::fs::status(Path, Status);
  if (Path == "-" || (Exists && !sys::fs::is_regular_file(Status)))
    return writeDirectly(Path, Write);

  std::string Target = resolveLink(Path);
  Expected<sys::fs::TempFile> Temporary =
      sys::fs::TempFile::create(Target + ".tmp-%%%%%%%%");
  if (!Temporary)
    return fileError(Path, errorToErrorCode(Temporary.takeError()));
  Error E = [&] {
    raw_fd_ostream OS(Temporary->FD, /*shouldClose=*/false);
    return writeTo(OS, Path, Write);
  }();
  if (E) {
    consumeError(Temporary->discard());
    return E;
  }
  if (Error Renamed = Temporary->keep(Target))
    return fileError(Path, errorToErrorCode(std::move(Renamed)));
  return Error::success();
}

} // namespace lidia
