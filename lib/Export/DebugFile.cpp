//===- DebugFile.cpp - The debug file of an archive -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Export/DebugFile.h"
#include "lidia/Export/DWARFExport.h"
#include "lidia/Support/OutputFile.h"

using namespace llvm;

namespace lidia {

/// Reads remote and compressed archives completely first, so that threads can
/// share them.
static Error exportWhole(const Archive &A, raw_ostream &OS) {
  if (Error E = A.unpackAll())
    return E;
  return exportDWARF(A, OS);
}

Error exportDebugFile(const Archive &A, StringRef Path) {
  return writeOutputFile(Path,
                         [&](raw_ostream &OS) { return exportWhole(A, OS); });
}

Error exportDebugFile(const Archive &A, int Descriptor) {
  return writeToDescriptor(Descriptor, A.name(),
                           [&](raw_ostream &OS) { return exportWhole(A, OS); });
}

} // namespace lidia
