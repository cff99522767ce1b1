//===- WorkFolder.h - Members of packages on the disk -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_WORKFOLDER_H
#define LIDIA_LIB_STORE_WORKFOLDER_H

#include "Package.h"
#include "lidia/Support/OutputFile.h"
#include <atomic>
#include <memory>
#include <string>

namespace lidia {

/// A file in the work folder, and the space that it uses there. The file is
/// removed with this object.
class WorkFile {
public:
  WorkFile(UnfinishedFile File, std::atomic<uint64_t> &Used, uint64_t Size)
      : File(std::move(File)), Used(Used), Size(Size) {}
  WorkFile(const WorkFile &) = delete;
  ~WorkFile() { Used -= Size; }

  const std::string &path() const { return File.path(); }

private:
  UnfinishedFile File;
  std::atomic<uint64_t> &Used;
  const uint64_t Size;
};

using WorkFilePointer = std::shared_ptr<WorkFile>;

/// The folder to which members of packages are written. Thread-safe.
class WorkFolder {
public:
  WorkFolder(std::string Path, uint64_t Max, const OutputFileOptions &Output)
      : Path(std::move(Path)), Max(Max), Output(Output) {}

  const std::string &path() const { return Path; }
  /// The maximum size of all files, and their current size, in bytes.
  uint64_t max() const { return Max; }
  uint64_t used() const { return Used; }

  /// Writes a member of \p Size bytes, of which \p First has already been read.
  /// \p Name is for messages.
  llvm::Expected<WorkFilePointer> write(llvm::StringRef Name,
                                        llvm::StringRef First, uint64_t Size,
                                        PackageBytes Bytes);

  /// Writes the plain archive \p Path in compressed form.
  llvm::Expected<WorkFilePointer> compress(llvm::StringRef Path);

private:
  const std::string Path;
  const uint64_t Max;
  const OutputFileOptions Output;
  std::atomic<uint64_t> Used{0};
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_WORKFOLDER_H
