//===- PerfRecording.h - Recordings of perf ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_PERFRECORDING_H
#define LLVM_LIDIA_PERFRECORDING_H

#include "lidia/Process/Mappings.h"
#include "lidia/Profile/Profile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>

namespace lidia {

/// Which files perf may open beside the recording.
struct PerfOptions {
  /// The folder of the files that the recording names; empty: perf opens none,
  /// and prints no symbols.
  std::string Root;
  /// Whether it may query debuginfod servers.
  bool UseServers = false;
};

/// Reads the recording \p File (perf.data) by running perf script, from the
/// PATH, whose error messages go to standard error. Fails if there is no perf,
/// or if it does. \p Path is that of \p File; if it is empty, perf reads a
/// temporary copy.
llvm::Expected<Profile> readPerfRecording(llvm::MemoryBufferRef File,
                                          std::string Path,
                                          const PerfOptions &Options,
                                          WarningFunction Warn);

} // namespace lidia

#endif // LLVM_LIDIA_PERFRECORDING_H
