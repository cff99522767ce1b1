//===- InputFile.h - Input files that can be read whole ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_INPUTFILE_H
#define LIDIA_LIB_SUPPORT_INPUTFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace lidia {

/// Whether \p Path is a device. A device may be endless.
inline bool isDevice(llvm::StringRef Path) {
  llvm::sys::fs::file_status Status;
  return !llvm::sys::fs::status(Path, Status) &&
         (Status.type() == llvm::sys::fs::file_type::character_file ||
          Status.type() == llvm::sys::fs::file_type::block_file);
}

/// Opens \p Path for reading. Fails if it is not a regular file: opening a pipe
/// would wait for a writer, and opening a device could have side effects.
llvm::Expected<llvm::sys::fs::file_t> openRegularFile(llvm::StringRef Path);

/// Maps or reads the whole file that openRegularFile() opens.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readRegularFile(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_INPUTFILE_H
