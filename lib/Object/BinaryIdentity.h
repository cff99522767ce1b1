//===- BinaryIdentity.h - The identity of a binary --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_BINARYIDENTITY_H
#define LIDIA_LIB_OBJECT_BINARYIDENTITY_H

#include "Binary.h"
#include "lidia/Archive/Archive.h"
#include <array>
#include <optional>

namespace lidia {

/// XXH3-128 in its canonical form (big-endian), as xxhsum prints it.
using BinaryIdentity = std::array<uint8_t, 16>;

/// A hash of headers, sizes and some of the code of \p File, by a scheme that
/// docs/Format.md ("IDEN") specifies. It distinguishes binaries that claim the
/// same build ID, and does not change when debug information or symbols are
/// removed, moved to another file or compressed. It is no proof: two binaries
/// can be crafted to have the same identity.
///
/// None for a file without code, such as a debug file.
///
/// Reads at most 4 KiB of the file's code and 4 KiB of its notes, besides its
/// program headers.
std::optional<BinaryIdentity>
identifyBinary(const Binary &File, uint32_t Scheme = format::IdentityScheme);

/// Whether \p File has the identity of the archive with \p Info, by the
/// archive's scheme. If neither has an identity, they count as equal.
bool hasIdentityOf(const Binary &File, const ArchiveInfo &Info);

/// Whether the file at \p Path has an identity that differs from that of the
/// archive with \p Info. False if the archive has no identity, or if the file
/// does not exist, is not a binary or has no code. In a universal file, the
/// file with the build ID \p BuildID is compared.
bool hasOtherIdentity(const std::string &Path, const ArchiveInfo &Info,
                      llvm::ArrayRef<uint8_t> BuildID);

/// Opens the binary of an archive at \p Path. Fails if its build ID is not
/// \p BuildID, that of the archive (empty for none).
llvm::Expected<std::unique_ptr<Binary>>
openBinaryOfArchive(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_BINARYIDENTITY_H
