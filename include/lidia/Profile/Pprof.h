//===- Pprof.h - Profiles of pprof ------------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_PPROF_H
#define LIDIA_PROFILE_PPROF_H

#include "lidia/Process/Mappings.h"
#include "lidia/Profile/Profile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace lidia {

/// A profile in the format of pprof: a message of profile.proto
/// (github.com/google/pprof), which may be compressed by gzip.
///
/// The file is kept as it was read: writing it changes only what was changed in
/// profile(), and unknown fields are kept.
class PprofFile {
public:
  /// Reads \p File. Fails if it is not such a file or is truncated. A malformed
  /// message is empty in profile() and is written unchanged, with one warning
  /// for each kind of problem.
  ///
  /// Samples, which only some callers need, are read if \p WithSamples.
  static llvm::Expected<PprofFile>
  read(std::unique_ptr<llvm::MemoryBuffer> File, bool WithSamples,
       WarningFunction Warn);

  /// Whether \p Bytes, the start of a file, may be such a file: gzip or fields
  /// of the message Profile.
  static bool mayBe(llvm::StringRef Bytes);

  Profile &profile() { return Contents; }

  /// Writes the file with the changes to profile(): strings and functions that
  /// were added go to the ends of their tables, and locations and mappings that
  /// are marked as changed are replaced. The result is not compressed; see
  /// writeGzip().
  void write(llvm::raw_ostream &OS) const;

private:
  PprofFile() = default;

  /// The uncompressed file; Contents refers to it.
  std::unique_ptr<llvm::MemoryBuffer> Bytes;
  Profile Contents;
  /// The numbers of strings and functions in the file.
  uint32_t FileStrings = 0;
  uint32_t FileFunctions = 0;
};

/// Writes \p P, which may come from any source, as a message of profile.proto,
/// not compressed.
void writePprof(const Profile &P, llvm::raw_ostream &OS);

/// Calls \p Write with a stream that writes to \p OS, compressed by gzip.
void writeGzip(llvm::raw_ostream &OS,
               llvm::function_ref<void(llvm::raw_ostream &)> Write);

} // namespace lidia

#endif // LIDIA_PROFILE_PPROF_H
