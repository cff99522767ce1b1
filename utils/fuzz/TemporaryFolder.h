//===- TemporaryFolder.h - A folder for one process -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UTILS_FUZZ_TEMPORARYFOLDER_H
#define LIDIA_UTILS_FUZZ_TEMPORARYFOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace lidia {

/// A folder for this process, removed with this object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    if (std::error_code EC =
            llvm::sys::fs::createUniqueDirectory("lidia-fuzz", Path))
      llvm::report_fatal_error(llvm::Twine("no temporary folder: ") +
                               EC.message());
  }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(Path); }

  llvm::StringRef path() const { return Path; }
  std::string file(llvm::StringRef Name) const {
    llvm::SmallString<128> Result(Path);
    llvm::sys::path::append(Result, Name);
    return Result.str().str();
  }
  void write(llvm::StringRef Name, llvm::StringRef Bytes) const {
    std::error_code EC;
    llvm::raw_fd_ostream OS(file(Name), EC);
    OS << Bytes;
    if (EC || OS.has_error())
      llvm::report_fatal_error("cannot write into the temporary folder");
  }

private:
  llvm::SmallString<128> Path;
};

} // namespace lidia

#endif // LIDIA_UTILS_FUZZ_TEMPORARYFOLDER_H
