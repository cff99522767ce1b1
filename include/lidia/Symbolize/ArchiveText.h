//===- ArchiveText.h - An archive as text -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_ARCHIVETEXT_H
#define LIDIA_SYMBOLIZE_ARCHIVETEXT_H

#include "lidia/Archive/Archive.h"
#include <string>

namespace lidia {

/// Which parts of an archive printArchive() prints.
struct ArchiveTextOptions {
  bool Header = false;
  bool Extension = false;
  bool Ranges = false;
  /// Each range with its rows.
  bool Rows = false;
  /// Each function with its declaration, statements and calls.
  bool Statements = false;
  /// Each function, and each file, once.
  bool Functions = false;
  bool Files = false;
  /// Print only the ranges of the function at this address, and only the
  /// functions, files and return pads of these ranges.
  std::optional<uint64_t> Address;
  bool Strings = false;
  bool ReturnPads = false;
  /// Print each return pad as a JSON object on one line, instead of text.
  bool ReturnPadsAsJSON = false;
  /// Each unwind row, with the rules for the frames of callers.
  bool Unwind = false;
  bool Demangle = false;
};

/// Prints \p A to \p OS, one item per line. Nothing in the archive is trusted,
/// so that broken archives can be inspected. If the text would be out of all
/// proportion to the archive's size, the output is truncated and an error is
/// returned.
llvm::Error printArchive(llvm::raw_ostream &OS, const Archive &A,
                         const ArchiveTextOptions &Options);

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_ARCHIVETEXT_H
