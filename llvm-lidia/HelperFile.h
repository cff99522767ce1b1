//===- HelperFile.h - Files for data between programs -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_HELPERFILE_H
#define LLVM_LIDIA_HELPERFILE_H

#include "Object/TemporaryMapping.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

namespace lidia {

/// An empty temporary file for exchanging data with another program, removed
/// with this object or when a signal ends the process.
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

  /// An error with a code of std::errc if the file could not be created.
  llvm::Error error() const {
    return Failure ? temporaryFileError(Failure) : llvm::Error::success();
  }
  llvm::StringRef path() const { return Path; }

private:
  llvm::SmallString<128> Path;
  std::error_code Failure;
};

} // namespace lidia

#endif // LLVM_LIDIA_HELPERFILE_H
