//===- GSYMSections.h - The sections of a GSYM file, version 2 --*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The layout is that of LLVM 23 (llvm/DebugInfo/GSYM/HeaderV2.h and
/// GlobalData.h): the header, whose first fields are those of version 1, a list
/// of sections, and the sections. Offsets in it and in strings have 64 bits.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_GSYMSECTIONS_H
#define LIDIA_LIB_OBJECT_GSYMSECTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>

namespace lidia {
namespace gsymv2 {

/// The numbers of the sections. Those of later versions are skipped.
enum SectionType : uint32_t {
  EndOfList = 0,
  AddressOffsets = 1,
  /// Offsets in Functions.
  InfoOffsets = 2,
  Strings = 3,
  Files = 4,
  Functions = 5,
  UUID = 6,
  SectionTypes,
};

/// By SectionType; empty if the file has none. All are parts of the file.
using Sections = std::array<llvm::StringRef, SectionTypes>;

/// Reads the list of the file \p Bytes, whose header is of version 2. The error
/// names \p Path: the list does not end, a section is outside of the file, or
/// strings are stored in a way that is not known.
llvm::Expected<Sections> readSections(llvm::StringRef Bytes,
                                      llvm::StringRef Path, bool IsBigEndian);

} // namespace gsymv2
} // namespace lidia

#endif // LIDIA_LIB_OBJECT_GSYMSECTIONS_H
