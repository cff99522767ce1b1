//===- OtherTools.h - The interfaces of other symbolizers -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_OTHERTOOLS_H
#define LLVM_LIDIA_OTHERTOOLS_H

#include "Commands.h"
#include <optional>

namespace lidia {

/// Runs the interface of another tool if the program's name, the first of
/// \p Args, is the tool's, and returns the exit status; none for any other
/// name.
///
///  - lidia-symbolizer, llvm-symbolizer: llvm-symbolizer;
///  - llvm-addr2line: llvm-addr2line;
///  - lidia-addr2line, addr2line: GNU addr2line.
///
/// A prefix (x86_64-linux-gnu-) and a version (-19) are ignored. All names are
/// links to one program, because separate programs would not start faster.
std::optional<int> runAsOtherTool(Arguments Args);

/// Runs GNU addr2line's interface and returns the exit status. \p Args begins
/// with the program's name.
int runAddr2Line(Arguments Args);

} // namespace lidia

#endif // LLVM_LIDIA_OTHERTOOLS_H
