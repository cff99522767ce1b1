//===- DebugID.h - Identifiers of modules in crash reports ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_DEBUGID_H
#define LIDIA_ARCHIVE_DEBUGID_H

#include "lidia/Archive/ELFIdentity.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// The identifier by which Breakpad and its successors know a binary.
struct DebugID {
  /// The fields of a GUID in big-endian order.
  std::array<uint8_t, 16> UUID = {};
  /// How often the PDB file of a PE file was written; zero for other formats.
  uint32_t Age = 0;

  /// The debug ID with the GUID \p GUID, whose bytes are as Windows stores
  /// them: the first three fields are little-endian. Missing bytes are zero.
  static DebugID ofGUID(llvm::ArrayRef<uint8_t> GUID, uint32_t Age = 0);

  /// Parses what text() returns, in lower or upper case, with or without "-"
  /// between the fields of the GUID and before the age. None if \p Text is
  /// something else.
  static std::optional<DebugID> parse(llvm::StringRef Text);

  /// "6DEB321BD0ED5E6F4262367CCA2D26BF1": 32 digits and the age, as in the
  /// names of symbol files.
  std::string text() const;

  /// The build ID of the PE file that has this ID: the GUID, then the age
  /// unless it is 0, both big-endian.
  std::vector<uint8_t> buildIDOfPE() const;

  /// The GUID's bytes as Windows stores them.
  std::array<uint8_t, 16> guid() const;

  bool operator==(const DebugID &Other) const {
    return UUID == Other.UUID && Age == Other.Age;
  }
};

/// The identifier of a binary with \p BuildID; zero for one without.
///
/// For a Mach-O file, this is its LC_UUID; for a PE file, the GUID and the age
/// of its CodeView record; for an ELF file, the first 16 bytes of its build ID
/// (missing bytes are zero). If the ELF file is little-endian, these bytes are
/// treated as a GUID as Windows stores it, so that the bytes of its first three
/// fields are swapped.
DebugID debugID(const ELFIdentity &Identity, llvm::ArrayRef<uint8_t> BuildID);

} // namespace lidia

#endif // LIDIA_ARCHIVE_DEBUGID_H
