//===- OutputFile.cpp - Files that are written whole or not at all --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Support/OutputFile.h"
#include "lidia/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace lidia {

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

//===----------------------------------------------------------------------===//
// UnfinishedFile
//===----------------------------------------------------------------------===//

static constexpr unsigned TemporaryDigits = 12;

static std::string randomDigits() {
  uint64_t Random = uint64_t(sys::Process::GetRandomNumber()) << 24 ^
                    sys::Process::GetRandomNumber();
  return utohexstr(Random, /*LowerCase=*/true, TemporaryDigits)
      .substr(0, TemporaryDigits);
}

static int openRetrying(const char *Path, int Flags, unsigned Mode = 0) {
  return sys::RetryAfterSignal(
      -1, [&] { return ::open(Path, Flags | O_CLOEXEC, Mode); });
}

ErrorOr<UnfinishedFile>
UnfinishedFile::create(StringRef Folder, StringRef Prefix, StringRef Suffix,
                       unsigned Mode, const OutputFileOptions &Options) {
  std::error_code EC;
  for (unsigned Attempt = 0; Attempt != 100; ++Attempt) {
    SmallString<256> Path(Folder);
    sys::path::append(Path, Prefix + randomDigits() + Suffix);
    // Set before the file is created, because a signal between the two would
    // leave the file.
    std::unique_ptr<RemovedOnSignal> Removal;
    if (Options.RemoveOnSignals) {
      Removal = std::make_unique<RemovedOnSignal>(Path);
      if (!*Removal)
        return std::make_error_code(std::errc::not_enough_memory);
    }
    int FD = openRetrying(Path.c_str(), O_WRONLY | O_CREAT | O_EXCL, Mode);
    if (FD >= 0)
      return UnfinishedFile(Path.str().str(), FD, Options, std::move(Removal));
    EC = lastError();
    if (EC != std::errc::file_exists)
      break;
  }
  return EC;
}

UnfinishedFile::UnfinishedFile(std::string Path, int FD,
                               const OutputFileOptions &Options,
                               std::unique_ptr<RemovedOnSignal> Removal)
    : Path(std::move(Path)), FD(FD), Options(Options),
      Removal(std::move(Removal)),
      // The stream does not report errors of close().
      OS(std::make_unique<raw_fd_ostream>(FD, /*shouldClose=*/false)) {}

UnfinishedFile::UnfinishedFile(UnfinishedFile &&Other)
    : Path(std::exchange(Other.Path, std::string())),
      FD(std::exchange(Other.FD, -1)), Options(Other.Options),
      Removal(std::move(Other.Removal)), OS(std::move(Other.OS)) {}

UnfinishedFile::~UnfinishedFile() {
  Options.Sync = false;
  (void)close();
  if (Path.empty())
    return;
  ::unlink(Path.c_str());
  keep();
}

/// Flushes \p OS. Destroying a stream that has an error ends the process, so
/// this clears the error.
static std::error_code finish(raw_fd_ostream &OS) {
  OS.flush();
  std::error_code EC = OS.error();
  OS.clear_error();
  return EC;
}

/// Calls \p Sync, fsync or fdatasync. Some file systems cannot sync, and need
/// not.
static std::error_code sync(int (*Sync)(int), int FD) {
  if (sys::RetryAfterSignal(-1, Sync, FD) == 0 || errno == EINVAL ||
      errno == ENOSYS || errno == ENOTSUP)
    return std::error_code();
  return lastError();
}

/// Network file systems may say only here that data could not be stored.
static std::error_code closeDescriptor(int FD) {
  // Linux has closed the descriptor even if close() fails with EINTR.
  if (::close(FD) == 0 || errno == EINTR)
    return std::error_code();
  return lastError();
}

std::error_code UnfinishedFile::close() {
  if (FD < 0)
    return std::error_code();
  std::error_code EC = finish(*OS);
  OS.reset();
  if (!EC && Options.Sync)
    EC = sync(::fdatasync, FD);
  std::error_code CloseEC = closeDescriptor(std::exchange(FD, -1));
  return EC ? EC : CloseEC;
}

std::error_code UnfinishedFile::renameTo(StringRef To) {
  assert(FD < 0 && "an open file can still fail");
  if (::rename(Path.c_str(), To.str().c_str()) != 0)
    return lastError();
  keep();
  return std::error_code();
}

std::error_code UnfinishedFile::renameToNew(StringRef To) {
  assert(FD < 0 && "an open file can still fail");
  std::string Target = To.str();
  if (::renameat2(AT_FDCWD, Path.c_str(), AT_FDCWD, Target.c_str(),
                  RENAME_NOREPLACE) == 0) {
    keep();
    return std::error_code();
  }
  // Not every file system supports the flag; most of the others support links.
  if (errno != EINVAL && errno != ENOSYS)
    return lastError();
  if (::link(Path.c_str(), Target.c_str()) != 0)
    return lastError();
  ::unlink(Path.c_str());
  keep();
  return std::error_code();
}

void UnfinishedFile::keep() {
  Removal.reset();
  Path.clear();
}

std::error_code syncFolder(StringRef Folder) {
  int FD = openRetrying(Folder.str().c_str(), O_RDONLY | O_DIRECTORY);
  if (FD < 0)
    return lastError();
  std::error_code EC = sync(::fsync, FD);
  std::error_code CloseEC = closeDescriptor(FD);
  return EC ? EC : CloseEC;
}

//===----------------------------------------------------------------------===//
// writeOutputFile
//===----------------------------------------------------------------------===//

using WriteFunction = function_ref<Error(raw_ostream &)>;

static Error fileError(StringRef Path, std::error_code EC,
                       const Twine &Advice = "") {
  return make_error<SystemError>(EC, Path, EC.message() + Advice);
}

/// Combines the errors of the writer (\p Written) and of the system (\p EC).
static Error combine(StringRef Path, Error Written, std::error_code EC) {
  if (Written || !EC)
    return Written;
  return joinErrors(std::move(Written), fileError(Path, EC));
}

/// Writes to \p FD, and takes ownership of it. \p Path is for messages.
static Error writeTo(int FD, StringRef Path, WriteFunction Write) {
  if (FD < 0)
    return fileError(Path, lastError());
  raw_fd_ostream OS(FD, /*shouldClose=*/false);
  Error E = Write(OS);
  std::error_code EC = finish(OS);
  std::error_code CloseEC = closeDescriptor(FD);
  return combine(Path, std::move(E), EC ? EC : CloseEC);
}

static Error writeDirectly(StringRef Path, WriteFunction Write) {
  return writeTo(openRetrying(Path.str().c_str(), O_WRONLY | O_TRUNC), Path,
                 Write);
}

/// Writes at the current position of \p Descriptor, like a shell's ">&".
/// Opening the file again would write at its start and lose the append mode.
Error writeToDescriptor(int Descriptor, StringRef Name, WriteFunction Write) {
  return writeTo(::fcntl(Descriptor, F_DUPFD_CLOEXEC, 0), Name, Write);
}

/// Whether \p Link is one of the links by which /proc names open descriptors.
/// The target of such a link is informative only: the file may have another
/// name by now, or none.
static bool isDescriptor(const char *Link) {
  struct stat OfLink, OfProc;
  return ::lstat(Link, &OfLink) == 0 && ::stat("/proc", &OfProc) == 0 &&
         OfLink.st_dev == OfProc.st_dev;
}

/// The path where the file \p Path is or would be created if symbolic links are
/// followed, so that writing preserves them. Unlike realpath, this does not
/// require the file to exist. For an open descriptor, it is the path in /proc.
static std::string followLinks(StringRef Path) {
  SmallString<256> Target(Path);
  // Linux follows at most 40 links. stat has checked this, but links may have
  // changed.
  for (unsigned Links = 0; Links != 40; ++Links) {
    char Text[PATH_MAX];
    ssize_t Size = ::readlink(Target.c_str(), Text, sizeof(Text));
    if (Size < 0 || isDescriptor(Target.c_str()))
      break;
    StringRef Link(Text, size_t(Size));
    if (sys::path::is_absolute(Link)) {
      Target = Link;
      continue;
    }
    sys::path::remove_filename(Target);
    sys::path::append(Target, Link);
  }
  return Target.str().str();
}

std::optional<int> ownDescriptor(StringRef Path) {
  std::string Target = followLinks(Path);
  int Descriptor;
  if (!isDescriptor(Target.c_str()) ||
      sys::path::filename(Target).getAsInteger(10, Descriptor))
    return std::nullopt;
  StringRef Folder = sys::path::parent_path(Target);
  SmallString<64> Real, Ours;
  if (sys::fs::real_path(Folder.empty() ? "." : Folder, Real))
    return std::nullopt;
  for (const char *Own : {"/proc/self/fd", "/proc/thread-self/fd"})
    if (!sys::fs::real_path(Own, Ours) && Real == Ours)
      return Descriptor;
  return std::nullopt;
}

/// Copies owner and permissions from the old file. On file systems where these
/// are the same for all files, there is nothing to do and it may not be
/// allowed.
static std::error_code copyAttributes(int FD, const struct stat &Old) {
  struct stat New;
  if (::fstat(FD, &New) != 0)
    return lastError();
  // A user who may write to the folder may lack the permission.
  if (New.st_uid != Old.st_uid || New.st_gid != Old.st_gid)
    if (::fchown(FD, Old.st_uid, Old.st_gid) != 0)
      (void)!::fchown(FD, uid_t(-1), Old.st_gid);
  constexpr mode_t Permissions = S_IRWXU | S_IRWXG | S_IRWXO;
  if ((New.st_mode & Permissions) != (Old.st_mode & Permissions) &&
      ::fchmod(FD, Old.st_mode & Permissions) != 0)
    return lastError();
  return std::error_code();
}

/// Creates the file that will be renamed to \p Target, with the attributes of
/// \p Old if that is not null.
static ErrorOr<UnfinishedFile> createBeside(StringRef Target,
                                            const struct stat *Old,
                                            const OutputFileOptions &Options) {
  // A name may have 255 bytes, on some file systems only 143.
  constexpr size_t LongName = 100;
  StringRef Name = sys::path::filename(Target);
  if (Name.size() > LongName)
    Name = "lidia";
  // The file is private until it has the old file's permissions.
  ErrorOr<UnfinishedFile> File = UnfinishedFile::create(
      sys::path::parent_path(Target), (Name + ".tmp-").str(), "",
      Old ? 0600 : Options.Mode, Options);
  if (File && Old)
    if (std::error_code EC = copyAttributes(File->descriptor(), *Old))
      return EC;
  return File;
}

static Error creationError(StringRef Path, std::error_code EC) {
  bool NotWritable = EC == std::errc::permission_denied ||
                     EC == std::errc::read_only_file_system ||
                     EC == std::errc::operation_not_permitted;
  return fileError(Path, EC,
                   NotWritable ? " (a new file is made in its folder, which "
                                 "must be writable)"
                               : "");
}

Error writeOutputFile(StringRef Path, WriteFunction Write,
                      const OutputFileOptions &Options) {
  if (Path == "-")
    return writeToDescriptor(STDOUT_FILENO, Path, Write);
  if (std::optional<int> Descriptor = ownDescriptor(Path))
    return writeToDescriptor(*Descriptor, Path, Write);
  struct stat Old;
  bool Exists = ::stat(Path.str().c_str(), &Old) == 0;
  if (!Exists && errno != ENOENT)
    return fileError(Path, lastError());
  if (Exists && !S_ISREG(Old.st_mode))
    return writeDirectly(Path, Write);
  std::string Target = followLinks(Path);
  // A descriptor of another process, whose file may have no name.
  if (isDescriptor(Target.c_str()))
    return writeDirectly(Path, Write);

  ErrorOr<UnfinishedFile> File =
      createBeside(Target, Exists ? &Old : nullptr, Options);
  if (!File)
    return creationError(Path, File.getError());
  Error E = Write(File->os());
  if (Error Failed = combine(Path, std::move(E), File->close()))
    return Failed;
  if (std::error_code EC = File->renameTo(Target))
    return make_error<SystemError>(EC, Path,
                                   "cannot replace it: " + EC.message());
  return Error::success();
}

} // namespace lidia
