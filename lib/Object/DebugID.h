//===- DebugID.h - Identifiers of modules in crash reports ---- -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_DEBUGID_H
#define LIDIA_LIB_OBJECT_DEBUGID_H

#include "lidia/Archive/ELFIdentity.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstdint>

namespace lidia {

/// The identifier by which Breakpad and its successors know a binary.
struct DebugID {
  /// Its fields in big-endian order.
  std::array<uint8_t, 16> UUID = {};
  /// How often the PDB file of a PE file was written; zero for other formats.
  uint32_t Age = 0;
};

/// The identifier of a binary with \p BuildID; zero for one without.
///
/// That of a Mach-O file is its LC_UUID; of a PE file, the GUID and the age of
/// its CodeView record; of an ELF file, the first 16 bytes of its build ID
/// (missing ones are zero), of which a little-endian file's are taken for a
/// GUID, whose first three fields are swapped.
DebugID debugID(const ELFIdentity &Identity, llvm::ArrayRef<uint8_t> BuildID);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_DEBUGID_H
