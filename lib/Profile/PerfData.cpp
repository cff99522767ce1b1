//===- PerfData.cpp - Recordings of perf ----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileFormats.h"
#include "lidia/Error.h"

using namespace llvm;

namespace lidia {

bool recognisePerfData(StringRef Bytes) {
  return Bytes.starts_with("PERFILE2");
}

Error readPerfData(std::unique_ptr<MemoryBuffer> Bytes,
                   const ProfileReadOptions &Options, WarningFunction,
                   ProfileFile &Into) {
  if (!Options.ReadRecording)
    return make_error<UnsupportedError>(
        Bytes->getBufferIdentifier(),
        "is a recording of perf; pass what 'perf script --show-mmap-events' "
        "prints of it");
  return Options.ReadRecording(*Bytes, Into.WasPacked).moveInto(Into.Other);
}

} // namespace lidia
