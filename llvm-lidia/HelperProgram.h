//===- HelperProgram.h - Where our other programs are -----------*- C++ -*-===//
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

namespace lidia {

/// The program \p Name beside this one, where both are installed.
inline llvm::SmallString<128> helperProgram(llvm::StringRef Name) {
  static int Here;
  llvm::SmallString<128> Path(llvm::sys::fs::getMainExecutable(nullptr, &Here));
  llvm::sys::path::remove_filename(Path);
  llvm::sys::path::append(Path, Name);
  return Path;
}

} // namespace lidia

#endif // LLVM_LIDIA_HELPERPROGRAM_H
