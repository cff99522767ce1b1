//===- FileHash.h - The htlhash of a file -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_FILEHASH_H
#define LIDIA_LIB_OBJECT_FILEHASH_H

#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>

namespace lidia {

/// The "htlhash" with which OpenTelemetry's profilers identify an executable.
using FileHash = std::array<uint8_t, 16>;

/// The first 16 bytes of the SHA-256 of the first 4096 bytes of a file, its
/// last 4096 bytes (for a smaller file, the whole file in both cases) and its
/// size, eight bytes big-endian. Defined in OpenTelemetry's specification of
/// profiles, "Mappings", and opentelemetry-ebpf-profiler's
/// FileIDFromExecutableReader.
///
/// It identifies a file, not a build: stripping a program changes the hash.
FileHash hashFile(llvm::StringRef Bytes);

/// The same hash from the parts of a file of \p Size bytes.
FileHash hashFileParts(llvm::StringRef First, llvm::StringRef Last,
                       uint64_t Size);

/// The maximum size of First and Last above, in bytes.
inline constexpr uint64_t FileHashPart = 4096;

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_FILEHASH_H
