//===- ArchiveLog.cpp - A log of the inputs of archives -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Modules/ArchiveLog.h"
#include "lidia/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

static constexpr size_t HashDigits = 32;
/// Two hashes with a space between them.
static constexpr size_t LineSize = 2 * HashDigits + 1;

static constexpr StringLiteral Head =
    "# Written by llvm-lidia, to know which archives here are up to date.\n";

static std::string line(StringRef Path, StringRef Made) {
  return (Path + " " + Made + "\n").str();
}

std::string ArchiveLog::hashOfPath(StringRef Path) const {
  // Relative to the folder, which may have another name next time.
  Path.consume_front(Folder);
  return CacheKey("path").add(Path.ltrim('/')).hex();
}

/// None if there is no archive at \p Path.
static std::optional<std::string> hashOfMade(StringRef Path,
                                             const CacheKey &Key) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) || !sys::fs::is_regular_file(Status))
    return std::nullopt;
  CacheKey Made("made");
  Made.add(Key.hex()).add(Status.getSize());
  Made.add(Status.getLastModificationTime().time_since_epoch().count());
  return Made.hex();
}

ArchiveLog::~ArchiveLog() {
  if (FD >= 0)
    ::close(FD);
}

static Error lastError(StringRef Path) {
  std::error_code EC(errno, std::generic_category());
  return make_error<SystemError>(EC, Path);
}

static Error append(int FD, StringRef Path, StringRef Text) {
  // In one call, because lines of several processes could mix otherwise.
  ssize_t Written =
      sys::RetryAfterSignal(-1, ::write, FD, Text.data(), Text.size());
  if (Written == ssize_t(Text.size()))
    return Error::success();
  if (Written >= 0)
    errno = ENOSPC;
  return lastError(Path);
}

void ArchiveLog::parse(StringRef Text) {
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    if (Line.size() != LineSize || Line[HashDigits] != ' ')
      continue;
    ++Lines;
    Known[Line.take_front(HashDigits)] = Line.take_back(HashDigits).str();
  }
}

/// Writes the log without lines that later lines replace.
Error ArchiveLog::rewrite() {
  return writeOutputFile(LogPath, [&](raw_ostream &OS) {
    OS << Head;
    for (const auto &Entry : Known)
      OS << line(Entry.getKey(), Entry.getValue());
    return Error::success();
  });
}

static int openLog(const std::string &Path) {
  // Do not write through a link, or wait for a pipe.
  return sys::RetryAfterSignal(-1, [&] {
    return ::open(Path.c_str(),
                  O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
                      O_CLOEXEC,
                  0666);
  });
}

/// Refuses pipes and other special files, and files larger than a log can be.
static Error checkLog(int FD, StringRef Path) {
  struct stat Status;
  if (FD < 0 || ::fstat(FD, &Status) != 0)
    return lastError(Path);
  constexpr off_t Max = off_t(1) << 30;
  if (!S_ISREG(Status.st_mode) || Status.st_size > Max)
    return make_error<ArgumentError>(Path,
                                     "not a log of llvm-lidia: remove it");
  return Error::success();
}

Error ArchiveLog::open(StringRef TheFolder) {
  Folder = TheFolder.str();
  SmallString<256> Path(Folder);
  sys::path::append(Path, FileName);
  LogPath = Path.str().str();
  FD = openLog(LogPath);
  if (Error E = checkLog(FD, LogPath))
    return E;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text = MemoryBuffer::getOpenFile(
      FD, LogPath, /*FileSize=*/-1, /*RequiresNullTerminator=*/false,
      /*IsVolatile=*/true);
  if (!Text)
    return make_error<SystemError>(Text.getError(), LogPath);
  StringRef Bytes = (*Text)->getBuffer();
  parse(Bytes);
  if (Lines > 2 * Known.size() + 1000) {
    if (Error E = rewrite())
      return E;
    ::close(FD);
    FD = openLog(LogPath);
    return FD < 0 ? lastError(LogPath) : Error::success();
  }
  if (Bytes.empty())
    return append(FD, LogPath, Head);
  // A process was killed, or the disk was full, in the middle of a line.
  return Bytes.ends_with("\n") ? Error::success() : append(FD, LogPath, "\n");
}

bool ArchiveLog::isUpToDate(StringRef Path, const CacheKey &Key) {
  std::optional<std::string> Made = hashOfMade(Path, Key);
  std::lock_guard<std::mutex> Lock(Mutex);
  auto Found = Known.find(hashOfPath(Path));
  return Made && Found != Known.end() && Found->getValue() == *Made;
}

Error ArchiveLog::add(StringRef Path, const CacheKey &Key) {
  std::optional<std::string> Made = hashOfMade(Path, Key);
  if (FD < 0 || !Made)
    return Error::success();
  std::string Hash = hashOfPath(Path);
  std::lock_guard<std::mutex> Lock(Mutex);
  Known[Hash] = *Made;
  return append(FD, LogPath, line(Hash, *Made));
}

} // namespace lidia
