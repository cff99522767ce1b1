//===- PerfData.cpp - Recordings of perf ----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfDataReader.h"
#include "ProfileFormats.h"

using namespace llvm;

namespace lidia {

bool recognisePerfData(StringRef Bytes) {
  return Bytes.starts_with("PERFILE2") || Bytes.starts_with("2ELIFREP");
}

Error readPerfData(std::unique_ptr<MemoryBuffer> Bytes,
                   const ProfileReadOptions &Options, WarningFunction Warn,
                   ProfileFile &Into) {
  Expected<PerfFile> File = PerfFile::open(*Bytes, Warn);
  if (!File)
    return File.takeError();
  PerfDataReader Reader(std::move(*File), Bytes->getBufferIdentifier(), Options,
                        Warn);
  return Reader.read().moveInto(Into.Other);
}

} // namespace lidia
