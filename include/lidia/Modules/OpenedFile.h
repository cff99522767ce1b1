//===- OpenedFile.h - Files opened by paths from elsewhere ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MODULES_OPENEDFILE_H
#define LIDIA_MODULES_OPENEDFILE_H

#include "lidia/Modules/ByteReader.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lidia {

/// Owns an open file descriptor.
class FileDescriptor {
public:
  /// Takes ownership of the descriptor \p TheNumber, which is negative if
  /// nothing is open.
  explicit FileDescriptor(int TheNumber = -1) : Number(TheNumber) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor &&Other)
      : Number(std::exchange(Other.Number, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&) = delete;

  int get() const { return Number; }
  bool isOpen() const { return Number >= 0; }

  /// Like ByteReader::read(). Reads nothing if no file is open.
  size_t read(uint64_t Offset, llvm::MutableArrayRef<uint8_t> To) const;

private:
  int Number;
};

/// The target of the symbolic link \p Path, which is relative to the folder
/// \p Folder (AT_FDCWD for the current one); empty if there is no such link.
std::string readLink(int Folder, const llvm::Twine &Path);

/// A regular file, open for reading, or an image of memory.
class OpenedFile final : public ByteReader {
public:
  /// Takes ownership of the descriptor \p Number. \p Path is a path by which
  /// this process can open the same file, or empty.
  OpenedFile(int Number, std::string Path);

  /// A file in memory (memfd) with the contents \p Bytes; \p Name is for
  /// messages.
  static llvm::Expected<std::unique_ptr<OpenedFile>>
  ofImage(llvm::ArrayRef<uint8_t> Bytes, const llvm::Twine &Name);

  size_t read(uint64_t Offset,
              llvm::MutableArrayRef<uint8_t> To) const override {
    return FD.read(Offset, To);
  }

  /// A path by which this process can open the same file while this object
  /// exists: the file's own path or, if the file was deleted or is in another
  /// mount namespace, /proc/self/fd/N.
  llvm::StringRef path() const { return Path; }
  int descriptor() const { return FD.get(); }

  /// The current size in bytes; zero if it is not known.
  uint64_t size() const;

  /// A text that distinguishes this file, with its current contents, from other
  /// files that have the same path at other times.
  std::string version() const;

  uint64_t device() const { return Device; }
  uint64_t inode() const { return Inode; }
  uint32_t owner() const { return Owner; }

private:
  const FileDescriptor FD;
  std::string Path;
  uint64_t Device = 0;
  uint64_t Inode = 0;
  uint32_t Owner = 0;
};

/// A folder that stands for "/" in untrusted paths: "/" itself, a copy of a
/// system, or another mount namespace. No path leads out of it, neither by ".."
/// nor by a symbolic link. Only regular files are opened, because opening a
/// device can have side effects, and opening a pipe can wait.
class RootFolder {
public:
  /// \p Path is the folder's path in this process; errors name it. If others
  /// may change the folder at any time (\p IsLive), as the processes of a
  /// container may, opened files do not report paths in the folder, because
  /// opening such a path again could follow a new link out of the folder.
  static llvm::Expected<RootFolder> open(const llvm::Twine &Path,
                                         bool IsLive = false);
  /// Opens \p Path, absolute in the folder. Errors name it. Without openat2
  /// (before Linux 5.6) a path with a symbolic link is refused.
  llvm::Expected<std::unique_ptr<OpenedFile>>
  openFile(llvm::StringRef Path) const;

  /// Calls \p Visit with the path, absolute in the folder, of each file and
  /// link in it and in folders below, to which links are not followed. After a
  /// million files, the others are left out.
  void forEachFile(llvm::function_ref<void(llvm::StringRef Path)> Visit) const;

  llvm::StringRef path() const { return Path; }

private:
  RootFolder(FileDescriptor TheFD, std::string ThePath, bool IsOfProcess)
      : FD(std::move(TheFD)), Path(std::move(ThePath)), IsLive(IsOfProcess) {}

  FileDescriptor FD;
  std::string Path;
  bool IsLive;
};

/// Opens the regular file \p Path, which is relative to the folder \p Folder
/// (AT_FDCWD for the current one), and follows links of all kinds. For the
/// entries of /proc/PID.
llvm::Expected<std::unique_ptr<OpenedFile>>
openRegularFile(int Folder, const llvm::Twine &Path);

} // namespace lidia

#endif // LIDIA_MODULES_OPENEDFILE_H
