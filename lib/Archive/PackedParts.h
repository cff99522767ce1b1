//===- PackedParts.h - The frames of a compressed archive -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_PACKEDPARTS_H
#define LIDIA_LIB_ARCHIVE_PACKEDPARTS_H

#include "PagedMemory.h"
#include "SeekTable.h"

namespace lidia {

/// The maximum size to which a compressed archive of \p PackedSize bytes may
/// unpack. Compression makes archives seven times smaller.
inline uint64_t maxUnpacked(uint64_t PackedSize) {
  return (uint64_t(16) << 20) + 100 * PackedSize;
}

/// Returns a reader of the parts of \p File, which are its zstd frames. Null if
/// the file has to be unpacked as a whole, because it has no seek table with
/// checksums or its frames cannot be parts. The error says that the table is
/// damaged, or that the file claims to unpack to more than an archive can.
llvm::Expected<std::unique_ptr<PartReader>>
openPackedParts(std::shared_ptr<const RandomAccessReader> File);

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_PACKEDPARTS_H
