//===- ReturnPads.h - Runs the finder of return pads ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_RETURNPADS_H
#define LLVM_LIDIA_RETURNPADS_H

#include "Object/CodeHints.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lidia {

/// Runs the helper lidia-find-calls; for ConvertOptions::FindReturnPads. Errors
/// with a std::errc code are not caused by the binary.
llvm::Expected<std::vector<uint64_t>>
findReturnPadsApart(Binary &File, const CodeHints &Hints, unsigned Threads);

// The two programs exchange numbers of eight bytes in native byte order.

/// The exit status of lidia-find-calls for a malformed binary.
inline constexpr int UnreadableStatus = 255;
/// The exit status if the output cannot be written. The output then has no
/// message but truncated data.
inline constexpr int UnwritableStatus = 254;

/// The number of function starts, the starts, and two numbers for each mark.
std::string packHints(const CodeHints &Hints);
llvm::Expected<CodeHints> unpackHints(llvm::StringRef Bytes);

std::string packPads(llvm::ArrayRef<uint64_t> Pads);
std::vector<uint64_t> unpackPads(llvm::StringRef Bytes);

} // namespace lidia

#endif // LLVM_LIDIA_RETURNPADS_H
