//===- JITDump.h - Dumps of just-in-time compiled code ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_JITDUMP_H
#define LIDIA_LIB_PROFILE_JITDUMP_H

#include "lidia/Process/NamedRanges.h"
#include "lidia/Process/OpenedFile.h"

namespace lidia {

/// Whether \p Path is named as a dump of compiled code is, jit-PID.dump. What
/// writes one maps it, so that recordings have its path.
bool isJITDump(llvm::StringRef Path);

/// The names of code in the dump \p File, which `perf inject --jit` reads, too
/// (jitdump-specification.txt in Linux): those of code that was loaded, and
/// moved. As in maps of compiled code, where code was replaced, the later one
/// wins. Null, with a warning, if it is no dump. Memory is bounded by the names
/// in it. \p Name is for messages.
std::unique_ptr<PerfMap>
readJITDump(const OpenedFile &File, llvm::StringRef Name, WarningFunction Warn);

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_JITDUMP_H
