//===- TemporaryMapping.h - An unnamed mapped file --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_TEMPORARYMAPPING_H
#define LIDIA_LIB_OBJECT_TEMPORARYMAPPING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <memory>

namespace lidia {

/// The error for a temporary file that cannot be created, with the folder and a
/// remedy.
llvm::Error temporaryFileError(std::error_code EC);

/// A temporary file that is written once, then mapped.
///
/// Holds a section's decompressed contents: unlike anonymous memory, the kernel
/// can write its pages back and drop them when memory is short, and we can tell
/// it which ones are no longer needed. The file never has a name, so nothing is
/// left behind however the process ends.
class TemporaryMapping {
public:
  /// Creates an empty file in the system's folder for temporary files
  /// ($TMPDIR).
  static llvm::Expected<std::unique_ptr<TemporaryMapping>> create();
  ~TemporaryMapping();
  TemporaryMapping(const TemporaryMapping &) = delete;
  TemporaryMapping &operator=(const TemporaryMapping &) = delete;

  llvm::Error append(llvm::ArrayRef<uint8_t> Bytes);
  uint64_t size() const { return Size; }

  /// Maps the file; nothing can be appended afterwards.
  llvm::Error map();
  /// The bytes, once mapped.
  llvm::StringRef contents() const;

private:
  explicit TemporaryMapping(int FD) : FD(FD) {}

  int FD;
  uint64_t Size = 0;
  llvm::sys::fs::mapped_file_region Region;
};

/// Tells the kernel that the whole pages within \p Part of a mapped file are
/// not needed for now; reading them again brings them back. \p Part must be
/// memory that maps a file and was not written to.
void releasePages(llvm::StringRef Part);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_TEMPORARYMAPPING_H
