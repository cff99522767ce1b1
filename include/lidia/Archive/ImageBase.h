//===- ImageBase.h - Where a module begins ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_IMAGEBASE_H
#define LIDIA_ARCHIVE_IMAGEBASE_H

#include <cstdint>

namespace lidia {

class Archive;

/// The address in \p A that offsets in its module count from: the lowest of its
/// segments, rounded down to a page (section LAYT). Of an archive that does not
/// say so, such as one of a PE file, zero or, if its code begins above 4 MiB,
/// the start of the 64 KiB with the page before its first code: linkers put the
/// headers there.
uint64_t imageBase(const Archive &A);

} // namespace lidia

#endif // LIDIA_ARCHIVE_IMAGEBASE_H
