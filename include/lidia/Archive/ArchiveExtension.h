//===- ArchiveExtension.h - How names of archives end -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_ARCHIVEEXTENSION_H
#define LIDIA_ARCHIVE_ARCHIVEEXTENSION_H

namespace lidia {

/// The end of an archive's file name, after that of the binary.
inline constexpr char ArchiveExtension[] = ".lidia";

/// The end of a compressed archive's name.
inline constexpr char CompressedArchiveExtension[] = ".lidia.zst";

} // namespace lidia

#endif // LIDIA_ARCHIVE_ARCHIVEEXTENSION_H
