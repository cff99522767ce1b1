//===- ReturnPads.h - Return pads from another program ----------*- C++ -*-===//
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

/// As ConvertOptions::FindReturnPads: runs the helper lidia-find-calls. Errors
/// with a code of std::errc are no fault of the binary's.
llvm::Expected<std::vector<uint64_t>>
findReturnPadsApart(Binary &File, const CodeHints &Hints, unsigned Threads);

// The two programs exchange numbers of eight bytes, in the machine's own order.

/// The status with which lidia-find-calls says that the binary is broken.
inline constexpr int UnreadableStatus = 255;
/// The same for its output, which is then no message but as much as had room.
inline constexpr int UnwritableStatus = 254;

/// The number of starts, the starts, and two numbers for each mark.
std::string packHints(const CodeHints &Hints);
llvm::Expected<CodeHints> unpackHints(llvm::StringRef Bytes);

std::string packPads(llvm::ArrayRef<uint64_t> Pads);
std::vector<uint64_t> unpackPads(llvm::StringRef Bytes);

} // namespace lidia

#endif // LLVM_LIDIA_RETURNPADS_H
