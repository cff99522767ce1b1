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
/// "-": one on each line or, if \p Null, each terminated by a NUL. Skips empty
/// names. Errors name the file.
llvm::Expected<std::vector<std::string>> readNames(llvm::StringRef Path,
                                                   bool Null);

/// The path of the archive of \p Binary: below \p Folder, at the path of the
/// binary without "/", "." and everything up to the last "..", as tar stores
/// it.
std::string outputBelow(llvm::StringRef Folder, llvm::StringRef Binary,
                        llvm::StringRef Extension);

struct ManyInputs {
  std::vector<ConvertJob> Jobs;
  /// The reasons why other inputs have no job: their output is that of another
  /// file.
  std::vector<std::string> Failures;
};

/// The jobs for \p Binaries. A file that is named several times is one job.
ManyInputs jobsFor(llvm::ArrayRef<std::string> Binaries, llvm::StringRef Folder,
                   llvm::StringRef Extension);

} // namespace lidia

#endif // LLVM_LIDIA_MANYINPUTS_H
