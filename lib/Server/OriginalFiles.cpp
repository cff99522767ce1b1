//===- OriginalFiles.cpp - A bounded folder of files by build ID ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OriginalFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <vector>

using namespace llvm;

namespace lidia {

void markAsUsed(StringRef Path) {
  // With the mount option relatime, file systems would not update it.
  const timespec Times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  (void)::utimensat(AT_FDCWD, Path.str().c_str(), Times, AT_SYMLINK_NOFOLLOW);
}

namespace {
struct KeptFile {
  sys::TimePoint<> LastUsed;
  std::string Path;
  uint64_t Size = 0;
};
} // namespace

static std::vector<KeptFile> filesBelow(StringRef Folder,
                                        const StringSet<> &Busy) {
  std::vector<KeptFile> Files;
  std::error_code EC;
  sys::fs::recursive_directory_iterator It(Folder, EC,
                                           /*follow_symlinks=*/false),
      End;
  for (; !EC && It != End; It.increment(EC)) {
    StringRef ID =
        sys::path::filename(sys::path::parent_path(StringRef(It->path())));
    sys::fs::file_status Status;
    if (!Busy.contains(ID) && !ID.starts_with(".") &&
        !sys::fs::status(It->path(), Status, /*follow=*/false) &&
        sys::fs::is_regular_file(Status))
      Files.push_back({std::max(Status.getLastAccessedTime(),
                                Status.getLastModificationTime()),
                       It->path(), Status.getSize()});
  }
  return Files;
}

void removeOldest(StringRef Folder, uint64_t MaxBytes,
                  const StringSet<> &Busy) {
  std::vector<KeptFile> Files = filesBelow(Folder, Busy);
  llvm::sort(Files, [](const KeptFile &A, const KeptFile &B) {
    return std::pair(A.LastUsed, StringRef(A.Path)) <
           std::pair(B.LastUsed, StringRef(B.Path));
  });
  uint64_t Sum = 0;
  for (const KeptFile &File : Files)
    Sum += File.Size;
  for (const KeptFile &File : Files) {
    if (Sum <= MaxBytes)
      return;
    sys::fs::remove(File.Path);
    // Fails if another file is still in the folder.
    sys::fs::remove(sys::path::parent_path(File.Path));
    Sum -= File.Size;
  }
}

} // namespace lidia
