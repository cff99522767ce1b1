//===- PlainParts.h - An archive that is read in parts ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_PLAINPARTS_H
#define LIDIA_LIB_ARCHIVE_PLAINPARTS_H

#include "PagedMemory.h"
#include "lidia/Support/RandomAccessReader.h"

namespace lidia {

/// The parts of \p File, which is not compressed.
std::unique_ptr<PartReader>
openPlainParts(std::shared_ptr<const RandomAccessReader> File);

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_PLAINPARTS_H
