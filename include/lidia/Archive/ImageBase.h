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

/// The address in \p A that offsets in its module count from: the lowest
/// address of a segment, rounded down to a page (section LAYT). Archives
/// without that section, such as those of PE files, get an estimate: zero or,
/// if the code begins above 4 MiB, the start of the 64 KiB that contain the
/// page before the first code, which is where linkers put the headers.
uint64_t imageBase(const Archive &A);

} // namespace lidia

#endif // LIDIA_ARCHIVE_IMAGEBASE_H
