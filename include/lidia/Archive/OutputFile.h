//===- OutputFile.h - Files that are written whole or not at all *- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A file is written under a temporary name in the folder where it will be, and
/// gets its own name by rename(2) once all of it is there. So whoever opens it
/// finds the old file or the new one, whatever ends the process.
///
/// LLVM's TempFile is not used: where a rename fails it copies, which leaves
/// half a file under the final name if that fails, too; it finds out after the
/// rename that the file could not be closed; and it replaces each '%' of a path
/// by a digit.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_OUTPUTFILE_H
#define LIDIA_ARCHIVE_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace lidia {

struct OutputFileOptions {
  /// Remove the unfinished file when a signal ends the process
  /// (llvm::sys::RemoveFileOnSignal). That takes the process's handlers of
  /// SIGINT, SIGTERM and others, so a program asks for it, and a plugin of
  /// another program or a library does not.
  bool RemoveOnSignals = false;
  /// Have the data on the disk before the file gets its name (fdatasync), so
  /// that not even a power failure leaves a file of zeros under it. Costs the
  /// time that the disk takes.
  bool Sync = false;
};

/// A file under a temporary name, which is removed unless it is renamed or
/// kept. Not thread-safe.
class UnfinishedFile {
public:
  /// Creates "<Folder>/<Prefix><12 hexadecimal digits><Suffix>", which was not
  /// there before, with the permissions \p Mode less the umask. An empty
  /// \p Folder is the current one.
  static llvm::ErrorOr<UnfinishedFile>
  create(llvm::StringRef Folder, llvm::StringRef Prefix, llvm::StringRef Suffix,
         unsigned Mode, const OutputFileOptions &Options);

  UnfinishedFile(UnfinishedFile &&);
  UnfinishedFile &operator=(UnfinishedFile &&) = delete;
  ~UnfinishedFile();

  const std::string &path() const { return Path; }
  /// Open until close().
  int descriptor() const { return FD; }
  /// Takes what is written to the file. Write errors wait for close().
  llvm::raw_ostream &os() { return *OS; }

  /// Writes what is left, syncs if that was asked for, and closes the file.
  /// The first error of any write, of the sync or of the close.
  std::error_code close();

  /// Gives the file, which must be closed, the name \p To. After an error the
  /// file still has its temporary name, and \p To is what it was.
  std::error_code renameTo(llvm::StringRef To);

  /// Leaves the file under its temporary name.
  void keep();

private:
  UnfinishedFile(std::string Path, int FD, const OutputFileOptions &Options);

  /// Empty once the file is somebody else's.
  std::string Path;
  int FD;
  OutputFileOptions Options;
  std::unique_ptr<llvm::raw_fd_ostream> OS;
};

/// The open descriptor of this process that \p Path names: 1 for /dev/stdout,
/// /dev/fd/1 and /proc/self/fd/1 and for links to them. None for other paths,
/// "-" included.
std::optional<int> ownDescriptor(llvm::StringRef Path);

/// Writes with \p Write to a temporary file beside \p Path and renames it, so
/// that \p Path is the whole file or what it was before. Errors name \p Path;
/// after an error it is what it was before, and nothing is left beside it.
///
///  - "-", which is standard output, and a descriptor of this process, such as
///    /dev/stdout, are written where they are: after what stands in the file,
///    or at its end if the descriptor appends.
///  - Any other \p Path that exists and is no regular file (a device, a pipe)
///  is
///    written directly.
///  - A symbolic link stays one, and its target is replaced or, if it is not
///    there, created.
///  - The old file's permissions are kept (not the set-user-ID, set-group-ID
///    and sticky bits), and so are its owner and group as far as the process
///    may set them. A new file has what the umask leaves of 0666.
///  - Other hard links to the old file keep its contents, as with linkers: to
///    write all names of it at once is to write it in place, where it can be
///    half written.
///  - The folder must be writable, even where the file is. The temporary file
///    is called "<name>.tmp-<12 digits>", or "lidia.tmp-<12 digits>" for a long
///    name; one that SIGKILL or a power failure left has to be removed by hand.
llvm::Error
writeOutputFile(llvm::StringRef Path,
                llvm::function_ref<llvm::Error(llvm::raw_ostream &)> Write,
                const OutputFileOptions &Options = {});

} // namespace lidia

#endif // LIDIA_ARCHIVE_OUTPUTFILE_H
