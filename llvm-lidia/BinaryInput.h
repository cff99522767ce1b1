//===- BinaryInput.h - Binaries in place of archives ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_BINARYINPUT_H
#define LLVM_LIDIA_BINARYINPUT_H

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace lidia {

/// Whether \p Path is an object file of any format, another tool's symbol file
/// or a dSYM bundle. Returns false for archives, pipes and missing files, which
/// are handled where they are opened.
bool isBinary(llvm::StringRef Path);

/// \p Path, or the path of a copy without a name if \p Path is a pipe or
/// standard input ("-"), which cannot be read twice. The copy is on the disk,
/// or in memory if no file can be written, and lasts as long as the process.
llvm::Expected<std::string> readableTwice(llvm::StringRef Path);

/// Opens the whole archive at \p Where, a path or a URL. For a binary, the
/// error says how its archive is made.
llvm::Expected<Archive> openGivenArchive(llvm::StringRef Where);

} // namespace lidia

#endif // LLVM_LIDIA_BINARYINPUT_H
