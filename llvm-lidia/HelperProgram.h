//===- HelperProgram.h - Our other programs and files for them --*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_HELPERPROGRAM_H
#define LLVM_LIDIA_HELPERPROGRAM_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace lidia {

/// The program \p Name beside this one, where both are installed.
inline llvm::SmallString<128> helperProgram(llvm::StringRef Name) {
  static int Here;
  llvm::SmallString<128> Path(llvm::sys::fs::getMainExecutable(nullptr, &Here));
  llvm::sys::path::remove_filename(Path);
  llvm::sys::path::append(Path, Name);
  return Path;
}

/// Has SIGTERM end this process when the process \p Parent, which started it,
/// ends. Called first thing by a helper program; returns false when the parent
/// is gone already.
inline bool endWithParent(pid_t Parent) {
  return ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && ::getppid() == Parent;
}

/// An empty temporary file to talk to another program through, gone with this
/// object or when a signal ends the process.
class HelperFile {
public:
  explicit HelperFile(llvm::StringRef Suffix)
      : Failure(
            llvm::sys::fs::createTemporaryFile("llvm-lidia", Suffix, Path)) {
    if (!Failure)
      llvm::sys::RemoveFileOnSignal(Path);
  }
  ~HelperFile() {
    if (Failure)
      return;
    llvm::sys::fs::remove(Path);
    llvm::sys::DontRemoveFileOnSignal(Path);
  }
  HelperFile(const HelperFile &) = delete;
  HelperFile &operator=(const HelperFile &) = delete;

  /// Of std::errc, when there is no file.
  llvm::Error error() const {
    if (!Failure)
      return llvm::Error::success();
    return llvm::createStringError(
        Failure, "cannot make a temporary file: " + Failure.message() +
                     " (set TMPDIR?)");
  }
  llvm::StringRef path() const { return Path; }

private:
  llvm::SmallString<128> Path;
  std::error_code Failure;
};

} // namespace lidia

#endif // LLVM_LIDIA_HELPERPROGRAM_H
