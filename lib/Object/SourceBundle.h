//===- SourceBundle.h - Source files in a bundle of Sentry's ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sentry's tools store the source files of a program in a zip file with a
/// "manifest.json", which has the debug ID of the program, and for each file in
/// the zip file its path at the time of the build. The format is defined by the
/// module sourcebundle of the crate symbolic-debuginfo.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_SOURCEBUNDLE_H
#define LIDIA_LIB_OBJECT_SOURCEBUNDLE_H

#include "ZipFile.h"
#include "lidia/Archive/DebugID.h"
#include "llvm/Support/Allocator.h"
#include <memory>
#include <string>
#include <vector>

namespace lidia {

/// An open source bundle. Nothing in it is trusted: files are only read from
/// the zip file, whatever their paths are.
class SourceBundle {
public:
  /// Opens the regular file at \p Path. Fails if it is not a source bundle.
  static llvm::Expected<SourceBundle> open(llvm::StringRef Path);
  /// Reads \p Buffer, a whole file; \p Path is for messages.
  static llvm::Expected<SourceBundle>
  create(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path);

  llvm::StringRef path() const { return Path; }

  /// The file that had the path \p Recorded, with the separators of any system;
  /// null if there is none.
  const ZipFile::Entry *find(llvm::StringRef Recorded) const;

  /// The contents of \p E, a copy.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  read(const ZipFile::Entry &E) const;

  /// Empty if the files may be those of the program with \p BuildID, in the
  /// form of archives (empty if it is not known); otherwise the reason why not.
  /// The age of a PDB file does not count.
  std::string whyNotOf(llvm::ArrayRef<uint8_t> BuildID) const;

private:
  struct File {
    /// At the time of the build, with slashes.
    llvm::StringRef Path;
    const ZipFile::Entry *Entry;
  };

  llvm::Error readManifest();

  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  std::string Path;
  ZipFile Zip;
  /// None if the manifest does not have it.
  std::optional<DebugID> ID;
  /// By path. Bundles have hundreds of thousands of files, which a map would
  /// need several times as much memory for.
  std::vector<File> Files;
  llvm::BumpPtrAllocator Paths;
};

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_SOURCEBUNDLE_H
