//===- BinaryLayout.h - Segments and sections of a binary ----- -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Debuggers find the load address of a debug file by comparing its headers
/// with those of the binary: libdw compares the first segment, gdb the address
/// of .text, and LLDB each section. The section LAYT of an archive
/// (docs/Format.md) repeats them, so that a debug file can be made without the
/// binary.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_BINARYLAYOUT_H
#define LIDIA_ARCHIVE_BINARYLAYOUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lidia {

class Archive;

/// Fields of a program header of type PT_LOAD.
struct LayoutSegment {
  uint32_t Flags = 0;
  uint64_t Address = 0;
  /// In memory.
  uint64_t Size = 0;
  uint64_t Alignment = 0;
};

/// Fields of the header of a section that is loaded (SHF_ALLOC).
struct LayoutSection {
  std::string Name;
  uint32_t Type = 0;
  uint64_t Flags = 0;
  /// For a relocatable object, the section's address in the archive (SECT), or
  /// zero.
  uint64_t Address = 0;
  uint64_t Size = 0;
  uint64_t Alignment = 0;
};

/// The segments and sections of an ELF file that are loaded, each in the order
/// of its header table.
struct BinaryLayout {
  std::vector<LayoutSegment> Segments;
  std::vector<LayoutSection> Sections;

  bool empty() const { return Segments.empty() && Sections.empty(); }

  /// The contents of the section LAYT; empty for an empty layout.
  std::string bytes() const;

  /// The layout in \p A; empty if \p A lacks the section. Values are as
  /// untrusted as the archive. The error says that the section is damaged.
  static llvm::Expected<BinaryLayout> read(const Archive &A);
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_BINARYLAYOUT_H
