//===- ArchiveOrigin.h - The binary that an archive belongs to --*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_ARCHIVEORIGIN_H
#define LIDIA_ARCHIVE_ARCHIVEORIGIN_H

#include "lidia/Archive/ELFIdentity.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace lidia {

/// Which binary an archive was made from. The fields are those of ArchiveInfo.
struct ArchiveOrigin : ELFIdentity {
  llvm::SmallVector<uint8_t, 20> BuildID;
};

/// Reads only the origin of the archive at \p Path: the header, the extension's
/// directory and the section INFO, at most 64 KiB each. The file is not mapped,
/// so it may change concurrently. None if the archive does not record its
/// origin. The rest of the file is not validated; Archive::open does that.
/// Errors name the file.
llvm::Expected<std::optional<ArchiveOrigin>>
readArchiveOrigin(llvm::StringRef Path);

/// Returns the bytes of the header and the extension's directory of the archive
/// at \p Path, which hold all checksums. Archives with equal bytes have equal
/// contents unless one is damaged. None if the archive has no checksums or no
/// extension. Otherwise like readArchiveOrigin().
llvm::Expected<std::optional<std::string>>
readArchiveDirectory(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_ARCHIVE_ARCHIVEORIGIN_H
