//===- OpenedFile.cpp - Files opened by paths from elsewhere --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Modules/OpenedFile.h"
#include "lidia/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <climits>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

static std::string descriptorPath(int FD) {
  return ("/proc/self/fd/" + Twine(FD)).str();
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

FileDescriptor::~FileDescriptor() {
  if (isOpen())
    ::close(Number);
}

size_t FileDescriptor::read(uint64_t Offset,
                            MutableArrayRef<uint8_t> To) const {
  size_t Done = 0;
  while (isOpen() && Done != To.size() &&
         Offset <= uint64_t(INT64_MAX) - Done) {
    ssize_t Got = sys::RetryAfterSignal(-1, ::pread, Number, To.data() + Done,
                                        To.size() - Done, off_t(Offset + Done));
    if (Got <= 0)
      break;
    Done += size_t(Got);
  }
  return Done;
}

std::string readLink(int Folder, const Twine &Path) {
  SmallString<64> Buffer;
  std::string Target(PATH_MAX, '\0');
  ssize_t Length =
      ::readlinkat(Folder, Path.toNullTerminatedStringRef(Buffer).data(),
                   Target.data(), Target.size());
  Target.resize(size_t(std::max<ssize_t>(Length, 0)));
  return Target;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

OpenedFile::OpenedFile(int Number, std::string ItsPath)
    : FD(Number), Path(std::move(ItsPath)) {
  struct stat Status;
  if (::fstat(Number, &Status) == 0) {
    Device = Status.st_dev;
    Inode = Status.st_ino;
    Owner = Status.st_uid;
  }
  // The path must still name this file.
  struct stat Named;
  if (Path.empty() || ::stat(Path.c_str(), &Named) != 0 ||
      Named.st_dev != Device || Named.st_ino != Inode)
    Path = descriptorPath(Number);
}

uint64_t OpenedFile::size() const {
  struct stat Status;
  return ::fstat(FD.get(), &Status) == 0 ? uint64_t(Status.st_size) : 0;
}

std::string OpenedFile::version() const {
  struct stat Status;
  if (::fstat(FD.get(), &Status) != 0)
    return "";
  return formatv("{0}:{1}:{2}:{3}.{4}", Status.st_dev, Status.st_ino,
                 Status.st_size, Status.st_mtim.tv_sec, Status.st_mtim.tv_nsec)
      .str();
}

Expected<std::unique_ptr<OpenedFile>>
OpenedFile::ofImage(ArrayRef<uint8_t> Bytes, const Twine &Name) {
  int FD = ::memfd_create("lidia-image", MFD_CLOEXEC);
  if (FD < 0)
    return make_error<SystemError>(errnoAsErrorCode(), Name,
                                   "no file in memory: " +
                                       errnoAsErrorCode().message());
  auto File = std::make_unique<OpenedFile>(FD, "");
  while (!Bytes.empty()) {
    ssize_t Done =
        sys::RetryAfterSignal(-1, ::write, FD, Bytes.data(), Bytes.size());
    if (Done <= 0)
      return make_error<SystemError>(errnoAsErrorCode(), Name,
                                     "no file in memory: " +
                                         errnoAsErrorCode().message());
    Bytes = Bytes.drop_front(size_t(Done));
  }
  return File;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// Opens for reading what \p Place, opened with O_PATH, stands for, and closes
/// \p Place. \p Prefix is the path of the root folder.
static Expected<std::unique_ptr<OpenedFile>>
reopen(int Place, const Twine &Name, StringRef Prefix = "") {
  struct stat Status;
  bool IsRegular = ::fstat(Place, &Status) == 0 && S_ISREG(Status.st_mode);
  int FD = -1;
  std::error_code EC;
  if (IsRegular) {
    FD = ::open(descriptorPath(Place).c_str(), O_RDONLY | O_CLOEXEC);
    EC = errnoAsErrorCode();
  }
  ::close(Place);
  if (!IsRegular)
    return make_error<UnsupportedError>(Name, "not a regular file");
  if (FD < 0)
    return make_error<SystemError>(EC, Name);

  // The kernel's name for it, in this mount namespace or in the folder.
  std::string Path = readLink(AT_FDCWD, descriptorPath(FD));
  struct stat Named;
  if (!Prefix.empty() &&
      (::stat(Path.c_str(), &Named) != 0 || Named.st_ino != Status.st_ino ||
       Named.st_dev != Status.st_dev))
    Path = (Prefix + Path).str();
  return std::make_unique<OpenedFile>(FD, std::move(Path));
}

Expected<std::unique_ptr<OpenedFile>> openRegularFile(int Folder,
                                                      const Twine &Path) {
  SmallString<256> Buffer;
  int Place = ::openat(Folder, Path.toNullTerminatedStringRef(Buffer).data(),
                       O_PATH | O_CLOEXEC);
  if (Place < 0)
    return make_error<SystemError>(errnoAsErrorCode(), Path);
  return reopen(Place, Path);
}

Expected<RootFolder> RootFolder::open(const Twine &Path, bool IsLive) {
  std::string Name = Path.str();
  FileDescriptor FD(::open(Name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!FD.isOpen())
    return make_error<SystemError>(errnoAsErrorCode(), Name);
  return RootFolder(std::move(FD), std::move(Name), IsLive);
}

/// Opens \p Path with O_PATH below \p Root, one name after the other, and no
/// symbolic links. Returns -1 with errno.
static int openByNames(int Root, StringRef Path) {
  int At = ::fcntl(Root, F_DUPFD_CLOEXEC, 0);
  while (At >= 0 && !Path.empty()) {
    auto [Name, Rest] = Path.split('/');
    Path = Rest;
    if (Name.empty() || Name == ".")
      continue;
    int Next = -1;
    if (Name == "..")
      errno = EXDEV;
    else
      Next = ::openat(At, Name.str().c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int Error = errno;
    ::close(At);
    errno = Error;
    At = Next;
  }
  return At;
}

Expected<std::unique_ptr<OpenedFile>>
RootFolder::openFile(StringRef File) const {
  // A NUL would end the path early.
  if (!File.starts_with("/") || File.contains('\0'))
    return make_error<ArgumentError>(File, "not an absolute path");
  std::string Name = File.str();
  struct open_how How = {};
  How.flags = O_PATH | O_CLOEXEC;
  How.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  int Place =
      int(::syscall(SYS_openat2, FD.get(), Name.c_str(), &How, sizeof(How)));
  // EPERM is what filters of system calls give.
  if (Place < 0 && (errno == ENOSYS || errno == EPERM))
    Place = openByNames(FD.get(), File);
  if (Place < 0) {
    std::error_code EC = errnoAsErrorCode();
    return make_error<SystemError>(EC, Path == "/" ? File.str()
                                                   : (Path + File).str());
  }
  return reopen(Place, File, Path == "/" || IsLive ? "" : Path);
}

void RootFolder::forEachFile(function_ref<void(StringRef Path)> Visit) const {
  constexpr size_t Max = 1'000'000;
  StringRef Prefix = StringRef(Path).rtrim('/');
  std::error_code EC;
  size_t Count = 0;
  for (sys::fs::recursive_directory_iterator I(Path, EC,
                                               /*follow_symlinks=*/false),
       E;
       I != E && !EC && Count != Max; I.increment(EC), ++Count) {
    StringRef File = I->path();
    if (I->type() != sys::fs::file_type::directory_file &&
        File.consume_front(Prefix))
      Visit(File);
  }
}

} // namespace lidia
