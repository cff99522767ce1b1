//===- SourceAnswers.h - What each source says of an address ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_SOURCEANSWERS_H
#define LIDIA_EXTRACT_SOURCEANSWERS_H

#include "lidia/Archive/NameOrigins.h"
#include "lidia/Extract/Convert.h"
#include <vector>

namespace lidia {

/// A function that a source of symbols has for an address.
struct SourceAnswer {
  /// As in ConvertStatistics: "DWARF", ".symtab".
  std::string Source;
  /// As in the binary; empty for code that has only lines.
  std::string Name;
  uint64_t Begin = 0;
  uint64_t End = 0;
  NameOrigin Origin = NameOrigin::Unknown;
};

/// The answers for \p Address of each source of \p Binary that \p Options
/// select, before they are merged: the most trusted first. A source that has
/// none is left out. Reads the binary like convert(). Keeps at most 64.
llvm::Expected<std::vector<SourceAnswer>>
sourceAnswers(llvm::StringRef Binary, const ConvertOptions &Options,
              uint64_t Address, ConvertObserver &Observer);

/// Where \p Address is in \p Binary: ".text+0x10, file offset 0x1010". Empty if
/// it is in no section.
llvm::Expected<std::string> placeInBinary(llvm::StringRef Binary,
                                          uint64_t Address);

} // namespace lidia

#endif // LIDIA_EXTRACT_SOURCEANSWERS_H
