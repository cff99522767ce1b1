//===- UnwindSection.h - The unwind rows of a binary alone ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_UNWINDSECTION_H
#define LIDIA_EXTRACT_UNWINDSECTION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace lidia {

/// How to find callers' frames in the binary at \p Path, from its own call
/// frame information, as the section UNWD of an archive (UnwindTable::open());
/// empty if it has none. For those that have no archive, or one without rows:
/// made from a debug file alone, by an older version, or with --no-unwind.
llvm::Expected<std::string> readUnwindSection(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_EXTRACT_UNWINDSECTION_H
