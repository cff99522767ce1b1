//===- ManyInputs.h - The binaries of create --output-dir -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_MANYINPUTS_H
#define LLVM_LIDIA_MANYINPUTS_H

#include "lidia/Extract/ConvertMany.h"
#include <string>
#include <vector>

namespace lidia {

/// Reads a list of names from the file \p Path, or from standard input if it is
/// "-": one on each line or, if \p Null, each with a NUL after it. Empty names
/// are left out. Errors name the file.
llvm::Expected<std::vector<std::string>> readNames(llvm::StringRef Path,
                                                   bool Null);

/// Where the archive of \p Binary goes: below \p Folder, at the path of the
/// binary without "/" and "." and without what is before the last "..", as tar
/// stores it.
std::string outputBelow(llvm::StringRef Folder, llvm::StringRef Binary,
                        llvm::StringRef Extension);

struct ManyInputs {
  std::vector<ConvertJob> Jobs;
  /// Why others are none: another file has the same output.
  std::vector<std::string> Failures;
};

/// The jobs for \p Binaries. A file that is named again is one job.
ManyInputs jobsFor(llvm::ArrayRef<std::string> Binaries, llvm::StringRef Folder,
                   llvm::StringRef Extension);

} // namespace lidia

#endif // LLVM_LIDIA_MANYINPUTS_H
