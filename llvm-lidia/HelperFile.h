//===- HelperFile.h - Files for data between programs -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_HELPERFILE_H
#define LLVM_LIDIA_HELPERFILE_H

#include "lidia/Archive/OutputFile.h"
#include "lidia/Cache/PrivateFiles.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorOr.h"
#include <optional>
#include <system_error>

namespace lidia {

/// An empty temporary file for exchanging data with another program, removed
/// with this object or when a signal ends the process.
class HelperFile {
public:
  explicit HelperFile(llvm::StringRef Suffix);

  /// An error with a code of std::errc if the file could not be created.
  llvm::Error error() const;
  /// Only if there is no error().
  llvm::StringRef path() const { return File->path(); }

private:
  llvm::ErrorOr<UnfinishedFile> File;
};

/// A temporary folder, removed with this object, with all files in it. If a
/// signal ends the process, it is removed if it is empty (see
/// removeFolderAtEarlyEnd()): only one at a time. One that SIGKILL left is
/// removed, after an hour, by the next that has its prefix.
class HelperFolder {
public:
  explicit HelperFolder(llvm::StringRef Prefix);
  ~HelperFolder();
  HelperFolder(const HelperFolder &) = delete;
  HelperFolder &operator=(const HelperFolder &) = delete;

  /// An error with a code of std::errc if the folder could not be created.
  llvm::Error error() const;
  llvm::StringRef path() const { return Path; }

private:
  llvm::SmallString<128> Path;
  std::error_code Failure;
  std::optional<FileInUse> InUse;
};

} // namespace lidia

#endif // LLVM_LIDIA_HELPERFILE_H
