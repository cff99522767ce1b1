//===- HelperFile.h - Files for exchange between programs -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_HELPERFILE_H
#define LLVM_LIDIA_HELPERFILE_H

#include "lidia/Cache/PrivateFiles.h"
#include "lidia/Support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorOr.h"
#include <optional>
#include <system_error>

namespace lidia {

/// An empty temporary file for exchanging data with another program. It is
/// removed with this object, or when a signal ends the process.
class HelperFile {
public:
  explicit HelperFile(llvm::StringRef Suffix);

  /// An error with a std::errc code if the file could not be created.
  llvm::Error error() const;
  /// Valid only if there is no error().
  llvm::StringRef path() const { return File->path(); }

private:
  llvm::ErrorOr<UnfinishedFile> File;
};

/// A temporary folder, which is removed, with all files in it, with this
/// object. If a signal ends the process, the folder is removed if it is empty
/// (see removeFolderAtEarlyEnd()), so only one may exist at a time. If SIGKILL
/// left a folder behind, the next object with the same prefix removes it after
/// an hour.
class HelperFolder {
public:
  explicit HelperFolder(llvm::StringRef Prefix);
  ~HelperFolder();
  HelperFolder(const HelperFolder &) = delete;
  HelperFolder &operator=(const HelperFolder &) = delete;

  /// An error with a std::errc code if the folder could not be created.
  llvm::Error error() const;
  llvm::StringRef path() const { return Path; }

private:
  llvm::SmallString<128> Path;
  std::error_code Failure;
  std::optional<FileInUse> InUse;
};

} // namespace lidia

#endif // LLVM_LIDIA_HELPERFILE_H
