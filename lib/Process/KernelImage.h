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

/// The offset by which the kernel was moved (KASLR): subtract it from a runtime
/// address to get the address in the image \p VMLinux. \p Loaded is the runtime
/// address of \p Symbol or, if the image does not have the symbol, of the
/// image's first loaded code. Fails if \p BuildID is not empty and not that of
/// the image.
llvm::Expected<uint64_t> kernelOffset(llvm::StringRef VMLinux,
                                      llvm::ArrayRef<uint8_t> BuildID,
                                      llvm::StringRef Symbol, uint64_t Loaded);

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_KERNELIMAGE_H
