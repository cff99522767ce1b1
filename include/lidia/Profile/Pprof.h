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
/// (github.com/google/pprof), packed by gzip or not.
///
/// It is kept as it was read, so that writing it changes nothing but what was
/// changed in profile(): fields that we do not know stay, too.
class PprofFile {
public:
  /// Reads \p File. Fails if it is not such a file or is cut off. What is wrong
  /// within a message costs that message, with one warning for each kind: it
  /// has no meaning in profile(), and is written as it was.
  ///
  /// Samples, which only some uses need, are read if \p WithSamples.
  static llvm::Expected<PprofFile>
  read(std::unique_ptr<llvm::MemoryBuffer> File, bool WithSamples,
       WarningFunction Warn);

  /// Whether \p Bytes, the start of a file, may be such a file: gzip or fields
  /// of the message Profile.
  static bool mayBe(llvm::StringRef Bytes);

  Profile &profile() { return Contents; }

  /// Writes the file with the changes to profile(): strings and functions that
  /// were added at the ends of their tables, locations and mappings that are
  /// marked as changed. The result is not packed; see writeGzip().
  void write(llvm::raw_ostream &OS) const;

private:
  PprofFile() = default;

  /// Unpacked; Contents refers to it.
  std::unique_ptr<llvm::MemoryBuffer> Bytes;
  Profile Contents;
  /// The strings and functions that the file has.
  uint32_t FileStrings = 0;
  uint32_t FileFunctions = 0;
};

/// Writes \p P, from whatever source, as a message of profile.proto, not
/// packed.
void writePprof(const Profile &P, llvm::raw_ostream &OS);

/// Calls \p Write with a stream that packs to \p OS.
void writeGzip(llvm::raw_ostream &OS,
               llvm::function_ref<void(llvm::raw_ostream &)> Write);

} // namespace lidia

#endif // LIDIA_PROFILE_PPROF_H
