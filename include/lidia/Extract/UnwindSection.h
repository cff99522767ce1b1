//===- UnwindSection.h - The unwind rows of a binary alone ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_UNWINDSECTION_H
#define LIDIA_EXTRACT_UNWINDSECTION_H

#include "lidia/Unwind/Registers.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace lidia {

/// Reads the call frame information of the binary at \p Path into the form of
/// the section UNWD of an archive (UnwindTable::open()). Empty if the binary
/// has none. Use this for binaries without an archive, or with an archive
/// without unwind rows, because it was made from a debug file alone, by an
/// older version, or with --no-unwind.
llvm::Expected<std::string> readUnwindSection(llvm::StringRef Path);

/// The unwind rows of code that was compiled at run time.
struct CodeRows {
  /// In the form of the section UNWD; empty if there are none.
  std::string Section;
  /// The address in Section of the first byte of the code.
  uint64_t Begin = 0;
};

/// Reads the call frame information \p EHFrame of \p CodeSize bytes of code,
/// which has the form of .eh_frame and is placed behind the code, at the next
/// multiple of 8 bytes, as in the files that `perf inject --jit` makes. If its
/// entries are elsewhere, the first one describes the beginning of the code.
CodeRows readCodeRows(llvm::StringRef EHFrame, uint64_t CodeSize,
                      const UnwindMachine &Machine);

} // namespace lidia

#endif // LIDIA_EXTRACT_UNWINDSECTION_H
