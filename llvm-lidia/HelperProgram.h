//===- HelperProgram.h - Our helper programs --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_HELPERPROGRAM_H
#define LLVM_LIDIA_HELPERPROGRAM_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace lidia {

/// The path of the helper program \p Name. Its folder is relative to this
/// program's, so that both can be moved.
inline llvm::SmallString<128> helperProgram(llvm::StringRef Name) {
  static int Here;
  llvm::SmallString<128> Path(llvm::sys::fs::getMainExecutable(nullptr, &Here));
  llvm::sys::path::remove_filename(Path);
  llvm::sys::path::append(Path, LIDIA_HELPERS_FROM_TOOL, Name);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path;
}

/// Makes the system send SIGTERM to this process when its parent process
/// \p Parent ends. Helper programs call it first; returns false if the parent
/// has already ended.
inline bool endWithParent(pid_t Parent) {
  return ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && ::getppid() == Parent;
}

} // namespace lidia

#endif // LLVM_LIDIA_HELPERPROGRAM_H
