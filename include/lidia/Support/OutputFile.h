//===- OutputFile.h - Files written completely or not at all --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A file is written under a temporary name in its final folder, and renamed
/// with rename(2) when it is complete. So readers find either the old file or
/// the new one, however the process ends.
///
/// LLVM's TempFile is not used: if a rename fails it copies, which leaves a
/// partial file under the final name if that fails, too; it detects errors of
/// close() only after the rename; and it replaces each '%' of a path by a
/// digit.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SUPPORT_OUTPUTFILE_H
#define LIDIA_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace lidia {

struct OutputFileOptions {
  /// Remove the unfinished file when a signal ends the process. This takes
  /// effect in programs whose signal handlers call removeFilesOnSignal().
  bool RemoveOnSignals = false;
  /// Flush the data to the disk before renaming the file (fdatasync), so that
  /// not even a power failure leaves a file of zeros under its name. Waits for
  /// the disk.
  bool Sync = false;
  /// The permissions of a new file, less the umask.
  unsigned Mode = 0666;
};

/// Flushes the names in \p Folder to the disk (fsync), so that a file that was
/// renamed keeps its new name after a power failure. Waits for the disk.
std::error_code syncFolder(llvm::StringRef Folder);

/// Removes the files that RemovedOnSignal objects name. Async-signal-safe: for
/// handlers of signals that end the process. Other threads must be stopped.
void removeFilesOnSignal();

/// While this object exists, removeFilesOnSignal() removes its file. LLVM's
/// RemoveFileOnSignal() keeps every name, so that adding a name takes time in
/// proportion to all earlier ones.
class RemovedOnSignal {
public:
  explicit RemovedOnSignal(llvm::StringRef Path);
  RemovedOnSignal(const RemovedOnSignal &) = delete;
  ~RemovedOnSignal();

  /// False if memory could not be allocated.
  explicit operator bool() const { return Slot != nullptr; }

private:
  std::atomic<char *> *Slot;
};

/// A file under a temporary name, which is removed unless it is renamed or
/// kept. Not thread-safe.
class UnfinishedFile {
public:
  /// Creates "<Folder>/<Prefix><12 hexadecimal digits><Suffix>", which must not
  /// exist yet, with the permissions \p Mode less the umask. An empty \p Folder
  /// is the current one.
  static llvm::ErrorOr<UnfinishedFile>
  create(llvm::StringRef Folder, llvm::StringRef Prefix, llvm::StringRef Suffix,
         unsigned Mode, const OutputFileOptions &Options);

  UnfinishedFile(UnfinishedFile &&);
  UnfinishedFile &operator=(UnfinishedFile &&) = delete;
  ~UnfinishedFile();

  const std::string &path() const { return Path; }
  /// The file's descriptor, open until close() is called.
  int descriptor() const { return FD; }
  /// The stream that writes to the file. close() reports write errors.
  llvm::raw_ostream &os() { return *OS; }

  /// Flushes the stream, syncs if requested, and closes the file. Returns the
  /// first error of any write, of the sync or of the close.
  std::error_code close();

  /// Renames the file, which must be closed, to \p To. After an error the file
  /// still has its temporary name, and \p To is unchanged.
  std::error_code renameTo(llvm::StringRef To);

  /// Like renameTo(), but fails with std::errc::file_exists if \p To exists.
  std::error_code renameToNew(llvm::StringRef To);

  /// Keeps the file under its temporary name.
  void keep();

private:
  UnfinishedFile(std::string Path, int FD, const OutputFileOptions &Options,
                 std::unique_ptr<RemovedOnSignal> Removal);

  /// Empty if this object no longer owns a file.
  std::string Path;
  int FD;
  OutputFileOptions Options;
  /// Null unless Options.RemoveOnSignals.
  std::unique_ptr<RemovedOnSignal> Removal;
  std::unique_ptr<llvm::raw_fd_ostream> OS;
};

/// The open descriptor of this process that \p Path refers to: 1 for
/// /dev/stdout, /dev/fd/1 and /proc/self/fd/1 and for links to them. None for
/// other paths, "-" included.
std::optional<int> ownDescriptor(llvm::StringRef Path);

/// Writes with \p Write to a temporary file beside \p Path and renames it, so
/// that \p Path is either complete or unchanged. Errors name \p Path; after an
/// error it is unchanged, and no temporary file remains.
///
///  - "-", which is standard output, and a descriptor of this process, such as
///    /dev/stdout, are written at their current offset, or at the end of the
///    file if the descriptor appends.
///  - Any other \p Path that exists and is not a regular file (a device, a
///    pipe) is written directly.
///  - A symbolic link is followed: its target is replaced or created.
///  - The old file's permissions are kept (not the set-user-ID, set-group-ID
///    and sticky bits), and so are its owner and group as far as the process
///    may set them.
///  - Other hard links to the old file keep its contents, as with linkers:
///    updating all of them would mean writing in place, which can leave a
///    partial file.
///  - The folder must be writable, even where the file is. The temporary file
///    is called "<name>.tmp-<12 digits>", or "lidia.tmp-<12 digits>" for a long
///    name; one left by SIGKILL or a power failure must be removed manually.
llvm::Error
writeOutputFile(llvm::StringRef Path,
                llvm::function_ref<llvm::Error(llvm::raw_ostream &)> Write,
                const OutputFileOptions &Options = {});

/// Writes with \p Write to the open \p Descriptor of this process, from where
/// it is, and leaves it open. Errors name \p Name; after one, part of the
/// output may have been written.
llvm::Error
writeToDescriptor(int Descriptor, llvm::StringRef Name,
                  llvm::function_ref<llvm::Error(llvm::raw_ostream &)> Write);

} // namespace lidia

#endif // LIDIA_SUPPORT_OUTPUTFILE_H
