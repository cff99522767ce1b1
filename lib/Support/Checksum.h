//===- Checksum.h - CRC-32C -------------------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_CHECKSUM_H
#define LIDIA_LIB_SUPPORT_CHECKSUM_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace lidia {

/// The CRC-32C (Castagnoli; initial value and final XOR 0xffffffff) of
/// \p Bytes. Pass the checksum of the preceding bytes as \p Before to continue
/// it: crc32c(B, crc32c(A)) is crc32c(A + B).
///
/// Uses the processor's CRC instructions if it has them (SSE4.2, Arm's CRC
/// extension), detected once at run time.
uint32_t crc32c(llvm::StringRef Bytes, uint32_t Before = 0);

/// The same as crc32c, for a processor without CRC instructions.
uint32_t crc32cSoftware(llvm::StringRef Bytes, uint32_t Before = 0);

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_CHECKSUM_H
