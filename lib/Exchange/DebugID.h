//===- DebugID.h - Identifiers of modules in crash reports ---- -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXCHANGE_DEBUGID_H
#define LIDIA_LIB_EXCHANGE_DEBUGID_H

#include "lidia/Archive/Archive.h"
#include <array>
#include <cstdint>

namespace lidia {

/// The UUID by which Breakpad and its successors know the ELF file of \p Info:
/// the first 16 bytes of its build ID (missing ones are zero), of which a
/// little-endian file's are taken for a GUID, whose first three fields are
/// swapped. Zero for an archive without \p Info.
std::array<uint8_t, 16> debugID(const ArchiveInfo *Info);

} // namespace lidia

#endif // LIDIA_LIB_EXCHANGE_DEBUGID_H
