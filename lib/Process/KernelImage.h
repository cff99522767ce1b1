//===- KernelImage.h - Where the kernel's image is loaded -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROCESS_KERNELIMAGE_H
#define LIDIA_LIB_PROCESS_KERNELIMAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace lidia {

/// How far the kernel was moved (KASLR): what to subtract from an address at
/// run time to get that in the image \p VMLinux. \p Symbol is at \p Loaded at
/// run time; if the image does not have it, its first code that is loaded is.
/// Fails if \p BuildID is not empty and not that of the image.
llvm::Expected<uint64_t> kernelOffset(llvm::StringRef VMLinux,
                                      llvm::ArrayRef<uint8_t> BuildID,
                                      llvm::StringRef Symbol, uint64_t Loaded);

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_KERNELIMAGE_H
