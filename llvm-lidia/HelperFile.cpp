//===- HelperFile.cpp - Files for exchange between programs ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HelperFile.h"
#include "Object/TemporaryMapping.h"
#include "ProcessSetup.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <cstdlib>

using namespace llvm;

namespace lidia {

static ErrorOr<UnfinishedFile> createTemporary(StringRef Suffix) {
  OutputFileOptions Options;
  Options.RemoveOnSignals = true;
  ErrorOr<UnfinishedFile> File = UnfinishedFile::create(
      temporaryFolder(), "llvm-lidia-", ("." + Suffix).str(), 0600, Options);
  if (File)
    if (std::error_code EC = File->close())
      return EC;
  return File;
}

HelperFile::HelperFile(StringRef Suffix) : File(createTemporary(Suffix)) {}

Error HelperFile::error() const {
  return File ? Error::success() : temporaryFileError(File.getError());
}

HelperFolder::HelperFolder(StringRef Prefix) : Path(temporaryFolder()) {
  removeAbandonedFolders(Path, (Prefix + "-").str());
  sys::path::append(Path, Prefix + "-XXXXXX");
  const char *Template = Path.c_str();
  // A signal between the two calls would leave the folder behind.
  sigset_t All, Before;
  ::sigfillset(&All);
  ::pthread_sigmask(SIG_BLOCK, &All, &Before);
  if (::mkdtemp(const_cast<char *>(Template)))
    removeFolderAtEarlyEnd(Template);
  else
    Failure = errnoAsErrorCode();
  ::pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  if (!Failure)
    InUse.emplace(Path.str().str());
}

HelperFolder::~HelperFolder() {
  if (Failure)
    return;
  sys::fs::remove_directories(Path);
  removeFolderAtEarlyEnd(nullptr);
}

Error HelperFolder::error() const {
  return Failure ? temporaryFileError(Failure) : Error::success();
}

} // namespace lidia
