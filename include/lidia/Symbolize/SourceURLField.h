//===- SourceURLField.h - The URL of a line in JSON -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_SOURCEURLFIELD_H
#define LIDIA_SYMBOLIZE_SOURCEURLFIELD_H

#include "lidia/Symbolize/SourceURLs.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lidia {

/// Calls \p Write with the name and the value of the field for the URL of a
/// frame's line, in JSON with llvm-symbolizer's names ("FileName", "Line").
/// Does not call it if there is no URL.
inline void writeSourceURL(
    const SourceURLs &Links, llvm::StringRef File, uint32_t Line,
    llvm::function_ref<void(llvm::StringLiteral Name, const std::string &URL)>
        Write) {
  if (File.empty() || Line == 0)
    return;
  if (std::string URL = Links.url(File, Line); !URL.empty())
    Write("SourceURL", URL);
}

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_SOURCEURLFIELD_H
