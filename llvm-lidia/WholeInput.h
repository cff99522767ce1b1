//===- WholeInput.h - Reads a whole input -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_WHOLEINPUT_H
#define LLVM_LIDIA_WHOLEINPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace lidia {

/// Reads the file at \p Path, or standard input for "-". Fails for an empty
/// file and for a device.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readWholeInput(llvm::StringRef Path);

} // namespace lidia

#endif // LLVM_LIDIA_WHOLEINPUT_H
